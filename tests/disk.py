"""A disk that takes no more."""

import contextlib
import sys

import pytest


@contextlib.contextmanager
def room_for(n_bytes):
    """A block in which no file grows beyond so many bytes, as where the disk is full."""
    resource = pytest.importorskip("resource")
    before, compiled = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # else Python keeps what it compiles meanwhile, cut off
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = compiled
