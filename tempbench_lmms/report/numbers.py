"""The scores of a run: values from its results file, with errors, intervals and completeness."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isclose, isfinite
from typing import Any

from tempbench_lmms.data import code_digest, provenance
from tempbench_lmms.data.redaction import without_secrets
from tempbench_lmms.data.terminal import shown as steering_nothing
from tempbench_lmms.metrics.ratio import Ratio, Sums, standard_error
from tempbench_lmms.metrics.resampling import interval
from tempbench_lmms.record import Metric, Record, evaluate_error, shown
from tempbench_lmms.record_reading import PARTS, shares
from tempbench_lmms.report import second
from tempbench_lmms.report.grid import METRICS, RUN, Cell, Grid, Number, Value, cell_of
from tempbench_lmms.runs import quality, signature
from tempbench_lmms.runs.deciding import is_stopped, said_of, sentence
from tempbench_lmms.runs.run_card import data_of, flat, run_card
from tempbench_lmms.runs.task_log import MetricOfRun, TaskLog, metrics_of

READ = {
    f"{part}{name}": f"{part.replace('_', ' ')}{said}"
    for part in ("", *PARTS)
    for name, said in (("how", "read by"), ("reason", "unread"))
}
"""The report's names for the fields that say how a reply was read."""

_NEAR = 1e-9  # the order of a sum's terms moves the last digits
_WORDS = 2000  # characters of a line of the run card

OTHER_DATA = "the runs of this task had different data (their checksums differ); `compare` would refuse them"
OTHER_CODE = (
    "different code read the replies of this task's runs, so equal replies may count differently; "
    "`compare` would refuse them, and `compare --reparse` reads them again"
)
UNFINISHED, DAMAGED = " (unfinished)", " (with problems)"
"""What a run's name says if its scores must not be taken for final ones."""
NO_LOG = "the log does not give this value"
FEW = "too few groups of questions"
WHOLE = "it is one number for all questions"
SAME = "it did not vary"


@dataclass(frozen=True)
class TaskNumbers:
    """One task of one run, with its numbers."""

    log: TaskLog  # the task's log
    run: str  # the run's name in the report
    with_intervals: bool = True  # whether intervals are computed from the log
    differs: tuple[str, ...] = ()  # how other runs of the task differ, so that they cannot be compared
    place: int = 0  # its number among the tasks of the report
    _known: dict[str, Number] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> list[str]:
        """The metrics' names, in the order of the results file."""
        return [
            name
            for name, value in self.log.values.items()
            if isinstance(value, (int, float, str))
            and name.strip() not in ("", "alias")
            and "_stderr" not in name
        ]

    @cached_property
    def _metrics(self) -> dict[str, MetricOfRun]:
        return {metric.name: metric for metric in metrics_of(self.log)} if self.with_intervals else {}

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """Every metric of the task."""
        return {name: self.number(name) for name in self.names}

    @cached_property
    def warnings(self) -> list[str]:
        """Reasons to distrust the scores: damage to the log, degenerate answers."""
        more = [self._second[1]] if self._second[1] else []
        return [*self.log.problems, *self.differs, *quality.warnings(self.log), *more]

    @cached_property
    def _second(self) -> tuple[list[Grid], str]:
        return second.grids_of(self.log, self.caption)

    @property
    def caption(self) -> str:
        """The caption of the task's tables."""
        return f"{self.log.task}, {self.run}"

    @property
    def own_grids(self) -> list[Grid]:
        """Tables of how the task's replies were read, and of its metrics with each second reader."""
        found = shares([self.log.with_limit(sample) for sample in self.log.samples])
        rows = {
            f"{READ[name]}: {word}": [Cell(shown(share))]
            for name, table in found.items()
            for word, share in table.items()
        }
        head = ["rule or reason", "share of the replies"]
        read = [Grid.of("How replies were read", head, rows, caption=self.caption)] if rows else []
        return [*read, *self._second[0]]

    @property
    def metrics_grid(self) -> Grid:
        """Every metric of the task, one per line."""
        rows = {}
        for name, number in self.numbers.items():
            about = (
                "" if number.error is None else shown(number.error),
                number.bounds() or number.why,
                "" if number.n is None else f"{number.n:g}",
            )
            value = replace(cell_of(number, name, self.log.task), bounds="")
            rows[name] = [value, *map(Cell, about)]
        head = ["metric", "value", "standard error", "95 % interval", "n"]
        none = () if rows else ("The run printed no number for this task.",)
        return Grid.of(
            "All metrics", head, rows, kind=RUN, caption=self.caption, remarks=none, source=METRICS
        )

    @cached_property
    def signature(self) -> dict[str, str]:
        """The parts of its signature."""
        return signature.parts_of(self.log)

    def number(self, name: str) -> Number:
        """Returns one metric of the task."""
        if name not in self._known:
            self._known[name] = self._number(name, self._metrics.get(name))
        return self._known[name]

    def _number(self, name: str, metric: MetricOfRun | None) -> Number:
        value, error = self.log.values[name], self.log.values.get(f"{name}_stderr")
        spread = float(error) if isinstance(error, (int, float)) else None
        try:
            result = metric() if metric else None
        except (KeyError, TypeError, ValueError, ArithmeticError):
            result = None  # an edited log, whose records lack what the metric needs
        # The interval belongs to this value only if the log gives this value.
        if not isinstance(value, (int, float)) or isinstance(result, int):
            return Number(value, spread)  # a word, or a count
        if not isinstance(result, Sums):
            why = self.log.other.why_not(name) if self.log.other else ""
            return Number(value, spread, why=(why or NO_LOG) if self.with_intervals else "")
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
    def stem(self) -> str:
        """The task's name without the benchmark's and without `_mini`: `mt1_two`; empty for the suite."""
        return self.log.task.removesuffix("_mini").removeprefix(self.log.section).strip("_")

    @cached_property
    def _run_card(self) -> dict[str, Any]:
        return run_card(self.log)

    @property
    def asked(self) -> tuple[int, int] | None:
        """How many questions were asked, and how many the task has; None if unknown."""
        counts = self._run_card["questions"]
        if counts["asked"] is None or counts["of"] is None:
            return None
        return int(counts["asked"]), int(counts["of"])

    @property
    def is_complete(self) -> bool:
        """Whether the run recorded that it asked every question."""
        return self.asked is not None and self.asked[0] == self.asked[1]

    @property
    def limiting_options(self) -> str:
        """The given options that leave out questions; empty if there are none."""
        if (said := said_of(self.log)) and is_stopped(said):
            return "--until-decided"
        config = self.log.header.get("config") or {}
        given = ((name, config.get(name)) for name in ("offset", "limit"))
        # Python's JSON may hold Infinity, which is no limit.
        known = (
            (name, value) for name, value in given if isinstance(value, (int, float)) and isfinite(value)
        )
        return " ".join(f"--{name} {value:g}" for name, value in known if value > 0)

    @property
    def decision(self) -> str:
        """How a run with `--until-decided` ended; empty for other runs."""
        said = said_of(self.log)
        return steering_nothing(sentence(said)) if said else ""

    @property
    def card(self) -> dict[str, str]:
        """The run card by dotted name, without what the run did not record."""
        known = flat(self._run_card) | {"date": run_date(self.log.header)}
        if known.get("model_args"):
            known["model_args"] = without_secrets(str(known["model_args"]))
        return {name: _short(str(value)) for name, value in known.items() if value not in (None, "")}


def _with_interval(value: Value, error: float | None, result: Sums) -> Number:
    low, high = interval(result)
    known = Number(value, error)
    if isinstance(result, Ratio):
        known = replace(known, n=float(result.denominator.sum()), is_share=result.bounded)
    if isfinite(low):
        return replace(known, low=low, high=high) if low < high else replace(known, why=SAME)
    is_whole = tuple(getattr(result, "keys", ())) == ("all",)
    return replace(known, why=WHOLE if is_whole else FEW)


def of_records(metric: Metric, records: Sequence[Record], with_interval: bool = True) -> Number:
    """Returns a metric over records that is not in any results file."""
    result = metric(records)
    value = result if isinstance(result, int) else result.value
    if not with_interval or isinstance(result, int) or not isfinite(value):
        return Number(value)
    error = evaluate_error(lambda _: result, records)  # without reading the records again
    return _with_interval(value, error if isfinite(error) else None, result)


def _short(words: str) -> str:
    words = steering_nothing(words)
    return words if len(words) <= _WORDS else f"{words[:_WORDS]} ... ({len(words):,} characters)"


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


def _first_name(log: TaskLog) -> str:
    repeat = "" if log.repeat is None else f", repeat {log.repeat[1]}"
    return f"{log.name or log.model}{repeat}"


def of_logs(logs: list[TaskLog], with_intervals: bool = True) -> Iterator[TaskNumbers]:
    """Yields the tasks with their scores; runs with the same name or model get their files' times.

    The name of an unfinished or damaged run says so, because it stands beside the scores in every format.
    A name's control characters are escaped.
    """
    known: dict[tuple[str, str], set[Any]] = {}
    for log in logs:
        run = log.details.get(provenance.KEY) or {}
        for said, checksum in (
            (OTHER_DATA, data_of(log)[1].get("sha256")),
            (OTHER_CODE, run.get(code_digest.KEY)),
        ):
            if checksum is not None:
                known.setdefault((log.task, said), set()).add(checksum)
    names = _names(logs)
    damaged = {name for name, log in zip(names, logs, strict=True) if log.problems}
    for place, (log, name) in enumerate(zip(logs, names, strict=True)):
        differs = tuple(said for (task, said), sums in known.items() if task == log.task and len(sums) > 1)
        state = UNFINISHED if log.is_unfinished else DAMAGED if name in damaged else ""
        yield TaskNumbers(log, steering_nothing(name) + state, with_intervals, differs, place)


def _names(logs: Sequence[TaskLog]) -> list[str]:
    """Returns the name of each log's run."""
    groups: dict[str, list[TaskLog]] = {}
    for log in logs:
        groups.setdefault(_first_name(log), []).append(log)
    out = []
    for log in logs:
        own = groups[first := _first_name(log)]
        # Several folders with one given name and different tasks are one run; a model may have several runs.
        is_one = bool(log.name) and len({one.task for one in own}) == len(own)
        when = log.file.name.removesuffix("_results.json")
        if log.is_unfinished or len({one.file for one in own if one.file.name == log.file.name}) > 1:
            when = log.file.parent.name + (f"/{when}" if not log.is_unfinished else "")
        out.append(f"{first} ({when})" if len({one.file for one in own}) > 1 and not is_one else first)
    return out
