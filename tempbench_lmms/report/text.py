"""A report as Markdown, CSV and LaTeX: overview, main numbers, papers' tables, every metric and breakdown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.report import latex, markdown, overview
from tempbench_lmms.report.grid import DETAILS, METRICS, SECOND, Cell, Grid, Heading
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.sheet import written
from tempbench_lmms.report.tables import Section

COLUMNS = (
    *("benchmark", "source", "task", "row", "column", "metric"),
    *("value", "standard_error", "low_95", "high_95", "n", "printed", "best", "comparable", "note"),
)
"""The columns of the CSV file. `source` is `run` (every metric of every task), `details` (its breakdowns),
the paper's table (every cell of it, runs among the rows), or whose readings a run is scored with."""


def as_csv(sections: Sequence[Section]) -> str:
    """Returns every number of the runs and of the papers' tables, one a line; values are unrounded."""
    lines = []
    for section in sections:
        found: dict[str, list[dict[str, Any]]] = {METRICS: [], DETAILS: []}
        for task in section.tasks:
            for grid in section.grids_of(task):
                kind = DETAILS if grid.source == DETAILS else METRICS  # a reader's follow its task's metrics
                found[kind] += _task_lines(task, grid)
        of_paper = (line for grid in section.printed for line in _paper_lines(section, grid))
        known = (*found[METRICS], *found[DETAILS], *of_paper)
        lines += [{"benchmark": section.card.name, **line} for line in known]
    return written([COLUMNS, *([line.get(name) for name in COLUMNS] for line in lines)])


def _cells(grid: Grid) -> Iterator[tuple[Heading, Heading, Cell]]:
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        for column, cell in zip(grid.columns, cells, strict=True):
            yield row, column, cell


def _spread(cell: Cell) -> dict[str, Any]:
    number = cell.number
    if number is None:
        return {"value": "-"}
    spread = {"standard_error": number.error, "low_95": number.low, "high_95": number.high, "n": number.n}
    return {"value": number.value} | spread


def _task_lines(task: TaskNumbers, grid: Grid) -> Iterator[dict[str, Any]]:
    for row, column, cell in _cells(grid):
        if cell.number is not None:
            of_table = f"{grid.name}: {row.label}, {column.label}" if grid.source == DETAILS else None
            yield {
                "source": column.label if grid.source == SECOND else grid.source,
                "task": task.log.task,
                "row": task.run,
                "column": of_table,
                "metric": cell.metric,
                **_spread(cell),
            }


def _paper_lines(section: Section, grid: Grid) -> Iterator[dict[str, Any]]:
    for row, column, cell in _cells(grid):
        # What is neither a number nor what the paper prints in its place is an empty cell.
        if cell.number is not None or cell != Cell():
            yield {
                "source": grid.name,
                "task": cell.task,
                "row": row.label,
                "column": column.label,
                "metric": cell.metric,
                **_spread(cell),
                "printed": cell.text,
                "best": "yes" if cell.is_best else "",
                "comparable": _comparable(section, cell),
                "note": "; ".join((*grid.remarks, *row.notes, *column.notes, *cell.notes)),
            }


def _comparable(section: Section, cell: Cell) -> str:
    """Returns whether the runs of the section can be set beside a number of the paper."""
    if cell.task or not cell.metric:
        return ""
    is_whole = any(not task.is_mini and task.is_complete for task in section.tasks)
    return "yes" if cell.is_comparable and is_whole else "no"


TITLE = "tempbench report"


@dataclass(frozen=True)
class _Style:
    """How a text format writes words, headings, notes and tables."""

    title: Callable[[str], str]
    text: Callable[[str], str]
    heading: Callable[[str, int], str]
    note: Callable[[str], str]
    notes: Callable[[Sequence[str]], str]
    table: Callable[[Grid], str]


MARKDOWN = _Style(
    lambda title: f"# {markdown.escaped(title)}",
    markdown.escaped,
    lambda words, level: f"{'#' * level} {words}",
    lambda words: words,
    lambda lines: "\n".join(f"- {line}" for line in lines),
    markdown.table,
)
LATEX = _Style(
    lambda title: f"{latex.PREAMBLE}\n% {latex.escaped(title)}",
    latex.escaped,
    lambda words, level: f"% {words}",
    lambda words: f"% {words}",
    lambda lines: "\n".join(f"% {line}" for line in lines),
    latex.table,
)


def as_markdown(sections: Sequence[Section], title: str = TITLE) -> str:
    """Returns the tables in Markdown, the first screen's first."""
    return "\n\n".join(_blocks(sections, MARKDOWN, title)) + "\n"


def as_latex(sections: Sequence[Section], title: str = TITLE) -> str:
    """Returns the tables in LaTeX, for the package booktabs.

    LaTeX stops where more than 18 floats wait for a place, so pages end before that.
    """
    blocks: list[str] = []
    waiting = 0
    for block in _blocks(sections, LATEX, title):
        floats = block.count(r"\begin{table}")
        waiting += floats
        if waiting > latex.MAX_FLOATS:
            blocks.append(r"\clearpage")
            waiting = floats
        blocks.append(block)
    return "\n\n".join(blocks) + "\n"


def _blocks(sections: Sequence[Section], style: _Style, title: str) -> Iterator[str]:
    yield style.title(" ".join(title.split()))  # on one line: a second one would be no comment in LaTeX
    yield style.heading("Overview", 2)
    yield from map(style.table, overview.grids_of(sections))
    for section in sections:
        yield style.heading(style.text(f"{section.card.name}: {section.card.title}"), 2)
        yield from map(style.table, (*section.main, *section.printed))
        if warned := [task for task in section.tasks if task.warnings]:
            yield style.heading(f"Warnings, {len(warned)} of {len(section.tasks)} tasks", 3)
            lines = (f"{task.caption}: {'; '.join(task.warnings)}" for task in warned)
            yield style.notes([style.text(line) for line in lines])
        for task in section.tasks:
            yield style.heading(style.text(task.caption), 3)
            if task.decision:
                yield style.note(style.text(task.decision))
            yield from map(style.table, section.grids_of(task))
