"""The rows of our tasks, which the harness asks for several times: read from Arrow once, many at a time.

The harness reads a question's row when it makes the request, when the model asks for what is shown, and when
the reply is scored. `datasets` takes some five microseconds for each column of a single row, and as long for
a few hundred rows at once.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

_AT_ONCE = 512
_KEEPS = "_tempbench_keeps_rows"
_JSON = re.compile(r"(large_)?string|bool|null|u?int\d+|float\d+")
"""Types whose values are the same after a way through JSON."""


class KeptRows:
    """A `datasets.Dataset` that keeps what it has read; whatever is no single row comes from the data set.

    Rows are kept as text: every caller gets objects of its own, which it may change, as from Arrow.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset, self._size = dataset, len(dataset)
        self._blocks: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[i] for i in range(self._size))

    def __getitem__(self, key: Any) -> Any:
        if type(key) is not int or not 0 <= key < self._size:
            return self._dataset[key]
        number, place = divmod(key, _AT_ONCE)
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = self._read(number * _AT_ONCE)
        return json.loads(block[place])

    def _read(self, start: int) -> list[str]:
        columns = self._dataset[start : start + _AT_ONCE]
        rows = zip(*columns.values(), strict=True)
        return [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of copying and the like
            raise AttributeError(name)
        return getattr(self._dataset, name)


def keep_rows(module: ModuleType) -> None:
    """Has the harness's tasks, of its `lmms_eval.api.task`, keep the rows of ours."""
    task: Any = getattr(module, "ConfigurableTask", None)
    original = getattr(task, "download", None)
    if original is None or hasattr(task, _KEEPS):
        return  # a comfort: without it every row is read from Arrow each time

    @functools.wraps(original)
    def download(self: Any, *args: Any, **kwargs: Any) -> Any:
        from tempbench_lmms.data import code_digest
        from tempbench_lmms.harness.tasks import task_files

        found = original(self, *args, **kwargs)
        if getattr(self.config, "task", None) in task_files():
            # Of the code that will read the replies, whatever lies on the disk when the run ends.
            code_digest.of_numbers(task_files()[self.config.task].parent.name)
            made: dict[int, Any] = {}  # the same data set stands in both
            for splits in (self.dataset, getattr(self, "dataset_no_image", {})):
                for name, dataset in splits.items():
                    splits[name] = made.setdefault(id(dataset), kept(dataset))
        return found

    task.download = download
    setattr(task, _KEEPS, True)


def kept(dataset: Any) -> Any:
    """Returns a data set that keeps its rows; the same one where its rows are more than texts and numbers."""
    import datasets

    is_plain = isinstance(dataset, datasets.Dataset) and dataset.format["type"] is None
    return KeptRows(dataset) if is_plain and _is_json(dataset.features) else dataset


def _is_json(feature: Any) -> bool:
    """Returns whether all values of a column, or of the fields and lists in it, are those of JSON."""
    if isinstance(feature, Mapping):
        return all(map(_is_json, feature.values()))
    if isinstance(feature, list):
        return all(map(_is_json, feature))
    if (inner := getattr(feature, "feature", None)) is not None:
        return _is_json(inner)
    return type(feature).__name__ == "Value" and bool(_JSON.fullmatch(feature.dtype))
