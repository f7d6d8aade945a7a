"""Scores with a second reader's readings beside those with ours, and how often the two agree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.metrics.kappa import cohen_kappa
from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.reading import SECOND, Reading, none
from tempbench_lmms.parsing.second import Part
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.runs import rescoring
from tempbench_lmms.runs.logs import Sample, TaskLog, recompute
from tempbench_lmms.runs.rereading import (
    STATUSES,
    Choose,
    Line,
    Question,
    Readings,
    question_of,
    questions_of,
    readings_of,
    remark,
    rescored,
    values_of,
)

_SECONDS = 0.5  # ends of spans that differ by no more are the same
_PARTS: dict[type, str] = {
    Choice: "option",
    Item: "image",
    Order: "order",
    Truth: "truth",
    Count: "count",
    TimeSpan: "span",
    Relation: "relation",
}


def samples_with(
    log: TaskLog, samples: Sequence[Sample], readings: Readings, alone: bool = False
) -> tuple[Sample, ...]:
    """Returns a log's samples as they are scored with a second reader.

    Args:
        log: The log.
        samples: Its samples as they are scored without.
        readings: The second reader's.
        alone: Take its reading instead of ours wherever there is one; else only where we read nothing.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
    """
    config = load_task(log.task)
    out = []
    for sample, (logged, doc) in zip(samples, rescoring.with_docs(log), strict=True):
        line = readings.lines.get(str(sample.record["id"]))
        if line is None or (sample.record["parsed"] and not alone):
            out.append(sample)
            continue
        question = question_of(log, config, logged, doc)
        out.append(rescored(config, logged, doc, _choice(question, line, alone)))
    return tuple(out)


def _choice(question: Question, line: Line, alone: bool) -> Choose:
    values = dict(zip(question.expected, values_of(question, line), strict=True))

    def choose(expected: Part, ours: Reading[Any]) -> Reading[Any]:
        if not alone and ours.value is not None:
            return ours
        if (value := values[expected]) is not None:
            return Reading(value, SECOND, (0, len(question.sample.reply)))
        if not alone:
            return ours
        return none("refused" if line.status == "refused" else "nothing")

    return choose


@dataclass(frozen=True)
class Agreement:
    """How often a second reader and we read the same, for one part of the answers.

    Attributes:
        part: What is read: `option`, `span` and so on.
        n: Replies that both were given.
        same: Both read the same value.
        different: Both read a value, another one each.
        ours_only: We read a value, and it none.
        second_only: It read a value, and we none.
        neither: Nobody read a value.
        kappa: Cohen's kappa over the values, no value being one of them; None where it is undefined, and for
            spans, which are no classes. From -1 to 1.
    """

    part: str
    n: int
    same: int
    different: int
    ours_only: int
    second_only: int
    neither: int
    kappa: float | None

    @property
    def share(self) -> float:
        """The share of replies of which both read the same, or both nothing."""
        return (self.same + self.neither) / self.n


def agreements(log: TaskLog, readings: Readings) -> list[Agreement]:
    """Returns how a second reader and we agree on the replies that it was given, a part each.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
    """
    pairs: dict[str, list[tuple[Any, Any]]] = {}
    for question in questions_of(log):
        if line := readings.lines.get(question.id):
            values = values_of(question, line)
            for part, ours, theirs in zip(question.expected, question.ours, values, strict=True):
                pairs.setdefault(_PARTS[type(part)], []).append((ours.value, theirs))
    return [_agreement(part, found) for part, found in pairs.items()]


def _agreement(part: str, pairs: list[tuple[Any, Any]]) -> Agreement:
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    same = sum(_same(ours, theirs) for ours, theirs in both)
    ours_only = sum(ours is not None and theirs is None for ours, theirs in pairs)
    second_only = sum(ours is None and theirs is not None for ours, theirs in pairs)
    return Agreement(
        part=part,
        n=len(pairs),
        same=same,
        different=len(both) - same,
        ours_only=ours_only,
        second_only=second_only,
        neither=len(pairs) - len(both) - ours_only - second_only,
        kappa=None if part == "span" else _kappa(pairs),
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and all(isinstance(end, float) for end in (*one, *other)):
        return all(abs(a - b) <= _SECONDS for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _kappa(pairs: list[tuple[Any, Any]]) -> float | None:
    ours, theirs = ([str(value) for value in values] for values in zip(*pairs, strict=True))
    found = cohen_kappa(ours, theirs)
    return None if math.isnan(found) else found  # of one class alone: agreement by chance is certain


@dataclass(frozen=True)
class Compared:
    """A task's numbers without a second reader and with it.

    Attributes:
        readings: The second reader's.
        filled: Ours, and with its reading wherever we read nothing.
        alone: Ours, and with its reading wherever there is one; None where it was given unread replies alone.
        agreements: How it and we agree; none where it was given unread replies alone.
    """

    readings: Readings
    filled: rescoring.Rescored
    alone: rescoring.Rescored | None
    agreements: tuple[Agreement, ...]


def compared(
    log: TaskLog, samples: Sequence[Sample] | None = None, intervals: bool = True
) -> tuple[Compared, ...]:
    """Returns a task's numbers with each second reader that has read replies of it.

    Args:
        log: The log.
        samples: Its samples as they are scored without; its own where omitted.
        intervals: Whether to compute intervals.

    Raises:
        TempbenchError: There are readings, but the data is not on this machine or is not the run's.
    """
    samples = log.samples if samples is None else samples
    read = readings_of(log)
    then = recompute(log, samples) if read else {}
    out = []
    for readings in read:
        filled = _with(log, samples, then, samples_with(log, samples, readings), intervals)
        alone = None
        if any(sample.record["parsed"] and str(sample.record["id"]) in readings.lines for sample in samples):
            alone = _with(log, samples, then, samples_with(log, samples, readings, alone=True), intervals)
        out.append(
            Compared(readings, filled, alone, tuple(agreements(log, readings)) if alone is not None else ())
        )
    return tuple(out)


def shown(
    log: TaskLog, samples: Sequence[Sample] | None = None, intervals: bool = True
) -> tuple[tuple[Compared, ...], str]:
    """Returns the same, and why there is nothing to show although there are readings; arguments as above."""
    try:
        return compared(log, samples, intervals), ""
    except TempbenchError as error:
        return (), f"second readers' readings cannot be scored: {error}"


def _with(
    log: TaskLog, before: Sequence[Sample], then: dict[str, Any], after: Sequence[Sample], intervals: bool
) -> rescoring.Rescored:
    ends = rescoring.intervals_of(replace(log, samples=tuple(after))) if intervals else {}
    changed = rescoring.changes(before, [sample.record for sample in after])
    return rescoring.Rescored(log, then, recompute(log, after), ends, changed)


def as_text(one: Compared) -> str:
    """Returns a task's numbers without and with a second reader for a terminal."""
    name = one.readings.reader
    blocks = [summary(one.readings), rescoring.as_text(one.filled, "ours", "filled")]
    if one.alone is not None:
        blocks.append(rescoring.as_text(one.alone, "ours", "alone", n_changes=5))
    blocks += [f"  ours and {name}: {in_words(agreement)}" for agreement in one.agreements]
    return "\n".join(blocks)


def as_json(one: Compared) -> dict[str, Any]:
    """Returns the same as JSON values."""
    return {
        "reader": one.readings.reader,
        "replies": len(one.readings.lines),
        "statuses": {status: one.readings.statuses[status] for status in STATUSES},
        "filled": rescoring.as_json(one.filled),
        "alone": None if one.alone is None else rescoring.as_json(one.alone),
        "agreement": [vars(agreement) | {"share": agreement.share} for agreement in one.agreements],
    }


def in_words(agreement: Agreement) -> str:
    """Returns an agreement as a line for people."""
    kappa = UNDEFINED if agreement.kappa is None else f"{agreement.kappa:.3f}"
    return (
        f"{agreement.part}: they agree on {agreement.share:.1%} of {agreement.n:,} replies, Cohen's kappa "
        f"{kappa} (same {agreement.same:,}, different {agreement.different:,}, read by us alone "
        f"{agreement.ours_only:,}, by it alone {agreement.second_only:,}, by neither {agreement.neither:,})"
    )


def summary(readings: Readings) -> str:
    """Returns what became of the replies that a second reader was given, as a line for people."""
    found = ", ".join(f"{readings.statuses[status]:,} {status}" for status in STATUSES)
    rest = f"; {remark(readings)}" if remark(readings) else ""
    return f"second reader {readings.reader}: {len(readings.lines):,} replies, {found}{rest}"
