"""One self-contained HTML page: no server, no network, nothing in it that a model wrote is ever markup."""

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from markupsafe import Markup

from tempbench_lmms import record
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.report import numbers, overview, tables, vendor
from tempbench_lmms.report.figures import Figure, merged, position_bias, shares
from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.questions import MEGABYTES, PICTURED, data_of
from tempbench_lmms.report.tables import Row, Section
from tempbench_lmms.report.templates import HERE, content_hash, rendered

_ANSWERS = 10
"""With more right answers than these no plot of how often each was given is drawn."""


def figures_of(section: Section) -> list[Figure]:
    """Returns a benchmark's plots; figures of one title are drawn as one over all rows."""
    return merged([figure for row in section.rows for figure in _figures(section.card, row)])


def _figures(card: BenchmarkCard, row: Row) -> list[Figure]:
    """Returns the plots of a run: main metrics, their groups, bias to an answer."""
    main = {name: row.metric(name) for name in card.primary}
    found = shares("Main numbers", row.label, main, chance=card.chance)
    for by, groups in card.groups.items():
        for metric in card.primary:
            numbers = {group: row.metric(f"{metric}_{group}") for group in groups}
            title = f"{metric.replace('_', ' ')} by {by}"
            found += shares(title, row.label, numbers, chance=card.chance.get(metric))
    asked = [record for record in row.records() if isinstance(record.get("gold"), str) and "answer" in record]
    if 1 < len({record["gold"] for record in asked}) <= _ANSWERS:
        found += position_bias("Bias to one answer", row.label, asked)
    return found


class Drawn(NamedTuple):
    """A benchmark's part of the page.

    Attributes:
        section: Its numbers.
        figures: Its figures.
        first: The number of the first of them in the page's data.
    """

    section: Section
    figures: list[Figure]
    first: int


def page(
    tasks: Sequence[TaskNumbers],
    title: str = "tempbench report",
    n_questions: int = 5000,
    n_pictured: int = PICTURED,
    megabytes: float = MEGABYTES,
) -> str:
    """Returns the page.

    Args:
        tasks: The tasks of the runs.
        title: Its title.
        n_questions: At most so many questions in the browser have texts.
        n_pictured: At most so many of them have pictures.
        megabytes: Of the questions' texts at most, and of their pictures.
    """
    sections = tables.sections_of(tasks)
    files = (*(vendor.HERE / name for name in vendor.FILES), HERE / "plots.js", HERE / "page.js")
    scripts = [Markup(file.read_text(encoding="utf-8")) for file in files]
    runs = {task.run: numbers.run_facts(task) for task in tasks}
    columns = overview.columns_of(sections)
    headlines = [overview.figure_of(columns, list(runs))] if columns else []
    plots = [figure.data(list(runs)) for figure in headlines]
    drawn = []
    for section in sections:
        figures = figures_of(section)
        drawn.append(Drawn(section, figures, len(plots)))
        plots += [figure.data([row.label for row in section.rows]) for figure in figures]
    return rendered(
        "page.html",
        title=title,
        scripts=scripts,
        script_hashes=[content_hash(script) for script in scripts],
        plot_hash=content_hash(vendor.STYLE),
        runs=runs,
        overview=list(overview.grids_of(sections)),
        headlines=headlines,
        sections=drawn,
        plots=embedded(plots),
        data=data_of(tasks, n_questions, n_pictured, megabytes),
        embedded=embedded,
        parse_rate=parse_rate,
        shown=record.shown,
    )


def embedded(value: Any) -> Markup:
    """Returns a value as JSON that is safe inside a `<script>` element for any strings."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except ValueError:  # NaN and infinity are no JSON: no browser reads a page with one in it
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), default=str)
    # With these three gone no string can end the element or begin a comment in it.
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def parse_rate(task: TaskNumbers) -> Number | None:
    """Returns the share of a task's answers that could be read; of several tests' shares the lowest."""
    known = [n for name, n in task.numbers.items() if name.endswith("parse_rate") and n.number is not None]
    whole = task.numbers.get("parse_rate")
    return whole or min(known, key=lambda number: number.number or 0.0, default=None)
