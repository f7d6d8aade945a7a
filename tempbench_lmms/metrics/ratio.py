"""The common form of all metrics: a ratio of sums over the sampled units.

Accuracy, "MT given GT strict", a positive-negative ratio, IoU-gated accuracy, F1 = 2TP / (2TP + FP + FN) and
a mean of scores all are sum(numerator) / sum(denominator). Written that way, one function gives the value
of each, one its interval, and the counts always come with the ratio.

The slope, the gain and the area of a question's curve over a growing budget are linear in its scores. Their
means over questions are therefore those of the mean curve, and each is a `Ratio` too.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """sum(numerator) / sum(denominator) over n units."""

    numerator: Floats  # shape (n,)
    denominator: Floats  # shape (n,)
    # shape (n,), integers; units of one cluster (a video, an image sequence, a recipe, a place) were
    # sampled together and are resampled together
    cluster: NDArray[np.int64]
    keys: tuple[Hashable, ...] = ()  # the clusters' names, by those integers; two runs are paired by them
    top: float = 1.0  # the greatest score of a unit: 1, or 100 where scores are in percent
    bounded: bool = True  # False for metrics that can be below 0 or above `top`, whatever these units have

    @property
    def value(self) -> float:
        """The ratio; NaN where the denominator is 0: undefined is not 0."""
        total = float(self.denominator.sum())
        return float(self.numerator.sum()) / total if total else float("nan")

    @property
    def terms(self) -> Floats:
        """Numerator and denominator side by side; shape (n, 2)."""
        return np.stack([self.numerator, self.denominator], axis=1)

    @staticmethod
    def function(sums: Floats) -> Floats:
        """Returns the ratios of sums of shape (..., 2); NaN where the denominator is 0."""
        numerator, denominator = sums[..., 0], sums[..., 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(denominator != 0, numerator / denominator, np.nan)


@dataclass(frozen=True)
class Statistic:
    """function(sum of terms) over n units: a mean of accuracies, a logarithm of odds."""

    terms: Floats  # shape (n, m)
    cluster: NDArray[np.int64]  # shape (n,), integers; units of one cluster are resampled together
    # takes sums of shape (..., m) and returns values of shape (...); NaN where undefined
    function: Callable[[Floats], Floats]
    keys: tuple[Hashable, ...] = ()  # the clusters' names, by those integers; two runs are paired by them
    draws: int = 0  # maximum number of resamples, for a slow function; 0 for no limit

    def at(self, sums: Floats) -> Floats:
        """Returns the statistic at sums of shape (..., m), without warnings about undefined values."""
        with np.errstate(all="ignore"):
            return np.asarray(self.function(sums), dtype=np.float64)

    @property
    def value(self) -> float:
        """The statistic; NaN if it is undefined."""
        return float(self.at(self.terms.sum(axis=0)))


Sums = Ratio | Statistic
"""A metric that is a function of sums over units."""


def ratio(terms: Iterable[tuple[float, float]], clusters: Iterable[Hashable], bounded: bool = True) -> Ratio:
    """Builds a `Ratio`.

    Args:
        terms: One (numerator, denominator) a unit.
        clusters: One key a unit.
        bounded: As `Ratio.bounded`.

    >>> ratio([(1, 1), (0, 1), (1, 1)], ["a", "a", "b"]).value
    0.6666666666666666
    """
    found = statistic(terms, clusters, 2, Ratio.function)
    return Ratio(found.terms[:, 0], found.terms[:, 1], found.cluster, found.keys, bounded=bounded)


def statistic(
    terms: Iterable[Sequence[float]],
    clusters: Iterable[Hashable],
    width: int,
    function: Callable[[Floats], Floats],
) -> Statistic:
    """Builds a `Statistic`.

    Args:
        terms: `width` numbers a unit.
        clusters: One key a unit.
        width: How many sums there are.
        function: As `Statistic.function`.
    """
    table = np.fromiter(itertools.chain.from_iterable(terms), np.float64).reshape(-1, width)
    keys = list(clusters)
    seen = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    cluster = np.fromiter(map(seen.__getitem__, keys), np.int64, len(keys))
    if len(cluster) != len(table):
        raise ValueError(f"{len(table)} terms, {len(cluster)} clusters")
    return Statistic(table, cluster, function, tuple(seen))


def mean_of_ratios(sums: Floats) -> Floats:
    """Returns the mean of k ratios; undefined where one of them is.

    Args:
        sums: Shape (..., 2k): k numerators, then k denominators.
    """
    numerators, denominators = np.split(sums, 2, axis=-1)
    return np.asarray(np.where(denominators != 0, numerators / denominators, np.nan).mean(axis=-1))


def smoothed_log_odds(sums: Floats) -> Floats:
    """Returns log((a + 0.5) / (b + 0.5)) of sums of shape (..., 2); NaN where both are 0."""
    positive, negative = sums[..., 0], sums[..., 1]
    return np.where(positive + negative > 0, np.log((positive + 0.5) / (negative + 0.5)), np.nan)


def sums_by_cluster(metric: Sums) -> Floats:
    """Returns each cluster's sums of terms, shape (n_clusters, m)."""
    terms = metric.terms
    sums = np.zeros((int(metric.cluster.max(initial=-1)) + 1, terms.shape[1]))
    np.add.at(sums, metric.cluster, terms)
    return sums


@lru_cache(maxsize=16)
def _resampling_weights(n_clusters: int, n_resamples: int, seed: int) -> Floats:
    """Returns (n_resamples, n_clusters): how often each cluster is drawn in each resample.

    Metrics over the same units share the draw, hence the cache.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, n_clusters, size=(n_resamples, n_clusters), dtype=np.int32)
    weights = np.empty(drawn.shape)
    for row, clusters in zip(weights, drawn, strict=True):
        # Row by row the counts stay in the processor's cache: five times as fast as all at once.
        row[:] = np.bincount(clusters, minlength=n_clusters)
    return weights


def standard_error(metric: Sums, n_resamples: int = 1000, seed: int = 0) -> float:
    """Returns the standard error over resamples of whole clusters.

    Source: the pairs cluster bootstrap; Cameron, Gelbach & Miller 2008, section II.

    Returns:
        NaN where the metric is undefined, or fewer than two clusters enter it: the spread is unknown then.
    """
    entering = metric.denominator != 0 if isinstance(metric, Ratio) else slice(None)
    if len(np.unique(metric.cluster[entering])) < 2:
        return float("nan")
    sums = sums_by_cluster(metric)
    with np.errstate(all="ignore"):
        return _deviation(metric.function(_resampling_weights(len(sums), n_resamples, seed) @ sums))


def _deviation(values: Floats) -> float:
    values = values[np.isfinite(values)]
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def slope_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the least-squares slope: score a unit of budget.

    >>> [round(float(w), 6) for w in slope_weights([4, 8, 12, 16])]
    [-0.075, -0.025, 0.025, 0.075]
    """
    centred = np.asarray(budgets, np.float64) - np.mean(budgets)
    return np.asarray(centred / (centred @ centred))


def gain_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the last score minus the first."""
    return np.array([-1.0, *[0.0] * (len(budgets) - 2), 1.0])


def area_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the area under the curve by the trapezoid rule, divided by the budgets' span.

    A curve that is 1 throughout has area 1.

    >>> [round(float(w), 4) for w in area_weights([4, 8, 12, 16])]
    [0.1667, 0.3333, 0.3333, 0.1667]
    """
    steps = np.diff(np.asarray(budgets, np.float64))
    weights = np.zeros(len(budgets))
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return np.asarray(weights / steps.sum())
