"""Writes tables and whole reports as text: for a terminal, as Markdown, as CSV and as LaTeX."""

import csv
import io
import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product, zip_longest
from types import MappingProxyType
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data import terminal
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.report import tables
from tempbench_lmms.report.numbers import OF_DETAILS, OF_SECOND, Cell, Grid, Section, TaskNumbers
from tempbench_lmms.report.page import grids_of
from tempbench_lmms.report.problems import Prices
from tempbench_lmms.runs.task_log import Sample, TaskLog, edited

TITLE = "tempbench report"

# ---- for a terminal

_GAP = "  "
_HEAD = 12  # characters to which a column's heading is wrapped
_ROW = 40  # the same of a row's heading, and of a cell of words

Column = list[list[str]]
"""A column of cells from top to bottom, each as its lines."""


def plain(grid: Grid, width: int) -> str:
    """Returns a table for a terminal, split into parts that fit its width.

    Args:
        grid: The table.
        width: Characters per line; a single column may need more.
    """
    left = [[grid.corner], *(_wrapped(row.label + grid.mark(row, "(%s)"), _ROW) for row in grid.rows)]
    columns = [
        [
            _wrapped(one.label + grid.mark(one, "(%s)"), _HEAD),
            *(_plain_cell(grid, cells[place]) for cells in grid.cells),
        ]
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


def _plain_cell(grid: Grid, cell: Cell) -> list[str]:
    # A terminal's bold would be lost in a pipe.
    text = f"*{cell.text}*" if cell.is_best else cell.text
    return [*_wrapped(text + grid.mark(cell, "(%s)"), _ROW), *filter(None, [cell.bounds])]


def _wrapped(words: str, room: int) -> list[str]:
    return textwrap.wrap(words, room, break_long_words=False) or [""]


def _width(column: Column) -> int:
    return max(len(line) for cell in column for line in cell)


def _block(left: Column, part: Sequence[Column]) -> str:
    widths = [_width(column) for column in part]
    lines = []
    for number, head in enumerate(left):
        for first, *words in zip_longest(*[head, *(column[number] for column in part)], fillvalue=""):
            own = (word.rjust(width) for word, width in zip(words, widths, strict=True))
            lines.append(_GAP.join([first.ljust(_width(left)), *own]))
        if number == 0:
            lines.append("-" * len(lines[0]))
    return "\n".join(line.rstrip() for line in lines)


# ---- as Markdown


def in_markdown(words: str) -> str:
    """Returns words with Markdown's special characters escaped, also inside a table."""
    words = terminal.shown(" ".join(words.split()))
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{sign}" if sign in "\\`*_[]|#~" else sign for sign in words)


def markdown(grid: Grid) -> str:
    """Returns a table in GitHub's Markdown, with its caption above it and its notes below."""

    def marked(text: str, one: Any) -> str:
        return text + grid.mark(one, "<sup>%s</sup>")

    corner = [in_markdown(grid.corner), *([""] if grid.has_row_groups else [])]
    heads = (marked("<br>".join(map(in_markdown, filter(None, one.parts))), one) for one in grid.columns)
    lines = [[*corner, *heads], ["---"] * len(corner) + ["---:"] * len(grid.columns)]
    for number, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        own = [in_markdown(words) for words in grid.row_head(number)]
        own[-1 if row.group else 0] += marked("", row)
        for cell in cells:
            text = f"**{in_markdown(cell.text)}**" if cell.is_best else in_markdown(cell.text)
            own.append(marked(text, cell) + (f"<br>{in_markdown(cell.bounds)}" if cell.bounds else ""))
        lines.append(own)
    caption = f"**{in_markdown(grid.name)}.** {in_markdown(grid.caption)}".strip() if grid.name else ""
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = [f"- {in_markdown(remark)}" for remark in grid.remarks]
    notes += [f"- <sup>{mark}</sup> {in_markdown(note)}" for note, mark in grid.marks.items()]
    notes += [f"- `{terminal.shown(line)}`" for line in grid.signatures]
    return "\n\n".join(filter(None, (caption, body, "\n".join(notes))))


def as_markdown(
    sections: Sequence[Section],
    title: str = TITLE,
    everything: bool = False,
    prices: Prices = MappingProxyType({}),
) -> str:
    """Returns the overview in Markdown; with `everything`, also every table of every task."""
    blocks = [f"# {in_markdown(title)}", *map(markdown, grids_of(sections, prices))]
    for section in sections if everything else ():
        blocks.append(f"## {in_markdown(f'{section.card.name}: {section.card.title}')}")
        blocks += map(markdown, (*tables.main(section), *tables.printed_of(section)))
        for task in section.tasks:
            blocks.append(f"### {in_markdown(task.caption)}")
            said = [*filter(None, [task.run_card.decision]), *(f"warning: {one}" for one in task.warnings)]
            blocks += ["\n".join(f"- {in_markdown(line)}" for line in said)] if said else []
            blocks += map(markdown, tables.grids_of(section, task))
    return "\n\n".join(blocks) + "\n"


# ---- as CSV

COLUMNS = (
    *("benchmark", "source", "task", "row", "column", "metric"),
    *("value", "standard_error", "low_95", "high_95", "n", "printed", "best", "comparable", "note"),
)
"""The columns of the CSV file. `source` is `run` (every metric of every task), `details` (its breakdowns),
the paper's table (every cell of it, runs among the rows), or whose readings a run is scored with."""

_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?%?", re.ASCII | re.IGNORECASE)
_BLANK = re.compile(r"[\s\ufeff\u200b-\u200d\u2060]*")


def inert(value: Any) -> Any:
    """Returns a cell that is not a formula in any spreadsheet and cannot control a terminal.

    A sign counts in any width, and after blanks, which some programs drop.
    """
    if not isinstance(value, str):
        return value
    begun = unicodedata.normalize("NFKC", _BLANK.sub("", value, count=1)[:1])
    is_formula = begun[:1] in ("=", "+", "-", "@") and value != UNDEFINED and not _NUMBER.fullmatch(value)
    return ("'" if is_formula or value[:1] in ("\t", "\r", "\n") else "") + terminal.shown(value)


def written(rows: Iterable[Iterable[Any]]) -> str:
    """Returns rows as CSV, every cell of them inert."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(inert, row) for row in rows)
    return out.getvalue()


def sheet(grid: Grid) -> str:
    """Returns a table as CSV: a line per row, and further lines for the ends of intervals and for notes."""
    rows = [["row", "what", *(column.label for column in grid.columns)]]
    if any(column.notes for column in grid.columns):
        rows.append(["", "note", *("; ".join(column.notes) for column in grid.columns)])
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        ends = [cell.bounds.strip("[]").partition(", ") for cell in cells]
        parts = {
            "value": [cell.text for cell in cells],
            "low_95": [low for low, _, _ in ends],
            "high_95": [high for _, _, high in ends],
            "note": ["; ".join((*row.notes, *cell.notes)) for cell in cells],
        }
        rows += [[row.label, what, *own] for what, own in parts.items() if what == "value" or any(own)]
    return written([*rows, *(["", "note", remark] for remark in (*grid.remarks, *grid.signatures))])


def as_csv(sections: Sequence[Section], everything: bool = True) -> str:
    """Returns the headlines as a table, or every unrounded number of runs and papers, one per line."""
    if not everything:
        return sheet(next(grids_of(sections)))
    rows: list[Sequence[Any]] = [COLUMNS]
    for section in sections:
        own = [(task, grid) for task in section.tasks for grid in tables.grids_of(section, task)]
        # Breakdowns come last, and a second reader's lines follow its task's metrics.
        own.sort(key=lambda one: one[1].source == OF_DETAILS)
        for task, grid in (*own, *((None, grid) for grid in tables.printed_of(section))):
            rows += _lines(section, grid, task)
    return written(rows)


def _lines(section: Section, grid: Grid, task: TaskNumbers | None) -> Iterator[list[Any]]:
    places = product(zip(grid.rows, grid.cells, strict=True), enumerate(grid.columns))
    for (row, cells), (place, column) in places:
        cell, number = cells[place], cells[place].number
        spread: list[Any] = ["-", *[None] * 4]
        if number is not None:
            spread = [number.value, number.error, number.low, number.high, number.n]
        if task is None and cell != Cell():  # not an empty cell of the paper
            note = "; ".join((*grid.remarks, *row.notes, *column.notes, *cell.notes))
            where = [section.card.name, grid.name, cell.task, row.label, column.label, cell.metric]
            best = "yes" if cell.is_best else ""
            yield [*where, *spread, cell.text, best, _comparable(section, cell), note]
        elif task is not None and number is not None:
            source = column.label if grid.source == OF_SECOND else grid.source
            of_table = f"{grid.name}: {row.label}, {column.label}" if grid.source == OF_DETAILS else None
            own = [section.card.name, source, task.log.task, task.run, of_table, cell.metric]
            yield [*own, *spread, *[None] * 4]


def _comparable(section: Section, cell: Cell) -> str:
    if cell.task or not cell.metric:
        return ""
    is_whole = any(not task.is_mini and task.run_card.is_complete for task in section.tasks)
    return "yes" if cell.is_comparable and is_whole else "no"


def items_as_csv(tasks: Sequence[tuple[TaskLog, Sequence[Sample]]]) -> str:
    """Returns one line per question: its record's fields, and the scores that only an aggregation computes.

    These come from a benchmark's `items.scores`, such as BERTScore and CLIPScore, which need an encoder.
    Lists are JSON; missing fields and undefined scores are empty.
    """
    rows: list[dict[str, Any]] = []
    for log, samples in tasks:
        module = benchmarks.optional(log.benchmark, "items") if log.benchmark else None
        with edited(log.file):
            scores = module.scores([one.record for one in samples]) if module else [{}] * len(samples)
        for sample, own in zip(samples, scores, strict=True):
            row = {"task": log.task, "model": log.model, "target": sample.target, "whole_reply": sample.reply}
            row |= {**sample.record, **own}
            rows.append(
                {
                    name: json.dumps(one, ensure_ascii=False) if isinstance(one, (list, dict)) else one
                    for name, one in row.items()
                    if one is not None and one == one  # None and NaN: undefined
                }
            )
    # The columns before the records' own; a record's `reply` may be shortened.
    names = dict.fromkeys(["task", "model", "id", "target", "whole_reply", *chain(*rows)])
    return written([names, *([row.get(name) for name in names] for row in rows)])


# ---- as LaTeX

PREAMBLE = "% needs \\usepackage{booktabs, graphicx}"
_FLOATS = 18  # LaTeX stops if more floats than this are waiting for a place
_NUMBERED = ("Table", "Section", "Footnote")  # the names of a paper's own tables
_LATEX_HEAD, _LATEX_CELL = 18, 24  # characters in a line of a column's heading, and of a cell of words
_MARK = r"$^{\mathrm{%s}}$"

# Shows box 0, shrunk if it is wider than the line or higher than the page.
_FITTED = r"""\ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi
\ifdim\dimexpr\ht0+\dp0\relax>.85\textheight\sbox0{\resizebox*{!}{.85\textheight}{\usebox0}}\fi
\usebox0"""

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


def in_latex(words: str) -> str:
    """Returns words with LaTeX's special characters escaped."""
    return "".join(_SIGNS.get(sign, sign) for sign in terminal.shown(" ".join(words.split())))


def latex(grid: Grid) -> str:
    """Returns a table as a float for the package booktabs, shrunk if it is too large for a page."""
    n_heads = 2 if grid.has_row_groups else 1
    form = "l" * n_heads + "r" * len(grid.columns)
    lines = [
        *(r"\begin{table}[tbp]", r"\centering\footnotesize", rf"\caption{{{_title(grid)}}}\smallskip"),
        *(r"\sbox0{%", rf"\begin{{tabular}}{{{form}}}", r"\toprule", *_head_lines(grid, n_heads)),
        *(r"\midrule", *_body_lines(grid), r"\bottomrule", r"\end{tabular}}%", _FITTED),
    ]
    notes = [in_latex(remark) for remark in grid.remarks]
    notes += [rf"{_MARK % mark}\,{in_latex(note)}" for note, mark in grid.marks.items()]
    notes += map(in_latex, grid.signatures)
    if notes:
        said = "; ".join(note.rstrip(".") for note in notes)
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\scriptsize {said}.}}")
    return "\n".join([*lines, r"\end{table}"])


def _title(grid: Grid) -> str:
    """Returns the caption; LaTeX numbers tables itself, so the paper's number follows in brackets."""
    caption = grid.caption.rstrip(".")
    if not (grid.is_printed and caption):
        return in_latex(": ".join(filter(None, (grid.name, caption)))) + "."
    where = f"{grid.name} of the paper" if grid.name.startswith(_NUMBERED) else f"in {grid.name}"
    return in_latex(f"{caption} (as {where}).")


def _stacked(words: str, room: int, side: str = "r") -> str:
    pieces = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False) or [""]
    lines = [in_latex(piece) for piece in pieces]
    if len(lines) == 1:
        return lines[0]
    return rf"\shortstack[{side}]{{" + r"\\".join(map(_opening, lines)) + "}"


def _head_lines(grid: Grid, n_heads: int) -> list[str]:
    lines = []
    if any(group for group, _ in grid.column_groups):
        cells, rules, at = [""] * n_heads, [], n_heads + 1
        for group, width in grid.column_groups:
            if group:
                cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_stacked(group, _LATEX_HEAD * width, 'c')}}}")
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            else:
                cells += [""] * width
            at += width
        lines += [_line(cells), "".join(rules)]
    heads = (_stacked(one.name, _LATEX_HEAD) + grid.mark(one, _MARK) for one in grid.columns)
    return [*lines, _line([in_latex(grid.corner), *[""] * (n_heads - 1), *heads])]


def _body_lines(grid: Grid) -> list[str]:
    lines = []
    for number, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        if grid.starts_group(number):
            lines.append(r"\midrule")
        head = [_opening(in_latex(words)) for words in grid.row_head(number)]
        head[-1 if row.group else 0] += grid.mark(row, _MARK)
        for cell in cells:
            text = _stacked(cell.text, _LATEX_CELL)
            head.append((rf"\textbf{{{text}}}" if cell.is_best else text) + grid.mark(cell, _MARK))
        lines.append(_line(head))
        if any(cell.bounds for cell in cells):
            below = [rf"{{\scriptsize {in_latex(cell.bounds)}}}" if cell.bounds else "" for cell in cells]
            lines.append(_line([""] * (len(head) - len(below)) + below))
    return lines


def _opening(words: str) -> str:
    """Protects the beginning of a line: a bracket or star there would belong to the line above."""
    return f"{{}}{words}" if words[:1] in ("[", "*") else words


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def as_latex(sections: Sequence[Section], title: str = TITLE, everything: bool = False) -> str:
    """Returns the headlines in LaTeX, for the package booktabs; with `everything`, also every table."""
    grids = list(grids_of(sections))
    if everything:
        for section in sections:
            grids += (*tables.main(section), *tables.printed_of(section))
            grids += chain(*(tables.grids_of(section, task) for task in section.tasks))
    blocks = [f"{PREAMBLE}\n% {in_latex(title)}"]
    for place, grid in enumerate(grids if everything else grids[:1]):
        blocks += [r"\clearpage"] if place and place % _FLOATS == 0 else []
        blocks.append(latex(grid))
    return "\n\n".join(blocks) + "\n"
