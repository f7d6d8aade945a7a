"""`tempbench run --until-decided`: is this run better than an earlier one? It stops when that is decided.

Groups of questions are asked in a random order that is the same everywhere. After each whole group the
results of both runs go to a test that may be looked at as often as one likes (`metrics.betting`), so stopping
at the first decision is no peeking. What counts is the task's headline metric, if it is a share: each group
adds to its numerator no more than to its denominator, and to that no more than is known beforehand. Where
replies decide what counts (a gated share), all groups of the earlier run say where its share may lie.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.data.tables import sha256_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, respondents, stopping
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import betting
from tempbench_lmms.metrics.ratio import Floats, Ratio
from tempbench_lmms.metrics.sampling import shuffled
from tempbench_lmms.record import Record, Row
from tempbench_lmms.runs.logs import by_task, read_runs
from tempbench_lmms.runs.planning import groups_of
from tempbench_lmms.runs.rescoring import is_of_other_code, of_one_run, read_again
from tempbench_lmms.runs.run_card import data_at_hand, flat, run_card
from tempbench_lmms.runs.task_log import MetricOfRun, Sample, TaskLog, edited, metrics_of, scored

KEY = stopping.KEY
DECIDERS = "decides"
"""Where a run's state says, by task, which metric was to decide first, and against which run."""
LEVEL = 0.05
ORDER = "until-decided-1"
"""Names the order of groups: by a hash of this word and the group's name. Another order has another name."""
TEST = "anytime-valid test by betting, Waudby-Smith & Ramdas 2024"
GATED = ", for a share of what the replies decide"
_PROBED = ("oracle", "chance", "empty")
_PROBED_GROUPS = 100
_TOLERANCE = 1e-9


class Terms(NamedTuple):
    """What a group adds to a metric's numerator and denominator, and how many of its questions were read."""

    value: float
    weight: float
    n_questions: int

    @property
    def is_share(self) -> bool:
        """Whether the group's own ratio is from 0 to 1."""
        return -_TOLERANCE <= self.value <= self.weight + _TOLERANCE


@dataclass
class Contest:
    """A task of this run against the same task of an earlier one.

    Attributes:
        task: The task.
        metric: The metric that decides.
        groups: The numbers of the questions by group, in the order in which they are asked.
        other: The earlier run's terms of each group.
        largest: The weight of the largest group; the largest possible one where replies decide what counts.
        is_gated: Whether they do.
        score: Returns the terms of records; None for a question that the metric does not read.
        answer: Returns the sample of a reply to the question of a number.
        ids: The questions' ids by number.
        higher_is_better: Whether the metric is.
        level: Of the test.
        against: The earlier run: its results file's name, its model and its name, the folder as it was given,
            and the SHA-256 of its log.
        answered: This run's terms of each group so far.
    """

    task: str
    metric: str
    groups: tuple[tuple[int, ...], ...]
    other: tuple[Terms, ...]
    largest: float
    is_gated: bool
    score: Callable[[Sequence[Record | None]], Terms]
    answer: Callable[[int, str], Sample]
    ids: Sequence[str]
    higher_is_better: bool
    level: float
    against: dict[str, str]
    answered: list[Terms] = field(default_factory=list)

    def hear(self, replies: Mapping[int, str]) -> int | None:
        """Takes the replies to the next whole groups; returns after how many groups it is decided, if it is.

        Raises:
            TempbenchError: A group has other questions than in the earlier run, or no share.
        """
        left = set(replies)
        while left:
            group = self.groups[len(self.answered)]
            left -= {*group}
            own = self.score([_read_by(self.metric, self.answer(n, replies[n])) for n in group])
            if not (own.is_share and self._is_comparable(own, self.other[len(self.answered)])):
                raise TempbenchError(
                    f"{self.task}: {self.metric} is of other questions in the two runs (group "
                    f"{len(self.answered) + 1}), so it cannot decide; leave out --until-decided"
                )
            self.answered.append(own)
        found = self.decision
        return None if found is None else found.n_groups

    def _is_comparable(self, own: Terms, other: Terms) -> bool:
        if self.is_gated:
            return own.n_questions == other.n_questions and own.weight <= self.largest + _TOLERANCE
        return abs(own.weight - other.weight) <= _TOLERANCE

    @property
    def decision(self) -> betting.Decision | None:
        """What the groups so far decide."""
        return betting.decision(self._differences, self._alike.level)

    @cached_property
    def _alike(self) -> betting.Alike:
        if not self.is_gated:  # the shared ratio drops out, whichever it is
            return betting.Alike((0.0,), self.level)
        return betting.alike(self._scaled(self.other), self.level)

    @property
    def _differences(self) -> betting.Differences:
        own, other = (self._scaled(each[: len(self.answered)]) for each in (self.answered, self.other))
        return betting.differences(own, other, self._alike.ratios, self._alike.before(len(own)))

    def _scaled(self, terms: Sequence[Terms]) -> Floats:
        return np.array([one[:2] for one in terms]).reshape(-1, 2) / self.largest

    @property
    def said(self) -> dict[str, Any]:
        """What the results file says of it, as JSON values."""
        found = self.decision
        n = len(self.answered) if found is None else found.n_groups
        verdict, at_least = "undecided", None
        if found is not None:
            verdict = "better" if found.first_is_higher == self.higher_is_better else "worse"
            at_least = betting.at_least(self._differences[:n], self._alike.level)
        return {
            "metric": self.metric,
            "verdict": verdict,
            "at_least": at_least,
            "level": self.level,
            "groups_answered": n,
            "groups": len(self.groups),
            "against": self.against,
            "order": ORDER,
            "test": TEST + GATED * self.is_gated,
        }


def sentence(said: Mapping[str, Any]) -> str:
    """Returns in words how a task was decided."""
    against = said["against"]
    other = against.get("name") or against["model"]
    other += f" in {against['folder']}" if against.get("folder") else ""
    by = f"({said['test']}; level {said['level']:.3g}; groups by hash, {said['order']})"
    number = f"{said['groups_answered']:,} of {said['groups']:,} groups"
    if said["verdict"] == "undecided":
        return f"after {number} it is undecided whether {said['metric']} differs from that of {other} {by}"
    when = "stopped" if is_stopped(said) else "decided"
    return (
        f"{when} after {number}: {said['verdict']} in {said['metric']} than {other}, by at least "
        f"{said['at_least']:.3g} {by}"
    )


def is_stopped(said: Mapping[str, Any]) -> bool:
    """Returns whether groups were left out."""
    return bool(said["groups_answered"] < said["groups"])


def said_of(log: TaskLog) -> dict[str, Any] | None:
    """Returns what a run says of how a task was decided; None where it was not asked until it was."""
    found = log.header.get(KEY)
    own = found.get(log.task) if isinstance(found, dict) else None
    return own if isinstance(own, dict) else None


def was_stopped(log: TaskLog) -> bool:
    """Returns whether a run was stopped because a task was decided."""
    said = said_of(log)
    return said is not None and is_stopped(said)


def stopping_of(contests: Sequence[Contest]) -> stopping.Stopping:
    """Returns what the harness is told: which groups there are, and whom it asks."""
    by_task = {one.task: one for one in contests}
    return stopping.Stopping(
        groups={task: one.groups for task, one in by_task.items()},
        decide=lambda task, replies: by_task[task].hear(replies),
        said=lambda: {task: one.said for task, one in by_task.items()},
    )


def is_open(said: Mapping[str, Mapping[str, Any]], wanted: Sequence[Contest]) -> bool:
    """Returns whether a finished run left out questions that a command is to ask.

    Args:
        said: What its results file says, by task.
        wanted: What the command is to decide; nothing where it is to ask all questions.
    """
    if not any(map(is_stopped, said.values())):
        return False
    return not wanted or not all(one.task in said and _is_of(said[one.task], one) for one in wanted)


def _is_of(terms: Mapping[str, Any], one: Contest) -> bool:
    """Whether a task was to be decided by the same metric against the same log, wherever that lies now."""
    return (terms["metric"], terms["against"].get("sha256")) == (one.metric, one.against.get("sha256"))


def deciders(
    output: Path, state: Mapping[str, Any], wanted: Sequence[Contest], has_results: bool
) -> dict[str, Any]:
    """Returns by what a run is decided, for its state: by what it was first to be, for all its starts.

    Who has seen replies, and then chooses the metric or the earlier run, may choose what decides.

    Args:
        output: The run's folder, for the messages.
        state: What it keeps of the run; empty where that has not begun.
        wanted: What the command is to decide; nothing where it is to ask all questions.
        has_results: Whether the folder has results already, of whatever start.

    Raises:
        TempbenchError: The command is to decide by something else, or all questions were answered without.
    """
    first = state.get(DECIDERS) or {}
    for one in wanted:
        if (then := first.get(one.task)) and not _is_of(then, one):
            began, now = ((each["metric"], each["against"]["folder"]) for each in (then, vars(one)))
            is_changed = " (the log there is another now)" if began == now else ""
            raise TempbenchError(
                f"{output} began with {one.task} decided by {began[0]} against {began[1]}, not by {now[0]} "
                f"against {now[1]}{is_changed}, and what is chosen later does not keep the level; put back "
                "what it began with, or choose another --output"
            )
    if wanted and state and not first and has_results:
        raise TempbenchError(
            f"{output} has results of all questions, so that nothing is left to decide; leave out "
            "--until-decided, or choose another --output"
        )
    found = first or {one.task: {"metric": one.metric, "against": one.against} for one in wanted}
    return {DECIDERS: found} if found else {}


def confirm(results: Path, decided: Sequence[Contest]) -> None:
    """Checks that a run's log gives the results by which it was decided.

    Raises:
        TempbenchError: It gives others.
    """
    logs = {log.task: log for log in read_runs([results])} if decided else {}
    for one in decided:
        samples = {sample.id: sample for sample in logs[one.task].samples}
        for group, then in zip(one.groups[: one.said["groups_answered"]], one.answered, strict=False):
            found = [samples.get(one.ids[number]) for number in group]
            now = one.score([_read_by(one.metric, sample) for sample in found])
            if not np.allclose(now, then, rtol=0, atol=_TOLERANCE):
                raise TempbenchError(
                    f"{results}: the log of {one.task} gives other results than those that decided; give the "
                    "same command without --until-decided, the answers are kept"
                )


def contests(run_b: Path, tasks: Iterable[str], names: Sequence[str], metric: str = "") -> list[Contest]:
    """Returns a contest for each task, none of which has been asked anything.

    The level is shared: that any of n tasks is decided wrongly has a probability of 5 % at most.

    Raises:
        TempbenchError: The earlier run is of something else, or a task's metric cannot decide.
    """
    stopping.check_harness()
    if strangers := sorted({*tasks} - task_files().keys()):
        raise TempbenchError(f"--until-decided knows no groups of {strangers[0]}; give it only our tasks")
    logs = by_task(read_runs([run_b], partial=True), run_b)  # damage is told with what `run` has
    if missing := [name for name in names if name not in logs]:
        raise TempbenchError(
            f"{run_b} has no {missing[0]}, but {', '.join(logs)}; give another run to --until-decided"
        )
    with edited(run_b):
        return [_contest(logs[name], run_b, metric, LEVEL / len(names)) for name in names]


def _contest(log: TaskLog, run_b: Path, wanted: str, level: float) -> Contest:
    config = load_task(log.task)
    docs = docs_of(config, media=False)
    log = _of_the_same(log, docs, run_b)
    metrics = {one.name: one for one in metrics_of(log)}
    name = wanted or headline(log.task).name
    if name not in metrics:
        raise TempbenchError(
            f"{log.task} has no metric {name!r}; --decide-by takes a share, one of {', '.join(metrics)}"
        )
    metric = metrics[name]
    _check_form(log.task, metric)
    groups = _in_order(groups_of(log.task, docs))
    ids = [str(doc["question_id"]) for doc in docs]
    given = {str(record["id"]): record for record in metric.records}
    own = [_measured(metric, [given.get(ids[n]) for n in group]) for group in groups]

    def answer(number: int, reply: str) -> Sample:
        return scored(config, docs[number], reply, number)

    def probes(group: Sequence[int]) -> Iterator[tuple[Terms, Floats]]:
        for kind in _PROBED:
            replies = [respondents.REPLIES[kind](docs[n], log.task, 0) for n in group]
            answers = map(answer, group, replies)
            yield _measured(metric, [_read_by(name, sample) for sample in answers])

    _check_sums(log.task, metric, [terms for terms, _ in own])
    probed = [list(probes(group)) for group in groups[:_PROBED_GROUPS]]
    largest, is_gated = _largest_weight(log.task, name, own, probed)
    return Contest(
        task=log.task,
        metric=name,
        groups=groups,
        other=tuple(terms for terms, _ in own),
        largest=largest,
        is_gated=is_gated,
        score=lambda records: _measured(metric, records)[0],
        answer=answer,
        ids=ids,
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


def _in_order(groups: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Returns the numbers of the questions by group, in the order in which they are asked."""
    members: dict[str, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    return tuple(tuple(members[group]) for group in shuffled(members, ORDER))


def _read_by(metric: str, sample: Sample | None) -> Record | None:
    """Returns a sample's record; None where the metric is not given it."""
    return sample.record if sample is not None and metric in sample.metrics else None


def _measured(metric: MetricOfRun, records: Sequence[Record | None]) -> tuple[Terms, Floats]:
    """Returns a group's terms, and the weights of which its weight is the sum."""
    read = [one for one in records if one is not None]
    found = metric(read)
    return Terms(float(found.numerator.sum()), float(found.denominator.sum()), len(read)), found.denominator


def _largest_weight(
    task: str,
    metric: str,
    own: Sequence[tuple[Terms, Floats]],
    probed: Sequence[Sequence[tuple[Terms, Floats]]],
) -> tuple[float, bool]:
    """Returns the largest weight that a group may have, and whether that depends on the replies.

    What is counted (a question, a set of them) weighs no more than the heaviest that was seen. There is as
    much to count as in the earlier run, or as there are questions where replies decide how much there is.

    Raises:
        TempbenchError: The metric is no share, or nothing limits its weight.
    """
    pairs = [(before, after) for before, kinds in zip(own, probed, strict=False) for after in kinds]
    everything = [*own, *(after for _, after in pairs)]
    if not all(terms.is_share for terms, _ in everything):
        raise _cannot(task, metric, "it is no share")
    if all(abs(before[0].weight - after[0].weight) <= _TOLERANCE for before, after in pairs):
        return max(terms.weight for terms, _ in own), False
    if any(before[0].n_questions != after[0].n_questions for before, after in pairs):
        raise _cannot(task, metric, "the replies decide which questions it reads")
    sizes = [len(weights) for _, weights in own]
    if any(len(before[1]) != len(after[1]) for before, after in pairs):
        sizes = [terms.n_questions for terms, _ in own]
    if any(len(weights) > size for size, (_, weights) in zip(sizes, own, strict=True)):
        raise _cannot(task, metric, "nothing limits what a question weighs")
    return float(max(sizes) * max(weights.max(initial=0) for _, weights in everything)), True


def headline(task: str) -> Row:
    """Returns the metric that stands for a task: the benchmark's where the task has it, else its first."""
    card = benchmarks.card(task_files()[task].parent.name)
    wanted = f"_{card.headline or card.primary[0]}"
    rows = [row for row in adapter.rows_of(load_task(task)) if row.headline]
    return next((row for row in rows if wanted.endswith(f"_{row.name}")), rows[0])


def _cannot(task: str, metric: str, why: str) -> TempbenchError:
    return TempbenchError(
        f"{task}: {metric} cannot be decided group by group, for {why}; name another metric with --decide-by"
    )


def _check_form(task: str, metric: MetricOfRun) -> None:
    if metric.needs_encoder:
        raise _cannot(task, metric.name, "a model scores its replies, all at once")
    if not isinstance(metric(), Ratio):
        raise _cannot(task, metric.name, "it is no share")


def _check_sums(task: str, metric: MetricOfRun, terms: Sequence[Terms]) -> None:
    """Checks that the metric is the sum of what its groups give, and that there is something to sum."""
    groups = np.array(terms).sum(axis=0)
    if not groups[1] > 0:
        raise _cannot(task, metric.name, "no question counts in it in the earlier run")
    if not np.allclose(groups, _measured(metric, metric.records)[0]):
        raise _cannot(task, metric.name, "it sets one group of questions against others")


def _of_the_same(log: TaskLog, docs: Sequence[Mapping[str, Any]], run_b: Path) -> TaskLog:
    """Returns the earlier run's log, read as the code here reads replies.

    Raises:
        TempbenchError: It did not answer the questions that are here, all of them; or is not whole.
    """
    if log.problems:
        raise TempbenchError(f"{run_b}: {log.problems[0]}; give another run to --until-decided")
    answered = {one.id for one in log.samples}
    ids = {str(doc["question_id"]) for doc in docs}
    if missing := sorted(ids - answered):
        why = ", which was itself stopped or limited" if missing != sorted(ids) else ""
        raise TempbenchError(
            f"{run_b}{why} has no answer to {len(missing):,} of {len(ids):,} questions of {log.task}, among "
            f"them {missing[0]}; give a run of all of them"
        )
    card, here = run_card(log), flat(data_at_hand(log))
    data = flat(card["data"])
    pairs = {
        "tempbench-lmms": (card["packages"].get("tempbench-lmms"), __version__),
        "data": (data.get("sha256"), here.get("sha256")),
        "media": (data.get("media.sha256"), here.get("media.sha256")),
        "questions": (answered, ids),
    }
    # Samples have no checksum of media.
    if differing := [name for name, (then, now) in pairs.items() if None not in (then, now) and then != now]:
        raise TempbenchError(
            f"{log.task}: {run_b} was made with other {', '.join(differing)} than those here; give a run "
            "that was not"
        )
    if problems := of_one_run(log, partial=True).problems:
        raise TempbenchError(f"{run_b}: {problems[-1]}; give another run to --until-decided")
    # The code here reads this run's replies, and so those that they are set against.
    return replace(log, samples=read_again(log)) if is_of_other_code(log) else log
