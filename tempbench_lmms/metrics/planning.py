"""Computes the smallest difference between two runs that a set of questions can detect.

What matters is not the number of questions but how a metric varies between groups: questions about the same
pictures tend to be right or wrong together, and a gate lets only some of them count.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass

from tempbench_lmms.metrics.ratio import Ratio, Sums, by_cluster, is_bounded, jackknife, t_quantile

_MOST = 2**23


@dataclass(frozen=True)
class Spread:
    """How a metric of one run varies."""

    value: float  # the metric
    error: float  # its standard error; NaN if too few groups enter it
    n_clusters: int  # number of groups that enter it
    is_share: bool = False  # whether it lies between 0 and 1

    @property
    def farthest(self) -> float:
        """The largest possible difference of another run."""
        return max(self.value, 1 - self.value) if self.is_share else math.inf


def spread(metric: Sums) -> Spread:
    """Returns a metric's variation between groups, by leaving out each group in turn.

    What is printed in percent is planned for as a share.

    Source: the delete-one-cluster jackknife; Efron & Tibshirani 1993, section 11.2.
    """
    clusters = by_cluster(metric)
    entering = (clusters.terms != 0).any(axis=1)
    top = metric.top if isinstance(metric, Ratio) else 1.0
    left_out, value = jackknife(clusters)[entering] / top, clusters.value / top
    n = len(left_out)
    is_share = isinstance(metric, Ratio) and is_bounded(metric)
    if n < 2:
        return Spread(value, math.nan, n, is_share)
    squares = float(((left_out - left_out.mean()) ** 2).sum())
    return Spread(value, math.sqrt((n - 1) / n * squares), n, is_share)


def of_difference(error: float, correlation: float) -> float:
    """Returns the standard error of the difference of two runs over the same questions.

    Both have the same standard error, and their groups' results have this correlation: Var(A - B) = 2 Var(A)
    (1 - correlation).

    >>> round(of_difference(0.03, 0.875), 10)
    0.015
    """
    return error * math.sqrt(2 * (1 - correlation))


def detectable(error: float, n_clusters: int, level: float = 0.05, power: float = 0.8) -> float:
    """Returns the smallest true difference that a two-sided t test over groups detects with this power.

    Source: Bloom 1995, the minimum detectable effect: the standard error times the sum of two quantiles of
    Student's t, here with the number of groups less one for its degrees of freedom.

    Args:
        error: Standard error of the difference.
        n_clusters: Number of groups.
        level: Of the test.
        power: Probability that the test detects such a difference.

    Returns:
        The difference; NaN for one group, or where the error is unknown.

    >>> round(detectable(0.01, 10_000), 4)
    0.028
    """
    degrees = n_clusters - 1
    return error * (t_quantile(degrees, 1 - level / 2) + t_quantile(degrees, power))


def clusters_needed(
    error: float, n_clusters: int, difference: float, level: float = 0.05, power: float = 0.8
) -> int | None:
    """Returns how many groups detect a difference; None if no number does, or the spread is unknown.

    Args:
        error: Standard error of the difference with `n_clusters` groups.
        n_clusters: Number of groups.
        difference: The difference to detect.
        level: Of the test.
        power: Probability that the test detects it.

    >>> clusters_needed(0.01, 500, detectable(0.01, 500))
    500
    """
    if n_clusters < 2 or not math.isfinite(error) or difference <= 0:
        return None
    alone = error * math.sqrt(n_clusters)

    def enough(n: int) -> bool:
        return detectable(alone / math.sqrt(n), n, level, power) <= difference * (1 + 1e-9)

    sizes = range(2, _MOST + 1)
    found = bisect_left(sizes, True, key=enough)
    return sizes[found] if found < len(sizes) else None
