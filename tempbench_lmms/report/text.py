"""The tables as Markdown, CSV and LaTeX."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.report.numbers import shown
from tempbench_lmms.report.tables import MARK, Section, Table

COLUMNS = (
    "benchmark",
    "source",
    "task",
    "row",
    "metric",
    "value",
    "standard_error",
    "low_95",
    "high_95",
    "n",
    "comparable",
    "note",
)
"""The columns of the CSV file; `source` is `run`, the paper's table, or whose readings a run is scored
with."""

_Cells = Sequence[str]


def as_csv(sections: Sequence[Section]) -> str:
    """Returns every number of the runs and of the papers' rows, one a line; values are unrounded."""
    out = io.StringIO()
    lines = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    lines.writeheader()
    for section in sections:
        for line in (*_run_lines(section), *_paper_lines(section)):
            lines.writerow({name: inert(value) for name, value in line.items() if value is not None})
    return out.getvalue()


def _run_lines(section: Section) -> Iterator[dict[str, Any]]:
    for task in section.tasks:
        for metric, number in task.numbers.items():
            yield {
                "benchmark": section.card.name,
                "source": "run",
                "task": task.log.task,
                "row": task.run,
                "metric": metric,
                "value": number.value,
                "standard_error": number.error,
                "low_95": number.low,
                "high_95": number.high,
                "n": number.n,
            }
        for second in task.second:
            for metric, (_, *values) in second.rows:
                for source, value in zip(second.columns[1:], values, strict=True):
                    yield {
                        "benchmark": section.card.name,
                        "source": source,
                        "task": task.log.task,
                        "row": task.run,
                        "metric": metric,
                        "value": value,
                    }


def _paper_lines(section: Section) -> Iterator[dict[str, Any]]:
    for table in section.tables:
        for row in table.paper:
            for column, cell in row.cells.items():
                yield {
                    "benchmark": section.card.name,
                    "source": row.table,
                    "task": row.variant,
                    "row": row.model,
                    "metric": column,
                    "value": cell.value if isfinite(cell.value) else UNDEFINED,
                    "comparable": "no" if row.notes else "yes",
                    "note": "; ".join(dict.fromkeys(filter(None, [*row.notes, cell.note]))),
                }


def inert(value: Any) -> Any:
    """Returns a cell that no spreadsheet takes for a formula: words in it come from runs."""
    if isinstance(value, str) and value != UNDEFINED and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


@dataclass(frozen=True)
class _Style:
    """How a text format writes words, headings, notes and tables."""

    title: str
    text: Callable[[str], str]
    heading: Callable[[str, int], str]
    note: Callable[[str], str]
    table: Callable[[_Cells, Sequence[_Cells]], str]


def as_markdown(sections: Sequence[Section]) -> str:
    """Returns the tables in Markdown."""
    style = _Style(
        "# tempbench report",
        markdown_text,
        lambda words, level: f"{'#' * level} {words}",
        lambda words: words,
        _markdown_table,
    )
    return _document(sections, style)


def as_latex(sections: Sequence[Section]) -> str:
    """Returns the tables in LaTeX, for the package booktabs."""
    style = _Style(
        "% needs \\usepackage{booktabs}",
        _latex_text,
        lambda words, level: f"% {words}",
        lambda words: f"% {words}",
        _latex_table,
    )
    return _document(sections, style)


def _document(sections: Sequence[Section], style: _Style) -> str:
    blocks = [style.title]
    for section in sections:
        blocks.append(style.heading(style.text(f"{section.card.name}: {section.card.title}"), 2))
        for table in section.tables:
            head, body = _main_cells(table)
            blocks.append(style.table(head, body))
            if notes := dict.fromkeys(note for row in table.paper for note in row.notes):
                blocks.append(style.note(style.text(f"{MARK} {'; '.join(notes)}")))
        for task in section.tasks:
            blocks.append(style.heading(style.text(f"{task.log.task}, {task.run}"), 3))
            body = [
                [
                    name,
                    shown(number.value),
                    "" if number.error is None else shown(number.error),
                    number.bounds(),
                    "" if number.n is None else f"{number.n:g}",
                ]
                for name, number in task.numbers.items()
            ]
            blocks.append(style.table(["metric", "value", "standard error", "95 % interval", "n"], body))
            for second in task.second:
                blocks += [style.note(style.text(remark)) for remark in second.remarks]
                blocks += [style.table(second.head, second.body)] if second.rows else []
    return "\n\n".join(blocks) + "\n"


def _main_cells(table: Table) -> tuple[list[str], list[list[str]]]:
    head = [
        f"{heading} {table.short(heading, name)}".strip() for heading, own in table.groups for name in own
    ]
    body = [[row.label, *(table.cell(row, column) for column in table.columns)] for row in table.rows]
    if table.chance:
        body.append(["chance", *map(table.chance_cell, table.columns)])
    for row in table.paper:
        cells = [table.paper_cell(row, column) for column in table.columns]
        body.append([f"{row.label} ({row.table})", *cells])
    return ["", *head], body


def markdown_text(words: str) -> str:
    """Returns words as Markdown shows them, also inside a table."""
    words = " ".join(words.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{sign}" if sign in "\\`*_[]|#" else sign for sign in words)


def _markdown_table(head: _Cells, body: Sequence[_Cells]) -> str:
    rows = [[markdown_text(cell) for cell in row] for row in (head, *body)]
    rows.insert(1, ["---", *["---:"] * (len(head) - 1)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


_LATEX = {sign: rf"\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "…": r"\dots{}",
    MARK: r"\textdagger{}",
}


def _latex_text(words: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(words.split()))


def _latex_table(head: _Cells, body: Sequence[_Cells]) -> str:
    lines = [" & ".join(map(_latex_text, row)) + r" \\" for row in (head, *body)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
