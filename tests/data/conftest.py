"""What the tests of prepared data share."""

import sys
from pathlib import Path
from unittest import mock

import pytest

from tests.looking import looked_at_once  # noqa: F401

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def _quick_videos():
    """What is rendered is as good a file by a quicker preset."""
    with mock.patch("tempbench_lmms.media.encoding.PRESET", "ultrafast"):
        yield


@pytest.fixture(scope="session")
def preparing():
    """The module with a tiny source of every benchmark."""
    sys.path.insert(0, str(FOLDER))
    try:
        import prepare_interruptions
    finally:
        sys.path.remove(str(FOLDER))
    return prepare_interruptions
