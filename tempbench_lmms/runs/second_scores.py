"""Scores with a second reader's readings beside those with ours, and how often the two agree."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.metrics.kappa import cohen_kappa
from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.reading import SECOND, Reading, none
from tempbench_lmms.parsing.second import Part
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.runs import rescoring
from tempbench_lmms.runs.rereading import (
    STATUSES,
    Choose,
    Line,
    Question,
    Readings,
    question_of,
    questions_of,
    readings_of,
    rescored,
    values_of,
)
from tempbench_lmms.runs.task_log import Sample, TaskLog

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


def _samples_with(
    log: TaskLog, samples: tuple[Sample, ...], readings: Readings, alone: bool
) -> tuple[Sample, ...]:
    """Returns a log's samples as they are scored with a second reader.

    Args:
        log: The log.
        samples: Its samples as they are scored without.
        readings: The second reader's.
        alone: Take its reading instead of ours wherever there is one; else only where we read nothing.
    """
    config = load_task(log.task)
    out = []
    for sample, (logged, doc) in zip(samples, rescoring.with_docs(log), strict=True):
        line = readings.lines.get(sample.id)
        if line is None or (sample.record["parsed"] and not alone):
            out.append(sample)
        else:
            choose = _choice(question_of(log, config, logged, doc), line, alone)
            out.append(rescored(config, logged, doc, choose))
    return tuple(out)


def _choice(question: Question, line: Line, alone: bool) -> Choose:
    values = dict(zip(question.expected, values_of(question, line), strict=True))

    def choose(expected: Part, ours: Reading[Any]) -> Reading[Any]:
        value = values[expected]
        if not alone and (ours.value is not None or value is None):
            return ours
        if value is None:
            return none("refused" if line.status == "refused" else "nothing")
        return Reading(value, SECOND, (0, len(question.sample.reply)))

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
        if line := readings.lines.get(question.sample.id):
            values = values_of(question, line)
            for part, ours, theirs in zip(question.expected, question.ours, values, strict=True):
                pairs.setdefault(_PARTS[type(part)], []).append((ours.value, theirs))
    return [agreement(part, found) for part, found in pairs.items()]


def agreement(part: str, pairs: list[tuple[Any, Any]]) -> Agreement:
    """Returns how often the two values of each pair, ours and the second reader's, agree."""
    found = Counter(_kind(ours, theirs) for ours, theirs in pairs)
    ours, theirs = ([str(value) for value in values] for values in zip(*pairs, strict=True))
    kappa = math.nan if part == "span" else cohen_kappa(ours, theirs)
    return Agreement(
        part=part,
        n=len(pairs),
        same=found["same"],
        different=found["different"],
        ours_only=found["ours_only"],
        second_only=found["second_only"],
        neither=found["neither"],
        kappa=None if math.isnan(kappa) else kappa,  # of one class alone: agreement by chance is certain
    )


def _kind(ours: Any, theirs: Any) -> str:
    if ours is None or theirs is None:
        return "neither" if ours is theirs else "second_only" if ours is None else "ours_only"
    same = ours == theirs
    if isinstance(ours, tuple) and all(isinstance(end, float) for end in (*ours, *theirs)):
        same = all(abs(a - b) <= _SECONDS for a, b in zip(ours, theirs, strict=True))
    return "same" if same else "different"


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
    log: TaskLog, samples: tuple[Sample, ...] | None = None, intervals: bool = True
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

    def scores(readings: Readings, alone: bool) -> rescoring.Rescored:
        return rescoring.rescored(log, _samples_with(log, samples, readings, alone), samples, intervals)

    out = []
    for readings in readings_of(log):
        filled, alone, agreed = scores(readings, False), None, []
        if any(sample.record["parsed"] and sample.id in readings.lines for sample in samples):
            alone, agreed = scores(readings, True), agreements(log, readings)
        out.append(Compared(readings, filled, alone, tuple(agreed)))
    return tuple(out)


def shown(
    log: TaskLog, samples: tuple[Sample, ...] | None = None, intervals: bool = True
) -> tuple[tuple[Compared, ...], str]:
    """Returns the same, and why there is nothing to show although there are readings; arguments as above."""
    try:
        return compared(log, samples, intervals), ""
    except TempbenchError as error:
        return (), f"second readers' readings cannot be scored: {error}"


def as_text(one: Compared) -> str:
    """Returns a task's numbers without and with a second reader for a terminal."""
    blocks = [summary(one.readings), rescoring.as_text(one.filled, "ours", "filled")]
    if one.alone is not None:
        blocks.append(rescoring.as_text(one.alone, "ours", "alone", n_changes=5))
    blocks += [f"  ours and {one.readings.reader}: {in_words(agreed)}" for agreed in one.agreements]
    return "\n".join(blocks)


def as_json(one: Compared) -> dict[str, Any]:
    """Returns the same as JSON values."""
    return {
        "reader": one.readings.reader,
        "replies": len(one.readings.lines),
        "statuses": {status: one.readings.statuses[status] for status in STATUSES},
        "filled": rescoring.as_json(one.filled),
        "alone": None if one.alone is None else rescoring.as_json(one.alone),
        "agreement": [vars(agreed) | {"share": agreed.share} for agreed in one.agreements],
    }


def in_words(found: Agreement) -> str:
    """Returns an agreement as a line for people."""
    kappa = UNDEFINED if found.kappa is None else f"{found.kappa:.3f}"
    return (
        f"{found.part}: they agree on {found.share:.1%} of {found.n:,} replies, Cohen's kappa "
        f"{kappa} (same {found.same:,}, different {found.different:,}, read by us alone "
        f"{found.ours_only:,}, by it alone {found.second_only:,}, by neither {found.neither:,})"
    )


def summary(readings: Readings) -> str:
    """Returns what became of the replies that a second reader was given, as a line for people."""
    found = ", ".join(f"{readings.statuses[status]:,} {status}" for status in STATUSES)
    rest = f"; {readings.remark}" if readings.outdated else ""
    return f"second reader {readings.reader}: {len(readings.lines):,} replies, {found}{rest}"
