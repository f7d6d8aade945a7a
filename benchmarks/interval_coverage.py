"""How often the 95 % interval of a share or of a mean score covers the true value, near 0 and 1 too.

Shares: a study has clusters of 1 to 6 questions. A cluster draws one answer; each of its questions takes that
one with probability 0.5, else draws its own, so that questions of a cluster are correlated by 0.25. Gated: a
question counts where a second draw, made the same way, says so in 60 % of the cases.

Mean scores (`SCORES`): the questions of a cluster share an ease, which is uniform from 0 to 1. Clusters are
equal (3 questions), unequal (1 to 6) or very unequal (geometric, 5 on average). The table compares the method
used here with others; `--scores`, `--sizes` and `--groups` choose its rows.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from tempbench_lmms.metrics.ratio import Ratio, by_cluster, interval

SHARES = (0, 0.01, 0.03, 0.5, 0.97, 0.99, 1)
CLUSTERS = (10, 20, 50, 100, 400)
_SAME = 0.5
_COUNTS = 0.6
_RESAMPLES = 999

Draw = Callable[[np.random.Generator, NDArray[np.float64]], NDArray[np.float64]]
"""From the ease of each question to its score."""
Ends = tuple[float, float]


def _where(share: float) -> Draw:
    """Returns scores that are 0 but for a share of the questions, such as the IoU of time spans."""
    return lambda generator, ease: (
        (generator.random(len(ease)) < 2 * share * ease) * generator.beta(2, 2, len(ease))
    )


SCORES: dict[str, Draw] = {
    "half of the scores 0": _where(0.5),
    "70 % of the scores 0": _where(0.3),
    "90 % of the scores 0": _where(0.1),
    "skewed, from 0 to 1": lambda generator, ease: generator.beta(0.5 + ease, 4),
    "right or wrong": lambda generator, ease: (generator.random(len(ease)) < 0.6 * ease).astype(float),
    "normal, unbounded": lambda generator, ease: generator.normal(2 * ease, 1),
    "exponential, unbounded": lambda generator, ease: generator.exponential(0.5 + ease),
    "difference of two runs": lambda generator, ease: (
        _where(0.4)(generator, ease) - _where(0.2)(generator, ease)
    ),
}
SIZES: dict[str, Callable[[np.random.Generator, int], NDArray[np.int64]]] = {
    "equal": lambda generator, n: np.full(n, 3),
    "unequal": lambda generator, n: generator.integers(1, 7, n),
    "very unequal": lambda generator, n: generator.geometric(0.2, n),
}
GROUPS = (5, 8, 15, 30, 100, 200)


def mean_study(generator: np.random.Generator, draw: Draw, sizes: str, n_clusters: int) -> Ratio:
    """Returns one study's mean score."""
    cluster = np.repeat(np.arange(n_clusters), SIZES[sizes](generator, n_clusters))
    scores = draw(generator, generator.random(n_clusters)[cluster])
    return Ratio(scores, np.ones(len(cluster)), cluster, tuple(range(n_clusters)))


def _t(metric: Ratio, resamples: NDArray[np.float64] | None = None) -> tuple[float, float, Ends]:
    """Returns the mean, its linearised error, and the quantiles of Student's t, or of its bootstrap."""
    sums = by_cluster(metric).terms
    n = len(sums)

    def error(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        means = Ratio.function(weights @ sums)
        squares = weights @ np.stack([sums[:, 0] ** 2, sums[:, 0] * sums[:, 1], sums[:, 1] ** 2], axis=1)
        residuals = squares[:, 0] - 2 * means * squares[:, 1] + means**2 * squares[:, 2]
        return means, np.sqrt(n / (n - 1) * np.maximum(residuals, 0)) / (weights @ sums)[:, 1]

    (mean,), (own,) = error(np.ones((1, n)))
    if resamples is None:
        quantile = float(stdtrit(n - 1, 0.975))
        return mean, own, (-quantile, quantile)
    means, errors = error(resamples)
    with np.errstate(all="ignore"):
        ts = np.nan_to_num((means - mean) / errors, posinf=1e9, neginf=-1e9)
    low, high = np.quantile(ts, (0.025, 0.975))
    return mean, own, (float(low), float(high))


def _t_over_clusters(metric: Ratio) -> Ends:
    mean, error, (low, high) = _t(metric)
    return mean - high * error, mean - low * error


def _bootstrap_t(metric: Ratio) -> Ends:
    n = len(metric.keys)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), _RESAMPLES).astype(float)
    mean, error, (low, high) = _t(metric, drawn)
    return mean - high * error, mean - low * error


def _bca(metric: Ratio, level: float = 0.95) -> Ends:
    from scipy import stats  # takes long to import, and the tests import this file

    sums = by_cluster(metric).terms
    with np.errstate(all="ignore"):
        found = stats.bootstrap(
            (sums[:, 0], sums[:, 1]),
            lambda one, other, axis: one.sum(axis=axis) / other.sum(axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=_RESAMPLES,
            confidence_level=level,
            random_state=np.random.default_rng(0),
        ).confidence_interval
    mean = metric.value  # no interval where all clusters are the same
    return (mean, mean) if math.isnan(found.low) else (float(found.low), float(found.high))


def _expanded_bca(metric: Ratio) -> Ends:
    """Source: Hesterberg 2015, What Teachers Should Know About the Bootstrap, section 5.3.2."""
    n = len(metric.keys)
    wider = math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, 0.975))
    return _bca(metric, 2 * float(ndtr(wider)) - 1)


METHODS: dict[str, Callable[[Ratio], Ends]] = {
    "here": interval,
    "t over clusters": _t_over_clusters,
    "bootstrap-t": _bootstrap_t,
    "BCa": _bca,
    "BCa, wider by t": _expanded_bca,
}


def mean_coverage(
    scores: str, sizes: str, n_clusters: int, method: str, n_studies: int, seed: int = 0
) -> tuple[float, float]:
    """Returns the share of the studies whose interval covers the true mean, and the median width."""
    generator = np.random.default_rng(seed)
    true = float(SCORES[scores](generator, generator.random(1_000_000)).mean())
    studies = (mean_study(generator, SCORES[scores], sizes, n_clusters) for _ in range(n_studies))
    ends = np.array([METHODS[method](one) for one in studies])
    covered = (ends[:, 0] - 1e-12 <= true) & (true <= ends[:, 1] + 1e-12)
    return float(covered.mean()), float(np.median(ends[:, 1] - ends[:, 0]))


def _draw(generator: np.random.Generator, share: float, cluster: NDArray[np.int64]) -> NDArray[np.float64]:
    common = generator.random(int(cluster[-1]) + 1)[cluster] < share
    own = generator.random(len(cluster)) < share
    return np.where(generator.random(len(cluster)) < _SAME, common, own).astype(np.float64)


def study(generator: np.random.Generator, share: float, n_clusters: int, gated: bool) -> Ratio:
    """Returns one study's share."""
    cluster = np.repeat(np.arange(n_clusters), generator.integers(1, 7, n_clusters))
    counts = _draw(generator, _COUNTS, cluster) if gated else np.ones(len(cluster))
    return Ratio(_draw(generator, share, cluster) * counts, counts, cluster)


def coverage(share: float, n_clusters: int, gated: bool, n_studies: int, seed: int = 0) -> float:
    """Returns the share of the studies whose interval covers the true value."""
    generator = np.random.default_rng(seed)
    ends = [interval(study(generator, share, n_clusters, gated)) for _ in range(n_studies)]
    return float(np.mean([low - 1e-12 <= share <= high + 1e-12 for low, high in ends]))


def lines(n_studies: int) -> Iterator[str]:
    """Yields the table of shares."""
    yield "| | clusters | " + " | ".join(f"p = {share:g}" for share in SHARES) + " |"
    yield "|---|---:|" + "---:|" * len(SHARES)
    for gated in (False, True):
        for n_clusters in CLUSTERS:
            found = [f"{coverage(share, n_clusters, gated, n_studies):.1%}" for share in SHARES]
            yield f"| {'gated' if gated else 'plain'} | {n_clusters} | " + " | ".join(found) + " |"


def mean_lines(n_studies: int, *chosen: Sequence[Any]) -> Iterator[str]:
    """Yields the table of mean scores: coverage, and the median width by that of the method used here."""
    yield "| scores | clusters | " + " | ".join(METHODS) + " |"
    yield "|---|---|" + "---:|" * len(METHODS)
    for scores, sizes, n_clusters in itertools.product(*chosen):
        found = [mean_coverage(scores, sizes, n_clusters, method, n_studies) for method in METHODS]
        cells = [f"{covered:.1%}, {width / found[0][1]:.2f}" for covered, width in found]
        yield f"| {scores} | {n_clusters} {sizes} | " + " | ".join(cells) + " |"


def main() -> None:
    """Prints the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=2000)
    options.add_argument("--scores", nargs="+", choices=SCORES, default=list(SCORES), metavar="SCORES")
    options.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    options.add_argument("--groups", nargs="+", type=int, default=list(GROUPS))
    args = options.parse_args()
    means = mean_lines(args.studies, args.scores, args.sizes, args.groups)
    for line in itertools.chain(lines(args.studies), [""], means):
        print(line, flush=True)


if __name__ == "__main__":
    main()
