"""A report as Markdown, CSV and LaTeX: overview, main numbers, papers' tables, every metric and breakdown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tempbench_lmms.record import shown
from tempbench_lmms.report import latex, markdown, summary
from tempbench_lmms.report.grid import RUN, Cell, Grid, Heading
from tempbench_lmms.report.numbers import Number, TaskNumbers
from tempbench_lmms.report.sheet import written
from tempbench_lmms.report.tables import Section

COLUMNS = (
    "benchmark",
    "source",
    "task",
    "row",
    "column",
    "metric",
    "value",
    "standard_error",
    "low_95",
    "high_95",
    "n",
    "printed",
    "best",
    "comparable",
    "note",
)
"""The columns of the CSV file. `source` is `run` (every metric of every task), `details` (its breakdowns),
the paper's table (every cell of it, runs among the rows), or whose readings a run is scored with."""


def as_csv(sections: Sequence[Section]) -> str:
    """Returns every number of the runs and of the papers' tables, one a line; values are unrounded."""
    lines = (
        {"benchmark": section.card.name, **line}
        for section in sections
        for line in (*_run_lines(section), *_detail_lines(section), *_paper_lines(section))
    )
    return written([COLUMNS, *([line.get(name) for name in COLUMNS] for line in lines)])


def _run_lines(section: Section) -> Iterator[dict[str, Any]]:
    for task in section.tasks:
        for metric, number in task.numbers.items():
            yield {
                "source": "run",
                "task": task.log.task,
                "row": task.run,
                "metric": metric,
                **_spread(number),
            }
        for second in task.second:
            for metric, (_, *values) in second.rows:
                for source, value in zip(second.columns[1:], values, strict=True):
                    yield {
                        "source": source,
                        "task": task.log.task,
                        "row": task.run,
                        "metric": metric,
                        "value": value,
                    }


def _spread(number: Number) -> dict[str, Any]:
    return {
        "value": number.value,
        "standard_error": number.error,
        "low_95": number.low,
        "high_95": number.high,
        "n": number.n,
    }


def _detail_lines(section: Section) -> Iterator[dict[str, Any]]:
    for task in section.tasks:
        for grid in section.breakdowns(task):
            for row, cells in zip(grid.rows, grid.cells, strict=True):
                for column, cell in zip(grid.columns, cells, strict=True):
                    if cell.number is not None:
                        yield {
                            "source": "details",
                            "task": task.log.task,
                            "row": task.run,
                            "column": f"{grid.name}: {row.label}, {column.label}",
                            "metric": cell.metric,
                            **_spread(cell.number),
                        }


def _paper_lines(section: Section) -> Iterator[dict[str, Any]]:
    for grid in section.printed:
        for row, cells in zip(grid.rows, grid.cells, strict=True):
            for column, cell in zip(grid.columns, cells, strict=True):
                # What is neither a number nor what the paper prints in its place is an empty cell.
                if cell.number is not None or cell != Cell():
                    notes = (*grid.remarks, *row.notes, *column.notes, *cell.notes)
                    yield {
                        "source": grid.name,
                        "task": cell.task,
                        "row": row.label,
                        "column": column.label,
                        "metric": cell.metric,
                        **(_spread(cell.number) if cell.number else {"value": "-"}),
                        "printed": cell.text,
                        "best": "yes" if cell.is_best else "",
                        "comparable": _comparable(section, row, column, cell),
                        "note": "; ".join(notes),
                    }


def _comparable(section: Section, row: Heading, column: Heading, cell: Cell) -> str:
    """Returns whether the runs of the section can be set beside a number of the paper."""
    if cell.task or not cell.metric:
        return ""
    return "yes" if cell.is_comparable and any(_whole(task) for task in section.tasks) else "no"


def _whole(task: TaskNumbers) -> bool:
    return not task.is_mini and task.is_complete


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


def as_markdown(sections: Sequence[Section], runs: Sequence[str] = (), title: str = TITLE) -> str:
    """Returns the tables in Markdown, the first screen's first; `runs` is the order of the runs there."""
    return "\n\n".join(_blocks(sections, MARKDOWN, runs, title)) + "\n"


def as_latex(sections: Sequence[Section], runs: Sequence[str] = (), title: str = TITLE) -> str:
    """Returns the tables in LaTeX, for the package booktabs; `runs` is the order of the runs in the first.

    LaTeX stops where more than 18 floats wait for a place, so pages end before that.
    """
    blocks: list[str] = []
    waiting = 0
    for block in _blocks(sections, LATEX, runs, title):
        floats = block.count(r"\begin{table}")
        waiting += floats
        if waiting > latex.MAX_FLOATS:
            blocks.append(r"\clearpage")
            waiting = floats
        blocks.append(block)
    return "\n\n".join(blocks) + "\n"


def _blocks(sections: Sequence[Section], style: _Style, runs: Sequence[str], title: str) -> list[str]:
    # On one line: a second one would be no comment in LaTeX.
    blocks = [style.title(" ".join(title.split())), style.heading("Overview", 2)]
    blocks += [style.table(grid) for grid in summary.grids_of(sections, runs)]
    for section in sections:
        blocks.append(style.heading(style.text(f"{section.card.name}: {section.card.title}"), 2))
        blocks += [style.table(grid) for grid in (*section.main, *section.printed)]
        if warned := [task for task in section.tasks if task.warnings]:
            blocks.append(style.heading(f"Warnings, {len(warned)} of {len(section.tasks)} tasks", 3))
            lines = (f"{task.log.task}, {task.run}: {'; '.join(task.warnings)}" for task in warned)
            blocks.append(style.notes([style.text(line) for line in lines]))
        for task in section.tasks:
            blocks.append(style.heading(style.text(f"{task.log.task}, {task.run}"), 3))
            blocks += [style.note(style.text(task.decision))] if task.decision else []
            blocks.append(style.table(metrics_grid(task)))
            about = f"{task.log.task}, {task.run}"
            blocks += [style.table(replace(grid, caption=about)) for grid in section.breakdowns(task)]
            for second in task.second:
                blocks += [style.note(style.text(remark)) for remark in second.remarks]
                if second.rows:
                    words = (f"With {second.reader}", f"{task.log.task}, {task.run}")
                    blocks.append(style.table(_of_words(second.head, second.body, *words)))
    return blocks


def metrics_grid(task: TaskNumbers) -> Grid:
    """Returns every metric of a task, a line each."""
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
    head = ["metric", "value", "standard error", "95 % interval", "n"]
    return _of_words(head, body, "All metrics", f"{task.log.task}, {task.run}")


def _of_words(head: Sequence[str], body: Sequence[Sequence[str]], name: str, caption: str) -> Grid:
    return Grid(
        name=name,
        caption=caption,
        rows=tuple(Heading((line[0],), RUN) for line in body),
        columns=tuple(Heading((word,)) for word in head[1:]),
        cells=tuple(tuple(Cell(word) for word in line[1:]) for line in body),
        corner=head[0],
    )
