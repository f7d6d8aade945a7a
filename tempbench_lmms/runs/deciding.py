"""`tempbench run --until-decided`: stops when it is decided whether this run beats an earlier one.

Groups of questions, the benchmark's clusters (`card.Cluster`), are asked in a random order that is the same
everywhere. After each whole group, a test that stays valid however often one looks at it (`metrics.betting`)
gets the results of both runs, so stopping at the first decision is allowed. The task's headline metric
decides. It must be a plain share: a group adds at most as much to the numerator as to the denominator, and
what it adds to the denominator does not depend on the replies.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms import benchmarks
from tempbench_lmms.any_task.aggregation import CannotAggregateError
from tempbench_lmms.data.tables import sha256_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, plugin, respondents, stopping, tasks
from tempbench_lmms.metrics import betting, ratio, sampling
from tempbench_lmms.record import Row
from tempbench_lmms.runs.logs import by_task, read_runs, rescore
from tempbench_lmms.runs.planning import clusters_of
from tempbench_lmms.runs.run_card import data_at_hand, data_of, flat
from tempbench_lmms.runs.task_log import MetricOfRun, Sample, TaskLog, edited, metrics_of, scored

KEY = stopping.KEY
# The key of a run's state that holds, by task, what decided at its first start: metric and earlier log.
DECIDERS = "decides"
LEVEL = 0.05
# Names the order of groups: by a hash of this word and the group's name. A new order needs a new name.
ORDER = "until-decided-1"
TEST = "anytime-valid test by betting, Waudby-Smith & Ramdas 2024"
_PROBED = ("oracle", "chance", "empty")
_PROBED_CLUSTERS = 100
_TOLERANCE = 1e-9

Terms = tuple[float, float]  # what a group adds to a metric's numerator and denominator


@dataclass
class Contest:
    """A task of this run and the same task of an earlier run.

    Attributes:
        task: The task.
        metric: The metric that decides.
        groups: The question numbers by group, in the order in which the groups are asked.
        other: The earlier run's terms of each group.
        measure: Returns the terms of a group from the replies to its questions, by number.
        higher_is_better: Whether a higher value is better.
        level: The level of the test.
        against: The earlier run: the name of its results file, its model and name, the folder as given, and
            the SHA-256 of its log.
        answered: This run's terms of each group so far.
    """

    task: str
    metric: str
    groups: tuple[tuple[int, ...], ...]
    other: tuple[Terms, ...]
    measure: Callable[[Mapping[int, str]], Terms]
    higher_is_better: bool
    level: float
    against: dict[str, str]
    answered: list[Terms] = field(default_factory=list)

    def hear(self, replies: Mapping[int, str]) -> int | None:
        """Takes the replies to the next whole groups; returns after how many it was decided, or None.

        Raises:
            TempbenchError: The metric covers other questions than in the earlier run, or is not a share.
        """
        left = set(replies)
        while left:
            group = self.groups[len(self.answered)]
            left -= {*group}
            own = self.measure({n: replies[n] for n in group})
            if not (_is_share(own) and _weigh_alike([own], [self.other[len(self.answered)]])):
                raise _cannot(
                    self.task,
                    self.metric,
                    f"group {len(self.answered) + 1} has another number of questions than in the earlier run",
                )
            self.answered.append(own)
        return self.decision.n_groups if self.decision else None

    @property
    def decider(self) -> dict[str, str]:
        """What decides, as a run's state keeps it; the earlier run is identified by its log."""
        return {"metric": self.metric, "sha256": self.against["sha256"]}

    @property
    def decision(self) -> betting.Decision | None:
        """The decision from the groups so far."""
        return betting.decision(self._differences, self.level)

    @property
    def _differences(self) -> ratio.Floats:
        both = zip(self.answered, self.other, strict=False)
        return np.array([own[0] - other[0] for own, other in both]) / self._largest

    @property
    def _largest(self) -> float:
        return max(weight for _, weight in self.other)

    @property
    def said(self) -> dict[str, Any]:
        """What the results file records about it, as JSON values."""
        found = self.decision
        n = len(self.answered) if found is None else found.n_groups
        verdict, at_least = "undecided", None
        if found is not None:
            verdict = "better" if found.first_is_higher == self.higher_is_better else "worse"
            weights = np.array([weight for _, weight in self.other[:n]]) / self._largest
            at_least = betting.at_least(self._differences[:n], weights, self.level)
        return {
            "metric": self.metric,
            "verdict": verdict,
            "at_least": at_least,
            "level": self.level,
            "groups_answered": n,
            "groups": len(self.groups),
            "against": self.against,
            "order": ORDER,
            "test": TEST,
        }


def stopping_of(contests: Sequence[Contest]) -> stopping.Stopping:
    """Returns the groups and the function to ask after each, for the harness."""
    by_task = {one.task: one for one in contests}
    return stopping.Stopping(
        groups={task: one.groups for task, one in by_task.items()},
        decide=lambda task, replies: by_task[task].hear(replies),
        said=lambda: {task: one.said for task, one in by_task.items()},
    )


def deciders(output: Path, state: Mapping[str, Any], wanted: Sequence[Contest]) -> dict[str, Any]:
    """Returns what decides a run, for its state; later starts cannot change it.

    Someone who saw replies could otherwise pick the metric or the earlier run that decides.

    Raises:
        TempbenchError: The command asks for another metric or earlier run.
    """
    first = state.get(DECIDERS) or {one.task: one.decider for one in wanted}
    for one in wanted:
        if first.get(one.task, one.decider) != one.decider:
            raise TempbenchError(
                f"{output} began with {one.task} to be decided by {first[one.task]['metric']} or another "
                f"log, not by {one.metric} against {one.against['folder']}; give the original options, or "
                "choose another --output"
            )
    return {DECIDERS: first} if first else {}


def contests(run_b: Path | None, names: Sequence[str], metric: str = "") -> list[Contest]:
    """Returns a contest for each task, all of them at the start; none without an earlier run.

    The tasks share the level: the probability that any of them is decided wrongly is at most 5 %.

    Raises:
        TempbenchError: The earlier run has other tasks or data, or a task's metric cannot decide.
    """
    if run_b is None:
        return []
    plugin.harness_version(stopping.MINIMUM, "--until-decided")
    logs = by_task(read_runs([run_b], partial=True), run_b)  # `run` reports damage in its own words
    if missing := [name for name in names if name not in logs]:
        raise TempbenchError(
            f"{run_b} has {', '.join(logs)}, not {missing[0]}; give another run to --until-decided"
        )
    with edited(run_b):
        return [_contest(logs[name], run_b, metric, LEVEL / len(names)) for name in names]


def _contest(log: TaskLog, run_b: Path, wanted: str, level: float) -> Contest:
    asked = _theirs(log, wanted) if log.other else _ours(log.task)
    log = _of_the_same(log, asked.ids, run_b)
    metrics = {one.name: one for one in metrics_of(log)}
    name = wanted or asked.headline
    if name not in metrics:
        raise TempbenchError(
            f"{log.task} has no metric {name!r}; --decide-by takes a share, one of {', '.join(metrics)}"
        )
    metric = metrics[name]
    members: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(asked.groups):
        members[group].append(number)
    groups = tuple(tuple(members[group]) for group in sampling.shuffled(members, ORDER))

    measure = functools.partial(asked.measure, metric)
    samples = {sample.id: sample for sample in log.samples}
    other = tuple(_terms(metric, [samples[asked.ids[n]] for n in group]) for group in groups)
    probed = [
        [measure({n: reply(n) for n in group}) for group in groups[:_PROBED_CLUSTERS]]
        for reply in asked.probes
    ]
    _check(log.task, metric, other, probed)
    again = [measure({n: samples[asked.ids[n]].reply for n in group}) for group in groups if log.other]
    if log.other and not np.allclose(again, other):
        raise TempbenchError(
            f"{log.task}: the installed task and data score the replies in {run_b} differently from its "
            "log; give a run of the same task and data"
        )
    return Contest(
        task=log.task,
        metric=name,
        groups=groups,
        other=other,
        measure=measure,
        higher_is_better=metric.higher_is_better,
        level=level,
        against={
            "file": log.file.name,
            "model": log.model,
            "name": log.name,
            "folder": str(run_b),
            "sha256": sha256_of([log.log_file]),
        },
    )


@dataclass(frozen=True)
class _Asked:
    """The questions of a task, by number.

    Attributes:
        ids: Their ids.
        groups: Their groups.
        headline: The metric that decides unless the user names one.
        probes: Functions from a question to a made-up reply; the denominator must not depend on them.
        measure: Returns the terms of a metric for replies.
    """

    ids: Sequence[str]
    groups: Sequence[str]
    headline: str
    probes: Sequence[Callable[[int], str]]
    measure: Callable[[MetricOfRun, Mapping[int, str]], Terms]


def _ours(task: str) -> _Asked:
    config = tasks.load_task(task)
    docs = tasks.docs_of(config)

    def probe(kind: str) -> Callable[[int], str]:
        return lambda n: respondents.REPLIES[kind](docs[n], task, 0)

    def measure(metric: MetricOfRun, replies: Mapping[int, str]) -> Terms:
        return _terms(metric, [scored(config, docs[n], reply, n) for n, reply in replies.items()])

    ids = [str(doc["question_id"]) for doc in docs]
    return _Asked(ids, clusters_of(task, docs), headline(task).name, [*map(probe, _PROBED)], measure)


def _theirs(log: TaskLog, wanted: str) -> _Asked:
    other = log.other  # its own code scores replies
    assert other is not None
    ids = [str(number) for number in range(other.n_documents)]
    groups = [other.clusters.get(id_, id_) for id_ in ids]

    def measure(metric: MetricOfRun, replies: Mapping[int, str]) -> Terms:
        try:
            return other.terms(metric.name, replies)
        except CannotAggregateError as error:
            raise _cannot(log.task, metric.name, str(error)) from None

    return _Asked(ids, groups, wanted or other.share, [lambda n: ""], measure)


def _terms(metric: MetricOfRun, samples: Sequence[Sample]) -> Terms:
    found = metric([one.record for one in samples if metric.name in one.metrics])
    if not isinstance(found, ratio.Ratio):
        return 0.0, 0.0
    return float(found.numerator.sum()) / found.top, float(found.denominator.sum())


def _is_share(terms: Terms) -> bool:
    return -_TOLERANCE <= terms[0] <= terms[1] + _TOLERANCE


def _weigh_alike(some: Sequence[Terms], others: Sequence[Terms]) -> bool:
    return all(abs(one[1] - other[1]) <= _TOLERANCE for one, other in zip(some, others, strict=False))


def headline(task: str) -> Row:
    """Returns the metric that decides a task: the benchmark's headline if the task has it, else its first."""
    card = benchmarks.card(tasks.task_files()[task].parent.name)
    wanted = card.headline or card.primary[0]
    rows = [row for row in adapter.rows_of(tasks.load_task(task)) if row.headline]
    return next((row for row in rows if row.name in (wanted, card.test_of(wanted)[1])), rows[0])


def _cannot(task: str, metric: str, why: str) -> TempbenchError:
    return TempbenchError(
        f"{task}: {metric} cannot be decided group by group: {why}; name another metric with --decide-by"
    )


def _check(task: str, metric: MetricOfRun, other: Sequence[Terms], probed: Sequence[Sequence[Terms]]) -> None:
    whole = metric()
    if metric.needs_encoder:
        raise _cannot(task, metric.name, "a model scores all its replies at once")
    if not isinstance(whole, ratio.Ratio) or not all(
        _is_share(one) for terms in (other, *probed) for one in terms
    ):
        raise _cannot(task, metric.name, "it is not a share")
    if not all(_weigh_alike(other, terms) for terms in probed):
        raise _cannot(task, metric.name, "its denominator depends on the replies")
    sums = np.array(other).sum(axis=0)
    if not sums[1] > 0 or not np.allclose(sums, [whole.numerator.sum() / whole.top, whole.denominator.sum()]):
        raise _cannot(task, metric.name, "it is not a sum over groups")


def _of_the_same(log: TaskLog, ids: Sequence[str], run_b: Path) -> TaskLog:
    """Returns the earlier run's log, with its replies read by the installed code.

    Raises:
        TempbenchError: It lacks an answer to a question, used other media, or is damaged.
    """
    if log.problems:
        raise TempbenchError(f"{run_b}: {log.problems[0]}; give another run to --until-decided")
    if missing := sorted({*ids} - {one.id for one in log.samples}):
        raise TempbenchError(
            f"{run_b} has no answer to {len(missing):,} of {len(ids):,} questions of {log.task}, among "
            f"them {missing[0]}; give a run of all of them"
        )
    if log.other:
        return log
    then, here = (flat(data).get("media.sha256") for data in (data_of(log)[1], data_at_hand(log)))
    if None not in (then, here) and then != here:  # reading the replies again refuses other tables
        raise TempbenchError(f"{log.task}: {run_b} used other media than the local data; give another run")
    # The installed code reads this run's replies, so it must read those of the earlier run too.
    return replace(log, samples=rescore(log, reparse=True).samples)
