"""Tests of differences between runs, and intervals over repeats, by resampling whole clusters.

A metric is any function of sums over clusters (`Sums`); `Ratio` is the common one.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from tempbench_lmms.metrics.ratio import (
    Floats,
    Ratio,
    Statistic,
    Student,
    Sums,
    blocks,
    by_cluster,
    interval,
    is_bounded,
)

_NORMAL = NormalDist()
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Difference:
    """How a metric differs between two runs over the same questions."""

    first: float  # the first run's value
    second: float  # the second run's value
    value: float  # first minus second
    low: float  # lower end of the difference's confidence interval; NaN where too few clusters enter it
    high: float  # upper end
    standard_error: float  # of the difference
    # probability of a difference at least as large were there none; NaN where the metric is undefined in
    # a run or too few clusters enter it
    p: float
    n_clusters: int  # number of clusters
    n_differing: int  # those in which the runs differ


def paired_difference(
    first: Sums, second: Sums, level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> Difference:
    """Compares a metric between two runs, paired by the clusters' keys.

    The interval is a t interval with the standard error of the paired cluster bootstrap: a resample draws the
    same clusters for both runs. The p value is the larger of two: that of the paired randomisation test,
    which is exact where the runs are alike (each cluster's answers could as well have come from the other
    run), and that of the t test that belongs to the interval, which holds where they have the same value and
    are otherwise unlike (one of them passes far fewer questions through a gate).
    Source: Efron & Tibshirani 1993, chapter 15; Cameron & Miller 2015, section VI for t.

    Args:
        first: The metric of the first run.
        second: The metric of the second run.
        level: Of the interval.
        n_resamples: Number of resamples, and of exchanges in the test.
        seed: Of both.

    Raises:
        ValueError: The metrics' clusters have no keys, or they are different metrics.
    """
    one, other = by_cluster(first), by_cluster(second)
    keys, sums = aligned([one, other])
    width = one.terms.shape[1]

    def function(both: Floats) -> Floats:
        return one.at(both[..., :width]) - one.at(both[..., width:])

    clusters = Statistic(sums, np.arange(len(sums)), function, keys, one.draws)
    student = Student.of(clusters, n_resamples, seed)
    low, high = student.interval(level)
    return Difference(
        first=one.value,
        second=other.value,
        value=clusters.value,
        low=low,
        high=high,
        standard_error=student.error,
        p=max(_exchange_test(clusters, width, n_resamples, seed), student.p) if low <= high else math.nan,
        n_clusters=len(keys),
        n_differing=int((sums[:, :width] != sums[:, width:]).any(axis=1).sum()),
    )


def aligned(metrics: Sequence[Statistic]) -> tuple[tuple[Hashable, ...], Floats]:
    """Returns the clusters of several runs of a metric, and each one's sums in all runs side by side.

    Args:
        metrics: The metric by cluster (`by_cluster`) in each run; a cluster that a run lacks has sums of 0.

    Raises:
        ValueError: The metrics' clusters have no keys, or they are different metrics.
    """
    if any(len(one.keys) != len(one.terms) for one in metrics):
        raise ValueError("the metric's clusters have no keys")
    if len({one.terms.shape[1] for one in metrics}) > 1:
        raise ValueError("the runs' metrics are different functions")
    keys = sorted({key for one in metrics for key in one.keys}, key=str)
    index = {key: i for i, key in enumerate(keys)}
    sums = np.zeros((len(metrics), len(keys), metrics[0].terms.shape[1]))
    for own, one in zip(sums, metrics, strict=True):
        own[[index[key] for key in one.keys]] = one.terms
    return tuple(keys), np.concatenate([*sums], axis=1)


@lru_cache(maxsize=16)
def _exchanges(n_clusters: int, n_resamples: int, seed: int) -> Floats:
    """Returns (n_resamples, n_clusters): 1 where a cluster's answers change sides."""
    generator = np.random.default_rng(seed)
    return generator.integers(0, 2, size=(n_resamples, n_clusters), dtype=np.int8).astype(np.float64)


def _exchange_test(clusters: Statistic, width: int, n_resamples: int, seed: int) -> float:
    change = clusters.terms[:, width:] - clusters.terms[:, :width]
    totals = clusters.terms.sum(axis=0)
    n, n_resamples = len(clusters.terms), clusters.draws or n_resamples
    extreme = 0
    threshold = abs(clusters.value) * (1 - _TOLERANCE) - _TOLERANCE
    for block, size in enumerate(blocks(n, n_resamples)):
        moved = _exchanges(n, size, seed + block) @ change
        values = clusters.at(np.concatenate([totals[:width] + moved, totals[width:] - moved], axis=1))
        # What is undefined after an exchange speaks for no difference: it counts against one.
        extreme += int((~(np.abs(values) < threshold)).sum())
    return (1 + extreme) / (1 + n_resamples)


def heads_at_most(k: int, n: int) -> float:
    """Returns the probability of at most `k` heads in `n` throws of a fair coin, from whole numbers.

    >>> heads_at_most(1, 6)
    0.109375
    """
    ways = total = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
        total += ways
    return float(total / 2**n)


def mcnemar(only_first: int, only_second: int) -> float:
    """Returns the p value of the exact McNemar test, two-sided.

    Source: McNemar 1947 with the binomial distribution for the chi-square.

    Args:
        only_first: Questions that only the first run got right.
        only_second: Questions that only the second run got right.

    >>> round(mcnemar(1, 5), 5)
    0.21875
    """
    return min(1.0, 2 * heads_at_most(min(only_first, only_second), only_first + only_second))


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p values adjusted for their number; NaN stays NaN and is not counted.

    Source: Holm 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    out = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        out[i] = highest
    return out


def needed_factor(difference: Difference, level: float = 0.95, power: float = 0.8) -> float:
    """Returns how many times as many questions would tell a difference of this size with this power.

    The standard error shrinks with the square root of the number of questions. Infinite for no difference.
    """
    if difference.value == 0:
        return math.inf
    z = _NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)
    return (z * difference.standard_error / difference.value) ** 2


@dataclass(frozen=True)
class Variances:
    """The parts of the variance of question scores over repeats with sampled replies.

    A question's score has a mean, which differs between questions, and a variance around that mean. More
    questions reduce the effect of the first; repeats reduce only the second.
    """

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
