"""The scores of runs: values from their results files, with errors and intervals; and tables as data."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, groupby, product
from math import isclose, isfinite
from string import ascii_lowercase
from typing import Any

from tempbench_lmms.data import provenance
from tempbench_lmms.data.redaction import without_secrets
from tempbench_lmms.data.terminal import shown as steering_nothing
from tempbench_lmms.metrics.ratio import Ratio, Sums, interval, standard_error
from tempbench_lmms.record import UNDEFINED, Metric, Record, evaluate_error, shown
from tempbench_lmms.record_quality import Warned
from tempbench_lmms.runs import quality, rereading
from tempbench_lmms.runs.run_card import data_of, flat, is_stopped, run_card, said_of, sentence, signature_of
from tempbench_lmms.runs.task_log import MetricOfRun, TaskLog, metrics_of

MODEL, HUMAN, CHANCE, BEST = "model", "human", "chance", "best"
RUN, FIELD = "run", "field"
"""The kinds of headings: a model of the paper, people, chance, the best of unnamed models, a mean or the
like, a run of the user, or a measured quantity."""

METRICS, DETAILS, SECOND = "run", "details", "second"
"""The sources of a task's tables: its metrics, its breakdowns, a second reader."""

_NEAR = 1e-9  # the order of a sum's terms moves the last digits
_WORDS = 2000  # characters of a line of the run card

OTHER_DATA = "the runs of this task had different data (their checksums differ); `compare` would refuse them"
OTHER_CODE = (
    "different code read the replies of this task's runs, so equal replies may count differently; "
    "`compare` would refuse them, and `compare --reparse` reads them again"
)
UNFINISHED, DAMAGED = " (unfinished)", " (with problems)"
"""What a run's name says if its scores must not be taken for final ones."""

Value = float | int | str | None


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
    source: str = DETAILS  # the source of a task's table (`METRICS` and its like)

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
        return rereading.shown(self.log)

    @property
    def caption(self) -> str:
        """The caption of the task's tables."""
        return f"{self.log.task}, {self.run}"

    @cached_property
    def signature(self) -> dict[str, str]:
        """The parts of its signature."""
        return signature_of(self.log)

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

    @cached_property
    def _run_card(self) -> dict[str, Any]:
        return run_card(self.log)

    @property
    def asked(self) -> tuple[int, int] | None:
        """How many questions were asked, and how many the task has; None if unknown."""
        counts = self._run_card["questions"]
        return None if None in (counts["asked"], counts["of"]) else (int(counts["asked"]), int(counts["of"]))

    @property
    def is_complete(self) -> bool:
        """Whether the run recorded that it asked every question."""
        return bool(self.asked and self.asked[0] == self.asked[1])

    @property
    def limiting_options(self) -> str:
        """The given options that leave out questions; empty if there are none."""
        if (said := said_of(self.log)) and is_stopped(said):
            return "--until-decided"
        given = {name: self.log.settings.get(name) for name in ("offset", "limit")}
        # Python's JSON may hold Infinity, which is no limit.
        known = {name: n for name, n in given.items() if isinstance(n, (int, float)) and isfinite(n)}
        return " ".join(f"--{name} {n:g}" for name, n in known.items() if n > 0)

    @property
    def decision(self) -> str:
        """How a run with `--until-decided` ended; empty for other runs."""
        said = said_of(self.log)
        return steering_nothing(sentence(said)) if said else ""

    @property
    def card(self) -> dict[str, str]:
        """The run card by dotted name, without what the run did not record."""
        known = flat(self._run_card) | {"date": run_date(self.log.header)}
        known["model_args"] = without_secrets(str(known.get("model_args") or ""))
        words = {name: steering_nothing(str(one)) for name, one in known.items() if one not in (None, "")}
        return {
            name: one if len(one) <= _WORDS else f"{one[:_WORDS]} ... ({len(one):,} characters)"
            for name, one in words.items()
        }


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


def run_date(header: dict[str, Any]) -> str:
    """Returns the day of a run, by the harness's clock; empty if unknown."""
    found = re.fullmatch(r"(\d{4})(\d\d)(\d\d)_\d{6}", str(header.get("date")))
    return "-".join(found.groups()) if found else ""


def verdict(record: Record) -> str:
    """Returns `right`, `wrong`, `unparsed` or `failed`; `answered` if no score is known."""
    if record.get("failed"):
        return "failed"
    if not record.get("parsed"):
        return "unparsed"
    if record.get("correct", 0) is None:
        return "answered"
    return "right" if record.get("correct") else "wrong"


def of_logs(logs: list[TaskLog], with_intervals: bool = True) -> Iterator[TaskNumbers]:
    """Yields the tasks with their scores; runs with the same name or model get their files' times.

    The name of an unfinished or damaged run says so, because it stands beside the scores in every format.
    A name's control characters are escaped.
    """
    known: dict[tuple[str, str], set[Any]] = {}
    for log in logs:
        known.setdefault((log.task, OTHER_DATA), set()).add(data_of(log)[1].get("sha256"))
        code = (log.details.get(provenance.KEY) or {}).get(provenance.CODE)
        known.setdefault((log.task, OTHER_CODE), set()).add(code)
    names = _names(logs)
    damaged = {name for name, log in zip(names, logs, strict=True) if log.problems}
    for place, (log, name) in enumerate(zip(logs, names, strict=True)):
        differs = tuple(
            said for (task, said), sums in known.items() if task == log.task and len(sums - {None}) > 1
        )
        state = UNFINISHED if log.is_unfinished else DAMAGED if name in damaged else ""
        yield TaskNumbers(log, steering_nothing(name) + state, with_intervals, differs, place)


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
