"""Repeated runs of the same questions with sampled replies: the spread between questions and between replies.

Each repeat is a separate run, in a folder `repeat_1`, `repeat_2`, ... of one output folder.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tempbench_lmms.data.terminal import counted, rounded
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics import ratio, resampling
from tempbench_lmms.record import shown
from tempbench_lmms.runs import comparison, run_card
from tempbench_lmms.runs.logs import by_repeat, columns
from tempbench_lmms.runs.task_log import MetricOfRun, TaskLog, edited, metrics_of_all

_LEGEND = (
    "sd: between repeats; between, within: variance of scores between questions, and between "
    "replies to one question"
)


@dataclass(frozen=True)
class Spread:
    """A metric over repeats; numbers are NaN where undefined."""

    name: str
    values: tuple[float, ...]  # in each repeat
    mean: float
    deviation: float  # the sample standard deviation
    low: float  # ends of the mean's 95 % interval
    high: float
    variances: resampling.Variances | None = None  # of question scores; None for gated metrics


@dataclass(frozen=True)
class Repeated:
    """One task in all repeats of a run."""

    logs: tuple[TaskLog, ...]  # by number
    metrics: tuple[Spread, ...]  # headlines, without counts
    n_questions: int  # in each repeat
    n_same: int  # with the same reply in all repeats
    warnings: tuple[str, ...]


def shared_seeds(logs: Sequence[TaskLog]) -> Iterator[str]:
    """Yields a line for repeats that have the same seed, according to their files."""
    seeds: dict[str, list[str]] = defaultdict(list)
    for log in logs:
        own = {name: log.settings.get(name) for name in run_card.SEEDS}
        own["seed"] = (log.config.get("generation_kwargs") or {}).get("seed")
        if log.repeat and {*own.values()} != {None}:
            seeds[str(own)].append(str(log.repeat[1]))
    for numbers in seeds.values():
        if len(numbers) > 1:
            yield f"repeats {', '.join(numbers)} have the same seed, and may have the same replies"


def of(logs: Iterable[TaskLog]) -> list[Repeated]:
    """Returns the repeated tasks; logs without repeats, or of only one repeat, are left out.

    Raises:
        TempbenchError: Repeats of a task have different questions, or one has no log.
    """
    return [over(own) for own in by_repeat(logs)]


def over(logs: Sequence[TaskLog]) -> Repeated:
    """Returns a task's scores over its repeats.

    Raises:
        TempbenchError: They have different questions, or one has no log.
    """
    replies: dict[str, set[str]] = defaultdict(set)
    for log in logs:
        if not log.samples:
            raise TempbenchError(log.no_samples)
        for sample in log.samples:
            replies[sample.id].add(sample.as_it_came)
    run_card.check_same_questions(logs)
    with edited(logs[0].file):
        warnings = [*shared_seeds(logs)]
        spreads = [_spread(own) for own in metrics_of_all(logs).values() if own[0].headline]
    n_same = sum(len(of_question) == 1 for of_question in replies.values())
    if n_same == len(replies):
        warnings.append(
            f"every question has the same reply in all {len(logs)} repeats: the model is certain of every "
            "reply, or its runner ignores the temperature or the seed; see docs/repeats.md"
        )
    return Repeated(tuple(logs), tuple(one for one in spreads if one), len(replies), n_same, tuple(warnings))


def _spread(metrics: Sequence[MetricOfRun]) -> Spread | None:
    found = [metric() for metric in metrics]
    whole = [one for one in found if isinstance(one, ratio.Sums)]
    if len(whole) < len(found):
        return None
    values = tuple(float(one.value) for one in found)
    mean = statistics.fmean(values)
    deviation, ends = math.nan, (math.nan, math.nan)
    if math.isfinite(mean):
        deviation, ends = statistics.stdev(values), resampling.interval_of(whole)
    spread = Spread(metrics[0].name, values, mean, deviation, *ends)
    known = [
        comparison.question_scores(one, one.records, value) or {}
        for one, value in zip(metrics, found, strict=True)
    ]
    if any(one.keys() != known[0].keys() for one in known) or len(known[0]) < 2:
        return spread
    table = np.array([[one[id_] for one in known] for id_ in known[0]])
    return replace(spread, variances=resampling.variances(table))


def as_text(found: Repeated) -> str:
    """Returns a task's scores over repeats for a terminal."""
    k, log = len(found.logs), found.logs[0]
    heads = ("metric", "mean", "95 % interval", "sd", "between", "within")
    title = (
        f"{log.task}, {log.model}, {k} repeats of {counted(found.n_questions, 'question')}, "
        f"{found.n_same:,} with the same reply in all"
    )
    return "\n".join(
        [
            title,
            *columns([heads, *map(_row, found.metrics)]),
            f"  {_LEGEND}",
            *(f"  warning: {line}" for line in found.warnings),
        ]
    )


def _row(one: Spread) -> tuple[str, ...]:
    ends = f"{rounded(one.low, 4)} to {rounded(one.high, 4)}" if math.isfinite(one.low) else ""
    more = (shown(one.variances.between), shown(one.variances.within)) if one.variances else ("", "")
    return (one.name, shown(one.mean), ends, shown(one.deviation), *more)


def as_json(found: Repeated) -> dict[str, Any]:
    """Returns a task's scores over repeats as JSON values; None where undefined."""
    return {
        "task": found.logs[0].task,
        "model": found.logs[0].model,
        "repeats": len(found.logs),
        "questions": found.n_questions,
        "same_reply_in_all": found.n_same,
        "metrics": run_card.finite({one.name: asdict(one) for one in found.metrics}),
        "warnings": found.warnings,
    }
