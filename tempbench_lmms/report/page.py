"""The page of a report, with its first table and its plots, as self-contained HTML.

It needs no server and no network, and no model's text is ever markup. The pages of `check-model` and `show`
have the same form.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from tempbench_lmms.card import BenchmarkCard, Reference
from tempbench_lmms.check.verdict import Check
from tempbench_lmms.record import shown
from tempbench_lmms.report import problems, tables
from tempbench_lmms.report.numbers import (
    BEST,
    CHANCE,
    HUMAN,
    RUN,
    Cell,
    Grid,
    Heading,
    Number,
    Row,
    Section,
    TaskNumbers,
    cell_of,
    nearest,
    results_of,
    signed,
)
from tempbench_lmms.report.problems import Prices
from tempbench_lmms.report.questions import data_of
from tempbench_lmms.report.tables import better
from tempbench_lmms.runs.comparison import OF_TASKS

_HERE = Path(__file__).parent
MARKS = {CHANCE: "chance", BEST: "best in the paper", HUMAN: "humans in the paper"}
"""What the runs are compared with, by row of the first table."""
_MODELS = 3  # the smallest number of models in a main table


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
    sections = sections_of(tasks)
    script = Markup((_HERE / "page.js").read_text(encoding="utf-8"))
    return rendered(
        "page.html",
        title=title,
        script=script,
        script_hash=_hash_of(script),
        overview=list(grids_of(sections, prices)),
        sections=sections,
        tables=tables,
        figures_of=figures_of,
        data=data_of(tasks, n_questions, n_pictured, megabytes),
        embedded=embedded,
        parse_rate=parse_rate,
        shown=shown,
    )


def sections_of(tasks: Sequence[TaskNumbers]) -> list[Section]:
    """Returns one section per benchmark; tasks of one run and variant share a row."""
    out = []
    for name in sorted({task.log.section for task in tasks}):
        own = tuple(task for task in tasks if task.log.section == name)
        card, rows = own[0].log.card, []
        for result in results_of(card, own):
            by_name = {task.log.task: task for task in result.tasks}
            known = replace(result, found=tuple(one for one in result.found if one.task in by_name))
            for variant, found in known.variants(set(card.primary)):
                behind = tuple(by_name[one] for one in dict.fromkeys(one.task for one in found.values()))
                numbers = {metric: one.number for metric, one in found.items()}
                rows.append(Row(result.label, variant, behind, numbers))
        out.append(Section(card, own, tuple(rows)))
    return out


# ---- the first table


@dataclass(frozen=True)
class Mark:
    """A value that the runs are compared with."""

    label: str  # the model's name; for the best also the table
    value: float  # the value in the metric's own unit
    note: str = ""  # why the comparison is limited


@dataclass(frozen=True)
class Column:
    """One benchmark in the first table."""

    section: Section  # the benchmark
    metric: str  # the headline that the column shows
    instead_of: str = ""  # the benchmark's own headline, if no run has it

    @cached_property
    def _shown(self) -> dict[str, list[Row]]:
        """The rows of each run with the headline: first the one shown, which has the shortest name."""
        found: dict[str, list[Row]] = {}
        for row in sorted(self.section.rows, key=lambda row: len(row.variant)):
            if row.run in found or _has(row, self.metric):
                found.setdefault(row.run, []).append(row)
        return found

    def number(self, run: str) -> Number | None:
        """Returns the headline of a run, or None."""
        return self._shown[run][0].numbers[self.metric] if run in self._shown else None

    @cached_property
    def is_share(self) -> bool:
        """Whether it is a number from 0 to 1, as far as known; other people's tasks may have percent."""
        most = inf if self.section.card.paper else 1
        found = (one for run in self._shown if (one := self.number(run)))
        return all(one.is_share and abs(one.number or 0) <= most for one in found)

    @property
    def tasks(self) -> list[TaskNumbers]:
        """The tasks behind the values that are shown."""
        return [task for first, *_ in self._shown.values() for task in first.tasks]

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The headline by run."""
        out = dict.fromkeys((row.run for row in self.section.rows), Cell("other metrics"))
        for run, (row, *more) in self._shown.items():
            number = row.numbers[self.metric]
            cell = cell_of(number, self.metric, row.tasks[0].log.task, digits=_digits(number.value))
            notes = [", ".join(one for one in row.variant.split(", ") if one and one not in self.common)]
            notes.append(f"no interval: {number.why}" if number.why and not cell.bounds else "")
            notes.append(f"{len(more)} more below" if more else "")
            words = "; ".join(filter(None, notes))
            out[run] = replace(cell, notes=(words,) if words else ())
        return out

    @cached_property
    def common(self) -> set[str]:
        """The words that the variants of all rows share, such as `mini`."""
        return set.intersection(*(set(row.variant.split(", ")) for row in self.section.rows)) - {""}

    @cached_property
    def marks(self) -> dict[str, Mark]:
        """The values that the headline is compared with, by kind."""
        return marks_of(self.section.card, self.metric, [one.variant for one, *_ in self._shown.values()])

    def mark(self, kind: str) -> Cell:
        """Returns the headline's chance, best model or humans, or why there is none."""
        if found := self.marks.get(kind):
            # The model's name, if the row's name does not say it, and limits of the comparison.
            note = ": ".join(filter(None, ("" if found.label.lower() == kind else found.label, found.note)))
            return Cell(
                shown(found.value, _digits(found.value)), notes=(note,) if note else (), metric=self.metric
            )
        card = self.section.card
        if not card.paper:
            return Cell("")
        if kind == CHANCE:
            return Cell("not known")
        of_tasks = (one for one in card.reference if one.metric.endswith(f"_{self.metric}"))
        is_there = kind in {card.others.get(one.model, BEST) for one in of_tasks}
        return Cell("only for single tasks" if is_there else "not in the paper")


def columns_of(sections: Sequence[Section]) -> list[Column]:
    """Returns one column for each benchmark that has any of its main metrics."""
    out = []
    for section in sections:
        card = section.card
        headline = card.headline or next(iter(card.primary), "")
        known = [one for one in (headline, *card.primary) if any(_has(row, one) for row in section.rows)]
        if known:
            # The same metric of another test before any other metric.
            wanted = card.test_of(headline)[1]
            metric = min(known, key=lambda one: card.test_of(one)[1] != wanted)
            out.append(Column(section, metric, "" if metric == headline else headline))
    return out


def _has(row: Row, metric: str) -> bool:
    return metric in row.numbers and row.numbers[metric].number is not None


def marks_of(card: BenchmarkCard, metric: str, variants: Sequence[str] = ()) -> dict[str, Mark]:
    """Returns the references for a metric, by kind: chance, the paper's best model, and its humans.

    The best model is that of the paper's main table: the first one with the metric of three models, else
    the first one with the metric.

    Args:
        card: The benchmark.
        metric: One of its main metrics.
        variants: The variants of the runs' tasks. If the paper has the metric in their setting, that one is
            compared.
    """
    out = {CHANCE: Mark("chance", card.chance[metric])} if metric in card.chance else {}
    # `both_icl_accuracy` in the paper's tables, if all runs are `both_icl`.
    known = {one.metric for one in card.reference}
    stems = (one.partition(", ")[0].split("_") for one in variants)
    places = {nearest(tuple(filter(None, stem)), metric, known) for stem in stems}
    place = places.pop() if len(places) == 1 else None
    name = place[0] if place else metric
    best = min if better(card.name, metric) == "lower" else max
    cells = [one for one in card.reference if one.metric == name and isfinite(one.value) and one.model]
    for kind in (BEST, HUMAN):
        own = [one for one in cells if card.others.get(one.model, BEST) == kind]
        # Of two equal values, prefer the one with a model's name.
        own.sort(key=lambda one: one.model in card.others)
        if own := _of_main_table(card, own) if kind == BEST else own:
            cell = best(own, key=lambda one: one.value)
            note = "" if cell.comparable else cell.note or card.apart or "not comparable"
            label = ", ".join(dict.fromkeys((cell.model, cell.table))) if kind == BEST else cell.model
            out[kind] = Mark(label, cell.value, note)
    return out


def _of_main_table(card: BenchmarkCard, cells: Sequence[Reference]) -> list[Reference]:
    tables = [[one for one in cells if one.table == table.name] for table in card.tables]
    return next((found for found in tables if len(found) >= _MODELS), next(filter(None, tables), []))


def grids_of(sections: Sequence[Section], prices: Prices = MappingProxyType({})) -> Iterator[Grid]:
    """Yields the headlines of runs on each benchmark, what is wrong with the runs, their tokens and time."""
    tasks = sorted((task for section in sections for task in section.tasks), key=lambda task: task.place)
    if columns := columns_of(sections):
        yield _headlines(columns, tasks)
    yield problems.grid_of(tasks)
    yield from filter(None, [problems.effort_of(tasks, prices)])


def _headlines(columns: Sequence[Column], tasks: Sequence[TaskNumbers]) -> Grid:
    """Returns the first table: a row per run and for chance, the paper's best and people.

    Unfinished and damaged runs have no rank; the note at their name is their first problem.
    """
    runs = list(dict.fromkeys(task.run for task in tasks))
    damaged = {task.run: task.log.problems for task in reversed(tasks) if task.log.problems}
    rows = [Heading((run,), RUN, tuple(damaged.get(run, ())[:1])) for run in runs]
    whole = [run for run in runs if run not in damaged]
    cells = [[column.cells.get(run, Cell("")) for column in columns] for run in runs]
    for kind, name in MARKS.items() if any(column.section.card.paper for column in columns) else ():
        rows.append(Heading((name,), kind))
        cells.append([column.mark(kind) for column in columns])
    heads = [
        Heading(
            (one.section.card.name, one.metric),
            notes=(f"no run has {one.instead_of}",) if one.instead_of else (),
        )
        for one in columns
    ]
    common = _averaged(columns, whole)
    if is_ranked := len(whole) > 1 and len(common) > 1:
        heads = [Heading(("rank",)), Heading(("average",)), *heads]
        ranks = _ranks(common, whole)
        for row, own in zip(rows, cells, strict=True):
            own[:0] = ranks.get(row.name if row.kind == RUN else "", [Cell(""), Cell("")])
    grid = Grid(
        name="Headlines",
        caption="The score of each run on each benchmark",
        rows=tuple(rows),
        columns=tuple(heads),
        cells=tuple(map(tuple, cells)),
        remarks=tuple(_remarks(columns, common if is_ranked else ())),
        corner="run",
    )
    return signed(grid, (task for column in columns for task in column.tasks))


def _ranks(columns: Sequence[Column], runs: Sequence[str]) -> dict[str, list[Cell]]:
    """Returns each run's rank by its average over the columns, and that average."""
    means = {run: fmean(n.number or 0 for one in columns if (n := one.number(run))) for run in runs}
    ranks = {run: 1 + sum(other > mean for other in means.values()) for run, mean in means.items()}
    return {run: [Cell(str(ranks[run])), Cell(shown(mean, 3))] for run, mean in means.items()}


def _averaged(columns: Sequence[Column], runs: Sequence[str]) -> list[Column]:
    """Returns the shares that all runs have; neither a score in percent nor PNR is one."""
    return [
        one
        for one in columns
        if one.is_share and all((n := one.number(run)) and 0 <= (n.number or 0) <= 1 for run in runs)
    ]


def _remarks(columns: Sequence[Column], averaged: Sequence[Column]) -> Iterator[str]:
    units = "Shares from 0 to 1" if all(column.is_share for column in columns) else "In each task's own unit"
    yield f"{units}, with 95 % intervals in brackets."
    if averaged:
        names = ", ".join(column.section.card.name for column in averaged)
        yield f"Average and rank use the benchmarks that all runs have: {names}."
    of_groups = [
        f"{name} {shown(value)} ({task.run}; no interval: {OF_TASKS})"
        for column in columns
        for task in column.tasks
        for name, value in (task.log.other.of_groups if task.log.other else {}).items()
    ]
    yield from dict.fromkeys(of_groups)
    common = set.intersection(*(column.common for column in columns))
    if common and all(column.common == common for column in columns):
        of_samples = ": the bundled samples, not the papers' data" if "mini" in common else ""
        yield f"All tasks are {', '.join(sorted(common))} ones{of_samples}."


def _digits(value: Any) -> int:
    return 1 if isinstance(value, float) and abs(value) >= 10 else 3


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

    @cached_property
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


# ---- HTML


def rendered(name: str, **values: Any) -> str:
    """Returns a page.

    Args:
        name: The template: `page.html`, or one that extends it.
        values: The values that it shows, `title` among them.
    """
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    # Reports in text have no need of it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name).render(style=Markup(style), style_hash=_hash_of(style), **values)


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
