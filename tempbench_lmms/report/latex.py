"""Writes a table in LaTeX, for the package booktabs."""

import textwrap

from tempbench_lmms.data.terminal import shown
from tempbench_lmms.report.grid import Cell, Grid, Heading

PREAMBLE = "% needs \\usepackage{booktabs, graphicx}"
_NUMBERED = ("Table", "Section", "Footnote")  # the names of a paper's own tables
_HEAD, _CELL = 18, 24  # characters in a line of a column's heading, and of a cell of words

_FITTED = r"""\ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi
\ifdim\dimexpr\ht0+\dp0\relax>.85\textheight\sbox0{\resizebox*{!}{.85\textheight}{\usebox0}}\fi
\usebox0"""
"""Shows box 0, shrunk if it is wider than the line or higher than the page."""

_SIGNS = {sign: rf"\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar\allowbreak{}",
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
    """Returns words with LaTeX's special characters escaped."""
    return "".join(_SIGNS.get(sign, sign) for sign in shown(" ".join(words.split())))


def table(grid: Grid) -> str:
    """Returns the table as a float, shrunk if it is too large for a page."""
    n_heads = 2 if grid.has_row_groups else 1
    form = "l" * n_heads + "r" * len(grid.columns)
    lines = [
        *(r"\begin{table}[tbp]", r"\centering\footnotesize", rf"\caption{{{_title(grid)}}}\smallskip"),
        *(r"\sbox0{%", rf"\begin{{tabular}}{{{form}}}", r"\toprule", *_head_lines(grid, n_heads)),
        *(r"\midrule", *_body_lines(grid), r"\bottomrule", r"\end{tabular}}%", _FITTED),
    ]
    notes = [escaped(remark) for remark in grid.remarks]
    notes += [rf"$^{{\mathrm{{{mark}}}}}$\,{escaped(note)}" for note, mark in grid.marks.items()]
    notes += map(escaped, grid.signatures)
    if notes:
        said = "; ".join(note.rstrip(".") for note in notes)
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\scriptsize {said}.}}")
    return "\n".join([*lines, r"\end{table}"])


def _title(grid: Grid) -> str:
    """Returns the caption; LaTeX numbers tables itself, so the paper's number follows in brackets."""
    caption = grid.caption.rstrip(".")
    if not (grid.is_printed and caption):
        return escaped(": ".join(filter(None, (grid.name, caption)))) + "."
    is_numbered = grid.name.startswith(_NUMBERED)
    return escaped(f"{caption} (as {f'{grid.name} of the paper' if is_numbered else f'in {grid.name}'}).")


def _stacked(words: str, room: int, side: str = "r") -> str:
    """Returns words for LaTeX, stacked in lines if they are long."""
    pieces = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False) or [""]
    lines = [escaped(piece) for piece in pieces]
    if len(lines) == 1:
        return lines[0]
    return rf"\shortstack[{side}]{{" + r"\\".join(map(_opening, lines)) + "}"


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
        lines.append(_line([*head, *(_cell(grid, cell) for cell in cells)]))
        if any(cell.bounds for cell in cells):
            below = [rf"{{\scriptsize {escaped(cell.bounds)}}}" if cell.bounds else "" for cell in cells]
            lines.append(_line([""] * len(head) + below))
    return lines


def _opening(words: str) -> str:
    """Protects the beginning of a line: a bracket or star there would belong to the line above."""
    return f"{{}}{words}" if words[:1] in ("[", "*") else words


def _cell(grid: Grid, cell: Cell) -> str:
    text = _stacked(cell.text, _CELL)
    return (rf"\textbf{{{text}}}" if cell.is_best else text) + _mark(grid, cell)


def _mark(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return rf"$^{{\mathrm{{{mark}}}}}$" if mark else ""


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
