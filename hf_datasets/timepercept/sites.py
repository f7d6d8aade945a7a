"""Finds places that are one real place, and divides the places into a test and a training split.

In fMoW, an airport, its terminal and its hangars are separate places, and tiles of one raster are neighbours:
a model that was trained on one has seen the other. Places stay in one split if they are nearer to each other
than a distance, directly or through other places, if they have the same site name, or if they share a
picture.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .series import Series

_Key = tuple[str, str]  # source and place: names of places are unique in a source


@dataclass(frozen=True)
class Sites:
    """Which places belong together."""

    of: Mapping[_Key, int]  # A number for each source and place; places of one site have the same

    def several(self, keys: set[_Key]) -> list[list[str]]:
        """Returns the sites of more than one place among those given, as `source/place`."""
        groups = defaultdict(list)
        for key in sorted(keys):
            groups[self.of[key]].append("/".join(key))
        return [group for group in groups.values() if len(group) > 1]


def find(series: Sequence[Series], distance: float, same: Iterable[tuple[int, int]] = ()) -> Sites:
    """Returns the sites of places.

    Args:
        series: The places, of all sources.
        distance: Metres; places nearer to each other are of one site. With 0 distance does not count.
        same: Indices of two places each that are one for another reason, such as a picture in common.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = [*same, *_of_one_name(series), *(_near(series, distance) if distance else ())]
    ends = list(zip(*pairs, strict=True)) or [(), ()]
    graph = coo_matrix(([1] * len(pairs), ends), shape=(len(series), len(series)))
    _, labels = connected_components(graph, directed=False)
    return Sites({(one.source, one.place): int(label) for one, label in zip(series, labels, strict=True)})


def _of_one_name(series: Sequence[Series]) -> Iterator[tuple[int, int]]:
    first: dict[_Key, int] = {}
    for i, one in enumerate(series):
        if one.site:
            yield first.setdefault((one.source, one.site), i), i


def _near(series: Sequence[Series], distance: float) -> Iterator[tuple[int, int]]:
    from scipy.spatial import cKDTree

    frames = defaultdict(list)
    for i, one in enumerate(series):
        if one.position:
            frames[one.position.frame].append(i)
    for members in frames.values():
        points = [position.metres for i in members if (position := series[i].position)]
        for a, b in cKDTree(points).query_pairs(distance):
            yield members[a], members[b]


def split(
    found: Mapping[str, Sequence[Series]], sites: Sites, seed: int, test_share: float
) -> dict[str, dict[str, list[Series]]]:
    """Returns each source's places of the `test` and `train` splits; no site is in both.

    Sites are drawn at random until the share of the places is reached; one that would exceed it is left for
    training. What an earlier source has decided of a site holds for the next.
    """
    decided: dict[int, str] = {}
    splits = {}
    for name, series in found.items():
        groups = defaultdict(list)
        for one in sorted(series, key=lambda one: one.place):
            groups[sites.of[one.source, one.place]].append(one)
        drawn = random.Random(f"{seed}/split").sample(list(groups), len(groups))
        wanted = round(test_share * len(series))
        n_test = sum(len(groups[site]) for site in drawn if decided.get(site) == "test")
        open_sites = [site for site in drawn if site not in decided]
        for site in open_sites:
            fits = n_test + len(groups[site]) <= wanted
            decided[site] = "test" if fits else "train"
            n_test += len(groups[site]) if fits else 0
        if wanted and not n_test and len(open_sites) > 1:
            decided[min(open_sites, key=lambda site: len(groups[site]))] = "test"
        splits[name] = {
            split: [one for site in drawn if decided[site] == split for one in groups[site]]
            for split in ("test", "train")
        }
    return splits
