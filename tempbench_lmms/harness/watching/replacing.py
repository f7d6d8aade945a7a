"""Puts something between a runner and its model, for a while."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Gives an object another attribute within the block, and afterwards the one that it had of its own."""
    own = vars(owner).get(name) if name in vars(owner) else None
    had = name in vars(owner)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, name, own)
        else:
            delattr(owner, name)
