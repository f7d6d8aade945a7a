"""Warnings about degenerate runs: unread, cut off, empty or looping replies, one-sided answers, chance."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tempbench_lmms.any_task import opinion
from tempbench_lmms.any_task.opinion import Answer
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics import ratio
from tempbench_lmms.record_quality import ENOUGH, MAX_ONE_ANSWER, SHORT, Warned, of_records, share
from tempbench_lmms.runs.task_log import Sample, TaskLog, metrics_of

MAX_EMPTY = 0.05
MAX_REPEATED = 0.05
MAX_CUT = 0.01
# Up to 40 characters repeated six times in a row at the end of a reply.
_LOOP = re.compile(r"(.{1,40}?)\1{5,}\s*$", re.DOTALL)
_TAIL = 400
_RESAMPLES = 2000
# Replies without a letter that are enough for a warning about a task's own extraction.
_ENOUGH_SILENT = 5


def warnings(log: TaskLog) -> list[Warned]:
    """Returns the reasons not to trust a run's scores.

    These are: more than 5 % unread, empty or looping replies, or more than 1 % cut off; the same answer in
    more than 60 % of the answers; failed requests; a headline metric that is not clearly above chance, or has
    too few groups to tell; a task's own extraction that takes replies without a letter for right.
    """
    return [
        *of_records(log.limited),
        *of_replies(log.samples, log.token_limit),
        *_within_chance(log),
        *_silent_replies(log),
    ]


def of_replies(samples: Sequence[Sample], max_new_tokens: int | None = None) -> list[Warned]:
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
        # Equal texts with an answer in them already get the warning of `_one_sided`.
        is_read = any(sample.record["parsed"] for sample in answered if sample.reply == text)
        if times / n > MAX_ONE_ANSWER and not is_read:
            out.append(f"{share(times, n)} of the replies are the same text: {text[:40]!r}...")
    return [Warned("other", line) for line in out] + cut_off(samples, max_new_tokens)


def cut_off(samples: Sequence[Sample], max_new_tokens: int | None = None) -> list[Warned]:
    """Returns a warning if more than 1 % of the replies were cut off before they gave an answer."""
    answered = [sample for sample in samples if not sample.record["failed"]]
    cut = sum(
        not one.record["parsed"]
        and (
            one.record.get("reason") == "cut_off"
            or ("<think>" in one.reply and "</think>" not in one.reply)
            or one.is_full(max_new_tokens)
        )
        for one in answered
    )
    if cut <= MAX_CUT * len(answered):
        return []
    text = (
        f"{share(cut, len(answered))} of the replies were cut off before they gave an answer, which counts "
        "as wrong; raise the limit with --gen_kwargs max_new_tokens=N"
    )
    return [Warned("cut off", text)]


def _within_chance(log: TaskLog) -> list[Warned]:
    """Returns a warning for the headline metrics whose interval includes chance.

    A second one is for metrics with so few groups that the interval would include chance even if all answers
    were right.
    """
    chance = log.card.chance
    low_ones, few = [], []
    for metric in metrics_of(log):
        name = _with_chance(metric.name, log)
        if name is None or not metric.higher_is_better:
            continue
        result = metric()
        if not isinstance(result, ratio.Ratio) or math.isnan(result.value):
            continue
        if ratio.interval(result, n_resamples=_RESAMPLES)[0] > chance[name]:
            continue
        best, _ = ratio.interval(replace(result, numerator=result.denominator))
        if not result.bounded or best > chance[name]:
            low_ones.append(f"{metric.name} {result.value:.3g} (chance {chance[name]:.3g})")
        else:
            groups = counted(len(np.unique(result.cluster[result.denominator > 0])), "group")
            few.append(f"{metric.name} {result.value:.3g} ({groups}, chance {chance[name]:.3g})")
    return [
        Warned(kind, f"{said}: {', '.join(found)}")
        for kind, said, found in (
            ("at chance", "not clearly above chance", low_ones),
            ("other", "too few groups to tell from chance", few),
        )
        if found
    ]


def _with_chance(metric: str, log: TaskLog) -> str | None:
    """Returns the card's name of a task's metric with a chance; None if the card has none."""
    own = (f"{test}_{metric}" for test in log.card.tests if f"_{test}_" in f"{log.task}_")
    return next((name for name in (metric, *own) if name in log.card.chance), None)


def opinion_on(log: TaskLog) -> tuple[str, list[Answer]]:
    """Returns what our reader finds in the replies to somebody else's multiple-choice task.

    Returns:
        The task's metric, and each reply to a question with options, with its score and our letter.

    Raises:
        TempbenchError: The documents are not here or have no options, or no metric scores single questions.
    """
    docs = log.other.documents if log.other else {}
    if not log.other or not any(map(opinion.options_of, docs.values())):
        why = "its documents have no options" if docs else "the task or its data is not on this machine"
        raise TempbenchError(f"no second opinion, because {why}")
    scores = log.other.scores
    found = [
        opinion.answer(one.id, one.reply, one.prompt, docs.get(one.id, {}), one.target, scores[one.id])
        for one in log.samples
        if one.id in scores and not one.record["failed"]
    ]
    if answers := [one for one in found if one is not None]:
        return next(iter(log.other.metrics), ""), answers
    raise TempbenchError("no second opinion, because no metric scores single questions")


def _silent_replies(log: TaskLog) -> list[Warned]:
    try:
        answers = opinion_on(log)[1] if log.other else []
    except TempbenchError:
        return []
    silent = [one for one in answers if one.letter is None]
    n_right = sum(one.score > 0 for one in silent)
    if len(silent) < _ENOUGH_SILENT or not n_right:
        return []
    default = opinion.default_letter(answers)
    taken = f" (it takes them for {default})" if default else ""
    text = f"the task scores {n_right} of {len(silent)} replies that say no letter as right{taken}"
    return [Warned("other", text)]
