"""Writes a table as CSV: one line per row, and further lines for the ends of intervals and for notes."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from tempbench_lmms.data import terminal
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.report.grid import Cell, Grid

VALUE, LOW, HIGH, NOTE = "value", "low_95", "high_95", "note"
"""The kinds of lines of a row."""


_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?%?", re.ASCII | re.IGNORECASE)
_BLANK = re.compile(r"[\s\ufeff\u200b-\u200d\u2060]*")


def inert(value: Any) -> Any:
    """Returns a cell that is not a formula in any spreadsheet and cannot control a terminal.

    A sign counts in any width, and after blanks, which some programs drop.
    """
    if not isinstance(value, str):
        return value
    blank = _BLANK.match(value)
    begun = unicodedata.normalize("NFKC", value[blank.end() if blank else 0 :][:1])
    is_formula = (
        begun.startswith(("=", "+", "-", "@")) and value != UNDEFINED and not _NUMBER.fullmatch(value)
    )
    mark = "'" if is_formula or value.startswith(("\t", "\r", "\n")) else ""
    return mark + terminal.shown(value)


def written(rows: Iterable[Iterable[Any]]) -> str:
    """Returns rows as CSV, every cell of them inert."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(inert, row) for row in rows)
    return out.getvalue()


def table(grid: Grid) -> str:
    """Returns the table; intervals are in the unit of their value."""
    return written(_lines(grid))


def _lines(grid: Grid) -> Iterator[list[Any]]:
    yield ["row", "what", *(column.label for column in grid.columns)]
    if any(column.notes for column in grid.columns):
        yield ["", NOTE, *("; ".join(column.notes) for column in grid.columns)]
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        ends = [_ends(cell) for cell in cells]
        notes = ["; ".join((*row.notes, *cell.notes)) for cell in cells]
        parts = {
            VALUE: [cell.text for cell in cells],
            LOW: [low for low, _ in ends],
            HIGH: [high for _, high in ends],
            NOTE: notes,
        }
        for what, values in parts.items():
            if what == VALUE or any(values):
                yield [row.label, what, *values]
    yield from (["", NOTE, remark] for remark in (*grid.remarks, *grid.signatures))


def _ends(cell: Cell) -> tuple[str, str]:
    low, _, high = cell.bounds.strip("[]").partition(", ")
    return low, high
