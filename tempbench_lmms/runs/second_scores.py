"""Scores with a second reader's readings beside ours, and how often the two readers agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.parsing.expected import SECOND, Reading, none
from tempbench_lmms.parsing.second import Part
from tempbench_lmms.runs import rescoring
from tempbench_lmms.runs.rereading import (
    STATUSES,
    Choose,
    Line,
    Question,
    Readings,
    questions_of,
    readings_of,
)
from tempbench_lmms.runs.task_log import Sample, TaskLog

_SECONDS = 0.5  # ends of spans that differ by at most this are equal


@dataclass(frozen=True)
class Compared:
    """A task's scores without and with a second reader."""

    readings: Readings
    filled: rescoring.Rescored  # its reading wherever we read nothing
    alone: rescoring.Rescored | None = None  # its reading wherever it gave one
    n: int = 0  # answers that both readers were given
    n_same: int = 0  # of these, read alike

    @property
    def agreement(self) -> str:
        """A sentence about how often both read the same; empty if it was only given unread replies."""
        if not self.n:
            return ""
        share = f"{self.n_same / self.n:.1%}"
        return f"{self.readings.reader} and we read the same in {share} of {self.n:,} answers"


def compared(
    log: TaskLog, samples: tuple[Sample, ...] | None = None, intervals: bool = True
) -> tuple[Compared, ...]:
    """Returns a task's scores with each second reader that has read its replies.

    Args:
        log: The log.
        samples: Its samples as scored without a second reader; by default the log's own.
        intervals: Whether to compute intervals.

    Raises:
        TempbenchError: There are readings, but the data is not on this machine or is not the run's.
    """
    found = readings_of(log)
    if not found:
        return ()
    samples = log.samples if samples is None else samples
    both = [*zip(samples, questions_of(log), strict=True)]

    def scores(readings: Readings, alone: bool) -> rescoring.Rescored:
        now = tuple(_read_by(readings, sample, question, alone) for sample, question in both)
        return rescoring.rescored(log, now, samples, intervals)

    out = []
    for readings in found:
        filled = scores(readings, False)
        if any(sample.record["parsed"] and sample.id in readings.lines for sample in samples):
            same = Counter(_same_values([question for _, question in both], readings))
            out.append(Compared(readings, filled, scores(readings, True), same.total(), same[True]))
        else:
            out.append(Compared(readings, filled))
    return tuple(out)


def _read_by(readings: Readings, sample: Sample, question: Question, alone: bool) -> Sample:
    """Returns a sample scored with a second reader: where we read nothing, or wherever it read."""
    line = readings.lines.get(sample.id)
    if line is None or (sample.record["parsed"] and not alone):
        return sample
    return question.rescored(_choice(question, line, alone))


def _choice(question: Question, line: Line, alone: bool) -> Choose:
    values = dict(zip(question.expected, question.values(line), strict=True))

    def choose(expected: Part, ours: Reading[Any]) -> Reading[Any]:
        value = values[expected]
        if not alone and (ours.value is not None or value is None):
            return ours
        if value is None:
            return none("refused" if line.status == "refused" else "nothing")
        return Reading(value, SECOND, (0, len(question.sample.reply)))

    return choose


def _same_values(questions: Sequence[Question], readings: Readings) -> list[bool]:
    """Returns, for each answer that a second reader was given, whether it and we read the same value."""
    return [
        _is_same(ours.value, theirs)
        for question in questions
        if (line := readings.lines.get(question.sample.id))
        for ours, theirs in zip(question.expected.values(), question.values(line), strict=True)
    ]


def _is_same(ours: Any, theirs: Any) -> bool:
    are_spans = [
        isinstance(one, tuple) and all(isinstance(end, float) for end in one) for one in (ours, theirs)
    ]
    if all(are_spans):
        return all(abs(a - b) <= _SECONDS for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs)


def shown(
    log: TaskLog, samples: tuple[Sample, ...] | None = None, intervals: bool = True
) -> tuple[tuple[Compared, ...], str]:
    """Returns the result of `compared`, or why existing readings cannot be scored; arguments as above."""
    try:
        return compared(log, samples, intervals), ""
    except TempbenchError as error:
        return (), f"second readers' readings cannot be scored: {error}"


def as_text(one: Compared) -> str:
    """Returns a task's scores without and with a second reader, for a terminal."""
    blocks = [str(one.readings), rescoring.as_text(one.filled, "ours", "filled")]
    if one.alone is not None:
        blocks += [rescoring.as_text(one.alone, "ours", "alone", n_changes=5), f"  {one.agreement}"]
    return "\n".join(blocks)


def as_json(one: Compared) -> dict[str, Any]:
    """Returns them as JSON values."""
    found = Counter(line.status for line in one.readings.lines.values())
    return {
        "reader": one.readings.reader,
        "replies": len(one.readings.lines),
        "statuses": {status: found[status] for status in STATUSES},
        "filled": rescoring.as_json(one.filled),
        "alone": None if one.alone is None else rescoring.as_json(one.alone),
        "agreement": {"n": one.n, "same": one.n_same} if one.n else None,
    }
