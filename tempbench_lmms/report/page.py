"""One self-contained HTML page: no server, no network, nothing in it that a model wrote is ever markup."""

import importlib
import importlib.util
import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from tempbench_lmms.report import numbers, tables
from tempbench_lmms.report.figures import Figure, Series, merged
from tempbench_lmms.report.grid import Grid
from tempbench_lmms.report.numbers import Number, TaskNumbers
from tempbench_lmms.report.questions import MEGABYTES, data_of
from tempbench_lmms.report.svg import svg
from tempbench_lmms.report.tables import Section
from tempbench_lmms.report.templates import HERE, content_hash, rendered


def figures_of(section: Section) -> tuple[list[Figure], list[str]]:
    """Returns a benchmark's plots, those of its own module and else its main numbers as bars, and problems.

    A benchmark may have a module `figures` with a function `figures(row) -> Sequence[Figure]`; figures of one
    title are drawn as one over all rows.
    """
    name = f"tempbench_lmms.{section.card.name}.figures"
    found: list[Figure] = []
    problems = []
    if importlib.util.find_spec(name) is not None:
        for row in section.rows:
            try:
                found += importlib.import_module(name).figures(row)
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"No plots of {row.label}: its log was made by another version ({error!r}).")
    return merged(found) or _main_numbers(section), problems


def _main_numbers(section: Section) -> list[Figure]:
    columns = tuple(
        column
        for column in section.card.primary
        if any(number is not None and number.number is not None for number in _column(section, column))
    )
    series = tuple(Series(row.label, tuple(map(row.numbers.get, columns))) for row in section.rows)
    return [Figure("Main numbers", "bars", columns, series)] if columns else []


def _column(section: Section, column: str) -> list[Number | None]:
    return [row.numbers.get(column) for row in section.rows]


def page(
    tasks: Sequence[TaskNumbers],
    title: str = "tempbench report",
    n_questions: int = 5000,
    n_pictured: int = 60,
    megabytes: float = MEGABYTES,
) -> str:
    """Returns the page.

    Args:
        tasks: The tasks of the runs.
        title: Its title.
        n_questions: At most so many questions are in the browser.
        n_pictured: At most so many of them have pictures.
        megabytes: Of the questions' texts, at most.
    """
    script = (HERE / "page.js").read_text(encoding="utf-8")
    sections = tables.sections_of(tasks)
    data = data_of(tasks, n_questions, n_pictured, megabytes)
    runs = {task.run: numbers.run_facts(task) for task in tasks}
    return rendered(
        "page.html",
        title=title,
        script=Markup(script),
        script_hash=content_hash(script),
        runs=runs,
        facts=list(dict.fromkeys(name for facts in runs.values() for name in facts)),
        sections=[(section, *_drawn(section)) for section in sections],
        data=embedded(data),
        n_shown=len(data["questions"]),
        n_logged=data["n_logged"],
        n_pictured=data["n_pictured"],
        n_cut=data["n_cut"],
        parse_rate=parse_rate,
        shown=numbers.shown,
    )


def table_page(grid: Grid) -> str:
    """Returns a page with one table."""
    return rendered("table.html", title=grid.name, table=grid)


def _drawn(section: Section) -> tuple[list[tuple[Figure, Markup]], list[str]]:
    found, problems = figures_of(section)
    names = [row.label for row in section.rows]
    return [(figure, svg(figure, names)) for figure in found], problems


def embedded(value: Any) -> Markup:
    """Returns a value as JSON that is safe inside a `<script>` element for any strings."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    # With these three gone no string can end the element or begin a comment in it.
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def parse_rate(task: TaskNumbers) -> numbers.Number | None:
    """Returns the share of a task's answers that could be read; of several tests' shares the lowest."""
    known = [n for name, n in task.numbers.items() if name.endswith("parse_rate") and n.number is not None]
    whole = task.numbers.get("parse_rate")
    return whole or min(known, key=lambda number: number.number or 0.0, default=None)
