"""A task's scores by source, statement, distance, relation, duration and so on, as tables.

They come from the nested tables under `details` of the results file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tempbench_lmms.data import provenance
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.record import shown
from tempbench_lmms.record_reading import KEY as READINGS
from tempbench_lmms.report.grid import Cell, Grid, Number, cell_of
from tempbench_lmms.report.numbers import TaskNumbers, of_records

VALUES = ("value", "share")
"""The key of a share's value beside its count, `n`."""
COUNT = "n"


def grids_of(task: TaskNumbers) -> list[Grid]:
    """Returns the breakdowns of one task of one run."""
    found = _by_field(task) if task.log.other else of_details(task.log.details)
    return [replace(grid, caption=task.caption) for grid in found]


def _by_field(task: TaskNumbers) -> list[Grid]:
    """Returns the headline of a task that is not ours, by each short field of its documents."""
    other = task.log.other
    row = next((row for row in other.rows if row.headline), None) if other else None
    if not other or not row:
        return []
    out = []
    for name, values in other.by_field().items():
        rows = {}
        for value, ids in sorted(values.items()):
            own = {*ids}
            records = [record for record in other.records if record["id"] in own]
            try:
                number = of_records(row.metric, records, isinstance(row.metric(records), Ratio))
            except ValueError as error:  # the task's aggregation takes no part of the questions
                number = Number("-", why=str(error))
            rows[value] = [cell_of(number, f"{row.name}.{value}", task.log.task), Cell(f"{len(ids)}")]
        out.append(Grid.of(name.replace("_", " "), ["", row.name, "n"], rows))
    return out


def of_details(details: Mapping[str, Any]) -> list[Grid]:
    """Returns the tables nested under `details`, without entries that are not results: `run`, `readings`.

    A table is as large as one line per row allows: sources with all their shares are one table, several
    confusion matrices are several.
    """
    out: list[Grid] = []
    for name, value in details.items():
        if name not in (provenance.KEY, READINGS) and isinstance(value, Mapping):
            out += _nested((name,), value)
    return out


def _nested(path: tuple[str, ...], node: Mapping[str, Any]) -> Iterator[Grid]:
    if not node:
        return
    if not all(_is_row(child) for child in node.values()):
        for name, child in node.items():
            if isinstance(child, Mapping) and not _is_leaf(child):
                yield from _nested((*path, str(name)), child)
        return
    rows = {str(name): dict(_flat(child)) for name, child in node.items()}
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    cells = {
        row.replace("_", " "): [
            _cell(own.get(one), ".".join(filter(None, (*path, row, one)))) for one in columns
        ]
        for row, own in rows.items()
    }
    yield _grid(", ".join(path), [column or "share" for column in columns], cells)


def _grid(title: str, columns: Iterable[str], rows: Mapping[str, Sequence[Cell]]) -> Grid:
    heads = ["", *(column.replace("_", " ") for column in columns)]
    return Grid.of(title.replace("_", " "), heads, rows)


def _is_leaf(node: Any) -> bool:
    """Returns whether a node is one value: a number, or a share with its count."""
    return not isinstance(node, Mapping) or (
        set(node) & set(VALUES) != set() and set(node) <= {*VALUES, COUNT}
    )


def _is_row(node: Any) -> bool:
    """Returns whether a node is a table line: a value, or values with more values below one of them."""
    return _is_leaf(node) or not node or any(_is_leaf(child) for child in node.values())


def _flat(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if _is_leaf(node):
        yield " ".join(path), node
        return
    for name, child in node.items():
        yield from _flat(child, (*path, str(name)))


def _cell(leaf: Any, name: str) -> Cell:
    if leaf is None:
        return Cell(metric=name)
    if not isinstance(leaf, Mapping):
        return Cell(shown(leaf), number=Number(leaf), metric=name)
    value = next(leaf[key] for key in VALUES if key in leaf)
    count = leaf.get(COUNT)
    text = shown(value) if count is None else f"{shown(value)} ({count:g})"
    return Cell(text, number=Number(value, n=count), metric=name)
