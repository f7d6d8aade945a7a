"""The first screen: how good each run is on each benchmark, and what is wrong with the runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from tempbench_lmms.card import BenchmarkCard, Reference
from tempbench_lmms.record import shown
from tempbench_lmms.report.grid import BEST, CHANCE, HUMAN
from tempbench_lmms.report.numbers import Number, TaskNumbers, verdict
from tempbench_lmms.report.placing import nearest, parts_of
from tempbench_lmms.report.tables import Row, Section, better, test_of
from tempbench_lmms.runs.run_card import NOT_CHECKED

PROBLEMS = {
    "unread": "replies that could not be read, which count as wrong",
    "cut off": "of these, replies that ended before their answer",
    "failed": "requests that failed, which count as wrong",
    "not asked": "questions that the run did not ask; those that an option left out are no fault",
    "check": "what speaks against the model itself: `tempbench check-model` failed, or was left out",
    "at chance": "tasks with a headline metric that is not above chance",
    "other": "tasks with other warnings",
}
"""What can be wrong with a run, by the columns of the first screen."""

MARKS = {CHANCE: "chance", BEST: "best in the paper", HUMAN: "humans in the paper"}
"""What the runs are compared with, by the rows of the first screen."""

OTHERS = "other metrics"
"""What stands for a run that asked the benchmark, but not what the headline is of."""


@dataclass(frozen=True)
class Mark:
    """A value that the runs are compared with.

    Attributes:
        kind: `chance`, `best` (of the paper's models) or `human`.
        label: What it is called.
        value: In the metric's own unit.
        note: What speaks against the comparison.
    """

    kind: str
    label: str
    value: float
    note: str = ""

    @property
    def text(self) -> str:
        """The value for people."""
        return shown(self.value, digits_of(self.value))


@dataclass(frozen=True)
class Column:
    """One benchmark on the first screen.

    Attributes:
        benchmark: Its name.
        metric: The headline that its column shows.
        instead_of: The benchmark's own headline, where no run has it.
        cells: By run: the number, what sets its tasks apart, and how many more rows the run has.
        metrics: The metrics that a chart can show, the headline first.
        section: Where the rest of it is.
    """

    benchmark: str
    metric: str
    cells: dict[str, tuple[Number, str, int]]
    metrics: tuple[str, ...]
    section: Section
    instead_of: str = ""

    @property
    def others(self) -> set[str]:
        """The runs that asked the benchmark, but not what the headline is of."""
        return {row.run for row in self.section.rows} - set(self.cells)

    @property
    def marks(self) -> list[Mark]:
        """The headline's chance, best model and humans."""
        return marks_of(self.section.card, self.metric, [variant for _, variant, _ in self.cells.values()])

    def mark(self, kind: str) -> Mark | None:
        """Returns the headline's chance, best model or humans; None where the paper has none."""
        return next((mark for mark in self.marks if mark.kind == kind), None)

    def missing(self, kind: str) -> str:
        """Returns why there is no `mark` of a kind."""
        if kind == CHANCE:
            return "not known"
        card = self.section.card
        of_tasks = (one for one in card.reference if one.metric.endswith(f"_{self.metric}"))
        return (
            "of single tasks only"
            if any(_kind(card, one) == kind for one in of_tasks)
            else "not in the paper"
        )

    def _label(self, row: Row) -> str:
        """Returns a row's name, without what all rows' variants have in common."""
        words = [word for word in row.variant.split(", ") if word and word not in self.common]
        return ", ".join([row.run, *words])

    @cached_property
    def common(self) -> set[str]:
        """The words that every row's variant has: `mini`."""
        return set.intersection(*(set(row.variant.split(", ")) for row in self.section.rows)) - {""}

    def variant(self, variant: str) -> str:
        """Returns a variant without what all rows have in common."""
        return ", ".join(word for word in variant.split(", ") if word not in self.common)

    def _marks_of(self, metric: str) -> list[Mark]:
        """Returns what the chart of a metric compares with: all rows are in it."""
        variants = [row.variant for row in self.section.rows if _has(row, metric)]
        return marks_of(self.section.card, metric, variants)

    @property
    def has_notes(self) -> bool:
        """Whether something speaks against a comparison that its cells or its chart offer."""
        marks = [*self.marks, *(one for name in self.metrics for one in self._marks_of(name))]
        return any(mark.note for mark in marks)

    @property
    def chart(self) -> dict[str, Any]:
        """The chart as JSON values: each metric with its runs and marks."""
        return {
            "benchmark": self.benchmark,
            "metrics": [
                {
                    "name": metric,
                    "runs": [
                        [self._label(row), number.number, number.low, number.high]
                        for row in self.section.rows
                        if (number := row.numbers.get(metric)) is not None and number.number is not None
                    ],
                    "marks": [[one.kind, one.label, one.value, one.note] for one in self._marks_of(metric)],
                }
                for metric in self.metrics
            ],
        }


@dataclass(frozen=True)
class Problem:
    """What is wrong with one run in one way.

    Attributes:
        count: How often.
        of: Out of how many; None where that is no share.
        link: A place on the page.
        words: Instead of the count.
        is_meant: Whether the user asked for it: that is no fault.
    """

    count: int
    of: int | None
    link: str
    words: str = ""
    is_meant: bool = False

    @property
    def text(self) -> str:
        """It in words."""
        return self.words or f"{self.count} of {self.of}"


def columns_of(sections: Sequence[Section]) -> list[Column]:
    """Returns a column a benchmark that has any of its main metrics."""
    return [column for section in sections if (column := _column(section)) is not None]


def remarks(columns: Sequence[Column]) -> Iterator[str]:
    """Yields what must be known of all headlines."""
    yield "Shares from 0 to 1 as in the results files; in brackets 95 % intervals."
    common = set.intersection(*(column.common for column in columns)) if columns else set()
    if common and all(column.common == common for column in columns):
        of_samples = ": the bundled samples, not the papers' data" if "mini" in common else ""
        yield f"All tasks are {', '.join(sorted(common))} ones{of_samples}."


def _column(section: Section) -> Column | None:
    card = section.card
    headline = card.headline or card.primary[0]
    _, wanted = test_of(card, headline)
    known = [
        metric
        for metric in dict.fromkeys((headline, *card.primary))
        if any(_has(row, metric) for row in section.rows)
    ]
    if not known:
        return None
    if known[0] != headline:  # the same metric of another test before any other metric
        known.sort(key=lambda metric: test_of(card, metric)[1] != wanted)
    cells: dict[str, tuple[Number, str, int]] = {}
    for row in sorted(section.rows, key=lambda row: len(row.variant)):
        if row.run in cells:
            number, variant, more = cells[row.run]
            cells[row.run] = number, variant, more + 1
        elif _has(row, known[0]):
            cells[row.run] = row.numbers[known[0]], row.variant, 0
    instead_of = "" if known[0] == headline else headline
    return Column(card.name, known[0], cells, tuple(known), section, instead_of)


def _has(row: Row, metric: str) -> bool:
    return metric in row.numbers and row.numbers[metric].number is not None


def marks_of(card: BenchmarkCard, metric: str, variants: Sequence[str] = ()) -> list[Mark]:
    """Returns what a metric's values are compared with: chance, the paper's best model, and its humans.

    Args:
        card: The benchmark.
        metric: One of its main metrics.
        variants: Of the runs' tasks. Where the paper has the metric in their setting, it is the one compared.
    """
    out = [Mark(CHANCE, "chance", card.chance[metric])] if metric in card.chance else []
    name = _printed_name(card, metric, variants)
    of_metric = [one for one in card.reference if one.metric == name and isfinite(one.value) and one.model]
    sign = -1 if better(card.name, metric) == "lower" else 1
    for kind in (BEST, HUMAN):
        found = [one for one in of_metric if _kind(card, one) == kind]
        # Of two equal values the one with a model's name.
        found.sort(key=lambda one: one.model in card.others)
        if found:
            out.append(_mark(card, kind, max(found, key=lambda one: sign * one.value)))
    return out


def _kind(card: BenchmarkCard, cell: Reference) -> str:
    return card.others.get(cell.model, BEST)


def _printed_name(card: BenchmarkCard, metric: str, variants: Sequence[str]) -> str:
    """Returns a metric's name in the paper's tables: `both_icl_accuracy` where all runs are `both_icl`."""
    known = {one.metric for one in card.reference}
    found = {nearest(parts_of(one.partition(", ")[0]), metric, known) for one in variants}
    only = found.pop() if len(found) == 1 else None
    return only[0] if only else metric


def _mark(card: BenchmarkCard, kind: str, cell: Reference) -> Mark:
    note = "" if cell.comparable else cell.note or card.apart or "not comparable"
    return Mark(kind, cell.model, cell.value, note)


# ---- what is wrong


def problems_of(tasks: Sequence[TaskNumbers], places: dict[int, int]) -> dict[str, dict[str, Problem]]:
    """Returns what is wrong with each run, by the names of `PROBLEMS`.

    Args:
        tasks: All tasks of all runs.
        places: The number that each task has on the page, by its number here.
    """
    out: dict[str, dict[str, Problem]] = {}
    for run in dict.fromkeys(task.run for task in tasks):
        own = [(places[number], task) for number, task in enumerate(tasks) if task.run == run]
        out[run] = dict(_problems(run, own, list(dict.fromkeys(task.run for task in tasks)).index(run)))
    return out


def _problems(run: str, own: list[tuple[int, TaskNumbers]], index: int) -> Iterator[tuple[str, Problem]]:
    records = [task.log.with_limit(sample) for _, task in own for sample in task.log.samples]
    verdicts = [verdict(record) for record in records]
    cut = sum(record.get("reason") == "cut_off" and not record["failed"] for record in records)
    unlogged = [(place, task) for place, task in own if not task.log.samples]
    for name, count, where in (
        ("unread", verdicts.count("unparsed"), "verdict=unparsed"),
        ("failed", verdicts.count("failed"), "verdict=failed"),
        ("cut off", cut, "how=unread: cut_off"),
    ):
        if count:
            yield name, Problem(count, len(records), f"#find=run={index}&{where}")
        elif unlogged:
            yield name, _unknown(unlogged)
    asked = [(place, task.asked) for place, task in own if task.asked and not task.is_complete]
    if asked:
        known = [task.asked for _, task in own if task.asked]
        missing = sum(of - n for _, (n, of) in asked)
        is_meant = all(task.is_as_limited for _, task in own if task.asked)
        words = own[0][1].limiting_options if is_meant else ""
        link = f"#task-{asked[0][0]}"
        yield "not asked", Problem(missing, sum(of for _, of in known), link, words, is_meant)
    if words := unchecked(own[0][1].card):
        yield "check", Problem(1, None, f"#run-{index}", words)
    for name, found in (("at chance", True), ("other", False)):
        places = [place for place, task in own if any(_is_chance(one) is found for one in _rest(task))]
        if places:
            yield name, Problem(len(places), len(own), f"#task-{places[0]}")
        elif unlogged and name == "at chance":  # an interval is made of the log
            yield name, _unknown(unlogged)


def _unknown(unlogged: Sequence[tuple[int, TaskNumbers]]) -> Problem:
    """Returns what nobody knows of tasks without a log; what their log should have told is a fault."""
    is_meant = not any(task.log.problems for _, task in unlogged)
    return Problem(0, None, f"#task-{unlogged[0][0]}", "unknown", is_meant)


def _is_chance(warning: str) -> bool:
    return warning.startswith("not above chance")


def _rest(task: TaskNumbers) -> list[str]:
    """Returns the warnings that no other column counts."""
    counted = ("of the replies are unread", "of the requests failed", "were cut off before")
    return [one for one in task.warnings if not any(words in one for words in counted)]


def unchecked(card: dict[str, str]) -> str:
    """Returns why a run's model is not known to be sound; empty where it is."""
    state, failed = card.get("check.state", ""), card.get("check.failed", "[]")
    if failed != "[]":
        return "failed"
    return NOT_CHECKED if state in ("", NOT_CHECKED) else ""


def text_of(number: Number) -> str:
    """Returns a headline for people, rounded as in the charts: 10 or more with one digit after the point."""
    return shown(number.value, digits_of(number.value))


def bounds_of(number: Number) -> str:
    """Returns a headline's interval for people; empty where there is none."""
    return number.bounds(1, digits_of(number.value))


def digits_of(value: Any) -> int:
    """Returns how many digits after the point a value has on the first screen."""
    return 1 if isinstance(value, float) and abs(value) >= 10 else 3
