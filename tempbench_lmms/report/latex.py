"""A table in LaTeX, in the form of the package booktabs."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from tempbench_lmms.data.terminal import shown
from tempbench_lmms.report.grid import Cell, Grid, Heading

PREAMBLE = "% needs \\usepackage{booktabs, graphicx, longtable}"
MAX_FLOATS = 18
"""Floats that may wait for a place; with more, LaTeX ends with "Too many unprocessed floats"."""
_LONG, _WIDE = 45, 69  # lines on a page; characters of this size that a line surely has room for
_TOO_WIDE = 100  # and those that it surely has none for
_NUMBERED = ("Table", "Section", "Footnote")  # how a paper's own tables are called
_HEAD, _CELL = 18, 24  # characters in a line of a column's heading, and of a cell of words

_FITTED = r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"
"""What makes box 0 as wide as the line where it is wider."""

_SIGNS = {sign: rf"\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\dots{}",
    "†": r"\textdagger{}",
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "−": r"$-$",
}


def escaped(words: str) -> str:
    """Returns words as LaTeX prints them, with every sign that it would take for a command."""
    return "".join(_SIGNS.get(sign, sign) for sign in shown(" ".join(words.split())))


def table(grid: Grid) -> str:
    """Returns the table: a float, or pages where it is long; one that is too wide is made smaller.

    One that is wide and long is several floats: a table that goes over pages cannot be made smaller.
    """
    if _width(grid) <= _WIDE:
        return _float(grid) if _height(grid) <= _LONG else _long(grid)
    found = parts(grid)
    if len(found) == 1:
        return _float(grid)
    return "\n\n".join(_float(part, f"part {n} of {len(found)}") for n, part in enumerate(found, 1))


def parts(grid: Grid) -> list[Grid]:
    """Returns a table that is made smaller in parts that fit a page, each with its own notes."""
    room = max(_LONG, _LONG * _width(grid) // _TOO_WIDE)
    starts, used = [0], 0
    for number, cells in enumerate(grid.cells):
        used += _lines_of(cells)
        if used > room and number > starts[-1]:
            starts.append(number)
            used = _lines_of(cells)
    ends = [*starts[1:], len(grid.rows)]
    pairs = list(zip(starts, ends, strict=True))
    return [replace(grid, rows=grid.rows[i:j], cells=grid.cells[i:j]) for i, j in pairs]


def _float(grid: Grid, part: str = "") -> str:
    n_heads = 2 if grid.has_row_groups else 1
    tabular = [rf"\begin{{tabular}}{{{_form(grid, n_heads)}}}", r"\toprule", *_head_lines(grid, n_heads)]
    tabular += [r"\midrule", *_body_lines(grid), r"\bottomrule", r"\end{tabular}"]
    if _width(grid) > _WIDE:
        tabular = [r"\sbox0{%", *tabular[:-1], rf"{tabular[-1]}}}%", _FITTED]
    title = _title(grid, part)
    opening = [r"\begin{table}[tbp]", r"\centering\footnotesize", rf"\caption{{{title}}}\smallskip"]
    return "\n".join([*opening, *tabular, *_notes(grid), r"\end{table}"])


def _long(grid: Grid) -> str:
    n_heads = 2 if grid.has_row_groups else 1
    head = _head_lines(grid, n_heads)
    top = [rf"\caption{{{_title(grid)}}}\\", r"\toprule", *head, r"\midrule", r"\endfirsthead"]
    again = [r"\toprule", *head, r"\midrule", r"\endhead"]
    inside = [*top, *again, *_body_lines(grid), r"\bottomrule"]
    lines = [rf"\begin{{longtable}}{{{_form(grid, n_heads)}}}", *inside, r"\end{longtable}", *_notes(grid)]
    return "\n".join(lines)


def _form(grid: Grid, n_heads: int) -> str:
    return "l" * n_heads + "r" * len(grid.columns)


def _width(grid: Grid) -> int:
    """Returns about how many characters a line of the table has, the space between columns included."""
    widest = [max((len(part) for row in grid.rows for part in (row.label, *row.parts)), default=0)]
    for column, cells in zip(grid.columns, zip(*grid.cells, strict=True), strict=bool(grid.cells)):
        # Bounds are printed smaller.
        sizes = (max(_longest(c.text, _CELL), 3 * len(c.bounds) // 4) for c in cells)
        widest.append(max(_longest(column.name, _HEAD), *sizes))
    return sum(widest) + 2 * len(widest)


def _longest(words: str, room: int) -> int:
    return max(map(len, _pieces(words, room)))


def _height(grid: Grid) -> int:
    return sum(map(_lines_of, grid.cells))


def _lines_of(cells: Sequence[Cell]) -> int:
    """Returns how many lines a row has."""
    lines = max((len(_pieces(cell.text, _CELL)) for cell in cells), default=1)
    return lines + any(cell.bounds for cell in cells)


def _pieces(words: str, room: int) -> list[str]:
    """Returns the lines in which words fit a column."""
    return textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False) or [""]


def _stacked(words: str, room: int, side: str = "r") -> str:
    """Returns words for LaTeX, one line above the other where they are long."""
    lines = [escaped(piece) for piece in _pieces(words, room)]
    if len(lines) == 1:
        return lines[0]
    return rf"\shortstack[{side}]{{" + r"\\".join(map(_opening, lines)) + "}"


def _title(grid: Grid, part: str = "") -> str:
    """Returns what the table is of; LaTeX numbers it itself, so the paper's number follows in brackets."""
    if grid.is_printed and grid.caption:
        title, source = grid.caption.rstrip("."), f"as {_place(grid.name)}"
    else:
        title, source = ": ".join(filter(None, (grid.name, grid.caption.rstrip(".")))), ""
    words = "; ".join(filter(None, (source, part)))
    return escaped(f"{title} ({words})." if words else f"{title}.")


def _place(name: str) -> str:
    """Returns where a paper has a table: "Table 14 of the paper", "in TOMATO, Table 7"."""
    if name.startswith(_NUMBERED):
        return f"{name} of the paper"
    return "in the paper's abstract" if name == "Abstract" else f"in {name}"


def _notes(grid: Grid) -> list[str]:
    words = [escaped(remark) for remark in grid.remarks]
    words += [rf"$^{{\mathrm{{{mark}}}}}$\,{escaped(note)}" for note, mark in grid.marks.items()]
    return [rf"\par\smallskip\parbox{{\linewidth}}{{\scriptsize {'; '.join(words)}.}}"] if words else []


def _head_lines(grid: Grid, n_heads: int) -> list[str]:
    lines = []
    corner = [escaped(grid.corner), *[""] * (n_heads - 1)]
    if any(group for group, _ in grid.column_groups):
        cells, rules, at = [""] * n_heads, [], n_heads + 1
        for group, width in grid.column_groups:
            if group:
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_stacked(group, _HEAD * width, 'c')}}}")
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            else:
                cells += [""] * width
            at += width
        lines += [_line(cells), "".join(rules)]
    return [*lines, _line([*corner, *(_stacked(one.name, _HEAD) + _mark(grid, one) for one in grid.columns)])]


def _body_lines(grid: Grid) -> list[str]:
    lines = []
    for number, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        if grid.starts_group(number):
            lines.append(r"\midrule")
        head = [_opening(escaped(words)) for words in grid.row_head(number)]
        head[-1 if row.group else 0] += _mark(grid, row)
        with_bounds = any(cell.bounds for cell in cells)
        values = _line([*head, *(_cell(grid, cell) for cell in cells)])
        lines.append(f"{values}*" if with_bounds else values)  # no page ends between the two
        if with_bounds:
            below = [rf"{{\scriptsize {escaped(cell.bounds)}}}" if cell.bounds else "" for cell in cells]
            lines.append(_line([""] * len(head) + below))
    return lines


def _opening(words: str) -> str:
    """Returns the first words of a line: a bracket or star there would belong to the line above."""
    return f"{{}}{words}" if words[:1] in ("[", "*") else words


def _cell(grid: Grid, cell: Cell) -> str:
    text = _stacked(cell.text, _CELL)
    return (rf"\textbf{{{text}}}" if cell.is_best else text) + _mark(grid, cell)


def _mark(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return rf"$^{{\mathrm{{{mark}}}}}$" if mark else ""


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
