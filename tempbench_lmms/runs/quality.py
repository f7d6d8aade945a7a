"""Warnings about degenerate runs: replies that are cut off, loop or are empty; scores at chance.

Also what our reader finds in the replies to somebody else's multiple-choice task; the log does not change.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tempbench_lmms import record_quality
from tempbench_lmms.any_task import opinion
from tempbench_lmms.any_task.opinion import Answer
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.metrics.resampling import interval
from tempbench_lmms.record_quality import ENOUGH, MAX_ONE_ANSWER, SHORT, share
from tempbench_lmms.runs.task_log import Sample, TaskLog, metrics_of

MAX_EMPTY = 0.05
MAX_REPEATED = 0.05
MAX_CUT = 0.01
# Up to 40 characters repeated six times in a row at the end of a reply.
_LOOP = re.compile(r"(.{1,40}?)\1{5,}\s*$", re.DOTALL)
_TAIL = 400
_RESAMPLES = 2000
# Of second opinions: replies shown, and replies without a letter that are enough for a warning.
_SHOWN = 5
_ENOUGH = 5


def warnings(log: TaskLog) -> list[str]:
    """Returns the reasons not to trust a run's scores, one line each.

    These are: more than 5 % unread, empty or looping replies, or more than 1 % cut off; the same answer in
    more than 60 % of the answers; failed requests; a headline metric that is not clearly above chance, or has
    too few groups to tell; a task's own extraction that takes replies without a letter for right.
    """
    return [
        *of_records(log),
        *of_replies(log.samples, log.token_limit),
        *_within_chance(log),
        *_silent_replies(log),
    ]


def of_records(log: TaskLog) -> list[str]:
    """Returns the warnings about how the replies of a log were read."""
    return record_quality.warnings([log.with_limit(sample) for sample in log.samples])


def of_replies(samples: Sequence[Sample], max_new_tokens: int | None = None) -> list[str]:
    """Returns the warnings about the texts of the replies."""
    answered = [sample for sample in samples if not sample.record["failed"]]
    n = len(answered)
    if not n:
        return []
    out = []
    empty = sum(not sample.reply.strip() for sample in answered)
    if empty / n > MAX_EMPTY:
        out.append(f"{share(empty, n)} of the replies are empty")
    looping = sum(bool(_LOOP.search(sample.reply[-_TAIL:])) for sample in answered)
    if looping / n > MAX_REPEATED:
        out.append(f"{share(looping, n)} of the replies end in a loop of repeated words")
    long = Counter(sample.reply for sample in answered if len(sample.reply) > SHORT)
    if long and n >= ENOUGH:
        text, times = long.most_common(1)[0]
        # Equal texts with an answer in them already get the warning of `record_quality._one_sided`.
        is_read = any(sample.record["parsed"] for sample in answered if sample.reply == text)
        if times / n > MAX_ONE_ANSWER and not is_read:
            out.append(f"{share(times, n)} of the replies are the same text: {text[:40]!r}...")
    return out + cut_off(answered, max_new_tokens)


def cut_off(samples: Sequence[Sample], max_new_tokens: int | None = None) -> list[str]:
    """Returns one line if more than 1 % of the replies were cut off before they gave an answer."""
    cut = sum(
        not one.record["parsed"]
        and (
            one.record.get("reason") == "cut_off"
            or ("<think>" in one.reply and "</think>" not in one.reply)
            or one.is_full(max_new_tokens)
        )
        for one in samples
    )
    if cut <= MAX_CUT * len(samples):
        return []
    return [
        f"{share(cut, len(samples))} of the replies were cut off before they gave an answer, which counts as "
        "wrong; raise the limit with --gen_kwargs max_new_tokens=N"
    ]


def cut_in(logs: Sequence[TaskLog]) -> list[str]:
    """Returns a line for each task with more than 1 % of its replies cut off."""
    return [
        f"{log.task}: {line}"
        for log in logs
        for line in cut_off([one for one in log.samples if not one.record["failed"]], log.token_limit)
    ]


def _within_chance(log: TaskLog) -> list[str]:
    """Returns a line for the headline metrics whose interval includes chance.

    A second line is for metrics with so few groups that the interval would include chance even if all answers
    were right.
    """
    card = log.card
    low_ones, few = [], []
    for metric in metrics_of(log):
        name = _suite_name(metric.name, log.task, card.chance)
        if name is None or not metric.higher_is_better:
            continue
        result = metric()
        if not isinstance(result, Ratio) or math.isnan(result.value):
            continue
        low, _ = interval(result, n_resamples=_RESAMPLES)
        if low > card.chance[name]:
            continue
        best, _ = interval(replace(result, numerator=result.denominator))
        if not result.bounded or best > card.chance[name]:
            low_ones.append(f"{metric.name} {result.value:.3g} (chance {card.chance[name]:.3g})")
        else:
            groups = counted(len(np.unique(result.cluster[result.denominator > 0])), "group")
            few.append(f"{metric.name} {result.value:.3g} ({groups}, chance {card.chance[name]:.3g})")
    lines = {"not clearly above chance": low_ones, "too few groups to tell from chance": few}
    return [f"{said}: {', '.join(found)}" for said, found in lines.items() if found]


def _suite_name(metric: str, task: str, chance: Mapping[str, float]) -> str | None:
    """Returns the card's name of a task's metric: `mt` of `tempvs_mt1_two_mini` is `mt1_two_mt`."""
    if metric in chance:
        return metric
    for name in sorted(chance, key=len, reverse=True):
        test = name.removesuffix(f"_{metric}")
        if test != name and f"_{test}_" in f"{task}_":
            return name
    return None


@dataclass(frozen=True)
class Opinion:
    """The task's scores and our reader's of one task of one run.

    Attributes:
        log: The log.
        metric: The metric whose score of each question is looked at.
        answers: The replies to questions with options.
    """

    log: TaskLog
    metric: str
    answers: tuple[Answer, ...]


def opinion_on(log: TaskLog) -> Opinion:
    """Returns a second opinion on a log of a task from outside this package.

    Raises:
        TempbenchError: The documents are not here or have no options, or no metric scores single questions.
    """
    docs = log.other.documents if log.other else {}
    if not any(map(opinion.options_of, docs.values())):
        why = "its documents have no options" if docs else "the task or its data is not on this machine"
        raise TempbenchError(f"no second opinion, because {why}")
    scores, metric = (log.other.scores, next(iter(log.other.metrics), "")) if log.other else ({}, "")
    found = [
        opinion.answer(one.id, one.reply, one.prompt, docs.get(one.id, {}), one.target, scores[one.id])
        for one in log.samples
        if one.id in scores and not one.record["failed"]
    ]
    if answers := [one for one in found if one is not None]:
        return Opinion(log, metric, tuple(answers))
    raise TempbenchError("no second opinion, because no metric scores single questions")


def _silent_replies(log: TaskLog) -> list[str]:
    """Returns a line if a task's own extraction takes replies that say no letter for right answers."""
    try:
        answers = opinion_on(log).answers if log.other else ()
    except TempbenchError:
        return []
    silent = [one for one in answers if one.letter is None]
    if len(silent) < _ENOUGH or not (n_right := _right(silent)):
        return []
    default = opinion.default_letter(answers)
    taken = f" (it takes them for {default})" if default else ""
    return [f"the task scores {n_right} of {len(silent)} replies that say no letter as right{taken}"]


def _as_text(found: Opinion, everything: bool) -> str:
    answers, log = found.answers, found.log
    silent = [one for one in answers if one.letter is None]
    default, differing = opinion.default_letter(answers), [one for one in answers if one.differs]
    task, ours = (100 * n / len(answers) for n in (_right(answers), sum(one.is_right for one in answers)))
    lines = [
        f"{log.task}, {log.model}: {task:.1f} % right by the task ({found.metric}), {ours:.1f} % by our "
        f"reader, of {counted(len(answers), 'question')} with options"
    ]
    if silent:
        taken = f"the task takes them for {default}" if default else f"{_right(silent):,} count as right"
        lines.append(f"  {counted(len(silent), 'reply', 'replies')} with no letter for our reader: {taken}")
    if differing:
        lines.append(f"  {counted(len(differing), 'reply', 'replies')} scored differently; the log stays")
    for one in differing if everything else differing[:_SHOWN]:
        read, score = one.letter or "nothing", "right" if one.score > 0 else "wrong"
        lines.append(
            f"    question {one.id}: {score} by the task; the answer is {one.right}, our reader reads "
            f"{read}: {one_line(one.reply)[:80]!r}"
        )
    return "\n".join(lines)


def show_opinions(logs: Sequence[TaskLog], everything: bool) -> None:
    """Prints a second opinion on each task that is none of ours.

    Raises:
        TempbenchError: All tasks are ours.
    """
    others = [log for log in logs if log.other]
    if not others:
        raise TempbenchError("our reader has read these replies; name a second one with --reader")
    for log in others:
        try:
            print(_as_text(opinion_on(log), everything))
        except TempbenchError as error:
            print(f"{log.task}, {log.model}: {error}")


def _right(answers: Sequence[Answer]) -> int:
    return sum(one.score > 0 for one in answers)
