"""The rows of a table with what a task's `process_docs` asks of a `datasets.Dataset`, without Arrow.

To import `datasets`, to write rows into Arrow and to read them again takes longer than all else that a
command does with a bundled sample.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class Documents:
    """Rows that are chosen and given columns as a `datasets.Dataset` is; what it has besides comes from one.

    A method takes what that of a data set takes, and leaves all but the plain form to one; none changes the
    rows that it was made of.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], names: Sequence[str] | None = None) -> None:
        self._rows = [dict(row) for row in rows]
        self._names = list(names if names is not None else self._rows[0] if self._rows else ())

    @classmethod
    def from_list(cls, rows: Sequence[Mapping[str, Any]]) -> "Documents":
        """Returns rows with the columns of the first one, as `datasets.Dataset.from_list` does."""
        names = list(rows[0]) if rows else []
        return cls({name: row.get(name) for name in names} for row in rows)

    @property
    def column_names(self) -> list[str]:
        """The columns' names; a table of which no row is left has them, too."""
        return list(self._names)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int):
            return dict(self._rows[key])
        if isinstance(key, str) and key in self._names:
            return [row[key] for row in self._rows]
        return self._as_dataset()[key]

    def select(self, indices: Iterable[int], *args: Any, **more: Any) -> Any:
        """Returns these rows, in this order."""
        if args or more:
            return self._as_dataset().select(indices, *args, **more)
        return Documents((self._rows[i] for i in indices), self._names)

    def filter(self, function: Any = None, *args: Any, input_columns: Any = None, **more: Any) -> Any:
        """Returns the rows for which a function is true, of a row or of some of its columns."""
        names = [input_columns] if isinstance(input_columns, str) else input_columns
        if function is None or args or more or not self._has(names or ()):
            return self._as_dataset().filter(function, *args, input_columns=input_columns, **more)
        kept = (
            row
            for row in self._rows
            if (function(dict(row)) if names is None else function(*(row[name] for name in names)))
        )
        return Documents(kept, self._names)

    def add_column(self, name: str, column: Sequence[Any], *args: Any, **more: Any) -> Any:
        """Returns the rows with one more column, the last."""
        is_plain = isinstance(column, list) and len(column) == len(self) and name not in self._names
        if args or more or not is_plain:
            return self._as_dataset().add_column(name, column, *args, **more)
        rows = ({**row, name: value} for row, value in zip(self._rows, column, strict=True))
        return Documents(rows, [*self._names, name])

    def remove_columns(self, column_names: str | Sequence[str], *args: Any, **more: Any) -> Any:
        """Returns the rows without these columns."""
        names = [column_names] if isinstance(column_names, str) else column_names
        if args or more or not self._has(names):
            return self._as_dataset().remove_columns(column_names, *args, **more)
        left = [name for name in self._names if name not in names]
        return Documents(({name: row[name] for name in left} for row in self._rows), left)

    def _has(self, names: Iterable[str]) -> bool:
        return set(names) <= set(self._names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of copying and the like
            raise AttributeError(name)
        return getattr(self._as_dataset(), name)

    def _as_dataset(self) -> Any:
        import datasets

        datasets.disable_progress_bars()
        if not self._rows:
            return datasets.Dataset.from_dict({name: [] for name in self._names})
        return datasets.Dataset.from_list(self._rows)
