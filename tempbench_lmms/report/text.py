"""A report as Markdown, CSV and LaTeX: the overview, or every number."""

from collections.abc import Iterator, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from tempbench_lmms.report import latex, markdown, overview, sheet
from tempbench_lmms.report.grid import DETAILS, METRICS, SECOND, Cell, Grid, Heading
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.tables import Section

COLUMNS = (
    *("benchmark", "source", "task", "row", "column", "metric"),
    *("value", "standard_error", "low_95", "high_95", "n", "printed", "best", "comparable", "note"),
)
"""The columns of the CSV file. `source` is `run` (every metric of every task), `details` (its breakdowns),
the paper's table (every cell of it, runs among the rows), or whose readings a run is scored with."""


def as_csv(sections: Sequence[Section], everything: bool = True) -> str:
    """Returns the headlines as a table, or every unrounded number of runs and papers, one per line."""
    if not everything:
        return sheet.table(next(overview.grids_of(sections)))
    lines = []
    for section in sections:
        found: dict[str, list[dict[str, Any]]] = {METRICS: [], DETAILS: []}
        for task in section.tasks:
            for grid in section.grids_of(task):
                kind = (
                    DETAILS if grid.source == DETAILS else METRICS
                )  # a second reader's lines follow its task's metrics
                found[kind] += _task_lines(task, grid)
        of_paper = (line for grid in section.printed for line in _paper_lines(section, grid))
        known = (*found[METRICS], *found[DETAILS], *of_paper)
        lines += [{"benchmark": section.card.name, **line} for line in known]
    return sheet.written([COLUMNS, *([line.get(name) for name in COLUMNS] for line in lines)])


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
        # A cell without a number and without the paper's text is empty.
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
    """Returns whether the runs of the section can be compared with a number of the paper."""
    if cell.task or not cell.metric:
        return ""
    is_whole = any(not task.is_mini and task.is_complete for task in section.tasks)
    return "yes" if cell.is_comparable and is_whole else "no"


TITLE = "tempbench report"
_FLOATS = 18
"""LaTeX stops if more floats than this are waiting for a place."""


def as_markdown(
    sections: Sequence[Section],
    title: str = TITLE,
    everything: bool = False,
    prices: overview.Prices = MappingProxyType({}),
) -> str:
    """Returns the overview in Markdown; with `everything`, also every table of every task."""
    blocks = [f"# {markdown.escaped(title)}", *map(markdown.table, overview.grids_of(sections, prices))]
    for section in sections if everything else ():
        blocks.append(f"## {markdown.escaped(f'{section.card.name}: {section.card.title}')}")
        blocks += map(markdown.table, (*section.main, *section.printed))
        for task in section.tasks:
            blocks.append(f"### {markdown.escaped(task.caption)}")
            said = [*filter(None, [task.decision]), *(f"warning: {one}" for one in task.warnings)]
            blocks += ["\n".join(f"- {markdown.escaped(line)}" for line in said)] if said else []
            blocks += map(markdown.table, section.grids_of(task))
    return "\n\n".join(blocks) + "\n"


def as_latex(sections: Sequence[Section], title: str = TITLE, everything: bool = False) -> str:
    """Returns the headlines in LaTeX, for the package booktabs; with `everything`, also every table."""
    grids = list(overview.grids_of(sections))
    if everything:
        for section in sections:
            grids += (*section.main, *section.printed, *chain(*map(section.grids_of, section.tasks)))
    blocks = [f"{latex.PREAMBLE}\n% {latex.escaped(title)}"]
    for place, grid in enumerate(grids if everything else grids[:1]):
        blocks += [r"\clearpage"] if place and place % _FLOATS == 0 else []
        blocks.append(latex.table(grid))
    return "\n\n".join(blocks) + "\n"
