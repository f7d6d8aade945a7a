"""Writes a table as text for a terminal, split into parts that fit its width."""

import textwrap
from collections.abc import Sequence

from tempbench_lmms.report.grid import Cell, Grid, Heading

_GAP = "  "
_HEAD = 12  # characters to which a column's heading is wrapped
_ROW = 40  # the same of a row's heading, and of a cell of words

Column = list[list[str]]
"""A column of cells from top to bottom, each as its lines."""


def table(grid: Grid, width: int) -> str:
    """Returns the table.

    Args:
        grid: The table.
        width: Characters per line; a single column may need more.
    """
    left = [[grid.corner], *(_wrapped(row.label + _mark(grid, row), _ROW) for row in grid.rows)]
    columns = [
        [_wrapped(one.label + _mark(grid, one), _HEAD), *(_cell(grid, cells[place]) for cells in grid.cells)]
        for place, one in enumerate(grid.columns)
    ]
    title = f"{grid.name}. {grid.caption}" if grid.caption else grid.name
    blocks = [textwrap.fill(title, width)] if title else []
    part: list[Column] = []
    for column in columns:
        if part and sum(len(_GAP) + _width(one) for one in (*part, column)) > width - _width(left):
            blocks.append(_block(left, part))
            part = []
        part.append(column)
    blocks.append(_block(left, part))
    notes = [*grid.remarks, *(f"{mark}) {note}" for note, mark in grid.marks.items()), *grid.signatures]
    if notes:
        blocks.append("\n".join(textwrap.fill(note, width, subsequent_indent="   ") for note in notes))
    return "\n\n".join(blocks)


def _cell(grid: Grid, cell: Cell) -> list[str]:
    # A terminal's bold would be lost in a pipe.
    text = f"*{cell.text}*" if cell.is_best else cell.text
    lines = _wrapped(text + _mark(grid, cell), _ROW)
    return [*lines, cell.bounds] if cell.bounds else lines


def _wrapped(words: str, room: int) -> list[str]:
    return textwrap.wrap(words, room, break_long_words=False) or [""]


def _mark(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return f"({mark})" if mark else ""


def _width(column: Column) -> int:
    return max(len(line) for cell in column for line in cell)


def _block(left: Column, part: Sequence[Column]) -> str:
    widths = [_width(column) for column in part]
    lines = []
    for number, head in enumerate(left):
        cells = [column[number] for column in part]
        for at in range(max(len(one) for one in (head, *cells))):
            words = [one[at] if at < len(one) else "" for one in (head, *cells)]
            own = (word.rjust(width) for word, width in zip(words[1:], widths, strict=True))
            lines.append(_GAP.join([words[0].ljust(_width(left)), *own]))
        if number == 0:
            lines.append("-" * len(lines[0]))
    return "\n".join(line.rstrip() for line in lines)
