"""What the tests of prepared data share."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def preparing():
    """The module with a tiny source of every benchmark."""
    sys.path.insert(0, str(FOLDER))
    try:
        import prepare_interruptions
    finally:
        sys.path.remove(str(FOLDER))
    return prepare_interruptions
