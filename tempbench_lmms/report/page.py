"""Writes self-contained HTML pages: no server, no network, and no model's text is ever markup."""

import base64
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tempbench_lmms import record
from tempbench_lmms.check.verdict import Check
from tempbench_lmms.report import overview, tables
from tempbench_lmms.report.numbers import Cell, Grid, Number, TaskNumbers
from tempbench_lmms.report.overview import Row, Section
from tempbench_lmms.report.problems import Prices
from tempbench_lmms.report.questions import data_of

_HERE = Path(__file__).parent
_TEMPLATES = Environment(
    loader=FileSystemLoader(_HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(
    tasks: Sequence[TaskNumbers],
    title: str = "tempbench report",
    n_questions: int = 5000,
    n_pictured: int = 500,
    megabytes: float = 30,
    prices: Prices = MappingProxyType({}),
) -> str:
    """Returns the page of a report.

    Args:
        tasks: The tasks of the runs.
        title: Its title.
        n_questions: Maximum number of questions with texts.
        n_pictured: Maximum number of questions with pictures.
        megabytes: Maximum size of the questions' texts, and of their pictures.
        prices: What tokens cost, by run.
    """
    sections = overview.sections_of(tasks)
    script = Markup((_HERE / "page.js").read_text(encoding="utf-8"))
    return rendered(
        "page.html",
        title=title,
        script=script,
        script_hash=_hash_of(script),
        overview=list(overview.grids_of(sections, prices)),
        sections=sections,
        tables=tables,
        figures_of=figures_of,
        data=data_of(tasks, n_questions, n_pictured, megabytes),
        embedded=embedded,
        parse_rate=parse_rate,
        shown=record.shown,
    )


def rendered(name: str, **values: Any) -> str:
    """Returns a page.

    Args:
        name: The template: `page.html`, or one that extends it.
        values: The values that it shows, `title` among them.
    """
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    return _TEMPLATES.get_template(name).render(style=Markup(style), style_hash=_hash_of(style), **values)


def _hash_of(text: str) -> str:
    """Returns the hash by which a page's security policy allows a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def embedded(value: Any) -> Markup:
    """Returns a value as JSON that is safe inside a `<script>` element for any strings."""
    # NaN and infinity are not JSON: no browser reads a page with one of them.
    finite = json.loads(json.dumps(value, default=str), parse_constant=str)
    text = json.dumps(finite, ensure_ascii=False, separators=(",", ":"))
    # Without these three, no string can end the element or begin a comment in it.
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def parse_rate(task: TaskNumbers) -> Number | None:
    """Returns the share of a task's answers that could be read; for several tests, the lowest share."""
    known = [n for name, n in task.numbers.items() if name.endswith("parse_rate") and n.number is not None]
    return task.numbers.get("parse_rate") or min(known, key=lambda number: number.number or 0.0, default=None)


# ---- figures


@dataclass(frozen=True)
class Series:
    """One row of a plot."""

    name: str  # for the legend
    points: tuple[Number | None, ...]  # by category, in the figure's order; None for missing points


@dataclass(frozen=True)
class Figure:
    """A plot: points with their intervals."""

    title: str  # what is shown
    categories: tuple[str, ...]  # the categories of the points of a series
    series: tuple[Series, ...]  # at least one, in the order of their colours
    # the score of random answers by category, if known
    chance: Mapping[str, float] = field(default_factory=dict)

    @functools.cached_property
    def ends(self) -> tuple[float, float]:
        """The values at the left and right end: 0 and 1, or wider if needed."""
        points = [point for one in self.series for point in one.points if point]
        ends = [end for point in points for end in (point.number, point.low, point.high) if end is not None]
        return round(min([0, *ends]), 2), round(max([1, *ends]), 2)

    def place(self, value: float) -> float:
        """Returns the place of a value, in percent of the figure's width."""
        low, high = self.ends
        return round(4 + 92 * (value - low) / (high - low), 2)


def figures_of(section: Section) -> Iterator[Figure]:
    """Yields the plots of a benchmark: the main scores of all runs, and their breakdowns."""
    card = section.card
    yield from _drawn("Main numbers", section.rows, {name: name for name in card.primary}, card.chance)
    for by, parts in card.breakdowns.items():
        for metric in card.primary:
            known = card.chance.get(metric)
            chance = {} if known is None else dict.fromkeys(parts, known)
            names = {part: f"{metric}_{part}" for part in parts}
            yield from _drawn(f"{metric.replace('_', ' ')} by {by}", section.rows, names, chance)


def _drawn(
    title: str, rows: Sequence[Row], names: Mapping[str, str], chance: Mapping[str, float]
) -> Iterator[Figure]:
    series = tuple(Series(row.label, tuple(map(row.metric, names.values()))) for row in rows)
    if any(point and point.number is not None for one in series for point in one.points):
        yield Figure(title, tuple(names), series, {name: chance[name] for name in names if name in chance})


# ---- a check


def check_page(check: Check) -> str:
    """Returns a check of `tempbench check-model` as a page."""
    about = {**check.about, **(check.about.get("packages") or {}), "packages": ""}
    return rendered(
        "check.html",
        title=f"Check of {check.about.get('model', 'a model')}",
        check=check,
        about={name: value for name, value in about.items() if value not in ("", [], None)},
        tables=list(_tables(check)),
    )


def _tables(check: Check) -> Iterator[Grid]:
    rows = {}
    for one in check.verdicts:
        state = Cell(one.state, is_fault=one.state == "failed")
        if state.is_fault and not one.counts:
            state = Cell("not needed (it fails, and no task asked for needs it)")
        rows[one.title] = [state, Cell(one.text), Cell(one.hint)]
    yield Grid.of("What arrives and is seen", ["what", "verdict", "given and arrived", "what to do"], rows)
    needs = {
        f"{task}: {need.title}": [
            Cell(need.why or need.state or "not checked", is_fault=need.state == "failed")
        ]
        for task, own in check.tasks.items()
        for need in own
    }
    yield Grid.of("What tasks need", ["task and need", "holds"], needs)
