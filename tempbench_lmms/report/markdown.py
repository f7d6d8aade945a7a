"""Writes a table in GitHub's Markdown."""

from tempbench_lmms.data.terminal import shown
from tempbench_lmms.report.grid import Cell, Grid, Heading


def escaped(words: str) -> str:
    """Returns words with Markdown's special characters escaped, also inside a table."""
    words = shown(" ".join(words.split())).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{sign}" if sign in "\\`*_[]|#~" else sign for sign in words)


def table(grid: Grid) -> str:
    """Returns the table with its caption above it and its notes below."""
    corner = [grid.corner, ""] if grid.has_row_groups else [grid.corner]
    head = [*map(escaped, corner), *(_head(grid, column) for column in grid.columns)]
    lines = [head, ["---"] * len(corner) + ["---:"] * len(grid.columns)]
    for number, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        own = [escaped(words) for words in grid.row_head(number)]
        own[-1 if row.group else 0] += _marked(grid, row)
        lines.append([*own, *(_cell(grid, cell) for cell in cells)])
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([*_caption(grid), body, *_notes(grid)])


def _caption(grid: Grid) -> list[str]:
    words = f"**{escaped(grid.name)}.** {escaped(grid.caption)}".strip() if grid.name else ""
    return [words] if words else []


def _notes(grid: Grid) -> list[str]:
    lines = [f"- {escaped(remark)}" for remark in grid.remarks]
    lines += [f"- <sup>{mark}</sup> {escaped(note)}" for note, mark in grid.marks.items()]
    lines += [f"- `{shown(line)}`" for line in grid.signatures]
    return ["\n".join(lines)] if lines else []


def _head(grid: Grid, column: Heading) -> str:
    return "<br>".join(escaped(part) for part in column.parts if part) + _marked(grid, column)


def _cell(grid: Grid, cell: Cell) -> str:
    text = f"**{escaped(cell.text)}**" if cell.is_best else escaped(cell.text)
    return text + _marked(grid, cell) + (f"<br>{escaped(cell.bounds)}" if cell.bounds else "")


def _marked(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return f"<sup>{mark}</sup>" if mark else ""
