"""The first screen of a report: each run's score on each benchmark, and what is wrong with the runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from statistics import fmean
from types import MappingProxyType
from typing import Any

from tempbench_lmms.card import BenchmarkCard, Reference
from tempbench_lmms.record import shown
from tempbench_lmms.report.grid import BEST, CHANCE, HUMAN, RUN, Cell, Grid, Heading, Number, cell_of
from tempbench_lmms.report.numbers import TaskNumbers, verdict
from tempbench_lmms.report.printed import nearest
from tempbench_lmms.report.tables import Row, Section, better, signed, test_of
from tempbench_lmms.runs.comparison import OF_TASKS
from tempbench_lmms.runs.run_card import NOT_CHECKED

PROBLEMS = {
    "unread": "replies that could not be read, which count as wrong",
    "cut off": "of these, replies that ended before their answer",
    "failed": "requests that failed, which count as wrong",
    "not asked": "questions that the run did not ask; questions left out by an option are not a problem",
    "check": "whether `tempbench check-model` failed or was left out",
    "at chance": "tasks with a headline metric that is not clearly above chance",
    "other": "tasks with other warnings",
}
"""What can be wrong with a run, by column of the first screen."""

MARKS = {CHANCE: "chance", BEST: "best in the paper", HUMAN: "humans in the paper"}
"""What the runs are compared with, by row of the first screen."""

EFFORT = ("prompt tokens", "reply tokens", "seconds", "cost")
"""What a run took, by the columns of its table; the cost only if prices are given."""

_AT_CHANCE = "not clearly above chance"
_MODELS = 3  # the smallest number of models in a main table
_COUNTED = ("of the replies are unread", "of the requests failed", "were cut off before")
"""Words of the warnings that have their own column."""


Prices = Mapping[str, tuple[float, float]]
"""What a million tokens of prompts and of replies cost, by run."""


def grids_of(sections: Sequence[Section], prices: Prices = MappingProxyType({})) -> Iterator[Grid]:
    """Yields the headlines of runs on each benchmark, what is wrong with the runs, their tokens and time."""
    tasks = sorted((task for section in sections for task in section.tasks), key=lambda task: task.place)
    columns = columns_of(sections)
    runs = list(dict.fromkeys(task.run for task in tasks))
    damaged = {task.run: task.log.problems for task in reversed(tasks) if task.log.problems}
    if columns:
        yield _headlines(columns, runs, damaged)
    found = problems_of(tasks)
    yield Grid(
        name="What is wrong with these runs",
        caption="",
        rows=tuple(Heading((run,), RUN) for run in runs),
        columns=tuple(Heading((kind,), notes=(words,)) for kind, words in PROBLEMS.items()),
        cells=tuple(tuple(found[run].get(kind, Cell("none")) for kind in PROBLEMS) for run in runs),
        corner="run",
    )
    cells = [_effort(tasks, run, prices.get(run)) for run in runs]
    if any(map(any, cells)):
        yield Grid(
            name="Tokens and time",
            caption="Tokens as the runner counts them; seconds since the last start of the run",
            rows=tuple(Heading((run,), RUN) for run in runs),
            columns=tuple(Heading((name,)) for name in EFFORT[: None if prices else -1]),
            cells=tuple(
                tuple(Cell(text or "unknown") for text in (row if prices else row[:-1])) for row in cells
            ),
            corner="run",
        )


def _effort(tasks: Sequence[TaskNumbers], run: str, price: tuple[float, float] | None) -> list[str]:
    """Returns the tokens of prompts and replies, the seconds and the cost of a run; empty if unknown."""
    own = [task.log for task in tasks if task.run == run]
    samples = [sample for log in own for sample in log.samples]
    counts = [[sample.n_given for sample in samples], [sample.n_tokens for sample in samples]]
    tokens = [sum(filter(None, known)) if known and None not in known else None for known in counts]
    times = {log.file: log.header.get("total_evaluation_time_seconds") for log in own}
    seconds = sum(float(one or 0) for one in times.values())
    cost = ""
    if price and None not in tokens:
        cost = f"{sum((n or 0) * one / 1e6 for n, one in zip(tokens, price, strict=True)):,.2f}"
    return [*["" if n is None else f"{n:,}" for n in tokens], f"{seconds:,.0f}" if seconds else "", cost]


# ---- headlines


@dataclass(frozen=True)
class Mark:
    """A value that the runs are compared with."""

    kind: str  # `chance`, `best` (of the paper's models) or `human`
    label: str  # the model's name; for the best also the table
    value: float  # the value in the metric's own unit
    note: str = ""  # why the comparison is limited


@dataclass(frozen=True)
class Column:
    """One benchmark on the first screen."""

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

    @property
    def heading(self) -> Heading:
        """The column's heading."""
        notes = (f"no run has {self.instead_of}",) if self.instead_of else ()
        return Heading((self.section.card.name, self.metric), notes=notes)

    def number(self, run: str) -> Number | None:
        """Returns the headline of a run, or None."""
        return self._shown[run][0].numbers[self.metric] if run in self._shown else None

    @cached_property
    def is_share(self) -> bool:
        """Whether it is a number from 0 to 1, as far as known; other people's tasks may have percent."""
        found = [one for run in self._shown if (one := self.number(run))]
        is_ours = bool(self.section.card.paper)
        return all(one.is_share and (is_ours or abs(one.number or 0) <= 1) for one in found)

    @property
    def tasks(self) -> list[TaskNumbers]:
        """The tasks behind the values that are shown."""
        return [task for first, *_ in self._shown.values() for task in first.tasks]

    @property
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
        variants = [first.variant for first, *_ in self._shown.values()]
        return {mark.kind: mark for mark in marks_of(self.section.card, self.metric, variants)}

    def mark(self, kind: str) -> Cell:
        """Returns the headline's chance, best model or humans, or why there is none."""
        if found := self.marks.get(kind):
            # The model's name, if the row's name does not say it, and limits of the comparison.
            note = ": ".join(filter(None, ("" if found.label.lower() == kind else found.label, found.note)))
            text = shown(found.value, _digits(found.value))
            return Cell(text, notes=(note,) if note else (), metric=self.metric)
        card = self.section.card
        if not card.paper:
            return Cell("")
        if kind == CHANCE:
            return Cell("not known")
        of_tasks = [one for one in card.reference if one.metric.endswith(f"_{self.metric}")]
        is_there = any(card.others.get(one.model, BEST) == kind for one in of_tasks)
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
            wanted = test_of(card, headline)[1]
            metric = min(known, key=lambda one: test_of(card, one)[1] != wanted)
            out.append(Column(section, metric, "" if metric == headline else headline))
    return out


def _has(row: Row, metric: str) -> bool:
    return metric in row.numbers and row.numbers[metric].number is not None


def marks_of(card: BenchmarkCard, metric: str, variants: Sequence[str] = ()) -> list[Mark]:
    """Returns the references for a metric: chance, the paper's best model, and its humans.

    The best model is that of the paper's main table: the first one with the metric of three models, else
    the first one with the metric.

    Args:
        card: The benchmark.
        metric: One of its main metrics.
        variants: The variants of the runs' tasks. If the paper has the metric in their setting, that one is
            compared.
    """
    out = [Mark(CHANCE, "chance", card.chance[metric])] if metric in card.chance else []
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
            out.append(Mark(kind, label, cell.value, note))
    return out


def _of_main_table(card: BenchmarkCard, cells: Sequence[Reference]) -> list[Reference]:
    tables = [[one for one in cells if one.table == table.name] for table in card.tables]
    first = next(filter(None, tables), [])
    return next((found for found in tables if len(found) >= _MODELS), first)


def _headlines(columns: Sequence[Column], runs: Sequence[str], damaged: Mapping[str, Sequence[str]]) -> Grid:
    """Returns one row per run, and rows for chance, the paper's best and people; one column per benchmark.

    Unfinished and damaged runs have no rank; the note at their name is their first problem.
    """
    rows = [Heading((run,), RUN, tuple(damaged.get(run, ())[:1])) for run in runs]
    whole = [run for run in runs if run not in damaged]
    cells = [[column.cells.get(run, Cell("")) for column in columns] for run in runs]
    for kind, name in MARKS.items() if any(column.section.card.paper for column in columns) else ():
        rows.append(Heading((name,), kind))
        cells.append([column.mark(kind) for column in columns])
    heads = [one.heading for one in columns]
    common = _averaged(columns, whole)
    if len(whole) > 1 and len(common) > 1:
        heads = [Heading(("rank",)), Heading(("average",)), *heads]
        places = _placed(common, whole)
        for row, own in zip(rows, cells, strict=True):
            own[:0] = places.get(row.name if row.kind == RUN else "", [Cell(""), Cell("")])
    grid = Grid(
        name="Headlines",
        caption="The score of each run on each benchmark",
        rows=tuple(rows),
        columns=tuple(heads),
        cells=tuple(map(tuple, cells)),
        remarks=tuple(_remarks(columns, common if len(heads) > len(columns) else ())),
        corner="run",
    )
    return signed(grid, (task for column in columns for task in column.tasks))


def _placed(columns: Sequence[Column], runs: Sequence[str]) -> dict[str, list[Cell]]:
    """Returns the rank of each run, and the average of its headlines."""
    means = {run: fmean(n.number or 0 for column in columns if (n := column.number(run))) for run in runs}
    ranks = {run: 1 + sum(other > mean for other in means.values()) for run, mean in means.items()}
    return {run: [Cell(str(ranks[run])), Cell(shown(mean, 3, blank=""))] for run, mean in means.items()}


def _averaged(columns: Sequence[Column], runs: Sequence[str]) -> list[Column]:
    """Returns the shares that all runs have; neither a score in percent nor PNR is one."""
    return [
        one
        for one in columns
        if one.is_share and all((n := one.number(run)) and 0 <= (n.number or 0) <= 1 for run in runs)
    ]


def _remarks(columns: Sequence[Column], averaged: Sequence[Column]) -> Iterator[str]:
    """Yields notes about all headlines."""
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
    """Returns the number of digits after the point on the first screen."""
    return 1 if isinstance(value, float) and abs(value) >= 10 else 3


# ---- what is wrong


def problems_of(tasks: Sequence[TaskNumbers]) -> dict[str, Mapping[str, Cell]]:
    """Returns the problems of each run, by the names of `PROBLEMS`."""
    out: dict[str, Mapping[str, Cell]] = {}
    for index, run in enumerate(dict.fromkeys(task.run for task in tasks)):
        own = [task for task in tasks if task.run == run]
        state, failed = own[0].card.get("check.state", NOT_CHECKED), own[0].card.get("check.failed", "[]")
        words = "failed" if failed != "[]" else "" if state == "passed" else state
        check = {"check": _fault(words, f"#task-{own[0].place}")} if words else {}
        out[run] = _unread(index, own) | _not_asked(own) | check | _warned(own)
    return out


def _fault(words: str, link: str) -> Cell:
    return Cell(words, link=link, is_fault=True)


def _unknown(own: Sequence[TaskNumbers]) -> Cell | None:
    """Returns the cell for unknown counts of tasks without a log, which is a fault if the log is damaged."""
    missing = [task for task in own if not task.log.samples]
    is_fault = any(task.log.problems for task in missing)
    return Cell("unknown", link=f"#task-{missing[0].place}", is_fault=is_fault) if missing else None


def _unread(index: int, own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    """Returns how many replies were unread, cut off, or failed requests."""
    records = [task.log.with_limit(sample) for task in own for sample in task.log.samples]
    verdicts = [verdict(record) for record in records]
    cut_off = sum(record.get("reason") == "cut_off" and not record["failed"] for record in records)
    counts = (
        ("unread", verdicts.count("unparsed"), "verdict=unparsed"),
        ("failed", verdicts.count("failed"), "verdict=failed"),
        ("cut off", cut_off, "how=unread: cut_off"),
    )
    out = {}
    for name, count, where in counts:
        link = f"#find=run={index}&{where}"
        if cell := _fault(f"{count} of {len(records)}", link) if count else _unknown(own):
            out[name] = cell
    return out


def _not_asked(own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    """Returns how many questions were left out, or the option that left them out."""
    known = [(task, task.asked) for task in own if task.asked]
    partly = [task for task, _ in known if not task.is_complete]
    if not partly:
        return {}
    link = f"#task-{partly[0].place}"
    if all(task.limiting_options for task in partly):
        return {"not asked": Cell(partly[0].limiting_options, link=link)}
    missing, total = sum(of - n for _, (n, of) in known), sum(of for _, (_, of) in known)
    return {"not asked": _fault(f"{missing} of {total}", link)}


def _warned(own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    """Returns how many tasks are at chance, and how many have warnings without their own column."""
    at_chance, other = [], []
    for task in own:
        rest = [one for one in task.warnings if not any(words in one for words in _COUNTED)]
        at_chance += [task] if any(one.startswith(_AT_CHANCE) for one in rest) else []
        other += [task] if not all(one.startswith(_AT_CHANCE) for one in rest) else []
    out = {}
    for name, found in (("at chance", at_chance), ("other", other)):
        if found:
            out[name] = _fault(f"{len(found)} of {len(own)}", f"#task-{found[0].place}")
        elif name == "at chance" and (cell := _unknown(own)):  # intervals come from the log
            out[name] = cell
    return out
