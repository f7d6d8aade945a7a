"""The spread of a metric over repeats of the same questions with sampled replies.

A question's score over many replies has a mean, which differs between questions, and a variance around that
mean. More questions reduce the effect of the first; repeats reduce only the second.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tempbench_lmms.metrics.intervals import is_bounded
from tempbench_lmms.metrics.ratio import Floats, Ratio, Statistic, Sums
from tempbench_lmms.metrics.resampling import aligned, by_cluster, interval


@dataclass(frozen=True)
class Variances:
    """The parts of the variance of question scores."""

    between: float  # of the questions' own means; 0 where the replies explain all of it
    within: float  # of the replies to one question, the mean over questions


def mean_over(repeats: Sequence[Sums]) -> Statistic:
    """Returns the mean of a metric over repeats as one metric; a cluster holds all replies to a group.

    Resampled by these clusters, it varies with the questions and with the replies to them.

    Args:
        repeats: The metric of each repeat.

    Raises:
        ValueError: The metrics' clusters have no keys, or they are different metrics.
    """
    tables = [by_cluster(one) for one in repeats]
    keys, sums = aligned(tables)

    def function(of_all: Floats) -> Floats:
        parts = np.split(of_all, len(tables), axis=-1)
        return np.asarray(np.mean([one.at(part) for one, part in zip(tables, parts, strict=True)], axis=0))

    return Statistic(sums, np.arange(len(sums)), function, keys)


def pooled(repeats: Sequence[Ratio]) -> Ratio:
    """Returns one ratio over the units of all repeats; its value is their mean where they count alike."""
    numbers = {key: i for i, key in enumerate(dict.fromkeys(key for one in repeats for key in one.keys))}
    clusters = [np.array([numbers[key] for key in one.keys], np.int64)[one.cluster] for one in repeats]
    return Ratio(
        np.concatenate([one.numerator for one in repeats]),
        np.concatenate([one.denominator for one in repeats]),
        np.concatenate(clusters),
        tuple(numbers),
        repeats[0].top,
    )


def interval_of(repeats: Sequence[Sums], level: float = 0.95) -> tuple[float, float]:
    """Returns the confidence interval of a metric's mean over repeats.

    If every repeat is a mean of scores from 0 to 1 over the same number of units, the interval is that of the
    mean of all these scores.

    Args:
        repeats: The metric of each repeat.
        level: Share of repetitions, with other questions and replies, in which it should cover the true
            value.

    Returns:
        Lower and upper end; NaN, NaN where the metric or its spread is undefined.
    """
    ratios = [one for one in repeats if isinstance(one, Ratio) and is_bounded(one)]
    if len(ratios) == len(repeats) and len({float(one.denominator.sum()) for one in ratios}) == 1:
        return interval(pooled(ratios), level)
    return interval(mean_over(repeats), level)


def variances(scores: Floats) -> Variances:
    """Returns the variance of question scores between questions and between replies to one.

    Both estimates are unbiased, except that a `between` below 0 is given as 0. Source: the one-way
    analysis of variance with random effects; Searle, Casella & McCulloch 1992, section 3.6.

    Args:
        scores: Shape (n, k): of n questions the scores of k replies, n and k at least 2.

    >>> variances(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]))
    Variances(between=0.16666666666666669, within=0.16666666666666666)
    """
    within = float(scores.var(axis=1, ddof=1).mean())
    return Variances(max(0.0, float(scores.mean(axis=1).var(ddof=1)) - within / scores.shape[1]), within)
