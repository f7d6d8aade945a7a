"""Runs side by side: their main numbers by benchmark, and the first table of a report."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, count
from math import inf, isfinite
from statistics import fmean
from types import MappingProxyType
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, Reference
from tempbench_lmms.harness.tasks import kwargs_of, task_files
from tempbench_lmms.harness.variants import base_of
from tempbench_lmms.record import shown
from tempbench_lmms.report import problems
from tempbench_lmms.report.numbers import (
    BEST,
    CHANCE,
    HUMAN,
    RUN,
    Cell,
    Grid,
    Heading,
    Number,
    TaskNumbers,
    cell_of,
    of_records,
)
from tempbench_lmms.report.problems import Prices
from tempbench_lmms.runs.comparison import OF_TASKS
from tempbench_lmms.runs.run_card import signature_lines

MARKS = {CHANCE: "chance", BEST: "best in the paper", HUMAN: "humans in the paper"}
"""What the runs are compared with, by row of the first table."""
_MODELS = 3  # the smallest number of models in a main table
MINI = "the run used the bundled sample, unlike the paper"
PARTIAL = "the run is incomplete, but the paper's numbers cover all questions"

Parts = tuple[str, ...]
"""The parts of a task's name, without the benchmark's: ("mt1", "two")."""


# ---- runs by benchmark


@dataclass(frozen=True)
class Found:
    """A number of a run, before it is assigned to a cell."""

    stem: Parts  # the parts of its task's name, without the benchmark's and the card's `plain` parts
    metric: str  # its name in the task
    task: str  # the task
    number: Number  # its value and spread


@dataclass(frozen=True)
class Result:
    """The results of a run."""

    label: str  # the run's name
    tasks: tuple[TaskNumbers, ...]  # its tasks: all on the bundled sample, or none
    found: tuple[Found, ...]  # its numbers

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Why it cannot be compared with the paper."""
        if self.tasks[0].is_mini:
            return (MINI,)
        return () if all(task.is_complete and not task.log.problems for task in self.tasks) else (PARTIAL,)

    def variants(self, known: Collection[str]) -> Iterator[tuple[str, dict[str, Found]]]:
        """Yields the variants of the run by name, with their numbers by the names among `known`.

        If two tasks give the same number, as the suite and a single test do, the variant appears twice.
        """
        tasks: dict[tuple[str, Parts], dict[str, Found]] = {}
        for one in self.found:
            if (place := nearest(one.stem, one.metric, known)) is not None:
                tasks.setdefault((one.task, place[1]), {})[place[0]] = one
        rows: dict[tuple[Parts, int], dict[str, Found]] = {}
        for (_, rest), numbers in tasks.items():
            copy = next(n for n in count() if not rows.get((rest, n), {}).keys() & numbers.keys())
            rows.setdefault((rest, copy), {}).update(numbers)
        for (rest, _), numbers in rows.items():
            names = dict.fromkeys(one.task for one in numbers.values())
            again = sum(other == rest for other, _ in rows) > 1
            words = ["_".join(rest), "mini" if self.tasks[0].is_mini else "", *(names if again else ())]
            yield ", ".join(filter(None, words)), numbers


@dataclass(frozen=True)
class Row:
    """One run of one variant."""

    run: str  # the run's name
    variant: str  # what distinguishes its tasks from the benchmark's main ones; empty for those
    tasks: tuple[TaskNumbers, ...]  # the tasks behind it
    numbers: dict[str, Number]  # by the names of the benchmark's main metrics

    @property
    def label(self) -> str:
        """The row's name."""
        return f"{self.run}, {self.variant}" if self.variant else self.run

    def metric(self, column: str) -> Number | None:
        """Returns any metric of the row's tasks, by its name in the suite."""
        if column in self.numbers:
            return self.numbers[column]
        own = ((task.stem, name, one) for task in self.tasks for name, one in task.numbers.items())
        return next((one for stem, name, one in own if nearest(stem, name, {column})), None)


@dataclass(frozen=True)
class Section:
    """One benchmark in a report."""

    card: BenchmarkCard  # the benchmark
    tasks: tuple[TaskNumbers, ...]  # every task of every run
    rows: tuple[Row, ...]  # the runs by their main metrics


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


def results_of(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> list[Result]:
    """Returns the results of each run, with the bundled sample and the real data separate."""
    runs: dict[tuple[str, bool], list[TaskNumbers]] = {}
    for task in tasks:
        runs.setdefault((task.run, task.is_mini), []).append(task)
    return [
        Result(run, tuple(own), (*(one for task in own for one in _of_file(task)), *_of_logs(card, own)))
        for (run, _), own in runs.items()
    ]


def _of_file(task: TaskNumbers) -> Iterator[Found]:
    return (Found(task.stem, name, task.log.task, number) for name, number in task.numbers.items())


def _of_logs(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> Iterator[Found]:
    """Yields numbers of the paper's tables that need the questions of all tests and are in no results file.

    `FROM_LOG` of a benchmark's module `scoring` lists them. Tasks with the same settings are combined.
    """
    metrics = getattr(_module(card.name, "scoring"), "FROM_LOG", {})
    alike: dict[str, list[TaskNumbers]] = {}
    for task in tasks if metrics else ():
        # Derived tasks have the settings of their base task.
        settings = kwargs_of(task.log.config), bool(base_of(task.log.task))
        alike.setdefault(repr(settings), []).append(task)
    for own in alike.values():
        records = list({str(one["id"]): one for task in own for one in task.log.records}.values())
        records.sort(key=lambda record: str(record["id"]))
        stem = tuple(part for part in own[0].stem if all(part in other.stem for other in own))
        for name, metric in metrics.items():
            number = of_records(metric, records, own[0].with_intervals)
            if number.number is not None:
                yield Found(stem, name, ", ".join(task.log.task for task in own), number)


def _module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark; None for the card of a task that is not ours."""
    return benchmarks.optional(benchmark, name) if benchmark in benchmarks.names() else None


@cache
def _directions(benchmark: str) -> dict[str, str]:
    """Returns the better direction by metric, from the metric lists in the benchmark's hooks."""
    hooks = getattr(_module(benchmark, "hooks"), "__dict__", {})
    entries = chain(*(found for name, found in hooks.items() if name.endswith("METRIC_LIST")))
    rows = [getattr(entry["aggregation"], "row", None) for entry in entries]
    rows += getattr(getattr(_module(benchmark, "scoring"), "FROM_LOG", None), "rows", [])
    return {row.name: row.better for row in rows if row is not None}


def better(benchmark: str, name: str) -> str:
    """Returns the better direction of a metric of a paper's table; "neither" if unknown.

    The name may have a task's parts before or after the metric's own: `cot_mt1_two_mt`, `accuracy_1f`.
    """
    known = _directions(benchmark)
    parts = name.split("_")
    pieces = ("_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))
    return known.get(max((piece for piece in pieces if piece in known), key=len, default=""), "neither")


def test_of(card: BenchmarkCard, column: str) -> tuple[str, str]:
    """Returns a column's test and metric: `mt1_two_mt` is `mt` of `mt1_two`; `acc` has no test.

    A test has its own task, so `i_acc` is not `acc` of a test `i`.
    """
    metrics = getattr(_module(card.name, "scoring"), "METRICS", {})
    parts = column.split("_")
    cuts = (("_".join(parts[:cut]), "_".join(parts[cut:])) for cut in range(1, len(parts)))
    known = (one for one in cuts if one[1] in metrics and f"{card.name}_{one[0]}" in task_files())
    return next(known, ("", column))


def rest_of(name: str, stem: Sequence[str], metric: str) -> Parts | None:
    """Returns the parts of a task's name that are not in a table's name; None for another metric.

    Args:
        name: The name in the table.
        stem: The parts of the task's name, without the benchmark's.
        metric: The metric's name in the task.

    >>> rest_of("mt1_two_mt", ("mt1", "two", "cot"), "mt")
    ('cot',)
    >>> rest_of("cot_mt1_two_mt", ("mt1", "two", "cot"), "mt")
    ()
    """
    if metric not in name:
        return None
    known, own = name.split("_"), metric.split("_")
    for start in range(len(known) - len(own) + 1):
        others = known[:start] + known[start + len(own) :]
        if known[start : start + len(own)] == own and Counter(others) <= Counter(stem):
            rest = list(stem)
            for part in others:
                rest.remove(part)
            return tuple(part for part in rest if part not in own)
    return None


def nearest(stem: Parts, metric: str, known: Collection[str]) -> tuple[str, Parts] | None:
    """Returns the name that leaves the fewest parts of the task's name over, and these parts; else None."""
    found = ((name, rest_of(name, stem, metric)) for name in sorted(known))
    fits = [(name, rest) for name, rest in found if rest is not None]
    return min(fits, key=lambda fit: len(fit[1]), default=None)


def signed(grid: Grid, tasks: Iterable[TaskNumbers]) -> Grid:
    """Returns a table with the signatures of its tasks."""
    return replace(grid, signatures=tuple(signature_lines(task.signature for task in tasks)))


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
            wanted = test_of(card, headline)[1]
            metric = min(known, key=lambda one: test_of(card, one)[1] != wanted)
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
