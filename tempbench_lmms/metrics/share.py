"""Intervals of means of scores from 0 to 1: how many of the questions are right, or how far.

A bootstrap says nothing of a mean at its ends: where every question was answered right, every resample is
right too. The interval here keeps its width there.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.metrics.distributions import t_quantile
from tempbench_lmms.metrics.ratio import Ratio

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
