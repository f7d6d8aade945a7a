"""What the tests of prepared data share."""

import json
from unittest import mock

import pytest

from tempbench_lmms.data import checksums


@pytest.fixture(scope="module", autouse=True)
def _quick_videos():
    """What is rendered is as good a file by a quicker preset."""
    with mock.patch("tempbench_lmms.media.encoding.PRESET", "ultrafast"):
        yield


def timeless(path):
    """Returns what a file holds; of the checksums of media without their times."""
    if path.name != checksums.FILE:
        return path.read_bytes()
    return {place: one["sha256"] for place, one in json.loads(path.read_text()).items()}


@pytest.fixture
def tree():
    """Returns what every file below a folder holds, by its path in it."""
    return lambda root: {
        path.relative_to(root).as_posix(): timeless(path)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
