"""`tempbench plan`: what a run will be able to tell, from the groups of its questions, before it is started.

Without an earlier run, a simulated model answers. It knows a share of the questions, which differs between
groups, and draws one of a question's possible replies where it does not know. Everything else is as in a run:
the task's own hooks make records, and the task's own metrics count them, gates and all.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tempbench_lmms import benchmarks
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import respondents
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import planning
from tempbench_lmms.metrics.ratio import Sums
from tempbench_lmms.metrics.sampling import drawn
from tempbench_lmms.runs.task_log import Sample, TaskLog, metrics_of, scored

_LITE = re.compile("_lite(?=_|$)")
_RUNS = 8
_GROUPS = 300


@dataclass(frozen=True)
class Assumed:
    """What is taken for granted where no run says it.

    Attributes:
        knows: Share of the questions that the model knows; it guesses at the others.
        within: Correlation of knowing two questions of one group, from 0 to 1.
        correlation: Of two models' results over the groups.
    """

    knows: float = 0.5
    within: float = 0.2
    correlation: float = 0.4


@dataclass(frozen=True)
class Metric:
    """What a run can tell of one metric.

    Attributes:
        name: The metric.
        value: Of the run that was simulated or read.
        error: Its standard error with all groups of the task.
        detectable: The smallest difference between two runs that is told in four of five comparisons; None
            where no difference of a share is as large.
        groups_needed: Groups that tell the wanted difference; None where unknown.
        questions_needed: So many questions on average.
    """

    name: str
    value: float
    error: float | None
    detectable: float | None
    groups_needed: int | None
    questions_needed: int | None


@dataclass(frozen=True)
class Plan:
    """What a task's run can tell.

    Attributes:
        task: The task.
        questions: How many it asks.
        groups: In how many groups.
        largest: Questions in the largest group.
        against: The results file whose spread was taken; None for a simulated model.
        seconds: How long it takes at the speed given; None where none was.
        metrics: The headline metrics that have a spread.
        left_out: Those that have none.
        need_encoder: Those that an encoder scores, to which the replies of a simulated model mean nothing;
            none where an earlier run was given.
    """

    task: str
    questions: int
    groups: int
    largest: int
    against: str | None
    seconds: float | None
    metrics: tuple[Metric, ...]
    left_out: tuple[str, ...]
    need_encoder: tuple[str, ...]


def plan(
    task: str,
    against: Sequence[TaskLog] = (),
    difference: float = 0.03,
    speed: float | None = None,
    assumed: Assumed = Assumed(),
) -> Plan:
    """Plans a run of one task.

    Args:
        task: The task.
        against: The tasks of an earlier run, whose spread is taken; of the task, or its `_lite` form.
        difference: The difference to tell.
        speed: Seconds that a question takes.
        assumed: What is taken for granted.

    Raises:
        TempbenchError: The data is not prepared, or the earlier run has another task.
    """
    docs = docs_of(load_task(task), media=False)
    groups = groups_of(task, docs)
    if not groups:
        raise TempbenchError(f"{task}: no documents; prepare the data again")
    sizes = Counter(groups)
    if against:
        log = _of_task(task, against)
        runs, n_seen = [log], _n_groups(log, docs, groups)
    else:
        kept = drawn(dict.fromkeys(sizes, ""), share=0, least=_GROUPS)
        chosen = [(doc, group) for doc, group in zip(docs, groups, strict=True) if group in kept]
        runs, n_seen = simulated(task, chosen, assumed), len(kept)
    spreads, unscored = _spreads(runs, with_encoders=bool(against))
    whole = len(sizes) / n_seen  # how many times as many groups the task has
    numbers = (len(docs), len(sizes))
    planned = {
        name: _planned(name, _mean(of), whole, difference, assumed, numbers) for name, of in spreads.items()
    }
    return Plan(
        task=task,
        questions=len(docs),
        groups=len(sizes),
        largest=max(sizes.values()),
        against=str(runs[0].file) if against else None,
        seconds=None if speed is None else speed * len(docs),
        metrics=tuple(one for one in planned.values() if one),
        left_out=tuple(name for name, one in planned.items() if not one),
        need_encoder=tuple(unscored),
    )


def _spreads(
    runs: Sequence[TaskLog], with_encoders: bool
) -> tuple[dict[str, list[planning.Spread]], dict[str, None]]:
    """Returns the spreads of each headline metric in runs, and the metrics that would need an encoder."""
    spreads: dict[str, list[planning.Spread]] = {}
    unscored: dict[str, None] = {}
    for metric in (metric for log in runs for metric in metrics_of(log) if metric.headline):
        if metric.needs_encoder and not with_encoders:
            unscored[metric.name] = None
        elif isinstance(value := metric(), Sums):
            spreads.setdefault(metric.name, []).append(planning.spread(value))
    return spreads, unscored


def _planned(
    name: str,
    one: planning.Spread,
    whole: float,
    difference: float,
    assumed: Assumed,
    sizes: tuple[int, int],
) -> Metric | None:
    """Returns what is told of a metric with the whole task, for the spread in a part of it; None for none."""
    if not (one.error > 0 and one.n_clusters > 1):
        return None
    n_questions, n_groups = sizes
    error, n = one.error / math.sqrt(whole), round(one.n_clusters * whole)
    apart = planning.of_difference(error, assumed.correlation)
    least, needed = planning.detectable(apart, n), planning.clusters_needed(apart, n, difference)
    # Of the task's groups some never enter the metric, and are asked all the same.
    groups = None if needed is None else math.ceil(needed * n_groups / n)
    questions = None if groups is None else math.ceil(groups * n_questions / n_groups)
    return Metric(name, one.value, error, least if least <= one.farthest else None, groups, questions)


def groups_of(task: str, docs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the group of each document of a task."""
    groups = benchmarks.groups(task_files()[task].parent.name)
    return groups.of({name: [doc[name] for doc in docs] for name in groups.columns})


def _of_task(task: str, logs: Sequence[TaskLog]) -> TaskLog:
    whole = _LITE.sub("", task)
    # Of a run that has both, the task itself.
    for log in sorted(logs, key=lambda log: log.task != task):
        if _LITE.sub("", log.task) == whole:
            if not log.samples:
                raise TempbenchError(log.no_samples)
            return log
    raise TempbenchError(
        f"{logs[0].file} has no {task}, but {', '.join(log.task for log in logs)}; give another --against, "
        "or none, which plans with a simulated model"
    )


def _n_groups(log: TaskLog, docs: Sequence[Mapping[str, Any]], groups: Sequence[str]) -> int:
    """Returns in how many of the task's groups a run's questions lie."""
    of = {str(doc["question_id"]): group for doc, group in zip(docs, groups, strict=True)}
    asked = {sample.id for sample in log.samples}
    if not asked & of.keys():
        raise TempbenchError(f"{log.file} is about none of the questions of the data here")
    # A run of more than the task, as all of it for a tenth, has its spread from all of its questions.
    return max(1, round(len({of[id_] for id_ in asked & of.keys()}) * len(asked) / len(asked & of.keys())))


def simulated(
    task: str, docs: Sequence[tuple[Mapping[str, Any], str]], assumed: Assumed, n_runs: int = _RUNS
) -> list[TaskLog]:
    """Returns logs of a simulated model.

    The share of a group's questions that it knows is drawn from a beta distribution; questions of a group are
    known independently then (beta-binomial). A question that is asked in several ways, with other frames or
    its options in other orders, is known in all of them or in none. At the others it draws one of the
    possible replies, anew for each way of asking.
    """
    generator = np.random.default_rng(0)
    config, benchmark = load_task(task), task_files()[task].parent.name
    arguments = SimpleNamespace(model="simulated", model_args="")
    known_replies: dict[tuple[int, str], Sample] = {}

    def answered(number: int, reply: str) -> Sample:
        if (number, reply) not in known_replies:
            known_replies[number, reply] = scored(config, docs[number][0], reply, number)
        return known_replies[number, reply]

    # One guess a question: what it is, and whether it happens to be right, is drawn like the question itself.
    guesses = [respondents.chance(doc, task, 0) for doc, _ in docs]
    names = sorted({group for _, group in docs})
    questions = list(dict.fromkeys(_question(doc) for doc, _ in docs))
    total = 1 / assumed.within - 1
    logs = []
    for _ in range(n_runs):
        shares = generator.beta(total * assumed.knows, total * (1 - assumed.knows), len(names))
        share = dict(zip(names, shares, strict=True))
        luck = dict(zip(questions, generator.random(len(questions)), strict=True))
        known = [luck[_question(doc)] < share[group] for doc, group in docs]
        samples = tuple(
            answered(i, respondents.oracle(doc, task, 0) if known[i] else guesses[i])
            for i, (doc, _) in enumerate(docs)
        )
        logs.append(
            TaskLog(task, benchmark, "simulated", arguments, {}, config, samples, Path("simulated"), ())
        )
    return logs


def _question(doc: Mapping[str, Any]) -> str:
    """Returns the id of the question that a row asks, which other rows may ask in other ways."""
    # Orders are made of rows that may themselves ask a question in several ways: the first id is deepest.
    return str(doc.get("base_id") or doc.get("rotation_of") or doc["question_id"])


def _mean(of: Sequence[planning.Spread]) -> planning.Spread:
    known = [one for one in of if math.isfinite(one.error)]
    if not known:
        return planning.Spread(math.nan, math.nan, 0)
    return planning.Spread(
        value=sum(one.value for one in known) / len(known),
        error=math.sqrt(sum(one.error**2 for one in known) / len(known)),
        n_clusters=round(sum(one.n_clusters for one in known) / len(known)),
        is_share=all(one.is_share for one in known),
    )
