"""The scores of runs: values with errors and intervals, by task and by benchmark; and tables as data."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, groupby, product
from math import isclose, isfinite
from string import ascii_lowercase
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data.terminal import shown as steering_nothing
from tempbench_lmms.harness.tasks import kwargs_of
from tempbench_lmms.harness.variants import base_of
from tempbench_lmms.metrics.ratio import Ratio, Sums, interval, standard_error
from tempbench_lmms.record import UNDEFINED, Metric, Record, evaluate_error, shown
from tempbench_lmms.record_quality import Warned
from tempbench_lmms.runs import quality, rereading
from tempbench_lmms.runs.run_card import RunCard, mixed, signature_lines, signature_of
from tempbench_lmms.runs.task_log import MetricOfRun, TaskLog, metrics_of

MODEL, HUMAN, CHANCE, BEST = "model", "human", "chance", "best"
RUN, FIELD = "run", "field"
"""The kinds of headings: a model of the paper, people, chance, the best of unnamed models, a mean or the
like, a run of the user, or a measured quantity."""

OF_METRICS, OF_DETAILS, OF_SECOND = "run", "details", "second"
"""The sources of a task's tables: its metrics, its breakdowns, a second reader."""

_NEAR = 1e-9  # the order of a sum's terms moves the last digits

UNFINISHED, DAMAGED = " (unfinished)", " (with problems)"
"""What a run's name says if its scores must not be taken for final ones."""

MINI = "the run used the bundled sample, unlike the paper"
PARTIAL = "the run is incomplete, but the paper's numbers cover all questions"

Value = float | int | str | None
Parts = tuple[str, ...]
"""The parts of a task's name, without the benchmark's: ("mt1", "two")."""


@dataclass(frozen=True)
class Number:
    """A value with its spread, as far as known."""

    value: Value  # as in the results file: a number, "-" if undefined, or a word
    error: float | None = None  # standard error
    low: float | None = None  # lower end of the 95 % interval
    high: float | None = None  # its upper end
    n: float | None = None  # number of units behind it, if known
    why: str = ""  # why there is no interval, if known
    is_share: bool = True  # False if it is known to be none, such as PNR

    @property
    def number(self) -> float | None:
        """The value if it is a finite number, else None."""
        if isinstance(self.value, (int, float)) and isfinite(self.value):
            return float(self.value)
        return None

    def text(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the value times `scale` as text."""
        return shown(self.value * scale if isinstance(self.value, float) else self.value, digits)

    def bounds(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the interval times `scale` as text; empty if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{shown(self.low * scale, digits)}, {shown(self.high * scale, digits)}]"


@dataclass(frozen=True)
class Cell:
    """A cell."""

    text: str = UNDEFINED  # the value as shown
    bounds: str = ""  # its 95 % interval as shown; empty if there is none
    notes: tuple[str, ...] = ()  # notes about it
    is_best: bool = False  # whether no other model has a better value
    number: Number | None = None  # the unscaled value with its spread; None if the cell has none
    metric: str = ""  # its metric; empty if it is not a metric of ours
    task: str = ""  # the task that gave it; empty for the paper's cells
    is_comparable: bool = True  # whether the paper's number and a run's can be compared
    link: str = ""  # the part of the page that it links to
    is_fault: bool = False  # whether it reports a problem


def cell_of(number: Number, metric: str, task: str = "", scale: float = 1, digits: int = 4) -> Cell:
    """Returns the cell of a number, times `scale`."""
    text, bounds = number.text(scale, digits), number.bounds(scale, digits)
    return Cell(text, bounds, number=number, metric=metric, task=task)


@dataclass(frozen=True)
class Heading:
    """The heading of a row or of a column."""

    parts: tuple[str, ...]  # a group and its member, or only one of them
    kind: str = FIELD  # one of `MODEL` and its like
    notes: tuple[str, ...] = ()  # notes about the whole row or column

    @property
    def label(self) -> str:
        """The heading in one line."""
        return " / ".join(part for part in self.parts if part)

    @property
    def group(self) -> str:
        """The group; empty if the heading has no member."""
        return self.parts[0] if len(self.parts) > 1 else ""

    @property
    def name(self) -> str:
        """The member, or the only part."""
        return self.parts[-1]


@dataclass(frozen=True)
class Grid:
    """A table."""

    name: str  # "Table 3", or its topic
    caption: str  # what it shows
    rows: tuple[Heading, ...]  # their headings
    columns: tuple[Heading, ...]  # their headings
    cells: tuple[tuple[Cell, ...], ...]  # by row, one cell per column
    remarks: tuple[str, ...] = ()  # notes about the whole table
    signatures: tuple[str, ...] = ()  # one line per task that says how its scores were made
    corner: str = ""  # what the rows are
    is_printed: bool = False  # whether it is a paper's table, with the paper's name and caption
    source: str = OF_DETAILS  # the source of a task's table (`OF_METRICS` and its like)

    @classmethod
    def of(
        cls,
        name: str,
        head: Sequence[str],
        rows: Mapping[str, Sequence[Cell]],
        caption: str = "",
        kind: str = FIELD,
        **more: Any,
    ) -> "Grid":
        """Returns a table with plain headings: the corner's and the columns', and the cells by row."""
        heads = tuple(Heading((one,), kind) for one in rows)
        columns = tuple(Heading((one,)) for one in head[1:])
        return cls(name, caption, heads, columns, tuple(map(tuple, rows.values())), corner=head[0], **more)

    @property
    def bodies(self) -> list[tuple[bool, list[int]]]:
        """The rows in parts, with the user's runs separate: whether a part has runs, and its row numbers."""
        parts = groupby(range(len(self.rows)), lambda number: self.rows[number].kind == RUN)
        return [(is_own, [*numbers]) for is_own, numbers in parts]

    @property
    def has_row_groups(self) -> bool:
        """Whether some row is a member of a group."""
        return any(row.group for row in self.rows)

    @property
    def column_groups(self) -> list[tuple[str, int]]:
        """The groups of columns in order, with their widths; columns without a group are ""."""
        return [(group, len([*own])) for group, own in groupby(self.columns, lambda column: column.group)]

    @cached_property
    def marks(self) -> dict[str, str]:
        """The notes with their marks: a, b, c, in reading order."""
        places: list[Heading | Cell] = [*self.columns]
        for row, cells in zip(self.rows, self.cells, strict=True):
            places += [row, *cells]
        notes = dict.fromkeys(note for one in places for note in one.notes)
        letters = (product(ascii_lowercase, repeat=n) for n in count(1))  # a, b, ..., z, aa, ab, ...
        return dict(zip(notes, map("".join, chain.from_iterable(letters)), strict=False))

    def mark(self, one: Cell | Heading, form: str = "%s") -> str:
        """Returns the marks of a cell's or a heading's notes in a form: "a,b"; empty if there are none."""
        return form % ",".join(self.marks[note] for note in one.notes) if one.notes else ""

    def starts_group(self, row: int) -> bool:
        """Returns whether a line separates a row from the one above: its group or kind differs."""
        this, above = self.rows[row], self.rows[max(row - 1, 0)]
        return this.group != above.group or (this.kind == RUN) != (above.kind == RUN)

    def shows_group(self, row: int) -> bool:
        """Returns whether a row is the first of its group and so shows the group's name."""
        return row == 0 or self.rows[row].group != self.rows[row - 1].group

    def row_head(self, row: int) -> list[str]:
        """Returns a row's heading as one cell, or as two if the table has groups of rows."""
        head = self.rows[row]
        if self.has_row_groups and not head.group:
            return [head.name, ""]
        group = [head.group if self.shows_group(row) else ""] if self.has_row_groups else []
        return [*group, head.name]

    def transposed(self) -> "Grid":
        """Returns the table with its columns as rows."""
        return replace(self, rows=self.columns, columns=self.rows, cells=tuple(zip(*self.cells, strict=True)))


# ---- a task of a run


@dataclass(frozen=True)
class TaskNumbers:
    """One task of one run, with its numbers."""

    log: TaskLog  # the task's log
    run: str  # the run's name in the report
    with_intervals: bool = True  # whether intervals are computed from the log
    differs: tuple[str, ...] = ()  # how other runs of the task differ, so that they cannot be compared
    place: int = 0  # its number among the tasks of the report

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """Every metric of the task by name, in the order of the results file."""
        known = {metric.name: metric for metric in metrics_of(self.log)} if self.with_intervals else {}
        return {
            name: self._number(name, value, known.get(name))
            for name, value in self.log.values.items()
            if isinstance(value, (int, float, str))
            and name.strip() not in ("", "alias")
            and "_stderr" not in name
        }

    @cached_property
    def warnings(self) -> list[Warned]:
        """Reasons to distrust the scores: damage to the log, degenerate answers."""
        others = (*self.log.problems, *self.differs, *filter(None, [self.second[1]]))
        return [*(Warned("other", one) for one in others), *quality.warnings(self.log)]

    @cached_property
    def second(self) -> tuple[Sequence[rereading.Compared], str]:
        """What second readers change, or why that is unknown."""
        return rereading.compared_or_why(self.log)

    @property
    def caption(self) -> str:
        """The caption of the task's tables."""
        return f"{self.log.task}, {self.run}"

    @cached_property
    def signature(self) -> dict[str, str]:
        """The parts of its signature."""
        return signature_of(self.log)

    @cached_property
    def run_card(self) -> RunCard:
        """Its run card."""
        return RunCard(self.log)

    def _number(self, name: str, value: Value, metric: MetricOfRun | None) -> Number:
        error = self.log.values.get(f"{name}_stderr")
        spread = float(error) if isinstance(error, (int, float)) else None
        try:
            result = metric() if metric else None
        except (KeyError, TypeError, ValueError, ArithmeticError):
            result = None  # an edited log, whose records lack what the metric needs
        # The interval belongs to this value only if the log gives this value.
        if not isinstance(value, (int, float)) or isinstance(result, int):
            return Number(value, spread)  # a word, or a count
        if not isinstance(result, Sums):
            why = (self.log.other and self.log.other.why_not(name)) or "the log does not give this value"
            return Number(value, spread, why=why if self.with_intervals else "")
        if not isclose(result.value, value, rel_tol=_NEAR, abs_tol=_NEAR):
            return Number(value, spread, why=f"the log gives {shown(result.value)} instead")
        try:
            if self.log.other and spread is None:
                spread = standard_error(result)
            return _with_interval(value, spread, result)
        except ValueError as problem:  # of a task's own aggregation
            return Number(value, spread, why=str(problem))

    @property
    def is_mini(self) -> bool:
        """Whether the task asks the bundled sample."""
        return self.log.task.endswith("_mini")

    @property
    def stem(self) -> tuple[str, ...]:
        """The parts of the task's name without the benchmark's, `plain` ones and `_mini`: ("mt1", "two")."""
        name = self.log.task.removesuffix("_mini").removeprefix(self.log.section)
        return tuple(part for part in name.split("_") if part and part not in self.log.card.plain)


def _with_interval(value: Value, error: float | None, result: Sums) -> Number:
    low, high = interval(result)
    known = Number(value, error)
    if isinstance(result, Ratio):
        known = replace(known, n=float(result.denominator.sum()), is_share=result.bounded)
    if isfinite(low):
        return replace(known, low=low, high=high) if low < high else replace(known, why="it did not vary")
    is_one = tuple(getattr(result, "keys", ())) == ("all",)
    why = "it is one number for all questions" if is_one else "too few groups of questions"
    return replace(known, why=why)


def of_records(metric: Metric, records: Sequence[Record], with_interval: bool = True) -> Number:
    """Returns a metric over records that is not in any results file."""
    result = metric(records)
    value = result if isinstance(result, int) else result.value
    if not with_interval or isinstance(result, int) or not isfinite(value):
        return Number(value)
    error = evaluate_error(lambda _: result, records)  # without reading the records again
    return _with_interval(value, error if isfinite(error) else None, result)


def of_logs(logs: list[TaskLog], with_intervals: bool = True) -> Iterator[TaskNumbers]:
    """Yields the tasks with their scores; runs with the same name or model get their files' times.

    The name of an unfinished or damaged run says so, because it stands beside the scores in every format.
    A name's control characters are escaped.
    """
    names, differs = _names(logs), mixed(logs)
    damaged = {name for name, log in zip(names, logs, strict=True) if log.problems}
    for place, (log, name) in enumerate(zip(logs, names, strict=True)):
        state = UNFINISHED if log.is_unfinished else DAMAGED if name in damaged else ""
        yield TaskNumbers(log, steering_nothing(name) + state, with_intervals, differs[log.task], place)


def _names(logs: Sequence[TaskLog]) -> list[str]:
    firsts = [(log.name or log.model) + (f", repeat {log.repeat[1]}" if log.repeat else "") for log in logs]
    out = []
    for log, first in zip(logs, firsts, strict=True):
        own = [one for one, name in zip(logs, firsts, strict=True) if name == first]
        files = {one.file for one in own}
        # Several folders with one given name and different tasks are one run; a model may have several runs.
        is_one = bool(log.name) and len({one.task for one in own}) == len(own)
        when = log.file.name.removesuffix("_results.json")
        if log.is_unfinished:
            when = log.file.parent.name
        elif sum(file.name == log.file.name for file in files) > 1:
            when = f"{log.file.parent.name}/{when}"
        out.append(f"{first} ({when})" if len(files) > 1 and not is_one else first)
    return out


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
        return (
            ()
            if all(task.run_card.is_complete and not task.log.problems for task in self.tasks)
            else (PARTIAL,)
        )

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
    module = benchmarks.optional(card.name, "scoring") if card.name in benchmarks.names() else None
    metrics = getattr(module, "FROM_LOG", {})
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
