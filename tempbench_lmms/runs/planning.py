"""`tempbench plan`: computes, before a run, the smallest difference that it can detect.

With an earlier run, the spread of its metrics between groups of questions is used, also for gated metrics.
Without one, a share of right answers and a correlation within groups are assumed.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.any_task.aggregation import CannotAggregateError
from tempbench_lmms.any_task.task import AnyTask, documents_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import planning, ratio
from tempbench_lmms.runs.task_log import TaskLog, metrics_of

RIGHT = "right answers"  # the metric to plan for without an earlier run: their share
_LITE = re.compile("_lite(?=_|$)")


@dataclass(frozen=True)
class Assumed:
    """Assumptions for what no earlier run tells."""

    right: float = 0.5  # share of right answers
    within: float = 0.2  # correlation of two answers in one group, from 0 to 1
    correlation: float = 0.4  # correlation of two models' results over the groups


@dataclass(frozen=True)
class PlannedMetric:
    """What a run can detect in one metric."""

    name: str
    value: float  # in the earlier run, or the assumed one
    error: float | None  # standard error if all groups are asked
    detectable: float | None  # by four of five comparisons; None if it would exceed 1 for a share
    groups_needed: int | None  # for the wanted difference; None if unknown
    questions_needed: int | None  # on average in these groups


@dataclass(frozen=True)
class Plan:
    """What a run of a task can detect."""

    task: str
    questions: int
    groups: int
    largest: int  # questions in the largest group
    against: str | None  # the results file of the spread; None for assumptions
    seconds: float | None  # None without a speed
    metrics: tuple[PlannedMetric, ...]  # with a spread; without an earlier run only `RIGHT`
    left_out: tuple[str, ...]  # headline metrics without a spread


def plan(
    task: str,
    against: Sequence[TaskLog] = (),
    difference: float = 0.03,
    speed: float | None = None,
    assumed: Assumed = Assumed(),
    numbers: tuple[int, int] | None = None,
    group_by: str = "",
) -> Plan:
    """Plans a run of one task.

    Args:
        task: The task.
        against: The tasks of an earlier run of the task or its `_lite` form, for their spread.
        difference: The difference to detect.
        speed: Seconds per question.
        assumed: Assumptions for what no earlier run tells.
        numbers: Of questions and groups, if the user gives them; else the data or the run has them.
        group_by: Without an earlier run, the field that groups the questions of a task that is not ours.

    Raises:
        TempbenchError: The data is not prepared, or the earlier run has another task.
    """
    log = _of_task(task, against) if against else None
    sizes, whole = _sizes(task, log, numbers, group_by)
    spreads, left_out = ({RIGHT: spread_of(sizes, assumed)}, []) if log is None else _spreads(log)
    planned = {name: _planned(name, one, whole, difference, assumed, sizes) for name, one in spreads.items()}
    return Plan(
        task=task,
        questions=sum(sizes),
        groups=len(sizes),
        largest=max(sizes),
        against=None if log is None else str(log.file),
        seconds=None if speed is None else speed * sum(sizes),
        metrics=tuple(one for one in planned.values() if one),
        left_out=(*(name for name, one in planned.items() if not one), *left_out),
    )


def _spreads(log: TaskLog) -> tuple[dict[str, planning.Spread], list[str]]:
    spreads: dict[str, planning.Spread] = {}
    left_out = []
    for metric in metrics_of(log):
        if metric.headline and isinstance(value := metric(), ratio.Sums):
            try:
                spreads[metric.name] = planning.spread(value)
            except CannotAggregateError as error:
                left_out.append(f"{metric.name} ({error})")
    if other := log.other:
        left_out += [f"{name} ({why})" for name in other.metrics if (why := other.why_not(name))]
    return spreads, left_out


def _sizes(
    task: str, log: TaskLog | None, numbers: tuple[int, int] | None, group_by: str
) -> tuple[Sequence[int], float]:
    """Returns the size of each group of a task, and how many times the groups of the log the task has."""
    if numbers:
        return _even(*numbers), 1.0 if log is None else numbers[1] / len({*log.clusters.values()})
    if task in task_files():
        docs = docs_of(load_task(task))
        if not docs:
            raise TempbenchError(f"{task}: no documents; prepare the data again")
        counts = Counter(clusters_of(task, docs))
        return [*counts.values()], 1.0 if log is None else len(counts) / _n_clusters(log, docs)
    if log is None:
        try:
            records = [{"id": str(number)} for number in range(len(documents_of(task)))]
            return [
                *Counter(AnyTask(task, {}, {}, records, group_by=group_by).clusters.values()).values()
            ], 1.0
        except CannotAggregateError:
            raise TempbenchError(
                f"{task}: its data is not here; give --questions, and --groups where several are about one "
                "video or picture, or --against an earlier run of it"
            ) from None
    counts = Counter(log.clusters.values())
    n = ((log.header.get("n-samples") or {}).get(task) or {}).get("original") or len(log.samples)
    k = max(round(len(counts) * n / len(log.samples)), 1)
    return [*counts.values()] if k == len(counts) else _even(n, k), k / len(counts)


def _even(n: int, k: int) -> list[int]:
    return [n // k + (i < n % k) for i in range(k)]


def spread_of(sizes: Sequence[int], assumed: Assumed = Assumed()) -> planning.Spread:
    """Returns the spread of a share of right answers over groups of these sizes.

    The variance of n independent answers grows by 1 + (m - 1) rho for groups of m answers that correlate by
    rho, the design effect; Kish 1965, section 5.4.

    >>> round(spread_of([1] * 100, Assumed(right=0.5)).error, 3)
    0.05
    """
    alone = assumed.right * (1 - assumed.right) / sum(sizes) ** 2
    error = math.sqrt(alone * sum(size * (1 + (size - 1) * assumed.within) for size in sizes))
    return planning.Spread(assumed.right, error, len(sizes), is_share=True)


def _planned(
    name: str, one: planning.Spread, whole: float, difference: float, assumed: Assumed, sizes: Sequence[int]
) -> PlannedMetric | None:
    if not (one.error > 0 and one.n_clusters > 1):
        return None
    error, n = one.error / math.sqrt(whole), round(one.n_clusters * whole)
    apart = planning.of_difference(error, assumed.correlation)
    least, needed = planning.detectable(apart, n), planning.clusters_needed(apart, n, difference)
    # Some groups of the task never enter the metric, but are asked nevertheless.
    groups = None if needed is None else math.ceil(needed * len(sizes) / n)
    questions = None if groups is None else math.ceil(groups * sum(sizes) / len(sizes))
    return PlannedMetric(name, one.value, error, least if least <= one.farthest else None, groups, questions)


def clusters_of(task: str, docs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the cluster of each document of a task."""
    return [*map(benchmarks.card(task_files()[task].parent.name).cluster.of, docs)]


def _of_task(task: str, logs: Sequence[TaskLog]) -> TaskLog:
    whole = _LITE.sub("", task)
    # If a run has both, the task itself is used.
    for log in sorted(logs, key=lambda log: log.task != task):
        if _LITE.sub("", log.task) == whole:
            if not log.samples:
                raise TempbenchError(log.no_samples)
            return log
    raise TempbenchError(
        f"{logs[0].file} has {', '.join(log.task for log in logs)}, not {task}; give another --against, or "
        "leave it out to plan from the number of questions"
    )


def _n_clusters(log: TaskLog, docs: Sequence[Mapping[str, Any]]) -> int:
    """Returns how many clusters a log has. All count: so does the spread, if it covers more than the task."""
    clusters = log.clusters
    if not clusters.keys() & {str(doc["question_id"]) for doc in docs}:
        raise TempbenchError(f"{log.file} has none of the questions of the local data")
    return len({*clusters.values()})


def as_text(one: Plan, difference: float) -> str:
    """Returns a plan for a terminal."""
    lines = [
        f"\n{one.task}: {one.questions:,} questions in {one.groups:,} groups, up to {one.largest} in one"
        + (f"; {duration(one.seconds)}" if one.seconds is not None else "")
    ]
    width = max((len(metric.name) for metric in one.metrics), default=0)
    if one.metrics:
        lines.append(f"  {'metric':{width}}  value  error  tells      {difference:g} needs")
    for metric in one.metrics:
        needed = "?"
        if metric.questions_needed is not None and metric.groups_needed is not None:
            needed = f"{metric.questions_needed:,} questions, {metric.groups_needed:,} groups"
            if metric.groups_needed > one.groups:
                needed += " (more than there are)"
        told = "none " if metric.detectable is None else f"{metric.detectable:5.3f}"
        numbers = f"{metric.value:5.3f}  {metric.error:5.3f}  {told}"
        lines.append(f"  {metric.name:{width}}  {numbers}      {needed}")
    if one.left_out:
        lines.append(f"  without a spread to plan by: {', '.join(one.left_out)}")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Returns a time in words.

    >>> duration(31), duration(600), duration(7_260), duration(172_800)
    ('31 s', '10 min', '2 h 1 min', '48 h 0 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
