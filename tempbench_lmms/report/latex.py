"""A table in LaTeX, in the form of the package booktabs."""

from tempbench_lmms.report.grid import Cell, Grid, Heading

PREAMBLE = "% needs \\usepackage{booktabs, graphicx, longtable}"
_LONG, _WIDE = 45, 69  # rows on a page; characters of this size in a line

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
    return "".join(_SIGNS.get(sign, sign) for sign in " ".join(words.split()))


def table(grid: Grid) -> str:
    """Returns the table: a float, or pages where it is long; a wide one is made as wide as the line."""
    n_heads = 2 if grid.has_row_groups else 1
    form = "l" * n_heads + "r" * len(grid.columns)
    head, body = _head_lines(grid, n_heads), _body_lines(grid)
    caption = rf"\caption{{{escaped(_title(grid))}}}"
    if len(grid.rows) > _LONG:
        top = [rf"{caption}\\", r"\toprule", *head, r"\midrule", r"\endfirsthead"]
        again = [r"\toprule", *head, r"\midrule", r"\endhead"]
        inside = [*top, *again, *body, r"\bottomrule"]
        lines = [rf"\begin{{longtable}}{{{form}}}", *inside, r"\end{longtable}", *_notes(grid)]
    else:
        tabular = [rf"\begin{{tabular}}{{{form}}}", r"\toprule", *head, r"\midrule", *body]
        tabular += [r"\bottomrule", r"\end{tabular}"]
        if _width(grid) > _WIDE:
            tabular = [r"\resizebox{\linewidth}{!}{%", *tabular[:-1], rf"{tabular[-1]}}}"]
        opening = [r"\begin{table}[tbp]", r"\centering\footnotesize", caption]
        lines = [*opening, *tabular, *_notes(grid), r"\end{table}"]
    return "\n".join(lines)


def _width(grid: Grid) -> int:
    """Returns about how many characters a line of the table has, the space between columns included."""
    widest = [max((len(part) for row in grid.rows for part in (row.label, *row.parts)), default=0)]
    for column, cells in zip(grid.columns, zip(*grid.cells, strict=True), strict=bool(grid.cells)):
        # Bounds are printed smaller.
        widest.append(max(len(column.parts[-1]), *(max(len(c.text), 3 * len(c.bounds) // 4) for c in cells)))
    return sum(widest) + 2 * len(widest)


def _title(grid: Grid) -> str:
    return f"{grid.name}. {grid.caption}" if grid.caption else grid.name


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
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(group)}}}")
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            else:
                cells += [""] * width
            at += width
        lines += [_line(cells), "".join(rules)]
    return [*lines, _line([*corner, *(escaped(one.name) + _mark(grid, one) for one in grid.columns)])]


def _body_lines(grid: Grid) -> list[str]:
    lines = []
    for number, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        if grid.starts_group(number):
            lines.append(r"\midrule")
        head = _row_head(grid, row, number)
        lines.append(_line([*head, *(_cell(grid, cell) for cell in cells)]))
        if any(cell.bounds for cell in cells):
            below = [rf"{{\scriptsize {escaped(cell.bounds)}}}" if cell.bounds else "" for cell in cells]
            lines.append(_line([""] * len(head) + below))
    return lines


def _row_head(grid: Grid, row: Heading, number: int) -> list[str]:
    name = _opening(escaped(row.name)) + _mark(grid, row)
    if not grid.has_row_groups:
        return [name]
    if not row.group:
        return [name, ""]
    return [_opening(escaped(row.group)) if grid.shows_group(number) else "", name]


def _opening(words: str) -> str:
    """Returns the first words of a line: a bracket or star there would belong to the line above."""
    return f"{{}}{words}" if words[:1] in ("[", "*") else words


def _cell(grid: Grid, cell: Cell) -> str:
    text = escaped(cell.text)
    return (rf"\textbf{{{text}}}" if cell.is_best else text) + _mark(grid, cell)


def _mark(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return rf"$^{{\mathrm{{{mark}}}}}$" if mark else ""


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
