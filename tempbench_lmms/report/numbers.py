"""The scores of a run: values from its results file, with errors, intervals and completeness."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose, isfinite
from typing import Any

from tempbench_lmms.data import provenance
from tempbench_lmms.data.redaction import without_secrets
from tempbench_lmms.data.terminal import shown as steering_nothing
from tempbench_lmms.metrics.ratio import Ratio, Sums, standard_error
from tempbench_lmms.metrics.resampling import interval
from tempbench_lmms.record import PARTS, Metric, Record, evaluate_error, shares, shown
from tempbench_lmms.report.grid import METRICS, RUN, SECOND, Cell, Grid, Number, Value, cell_of
from tempbench_lmms.runs import quality, rereading
from tempbench_lmms.runs.run_card import data_of, flat, is_stopped, run_card, said_of, sentence, signature_of
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
    def warnings(self) -> list[str]:
        """Reasons to distrust the scores: damage to the log, degenerate answers."""
        return [
            *self.log.problems,
            *self.differs,
            *quality.warnings(self.log),
            *filter(None, [self._second[1]]),
        ]

    @cached_property
    def _second(self) -> tuple[Sequence[rereading.Compared], str]:
        return rereading.shown(self.log, intervals=False)

    @property
    def caption(self) -> str:
        """The caption of the task's tables."""
        return f"{self.log.task}, {self.run}"

    @property
    def own_grids(self) -> list[Grid]:
        """Tables of how the task's replies were read, and of its metrics with each second reader."""
        rows = {
            f"{READ[name]}: {word}": [Cell(shown(share))]
            for name, table in shares([self.log.with_limit(sample) for sample in self.log.samples]).items()
            for word, share in table.items()
        }
        head = ["rule or reason", "share of the replies"]
        read = [Grid.of("How replies were read", head, rows, caption=self.caption)] if rows else []
        return [*read, *(_second_grid(one, self.caption) for one in self._second[0])]

    @property
    def metrics_grid(self) -> Grid:
        """Every metric of the task, one per line."""
        rows = {}
        for name, number in self.numbers.items():
            error = "" if number.error is None else shown(number.error)
            n = "" if number.n is None else f"{number.n:g}"
            value = replace(cell_of(number, name, self.log.task), bounds="")
            rows[name] = [value, *map(Cell, (error, number.bounds() or number.why, n))]
        head = ["metric", "value", "standard error", "95 % interval", "n"]
        none = () if rows else ("The run printed no number for this task.",)
        return Grid.of(
            "All metrics", head, rows, kind=RUN, caption=self.caption, remarks=none, source=METRICS
        )

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
    def stem(self) -> tuple[str, ...]:
        """The parts of the task's name without the benchmark's and `_mini`: ("mt1", "two")."""
        name = self.log.task.removesuffix("_mini").removeprefix(self.log.section)
        return tuple(filter(None, name.split("_")))

    @cached_property
    def _run_card(self) -> dict[str, Any]:
        return run_card(self.log)

    @property
    def asked(self) -> tuple[int, int] | None:
        """How many questions were asked, and how many the task has; None if unknown."""
        counts = self._run_card["questions"]
        known = counts["asked"], counts["of"]
        return None if None in known else (int(known[0]), int(known[1]))

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
        given = {name: config.get(name) for name in ("offset", "limit")}
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
        if known.get("model_args"):
            known["model_args"] = without_secrets(str(known["model_args"]))
        words = {name: steering_nothing(str(one)) for name, one in known.items() if one not in (None, "")}
        return {
            name: one if len(one) <= _WORDS else f"{one[:_WORDS]} ... ({len(one):,} characters)"
            for name, one in words.items()
        }


def _second_grid(one: rereading.Compared, caption: str) -> Grid:
    """Returns the metrics that a second reader changes; the remarks say how often both readers agree."""
    name = one.readings.reader
    versions = {f"ours, else {name}": one.filled} | ({f"{name} first": one.alone} if one.alone else {})
    moved = {metric for found in versions.values() for metric in found.differing}
    rows = {}
    for metric, value in one.filled.then.items():
        if metric in moved and isinstance(value, (int, float, str)) and not metric.endswith("_stderr"):
            now = [found.now.get(metric) for found in versions.values()]
            rows[metric] = [
                Cell(shown(value)),
                *(Cell(shown(own), number=Number(own), metric=metric) for own in now),
            ]
    remarks = tuple(filter(None, (str(one.readings), one.agreement)))
    head = ["metric", "ours", *versions]
    return Grid.of(f"With {name}", head, rows, caption=caption, remarks=remarks, source=SECOND)


def _with_interval(value: Value, error: float | None, result: Sums) -> Number:
    low, high = interval(result)
    known = Number(value, error)
    if isinstance(result, Ratio):
        known = replace(known, n=float(result.denominator.sum()), is_share=result.bounded)
    if isfinite(low):
        return replace(known, low=low, high=high) if low < high else replace(known, why=SAME)
    return replace(known, why=WHOLE if (tuple(getattr(result, "keys", ())) == ("all",)) else FEW)


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
        run = log.details.get(provenance.KEY) or {}
        known.setdefault((log.task, OTHER_CODE), set()).add(run.get(provenance.CODE))
    names = _names(logs)
    damaged = {name for name, log in zip(names, logs, strict=True) if log.problems}
    for place, (log, name) in enumerate(zip(logs, names, strict=True)):
        differs = tuple(
            said for (task, said), sums in known.items() if task == log.task and len(sums - {None}) > 1
        )
        state = UNFINISHED if log.is_unfinished else DAMAGED if name in damaged else ""
        yield TaskNumbers(log, steering_nothing(name) + state, with_intervals, differs, place)


def _names(logs: Sequence[TaskLog]) -> list[str]:
    """Returns the name of each log's run."""
    firsts = [log.name or log.model for log in logs]
    firsts = [
        first if log.repeat is None else f"{first}, repeat {log.repeat[1]}"
        for log, first in zip(logs, firsts, strict=True)
    ]
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
