"""The tasks of the bundled sample, for tests that go through all of them."""

import functools
from collections.abc import Iterable

import pytest

from tempbench_lmms.harness.derived import base_of
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files

# Tasks that draw groups ask a part of another one's questions: tests/harness/test_lite.py.
_ALL = [
    name
    for name in task_files()
    if name.endswith("_mini") and "_lite_" not in name and "group" not in load_task(name)
]
MINI = [name for name in _ALL if base_of(name) is None]
MADE = [name for name in _ALL if base_of(name) is not None]
"""Tasks that shared code makes of others; contracts/test_derived.py is about them."""


def _one_of_each() -> set[str]:
    """Returns a task of each scoring function: the others are its variants."""
    return set({load_task(name)["process_results"]: name for name in reversed(MINI)}.values())


ONE_OF_EACH = _one_of_each()
_QUICK = ONE_OF_EACH - {"coherence_caption_mini"}  # its metrics import torch


def quickly(names: Iterable[str] = MINI) -> list:
    """Returns tasks as parameters of a test: the quick command asks one of each scoring function."""
    return [name if name in _QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@functools.cache
def docs(name: str) -> list[dict]:
    """Returns a task's documents, read once; nobody may change them."""
    return docs_of(load_task(name))
