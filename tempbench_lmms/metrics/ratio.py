"""The common form of all metrics, a ratio of sums over the sampled units, with its error and its interval.

Accuracy, "MT given GT strict", a positive-negative ratio, IoU-gated accuracy, F1 = 2TP / (2TP + FP + FN) and
a mean of scores all are sum(numerator) / sum(denominator). Written that way, one function gives the value
of each, one its interval, and the counts always come with the ratio. Thousands of resamples are one matrix
product.

The slope, the gain and the area of a question's curve over a growing budget are linear in its scores. Their
means over questions are therefore those of the mean curve, and each is a `Ratio` too.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Resamples at a time: 16 MB of draws, whatever the number of clusters.
_BLOCK = 2_000_000
_MIN_DEFINED = 0.99
_MORE_DEGREES = 4
_ROUNDING = 1e-12
_TINY = 1e-300


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


# ---- standard errors, by resampling whole clusters


def sums_by_cluster(metric: Sums) -> Floats:
    """Returns each cluster's sums of terms, shape (n_clusters, m)."""
    terms = metric.terms
    sums = np.zeros((int(metric.cluster.max(initial=-1)) + 1, terms.shape[1]))
    np.add.at(sums, metric.cluster, terms)
    return sums


def by_cluster(metric: Sums) -> Statistic:
    """Returns a metric with each cluster's sums as one unit."""
    sums = sums_by_cluster(metric)
    draws = metric.draws if isinstance(metric, Statistic) else 0
    return Statistic(sums, np.arange(len(sums)), metric.function, metric.keys, draws)


def blocks(n_clusters: int, n_resamples: int) -> Iterator[int]:
    """Yields sizes that add up to `n_resamples`, each small enough for memory."""
    size = max(1, _BLOCK // n_clusters)
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


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


def bootstrap(metric: Sums, n_resamples: int = 10_000, seed: int = 0) -> Floats:
    """Returns the metric's values over resamples of whole clusters.

    Source: the pairs cluster bootstrap; Cameron, Gelbach & Miller 2008, section II.

    Returns:
        Shape (n_resamples,); NaN where a resample leaves the metric undefined. Empty where the metric needs
        one of its clusters to be defined: the spread is unknown then.
    """
    clusters = by_cluster(metric)
    if len(clusters.terms) < 2 or not np.isfinite(jackknife(clusters)).all():
        return np.empty(0)
    n = len(clusters.terms)
    parts = [
        _resampling_weights(n, size, seed + block) @ clusters.terms
        for block, size in enumerate(blocks(n, clusters.draws or n_resamples))
    ]
    return clusters.at(np.concatenate(parts))


def jackknife(metric: Sums) -> Floats:
    """Returns the metric's values with each cluster left out in turn; shape (k,)."""
    clusters = by_cluster(metric)
    return clusters.at(clusters.terms.sum(axis=0) - clusters.terms)


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


# ---- intervals


def interval(
    metric: Sums, level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Returns a confidence interval that takes clusters for the units of the sample.

    A mean of scores from 0 to 1, such as a share, gated or not, gets Wilson's interval (`wilson`): if every
    question was answered right, every resample is right too, so a bootstrap would say nothing. Any other
    metric gets a t interval with the standard error of the cluster bootstrap. If more than 1 % of the
    resamples leave the metric undefined, fewer than about five clusters enter it, and there is no interval.
    Both methods were chosen by simulation (`benchmarks/interval_coverage.py`).

    Source: Cameron & Miller 2015, section VI.

    Args:
        metric: The metric.
        level: Share of repetitions in which the interval is to cover the true value.
        n_resamples: Number of resamples.
        seed: Of the resamples.

    Returns:
        Lower and upper end; NaN, NaN where the metric or its spread is undefined.
    """
    if isinstance(metric, Ratio) and is_bounded(metric):
        return wilson(metric, level)
    clusters = by_cluster(metric)
    return Student.of(clusters, n_resamples, seed).interval(level)


@dataclass(frozen=True)
class Student:
    """What a t interval and a t test of a metric need."""

    value: float  # the metric
    error: float  # the standard error of its cluster bootstrap; NaN where too few clusters enter the metric
    # the same for n - 1: the bootstrap divides by n where an unbiased variance divides by n - 1
    scaled: float
    # the degrees of freedom: the effective number of clusters less one, at least 1. A cluster weighs what
    # it gives to the metric's sums, on average over them.
    degrees: float

    @classmethod
    def of(cls, clusters: Statistic, n_resamples: int, seed: int) -> "Student":
        """Returns those of a metric by cluster."""
        values = bootstrap(clusters, n_resamples, seed)
        error = _deviation(values)
        if not math.isfinite(error) or np.isfinite(values).sum() < _MIN_DEFINED * len(values):
            return cls(clusters.value, math.nan, math.nan, math.nan)
        sizes = np.abs(clusters.terms)[(clusters.terms != 0).any(axis=1)]
        n, totals = len(sizes), sizes.sum(axis=0)
        weights = (sizes[:, totals > 0] / totals[totals > 0]).sum(axis=1)
        scaled = error * math.sqrt(n / (n - 1))
        return cls(clusters.value, error, scaled, max(1.0, effective_number(weights) - 1))

    def interval(self, level: float) -> tuple[float, float]:
        """Returns the t interval; NaN, NaN if the standard error is unknown."""
        if math.isnan(self.scaled):
            return math.nan, math.nan
        half = self.scaled * t_quantile(self.degrees, (1 + level) / 2)
        return self.value - half, self.value + half

    @property
    def p(self) -> float:
        """The p value of a t test that the metric is 0."""
        return 2 * t_cdf(self.degrees, -abs(self.value) / self.scaled) if self.scaled else 0.0


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


# ---- Student's t; the base install has no scipy


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
