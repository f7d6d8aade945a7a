"""The rows of a table with what a task's `process_docs` asks of a `datasets.Dataset`, without Arrow.

To import `datasets`, to write rows into Arrow and to read them again takes longer than all else that a
command does with a bundled sample.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any


class Documents:
    """Rows that are chosen and given columns as a `datasets.Dataset` is; what it has besides comes from one.

    No method changes the rows that it was made of.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]

    @classmethod
    def from_list(cls, rows: Sequence[Mapping[str, Any]]) -> "Documents":
        """Returns rows with the columns of the first one, as `datasets.Dataset.from_list` does."""
        names = list(rows[0]) if rows else []
        return cls({name: row.get(name) for name in names} for row in rows)

    @property
    def column_names(self) -> list[str]:
        """The columns' names."""
        return list(self._rows[0]) if self._rows else []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int):
            return dict(self._rows[key])
        if isinstance(key, str):
            return [row[key] for row in self._rows]
        return self._as_dataset()[key]

    def select(self, indices: Iterable[int]) -> "Documents":
        """Returns these rows, in this order."""
        return Documents(self._rows[i] for i in indices)

    def filter(
        self, function: Callable[..., bool], input_columns: Sequence[str] | None = None
    ) -> "Documents":
        """Returns the rows for which a function is true, of a row or of some of its columns."""
        return Documents(
            row
            for row in self._rows
            if (function(*(row[name] for name in input_columns)) if input_columns else function(dict(row)))
        )

    def add_column(self, name: str, column: Sequence[Any]) -> "Documents":
        """Returns the rows with one more column, the last."""
        return Documents({**row, name: value} for row, value in zip(self._rows, column, strict=True))

    def remove_columns(self, names: Sequence[str]) -> "Documents":
        """Returns the rows without these columns."""
        return Documents({name: row[name] for name in row if name not in names} for row in self._rows)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of copying and the like
            raise AttributeError(name)
        return getattr(self._as_dataset(), name)

    def _as_dataset(self) -> Any:
        import datasets

        datasets.disable_progress_bars()
        return datasets.Dataset.from_list(self._rows)
