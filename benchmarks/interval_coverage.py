"""How often the 95 % interval of a share covers the true value, near 0 and 1 too.

A study has clusters of 1 to 6 questions. A cluster draws one answer; each of its questions takes that one
with probability 0.5, else draws its own, so that questions of a cluster are correlated by 0.25. Gated: a
question counts where a second draw, made the same way, says so in 60 % of the cases.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import timing
from numpy.typing import NDArray

from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.metrics.resampling import interval

SHARES = (0, 0.01, 0.03, 0.5, 0.97, 0.99, 1)
CLUSTERS = (10, 20, 50, 100, 400)
_SAME = 0.5
_COUNTS = 0.6


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


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields the coverage of each number of clusters and share."""
    for gated in (False, True):
        for n_clusters in CLUSTERS:
            for share in SHARES:
                found = 100 * coverage(share, n_clusters, gated, 400 if quick else 2000)
                what = f"{'gated' if gated else 'plain'}, {n_clusters} clusters, true share {share:g}"
                yield timing.Row(what, [found], "%", at_least=93)


def lines(n_studies: int) -> Iterator[str]:
    """Yields the table."""
    yield "| | clusters | " + " | ".join(f"p = {share:g}" for share in SHARES) + " |"
    yield "|---|---:|" + "---:|" * len(SHARES)
    for gated in (False, True):
        for n_clusters in CLUSTERS:
            found = [f"{coverage(share, n_clusters, gated, n_studies):.1%}" for share in SHARES]
            yield f"| {'gated' if gated else 'plain'} | {n_clusters} | " + " | ".join(found) + " |"


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=4000)
    options.add_argument("--quick", action="store_true", help="fewer studies")
    args = options.parse_args()
    for line in lines(400 if args.quick else args.studies):
        print(line, flush=True)


if __name__ == "__main__":
    main()
