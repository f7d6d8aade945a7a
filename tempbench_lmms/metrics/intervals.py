"""Intervals of means of scores from 0 to 1, and the distributions that intervals and tests need.

A bootstrap says nothing of a mean at its ends: where every question was answered right, every resample is
right too. Wilson's interval keeps its width there. The base install has no scipy.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.metrics.ratio import Ratio

_TINY = 1e-300


def t_cdf(degrees: float, t: float) -> float:
    """Returns the probability that a t-distributed number is at most `t`.

    Source: the incomplete beta function, DLMF 8.17.22 (its continued fraction by Lentz's algorithm).

    >>> round(t_cdf(10, -2.228138852), 6), t_cdf(3, 0)
    (0.025, 0.5)
    """
    tail = _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2
    return tail if t < 0 else 1 - tail


@lru_cache(maxsize=1024)  # the metrics of a task have few numbers of degrees of freedom
def t_quantile(degrees: float, p: float) -> float:
    """Returns the number that a t-distributed one is below with probability `p`; NaN without degrees.

    >>> round(t_quantile(10, 0.975), 9), t_quantile(4, 0.5), round(t_quantile(1, 0.75), 12)
    (2.228138852, 0.0, 1.0)
    """
    if not degrees > 0 or not 0 < p < 1:
        return math.nan
    if p < 0.5:
        return -t_quantile(degrees, 1 - p)
    low, high = 0.0, 1.0
    while t_cdf(degrees, -high) > 1 - p:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_cdf(degrees, -middle) > 1 - p else (low, middle)
    return high if p > 0.5 else 0.0


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


def _incomplete_beta(a: float, b: float, x: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - _incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _apart(1 + numerator * d)
            c = _apart(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return math.exp(log_front) * value / a


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


_MORE_DEGREES = 4
_ROUNDING = 1e-12


def is_bounded(metric: Ratio) -> bool:
    """Returns whether every unit's score is between 0 and 1 (or its `top`); shares are one case."""
    return metric.bounded and bool(
        ((metric.numerator >= 0) & (metric.numerator <= metric.top * metric.denominator)).all()
    )


def effective_number(weights: NDArray[Any]) -> float:
    """Returns how many equal parts are worth as much as parts of these weights.

    Source: Kish 1965, Survey Sampling.

    >>> effective_number(np.array([1.0, 1.0, 2.0]))
    2.6666666666666665
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def wilson(metric: Ratio, level: float = 0.95) -> tuple[float, float]:
    """Returns the score interval of a mean of scores from 0 to 1, for questions in clusters.

    It is Wilson's interval with the effective number of questions. Three factors give that number: the number
    of questions; how much less scores vary than right and wrong answers of the same mean would (1 for a
    share); and the design effect, which is the mean's variance between clusters (linearised, so that the
    denominator may vary) over that of independent questions, and at least 1. If all scores are equal, nothing
    is known of their variance, and each cluster counts as one question. Student's t replaces the normal
    quantile. Its degrees of freedom are the effective number of clusters less one, and at most four more than
    the clusters with the rarer answer (a score above 0, or below 1), since a variance that rests on few of
    them is uncertain. The four were chosen by simulation (`benchmarks/interval_coverage.py`).

    Source: Wilson 1927; Korn & Graubard 1998 for the effective number and the t quantile; Dean & Pagano 2015
    find that Wilson's interval so changed covers well near 0 and 1.

    Args:
        metric: A mean of scores from 0 to 1 (`is_bounded`).
        level: Share of repetitions in which the interval is to cover the true value.

    Returns:
        Lower and upper end, from 0 to 1 (or `top`); NaN, NaN where fewer than two clusters enter the
        denominator.

    >>> from tempbench_lmms.metrics.ratio import ratio
    >>> [round(end, 2) for end in wilson(ratio([(1, 1)] * 20, range(20)))]
    [0.72, 1.0]
    """
    known = _known(metric)
    if known is None:
        return math.nan, math.nan
    mean, n, degrees = known
    quantile = t_quantile(degrees, (1 + level) / 2)
    middle = mean + quantile**2 / (2 * n)
    half = quantile * math.sqrt(mean * (1 - mean) / n + quantile**2 / (4 * n**2))
    scale = 1 + quantile**2 / n
    low, high = max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
    return low * metric.top, high * metric.top


def _known(metric: Ratio) -> tuple[float, float, float] | None:
    """Returns the mean, the effective number of questions and the degrees of freedom; None for one group."""
    scores = metric.numerator / metric.top
    counts, totals = (
        np.bincount(metric.cluster, terms, len(metric.keys)) for terms in (scores, metric.denominator)
    )
    counts, totals = counts[totals > 0], totals[totals > 0]
    n_clusters, total = len(totals), float(totals.sum())
    if n_clusters < 2:
        return None
    mean = float(counts.sum()) / total
    n_effective = effective_number(totals)
    n = effective_number(metric.denominator)
    counting = metric.denominator > 0
    squares = scores[counting] ** 2 / metric.denominator[counting]
    spread = float(squares.sum()) / total - mean**2
    if spread > _ROUNDING * mean**2:
        residuals = counts - mean * totals
        variance = n_clusters / (n_clusters - 1) * float((residuals**2).sum()) / total**2
        design_effect = max(1.0, variance * (n - 1) / spread)
        n *= mean * (1 - mean) / spread / design_effect
    else:
        n = n_effective
    n_rarer = min((counts > 0).sum(), (counts < totals).sum())
    degrees = max(1.0, min(n_effective - 1, n_rarer + _MORE_DEGREES))
    return mean, n, degrees
