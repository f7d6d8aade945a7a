"""The tasks of the bundled sample, for tests that go through all of them."""

import functools
from collections.abc import Callable, Iterable, Sequence

import pytest

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.harness import tasks
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, task_files
from tempbench_lmms.harness.variants import base_of
from tests.each import sample

load_task = functools.cache(tasks.load_task)
"""A task's configuration, read once; nobody may change it."""

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


def scoring(name: str) -> Sequence[object]:
    """Returns what a task's scores depend on: the function, the metrics, and which documents it is given."""
    config = load_task(name)
    metrics = tuple(entry["metric"] for entry in config["metric_list"])
    return config["process_results"], metrics, *_documents(name)


def asking(name: str) -> Sequence[object]:
    """Returns what a task's questions depend on: its functions, their settings, and its documents.

    One number of frames is as good as another: one frame, and several.
    """
    config = load_task(name)
    settings = (kwargs_of(config) or {}).items()
    few = tuple((key, value == 1 if isinstance(value, int) else value) for key, value in settings)
    functions = (config["doc_to_text"], config["doc_to_visual"], config["doc_to_messages"])
    return *functions, config["process_results"], (task_files()[name].parent.name, few), *_documents(name)


def _documents(name: str) -> tuple[object, object, object]:
    base = base_of(name)
    config = load_task(base or name)
    table = config["dataset_kwargs"]["data_files"][config["test_split"]]
    return table, (table, config.get("process_docs")), (task_files()[name].parent.name, bool(base))


def covering(classes: Callable[[str], Sequence[object]], names: Iterable[str] = MINI) -> list:
    """Returns tasks as parameters of a test, which the test command runs for one of each class.

    The quick command asks one of each scoring function.
    """
    seen = {load_task("coherence_caption_mini")["process_results"]}  # its metrics import torch
    params = []
    for param in sample(names, classes):
        (name,), marks = param.values, param.marks
        if not marks:
            function = load_task(name)["process_results"]
            marks = [pytest.mark.slow] if function in seen else []
            seen.add(function)
        params.append(pytest.param(name, marks=marks))
    return params


_read_rows = functools.cache(tables.read_rows)


@functools.cache
def docs(name: str) -> list[dict]:
    """Returns a task's documents, read once; nobody may change them: other tasks have the same rows."""
    return docs_of(load_task(name), read=_read_rows)


def kinds_of_files(benchmark: str) -> tuple[str, ...]:
    """Returns, as one class for `sample`, the suffixes of the files that a benchmark's data is made of."""
    files = mini_root(benchmark).rglob("*")
    return (" ".join(sorted({path.suffix for path in files if path.is_file()})),)
