"""Groups of questions that were sampled together, and the draw of a fixed tenth of the groups.

A benchmark states its groups (`GROUPS` in its `rows.py`): the questions about one picture sequence,
video, recipe or place. Gates, pairs and swaps are within one group, so a part with whole groups keeps them
unchanged. A metric that compares one group with all others would change, so no part is drawn from tasks with
such a metric.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LITE = "lite-1"
"""The draw of the `_lite` tasks. Another one has another name, since its numbers are of other questions."""
SHARE = 0.1
LEAST = 10


def joined(values: Sequence[Any]) -> str:
    """Returns the values of a row's columns as one name.

    >>> joined(["vist", "17"]), joined([["rome", "bonn"]])
    ('vist/17', 'rome+bonn')
    """
    return "/".join("+".join(map(str, value)) if isinstance(value, list) else str(value) for value in values)


@dataclass(frozen=True)
class Groups:
    """The rule that divides a benchmark's rows into groups."""

    columns: tuple[str, ...]  # the rows of a group have the same values in these
    # if a table has these columns, a part keeps the proportions of their values
    strata: tuple[str, ...] = ()
    name: Callable[[Sequence[Any]], str] = joined  # makes a group's name of the values of `columns`

    def of(self, columns: Mapping[str, Sequence[Any]]) -> list[str]:
        """Returns the group of each row, from the values of the columns."""
        return [self.name(values) for values in zip(*(columns[name] for name in self.columns), strict=True)]

    def stratum(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
        """Returns the stratum of each group: the values of its rows in the columns of `strata`."""
        rows = self.of(columns)
        found: dict[str, set[str]] = {group: set() for group in rows}
        for name in self.strata:
            for group, value in zip(rows, columns.get(name, ()), strict=False):
                found[group].add(f"{name}={joined([value])}")
        return {group: ",".join(sorted(values)) for group, values in found.items()}


def drawn(
    strata: Mapping[str, str], version: str = LITE, share: float = SHARE, least: int = LEAST
) -> set[str]:
    """Returns the groups of a part: those with the lowest hashes in each stratum.

    A group's hash depends on its name, and a stratum's number of groups on its own size. So a group that is
    missing in one table affects only its stratum, and a group drawn in one table is probably drawn in others.
    Strata with a share of less than one group are pooled. A fractional share is rounded up or down by a hash
    of the stratum, up with the probability of its fraction.

    Source: stratified sampling with proportional allocation, Cochran 1977, chapter 5; by permanent random
    numbers, so that samples of changing lists stay alike: Ohlsson 1995.

    Args:
        strata: The stratum of each group.
        version: Names the draw; another name draws other groups.
        share: The share of the groups to draw, from 0 to 1.
        least: The smallest number of groups to draw; all if there are fewer.

    >>> sorted(drawn({f"{i:02}": "even" if i % 2 == 0 else "odd" for i in range(40)}, least=1))
    ['03', '06', '36', '37']
    """
    if not strata:
        return set()
    share = min(1.0, max(share, least / len(strata)))
    sizes = Counter(strata.values())
    members: dict[str, list[str]] = {}
    for group in shuffled(strata, version):
        own = strata[group]
        members.setdefault(own if share * sizes[own] >= 1 else "pooled", []).append(group)
    kept = {
        group
        for own, groups in members.items()
        for group in groups[: math.floor(share * len(groups) + _fraction(version, own))]
    }
    missing = max(0, min(least, len(strata)) - len(kept))
    return kept | {*[group for group in shuffled(strata, version) if group not in kept][:missing]}


def _fraction(version: str, stratum: str) -> float:
    return int(hashed(version, f"stratum {stratum}")[:8], 16) / 2**32


def shuffled(groups: Iterable[str], seed: str) -> list[str]:
    """Returns groups in a random order that is the same everywhere for the same seed."""
    return sorted(set(groups), key=lambda group: hashed(seed, group))


def hashed(seed: str, group: str) -> str:
    """Returns a hash that sorts groups into a random order."""
    return hashlib.sha256(f"{seed}|{group}".encode()).hexdigest()
