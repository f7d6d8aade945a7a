"""Which questions were sampled together, and a fixed tenth of these groups.

A benchmark states what its groups are (`GROUPS` in its `features.py`): the questions about one picture
sequence, video, recipe or place. A gate, a pair and a swap lie within one group, so a part that is made of
whole groups has the same metrics as the whole.
"""

import hashlib
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
    """How a benchmark's rows form groups.

    Attributes:
        columns: What rows of a group have in common.
        strata: Columns, where a table has them, whose values a part has in the proportions of the whole.
        name: Makes a group's name of the values of `columns`.
    """

    columns: tuple[str, ...]
    strata: tuple[str, ...] = ()
    name: Callable[[Sequence[Any]], str] = joined

    def of(self, columns: Mapping[str, Sequence[Any]]) -> list[str]:
        """Returns the group of each row, from the values of the columns."""
        return [self.name(values) for values in zip(*(columns[name] for name in self.columns), strict=True)]

    def stratum(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
        """Returns the stratum of each group: which values its rows have in the columns of `strata`."""
        rows = self.of(columns)
        found: dict[str, set[str]] = {group: set() for group in rows}
        for name in self.strata:
            for group, value in zip(rows, columns.get(name, ()), strict=False):
                found[group].add(f"{name}={joined([value])}")
        return {group: ",".join(sorted(values)) for group, values in found.items()}


def drawn(
    strata: Mapping[str, str], version: str = LITE, share: float = SHARE, least: int = LEAST
) -> set[str]:
    """Returns the groups that a part is made of: a systematic sample over the strata.

    The groups are sorted by stratum, within one by a hash of their name, and taken at equal steps. So every
    stratum gives its share, up to one group, and the same groups are drawn from the same table everywhere.

    Source: systematic sampling with implicit stratification; Cochran 1977, chapter 8.

    Args:
        strata: The stratum of each group.
        version: Names the draw; another name draws other groups.
        share: Of the groups, from 0 to 1.
        least: Draw no fewer; all where there are not so many.

    >>> sorted(drawn({f"{i:02}": "even" if i % 2 == 0 else "odd" for i in range(40)}, least=1))
    ['02', '05', '25', '26']
    """
    ranked = sorted(strata, key=lambda group: (strata[group], hashed(version, group)))
    n = min(len(ranked), max(least, round(share * len(ranked))))
    return {ranked[int((i + 0.5) * len(ranked) / n)] for i in range(n)}


def shuffled(groups: Iterable[str], seed: str) -> list[str]:
    """Returns groups in a random order that is the same everywhere for the same seed."""
    return sorted(set(groups), key=lambda group: hashed(seed, group))


def hashed(seed: str, group: str) -> str:
    """Returns a hash by which groups are put into a random order."""
    return hashlib.sha256(f"{seed}|{group}".encode()).hexdigest()
