"""Intervals of shares: how many of the questions are right, also behind a gate.

A bootstrap says nothing of a share at its ends: where every question was answered right, every resample is
right too. The interval here keeps its width there.
"""

import math

import numpy as np
from scipy.special import stdtrit

from tempbench_lmms.metrics.ratio import Ratio

_MORE_DEGREES = 4


def is_share(metric: Ratio) -> bool:
    """Whether every unit counts wholly or not at all, whatever its weight."""
    whole = (metric.numerator == 0) | (metric.numerator == metric.denominator)
    return bool((whole & (metric.denominator >= 0)).all())


def wilson(metric: Ratio, level: float = 0.95) -> tuple[float, float]:
    """Returns the score interval of a share whose questions come in clusters.

    It is Wilson's interval with the effective number of questions: their number by the design effect, the
    share's variance between clusters (linearised, so that the denominator may vary) by that of independent
    questions. The design effect is at least 1. Where all questions are alike nothing is known of it, and
    each cluster counts as one question. For the normal quantile stands that of Student's t: the degrees of
    freedom are the clusters less one, and no more than the clusters with the rarer answer plus four, since a
    variance that rests on few of them is uncertain. The four were chosen by simulation
    (`benchmarks/interval_coverage.py`).

    Source: Wilson 1927; Korn & Graubard 1998 for the effective number and the t quantile; Dean & Pagano 2015
    find that Wilson's interval so changed covers well near 0 and 1.

    Args:
        metric: A share (`is_share`).
        level: Share of repetitions in which the interval is to cover the true value.

    Returns:
        Lower and upper end, from 0 to 1; NaN, NaN where fewer than two clusters enter the denominator.

    >>> from tempbench_lmms.metrics.ratio import ratio
    >>> [round(end, 2) for end in wilson(ratio([(1, 1)] * 20, range(20)))]
    [0.72, 1.0]
    """
    counts, totals = (
        np.bincount(metric.cluster, terms, len(metric.keys))
        for terms in (metric.numerator, metric.denominator)
    )
    counts, totals = counts[totals > 0], totals[totals > 0]
    n_clusters, total = len(totals), float(totals.sum())
    if n_clusters < 2:
        return math.nan, math.nan
    share = float(counts.sum()) / total
    # Kish's number: what the questions, or the clusters, are worth where their weights differ.
    n = total**2 / float((metric.denominator**2).sum())
    alone = share * (1 - share) / (n - 1)
    if alone > 0:
        residuals = counts - share * totals
        variance = n_clusters / (n_clusters - 1) * float((residuals**2).sum()) / total**2
        n /= max(1.0, variance / alone)
    else:
        n = total**2 / float((totals**2).sum())
    n_rarer = min((counts > 0).sum(), (counts < totals).sum())
    degrees = min(n_clusters - 1, n_rarer + _MORE_DEGREES)
    quantile = float(stdtrit(degrees, (1 + level) / 2))
    middle = share + quantile**2 / (2 * n)
    half = quantile * math.sqrt(share * (1 - share) / n + quantile**2 / (4 * n**2))
    scale = 1 + quantile**2 / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
