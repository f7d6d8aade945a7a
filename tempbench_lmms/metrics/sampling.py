"""The draw of a fixed tenth of a benchmark's clusters (`card.Cluster`), and their random order.

Gates, pairs and swaps are within one cluster, so a part with whole clusters keeps them unchanged. A metric
that compares one cluster with all others would change, so no part is drawn from tasks with such a metric.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping

LITE = "lite-1"
"""The draw of the `_lite` tasks. Another one has another name, since its numbers are of other questions."""
SHARE = 0.1
LEAST = 10


def drawn(
    strata: Mapping[str, str], version: str = LITE, share: float = SHARE, least: int = LEAST
) -> set[str]:
    """Returns the clusters of a part: those with the lowest hashes in each stratum.

    A cluster's hash depends on its name, and a stratum's number of clusters on its own size. So a cluster
    that is missing in one table affects only its stratum, and one drawn in one table is probably drawn in
    others. Strata with a share of less than one cluster are pooled. A fractional share is rounded up or down
    by a hash of the stratum, up with the probability of its fraction.

    Source: stratified sampling with proportional allocation, Cochran 1977, chapter 5; by permanent random
    numbers, so that samples of changing lists stay alike: Ohlsson 1995.

    Args:
        strata: The stratum of each cluster.
        version: Names the draw; another name draws other groups.
        share: The share of the clusters to draw, from 0 to 1.
        least: The smallest number of clusters to draw; all if there are fewer.

    >>> sorted(drawn({f"{i:02}": "even" if i % 2 == 0 else "odd" for i in range(40)}, least=1))
    ['03', '06', '36', '37']
    """
    if not strata:
        return set()
    share = min(1.0, max(share, least / len(strata)))
    sizes = Counter(strata.values())
    members: dict[str, list[str]] = {}
    for cluster in shuffled(strata, version):
        own = strata[cluster]
        members.setdefault(own if share * sizes[own] >= 1 else "pooled", []).append(cluster)
    kept = {
        cluster
        for own, clusters in members.items()
        for cluster in clusters[: math.floor(share * len(clusters) + _fraction(version, own))]
    }
    missing = max(0, min(least, len(strata)) - len(kept))
    return kept | {*[one for one in shuffled(strata, version) if one not in kept][:missing]}


def _fraction(version: str, stratum: str) -> float:
    return int(hashed(version, f"stratum {stratum}")[:8], 16) / 2**32


def shuffled(clusters: Iterable[str], seed: str) -> list[str]:
    """Returns clusters in a random order that is the same everywhere for the same seed."""
    return sorted(set(clusters), key=lambda cluster: hashed(seed, cluster))


def hashed(seed: str, cluster: str) -> str:
    """Returns a hash that sorts clusters into a random order."""
    return hashlib.sha256(f"{seed}|{cluster}".encode()).hexdigest()
