"""`tempbench compare`: is one run better than another, on the same questions?"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.any_task.aggregation import CannotAggregateError
from tempbench_lmms.any_task.task import side_by_side
from tempbench_lmms.data.terminal import rounded
from tempbench_lmms.errors import TempbenchError, hint
from tempbench_lmms.metrics.ratio import Ratio, Sums
from tempbench_lmms.metrics.resampling import (
    Difference,
    holm,
    mcnemar,
    mean_over,
    needed_factor,
    paired_difference,
)
from tempbench_lmms.record import Record, is_share_of_reason
from tempbench_lmms.runs.logs import by_task, of_one_run, read_runs, rescore, with_repeats_as_one
from tempbench_lmms.runs.quality import warnings
from tempbench_lmms.runs.run_card import (
    check_same_questions,
    differing_parts,
    finite,
    is_stopped,
    obstacles,
    run_card,
    said_of,
    signature_of,
    signature_text,
)
from tempbench_lmms.runs.task_log import MetricOfRun, TaskLog, as_one, metrics_of_all

_NAMED = 6
_VERDICTS = {
    "better": "A is better",
    "worse": "A is worse",
    "undecided": "undecided",
    "undefined": "undefined",
}
_LEVEL = 0.05
# Why the number of a group of tasks has no interval.
OF_TASKS = "the harness computes it from the numbers of several tasks"
# The smallest p value of n resamples is 1 / (n + 1); these are twice as many as m metrics need.
_PER_METRIC = 40


@dataclass(frozen=True)
class Comparison:
    """The comparison of two runs in one metric."""

    task: str
    metric: str
    higher_is_better: bool
    n: int  # questions (records) that enter the metric
    difference: Difference | None  # first minus second; None if undefined
    only_first: int | None = None  # questions that only the first run got right
    only_second: int | None = None
    mcnemar_p: float | None = None  # of the exact McNemar test on these
    p: float = math.nan  # McNemar's if each question is its own cluster, else that of `difference`
    p_holm: float = math.nan  # adjusted for the number of metrics of the task
    verdict: str = "undecided"  # or "better" or "worse": the first run than the second
    n_needed: int | None = None  # questions that would detect a difference of this size
    headline: bool = False
    why: str = ""  # why there is no interval; empty if a run has no value

    @property
    def outcome(self) -> str:
        """The verdict, or `undefined` if a run has no value."""
        return "undefined" if _difference(self) is None and not self.why else self.verdict

    @property
    def is_mute(self) -> bool:
        """Whether no group of questions differs between the runs."""
        return self.difference is not None and not self.difference.n_differing

    @property
    def sentence(self) -> str:
        """The result in words."""
        name, found = f"{self.metric}:", self.difference
        if found is None or not math.isfinite(found.value):
            why = f"undecided: {self.why}" if self.why else "undefined in at least one of the runs"
            return f"{name} {why}"
        spread = (
            f"A {rounded(found.first, 4)}, B {rounded(found.second, 4)}, "
            f"A - B = {rounded(found.value, 4, '+')}"
        )
        if math.isfinite(found.low):
            spread += f", 95 % interval {rounded(found.low, 4, '+')} to {rounded(found.high, 4, '+')}"
        if not math.isnan(self.p):
            spread += f"; p {_p(self.p)}, {_p(self.p_holm)} after Holm"
        if self.verdict != "undecided":
            return f"{name} A is {self.verdict} than B ({spread})"
        if found.value == 0:
            return f"{name} undecided: no difference ({spread})"
        if math.isnan(found.low):
            return f"{name} undecided: one of the runs has too few groups of questions for it ({spread})"
        hint = f"; about {self.n_needed:,} questions like these would decide" if self.n_needed else ""
        return f"{name} undecided ({spread}){hint}"


def _p(value: float) -> str:
    return "undefined" if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def compare_tasks(
    pairs: Sequence[tuple[TaskLog, TaskLog]], n_resamples: int = 10_000, seed: int = 0
) -> list[Comparison]:
    """Compares two runs in every metric of every task, over the questions that both answered.

    A verdict needs a p value below 0.05 after Holm's adjustment over the metrics of the task, and a 95 %
    interval of the difference that excludes 0. If a run stopped early because it was decided, that decision
    is the verdict, and other metrics get none. For repeats, the means are compared, and a resample draws a
    group with all its replies, so the interval covers both the choice of questions and the sampling of
    replies.

    Args:
        pairs: The two runs of each task, or as many repeats of both.
        n_resamples: Number of resamples; more are drawn if there are so many metrics that no p value could
            stay below 0.05 after Holm.
        seed: The seed of the resamples.
    """
    metrics = []
    for first, second in pairs:
        ids = set.intersection(*({one.id for one in log.samples} for log in (*first.each, *second.each)))
        others = metrics_of_all(second.each)
        metrics += [
            (first.task, own, others[name], ids)
            for name, own in metrics_of_all(first.each).items()
            # The reasons for unread replies do not say which model is better; testing them would cost power.
            if name in others and not is_share_of_reason(name)
        ]
    n_resamples = max(n_resamples, _PER_METRIC * len(metrics))
    found = [compare_metric(*one, n_resamples=n_resamples, seed=seed) for one in metrics]
    decided = {first.task: _decided(first, second) for first, second in pairs}
    out = [
        # The decision that stopped a run replaces a verdict by p value.
        replace(one, verdict=own.get(one.metric, "undecided"), n_needed=None) if own is not None else one
        for one in judged([one for one in found if one])
        for own in [decided[one.task]]
    ]
    return out + [one for pair in pairs for one in _without_interval(*pair)]


def _without_interval(first: TaskLog, second: TaskLog) -> Iterator[Comparison]:
    if not (one := first.other) or not (two := second.other):
        return
    for name in one.metrics.keys() & two.metrics.keys():
        if why := one.why_not(name) or two.why_not(name):
            why = _no_interval(one.metrics[name].value, two.metrics[name].value, why)
            yield Comparison(one.name, name, one.better(name) != "lower", 0, None, headline=True, why=why)


_OPPOSITE = {"better": "worse", "worse": "better", "undecided": "undecided"}


def _decided(first: TaskLog, second: TaskLog) -> dict[str, str] | None:
    """Returns the verdict on the first run by the metric by which one of two runs stopped early.

    Empty if a comparison with a third run stopped it; None if neither run stopped early.
    """
    verdict: dict[str, str] | None = None
    for one, other in ((first, second), (second, first)):
        if (said := said_of(one)) and is_stopped(said):
            is_other = (said["against"]["file"], said["against"]["model"]) == (other.file.name, other.model)
            own = said["verdict"] if one is first else _OPPOSITE[said["verdict"]]
            verdict = {said["metric"]: own} if is_other and verdict is None else {}
    return verdict


def compare_metric(
    task: str,
    first: Sequence[MetricOfRun],
    second: Sequence[MetricOfRun],
    ids: set[str] | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Comparison | None:
    """Compares two runs, or their repeats, in one metric, without a verdict; None for a count."""

    def asked(metric: MetricOfRun) -> list[Record]:
        return [record for record in metric.records if ids is None or str(record["id"]) in ids]

    sides = [[(metric, asked(metric)) for metric in run] for run in (first, second)]
    values = [[metric(records) for metric, records in side] for side in sides]
    if not all(isinstance(value, Sums) for side in values for value in side):
        return None
    metric, records = sides[0][0]
    found = Comparison(
        task, metric.name, metric.higher_is_better, len(records), None, headline=metric.headline
    )
    try:
        one, other = (side[0] if len(side) == 1 else mean_over(side) for side in values)
        if len(first) == 1:
            (a_metric, a_records), (b_metric, b_records) = sides[0][0], sides[1][0]
            metrics = (a_metric.metric, b_metric.metric)
            one, other = side_by_side(one, other, metrics, (a_records, b_records))
        difference = paired_difference(one, other, n_resamples=n_resamples, seed=seed)
    except CannotAggregateError as error:
        return replace(found, why=_no_interval(values[0][0].value, values[1][0].value, str(error)))
    except ValueError:
        return found
    found = replace(found, difference=difference, p=difference.p)
    a, b = (_right_answers(*side[0], own[0]) for side, own in zip(sides, values, strict=True))
    if len(first) > 1 or a is None or b is None or a.keys() != b.keys():
        return found  # McNemar's test takes one answer per question
    return _with_exact_test(found, difference, a, b)


def _with_exact_test(
    found: Comparison, difference: Difference, a: Mapping[str, float], b: Mapping[str, float]
) -> Comparison:
    only_first, only_second = sum(a[id_] > b[id_] for id_ in a), sum(a[id_] < b[id_] for id_ in a)
    p = mcnemar(only_first, only_second)
    # If each cluster is one question, the exact test equals the exchange test without its random draws.
    is_exact = difference.n_clusters == len(a) and math.isfinite(difference.p)
    return replace(
        found, only_first=only_first, only_second=only_second, mcnemar_p=p, p=p if is_exact else found.p
    )


def _right_answers(metric: MetricOfRun, records: Sequence[Record], whole: Any) -> dict[str, float] | None:
    is_mean = isinstance(whole, Ratio) and {*whole.numerator} <= {0.0, whole.top}
    return question_scores(metric, records, whole) if is_mean else None


def question_scores(metric: MetricOfRun, records: Sequence[Record], whole: Any) -> dict[str, float] | None:
    """Returns the scores of questions if the metric is their plain mean, else None."""
    if not isinstance(whole, Ratio) or not len(whole.denominator) or (whole.denominator != 1).any():
        return None
    scores: dict[str, float] = {}
    for record in records:
        alone = metric([record])
        if len(alone.denominator) == 1 and alone.denominator[0] == 1:
            scores[str(record["id"])] = float(alone.numerator[0])
        elif len(alone.denominator):
            return None
    same = len(scores) == len(whole.denominator)
    return scores if same and math.isclose(sum(scores.values()), float(whole.numerator.sum())) else None


def judged(found: Sequence[Comparison]) -> list[Comparison]:
    """Returns comparisons with their p values adjusted over the metrics of their task, and with verdicts.

    A metric in which no group of questions differs between the runs cannot show a difference with any test,
    and is not counted. Source: Tarone 1990.
    """
    out = []
    for task in dict.fromkeys(one.task for one in found):
        own = [one for one in found if one.task == task]
        family = [math.nan if one.is_mute else one.p for one in own]
        level = _LEVEL / max(sum(not math.isnan(p) for p in family), 1)
        for one, p_holm in zip(own, holm(family), strict=True):
            verdict, n_needed, apart = "undecided", None, one.difference
            p_holm = 1.0 if one.is_mute else p_holm
            if apart and max(one.p, p_holm) < _LEVEL and (apart.low > 0 or apart.high < 0):
                verdict = "better" if (apart.value > 0) == one.higher_is_better else "worse"
            elif apart and math.isfinite(one.p) and apart.value:
                # The p value of n groups that all favour one side is 2 / 2 ** n: with fewer groups, no
                # difference can be decided.
                fewest = (1 - math.log2(level)) / apart.n_differing
                factor = max(needed_factor(apart, level=1 - level), fewest)
                n_needed = max(math.ceil(one.n * factor), one.n + 1)
            out.append(replace(one, p_holm=p_holm, verdict=verdict, n_needed=n_needed))
    return out


def paired_runs(
    run_a: Path,
    run_b: Path,
    anyway: bool = False,
    partial: bool = False,
    reparse: bool = False,
    group_by: str = "",
) -> tuple[list[tuple[TaskLog, TaskLog]], list[str]]:
    """Reads two runs and pairs their tasks.

    Args:
        run_a: The first run's `--output_path`, or its results file; with several repeats all of them.
        run_b: The second's.
        anyway: Pair them even if data, prompts or versions differ.
        partial: Use what can be read of damaged logs.
        reparse: Read the replies of both again, with the installed code and the local data.
        group_by: As for `read_runs`.

    Returns:
        The pairs, and remarks: what differs nevertheless, and warnings about either run.

    Raises:
        TempbenchError: They cannot be compared; the message says what differs.
    """
    logs_a, logs_b = (_by_task(path, partial, group_by) for path in (run_a, run_b))
    tasks = [task for task in logs_a if task in logs_b]
    if not tasks:
        raise TempbenchError(
            f"no task in common: {run_a} has {', '.join(logs_a)}; {run_b} has {', '.join(logs_b)}"
        )
    pairs = [(_sound(logs_a[task], partial), _sound(logs_b[task], partial)) for task in tasks]
    remarks = [
        f"{task} is only in {'A' if task in logs_a else 'B'} and left out"
        for task in {**logs_a, **logs_b}
        if task not in tasks
    ]
    if all(first.file.samefile(second.file) for first, second in pairs):
        remarks.append(f"A and B are the same run, {pairs[0][0].file}; give two different runs")
    common = [_in_common(*pair) for pair in pairs]
    remarks += [line for *_, line in common if line]
    pairs = [(first, second) for first, second, _ in common]
    if reparse:
        pairs = [(_read_again(first, anyway), _read_again(second, anyway)) for first, second in pairs]
    remarks += [line for pair in pairs for line in _remarks(*pair, anyway, reparse)]
    remarks += [line for pair in pairs for line in _of_other_tasks(*pair)]
    return pairs, list(dict.fromkeys(remarks))


def _by_task(path: Path, partial: bool, group_by: str) -> dict[str, TaskLog]:
    logs = with_repeats_as_one(read_runs([path], partial, group_by))
    # Of a partial run only tasks that have a log.
    return by_task([log for log in logs if not partial or any(one.samples for one in log.each)], path)


def _of_other_tasks(first: TaskLog, second: TaskLog) -> Iterator[str]:
    if not (one := first.other) or not (two := second.other):
        return
    how = f"grouped by {one.grouped_by}" if one.grouped_by else "no field groups them, each counts by itself"
    yield f"{one.name}: questions: {how} (--group-by FIELD chooses)"
    if not one.metrics.keys() & two.metrics.keys():
        yield f"{one.name}: no metric is compared, because the runs printed no number that both have"
    for name in one.of_groups.keys() & two.of_groups.keys():
        yield f"{name}: {_no_interval(one.of_groups[name], two.of_groups[name], OF_TASKS)}"


def _no_interval(first: float, second: float, why: str) -> str:
    return f"A {first:g}, B {second:g}; no interval: {why}"


def _read_again(log: TaskLog, anyway: bool) -> TaskLog:
    return as_one([replace(one, samples=rescore(one, True, anyway).samples) for one in log.each])


def _remarks(first: TaskLog, second: TaskLog, anyway: bool, reparsed: bool) -> Iterator[str]:
    for one, other in zip(first.each, second.each, strict=True):
        serious, notes = obstacles(one, other, reparsed)
        if serious and not anyway:
            raise TempbenchError(
                f"{one.task}: the runs cannot be compared, they differ in {'; '.join(serious)}; "
                "add --anyway to compare them where both answered"
            )
        yield from (f"{one.task} differs in {line}" for line in (*serious, *notes))
        for name, log in (("A", one), ("B", other)):
            which = f", repeat {log.repeat[1]}" if log.repeat and first.repeats else ""
            yield from (f"{log.task}, {name}{which}: {line}" for line in (*log.problems, *warnings(log)))


def _sound(log: TaskLog, partial: bool) -> TaskLog:
    own = [of_one_run(one, partial) for one in log.each]
    check_same_questions(own)
    return as_one(own)


def _in_common(first: TaskLog, second: TaskLog) -> tuple[TaskLog, TaskLog, str]:  # with a remark
    n = min(len(first.each), len(second.each))
    if n == len(first.each) == len(second.each):
        return first, second, ""
    said = (
        f"{first.task}: A has {len(first.each)} and B {len(second.each)} repeats; the first {n} are compared"
    )
    return as_one(first.each[:n]), as_one(second.each[:n]), said


def as_json(
    pairs: Sequence[tuple[TaskLog, TaskLog]], remarks: Sequence[str], found: Sequence[Comparison]
) -> dict[str, Any]:
    """Returns a comparison as JSON values, undefined numbers as None."""
    return {
        "a": [_card(log) for first, _ in pairs for log in first.each],
        "b": [_card(log) for _, second in pairs for log in second.each],
        "remarks": list(remarks),
        "metrics": [finite(asdict(one) | {"sentence": one.sentence}) for one in found],
    }


def _card(log: TaskLog) -> dict[str, Any]:
    return run_card(log) | ({"repeat": log.repeat[1]} if log.repeat else {})


def chosen(found: Sequence[Comparison], all_: bool, metrics: Collection[str]) -> list[Comparison]:
    """Returns the metrics to show: the headline metrics, all, or the named ones.

    Raises:
        TempbenchError: A name is not a metric of these runs.
    """
    names = dict.fromkeys(one.metric for one in found)
    for name in metrics:
        if name not in names:
            more = hint(name, names, f"they have {', '.join(names)}")
            raise TempbenchError(f"these runs have no metric '{name}' in common; {more}")
    shown = [one for one in found if all_ or (one.metric in metrics if metrics else one.headline)]
    return shown or list(found)  # a task may have no headline metric that can be compared


def as_text(
    pairs: Sequence[tuple[TaskLog, TaskLog]],
    remarks: Sequence[str],
    found: Sequence[Comparison],
    shown: Sequence[Comparison] | None = None,
) -> str:
    """Returns a comparison for a terminal."""
    shown = found if shown is None else shown
    counts = {name: sum(one.outcome == name for one in found) for name in _VERDICTS}
    wanted = [name for name in _VERDICTS if name != "undefined" or any(one.outcome == name for one in shown)]
    lines = [_summary(name, shown, len(pairs) > 1) for name in wanted]
    lines += [
        "",
        *(
            f"{side}: {logs[0].model}, {', '.join(dict.fromkeys(map(_place, logs)))}"
            for side, logs in zip("AB", zip(*pairs, strict=True), strict=True)
        ),
    ]
    for first, second in pairs:
        times = f", the means of {len(first.repeats)} repeats" if first.repeats else ""
        lines += ["", f"{first.task}, {len(first.samples):,} questions{times}"]
        lines += [f"  {one.sentence}" for one in shown if one.task == first.task]
        lines += [f"  {line}" for line in _signatures(first, second)]
    hidden = len(found) - len(shown)
    lines += [
        "",
        f"All {len(found)} metrics: A is better in {counts['better']}, worse in {counts['worse']}; "
        f"{counts['undecided']} undecided"
        + (f", {counts['undefined']} undefined." if counts["undefined"] else ".")
        + (f" --all shows the other {hidden}." if hidden else ""),
    ]
    if remarks:
        lines += ["", "Keep in mind:", *(f"- {line}" for line in remarks)]
    return "\n".join(lines)


def _signatures(first: TaskLog, second: TaskLog) -> list[str]:
    one, other = signature_of(first), signature_of(second)
    if not (names := differing_parts(one, other)):
        return [signature_text(one)]
    texts = (f"{side}: {signature_text(parts)}" for side, parts in (("A", one), ("B", other)))
    return [*texts, f"the signatures differ in {', '.join(names)}"]


def _place(log: TaskLog) -> str:
    if log.repeats and log.repeat:
        return f"{len(log.repeats)} repeats in {log.repeat[0]}"
    return str(log.file)


def _summary(verdict: str, shown: Sequence[Comparison], name_tasks: bool) -> str:
    own = [one for one in shown if one.outcome == verdict]
    own.sort(key=lambda one: -abs(_difference(one) or 0))
    parts = [
        f"{f'{one.task} ' if name_tasks else ''}{one.metric}"
        + ("" if (difference := _difference(one)) is None else f" {difference:+.3g}")
        for one in own[:_NAMED]
    ]
    if len(own) > _NAMED:
        parts.append(f"and {len(own) - _NAMED} more")
    return f"{_VERDICTS[verdict]} in {len(own)} of {len(shown)}" + (f": {', '.join(parts)}" if own else "")


def _difference(one: Comparison) -> float | None:
    value = one.difference.value if one.difference else math.nan
    return value if math.isfinite(value) else None
