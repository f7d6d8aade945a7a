"""Metrics that are a function of several sums: a mean of accuracies, a logarithm of odds.

`Ratio` is the common case with two sums; this is the general one, with the same bootstrap over clusters.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.metrics.ratio import Floats, _deviation, _resampling_weights


@dataclass(frozen=True)
class Statistic:
    """function(sum of terms) over n units.

    Attributes:
        terms: Shape (n, m).
        cluster: Shape (n,), integers; units of one cluster are resampled together.
        function: Takes sums of shape (..., m) and returns values of shape (...); NaN where undefined.
        keys: The clusters' names, by those integers; two runs are paired by them.
    """

    terms: Floats
    cluster: NDArray[np.int64]
    function: Callable[[Floats], Floats]
    keys: tuple[Hashable, ...] = ()

    @property
    def value(self) -> float:
        """The statistic; NaN where it is undefined."""
        with np.errstate(all="ignore"):
            return float(self.function(self.terms.sum(axis=0)))

    def standard_error(self, n_resamples: int = 1000, seed: int = 0) -> float:
        """Returns the cluster-bootstrap standard error; NaN for fewer than two clusters."""
        if len(np.unique(self.cluster)) < 2:
            return float("nan")
        n_clusters = int(self.cluster.max()) + 1
        sums = np.zeros((n_clusters, self.terms.shape[1]))
        np.add.at(sums, self.cluster, self.terms)
        with np.errstate(all="ignore"):
            return _deviation(self.function(_resampling_weights(n_clusters, n_resamples, seed) @ sums))


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
    table = np.array(list(terms), dtype=np.float64).reshape(-1, width)
    seen: dict[Hashable, int] = {}
    cluster = np.array([seen.setdefault(key, len(seen)) for key in clusters], dtype=np.int64)
    if len(cluster) != len(table):
        raise ValueError(f"{len(table)} terms, {len(cluster)} clusters")
    return Statistic(table, cluster, function, tuple(seen))


def mean_of_ratios(sums: Floats) -> Floats:
    """Returns the mean of k ratios; undefined where one of them is.

    Args:
        sums: Shape (..., 2k): k numerators, then k denominators.
    """
    numerators, denominators = np.split(sums, 2, axis=-1)
    mean: Floats = np.where(denominators != 0, numerators / denominators, np.nan).mean(axis=-1)
    return mean


def smoothed_log_odds(sums: Floats) -> Floats:
    """Returns log((a + 0.5) / (b + 0.5)) of sums of shape (..., 2); NaN where both are 0."""
    positive, negative = sums[..., 0], sums[..., 1]
    odds: Floats = np.where(positive + negative > 0, np.log((positive + 0.5) / (negative + 0.5)), np.nan)
    return odds
