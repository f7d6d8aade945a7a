"""Plots as data, which the page's library draws as bars."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.metrics.share import wilson
from tempbench_lmms.record import Record
from tempbench_lmms.report.grid import Cell, Grid, Number, cell_of


@dataclass(frozen=True)
class Series:
    """One row of a plot.

    Attributes:
        name: For the legend.
        points: By category, in the order of the figure's categories; None where there is none.
        is_reference: A value that runs are compared with, not a run's own; drawn in grey, last.
    """

    name: str
    points: tuple[Number | None, ...]
    is_reference: bool = False


@dataclass(frozen=True)
class Figure:
    """A plot.

    Attributes:
        title: Figures of one title are drawn as one, their series side by side.
        categories: What the points of a series belong to.
        series: At least one.
        axis: What the categories are.
        note: A sentence on what is shown.
        chance: What random answers get, by category, where that is known.
    """

    title: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    axis: str = ""
    note: str = ""
    chance: Mapping[str, float] = field(default_factory=dict)

    @property
    def grid(self) -> Grid:
        """The figure's numbers as a table."""
        rows = {
            category: [cell_of(point, "") if point else Cell("") for point in points]
            for category, *points in zip(self.categories, *(one.points for one in self.series), strict=True)
        }
        return Grid.of(self.title, [self.axis, *(one.name or "value" for one in self.series)], rows)

    def data(self, names: Sequence[str]) -> dict[str, Any]:
        """Returns the figure as JSON values.

        Args:
            names: Series of these names have their colour by their index here, in every figure.
        """
        slots = [
            None if one.is_reference else names.index(one.name) if one.name in names else index
            for index, one in enumerate(self.series)
        ]
        return {
            "title": self.title,
            "axis": self.axis,
            "categories": list(self.categories),
            "series": [
                {"name": one.name, "slot": slot, "points": [_point(point) for point in one.points]}
                for one, slot in zip(self.series, slots, strict=True)
            ],
            "chance": [self.chance.get(one) for one in self.categories] if self.chance else [],
        }


def _point(point: Number | None) -> list[float | None] | None:
    if point is None or point.number is None:
        return None
    spread = (
        value if value is None or isfinite(value) else None for value in (point.low, point.high, point.n)
    )
    return [point.number, *spread]


def merged(figures: Sequence[Figure]) -> list[Figure]:
    """Returns the figures with those of one title joined; a series that both have is kept once.

    Shares of questions that have no interval get Wilson's.
    """
    out: dict[str, Figure] = {}
    for figure in figures:
        known = out.get(figure.title, replace(figure, series=()))
        categories = known.categories + tuple(c for c in figure.categories if c not in known.categories)
        series: list[Series] = []
        for part in (known, figure):
            for one in part.series:
                points = dict(zip(part.categories, one.points, strict=True))
                own = map(points.get, categories)
                spread = own if one.is_reference else map(with_spread, own)
                _add(Series(one.name, tuple(spread), one.is_reference), series)
        out[figure.title] = replace(
            known,
            categories=categories,
            series=tuple(sorted(series, key=lambda one: one.is_reference)),
            chance={**known.chance, **figure.chance},
        )
    return list(out.values())


def _add(one: Series, series: list[Series]) -> None:
    """Adds a series; a reference completes the one of its name that nowhere says something else."""
    for index, known in enumerate(series):
        pairs = list(zip(known.points, one.points, strict=True))
        agree = all(a is None or b is None or a == b for a, b in pairs)
        if one == known or (one.is_reference and known.is_reference and one.name == known.name and agree):
            series[index] = replace(known, points=tuple(b if a is None else a for a, b in pairs))
            return
    series.append(one)


def with_spread(point: Number | None) -> Number | None:
    """Returns a share of n questions with Wilson's interval, where it has no interval of its own.

    "0 of 44" has an interval that is not empty: [0, 0.08].
    """
    if point is None or point.number is None or not point.n:
        return point
    right, n = point.number * point.n, round(point.n)
    is_share = 0 <= right <= n == point.n and abs(right - round(right)) <= 1e-6 * n  # no mean of scores
    if not is_share or (point.low is not None and point.low != point.high):
        return point
    low, high = wilson(ratio(((number < round(right), 1) for number in range(n)), range(n)))
    return replace(point, low=low, high=high) if isfinite(low) and isfinite(high) else point


def shares(
    title: str,
    label: str,
    groups: Mapping[str, Number | None],
    axis: str = "",
    chance: float | Mapping[str, float] | None = None,
) -> list[Figure]:
    """Returns one series over named groups; no figure where none of them has a value.

    Args:
        title: The figure's.
        label: The series' name.
        groups: The values by group.
        axis: What the groups are.
        chance: What random answers get: in every group, or by group.
    """
    if not any(number is not None and number.number is not None for number in groups.values()):
        return []
    by_group = chance if isinstance(chance, Mapping) else dict.fromkeys(groups, chance)
    known = {name: value for name in groups if (value := by_group.get(name)) is not None}
    series = Series(label, tuple(groups.values()))
    return [Figure(title, tuple(groups), (series,), axis, chance=known)]


def position_bias(title: str, label: str, records: Sequence[Record]) -> list[Figure]:
    """Returns the share of each answer beside its share among the right answers."""
    if not records:
        return []
    answers = Counter(record["answer"] or "unparsed" for record in records)
    right = Counter(record["gold"] for record in records)
    letters = tuple(sorted({*answers, *right}))

    def series(name: str, counts: Counter[str], is_reference: bool) -> Series:
        n = None if is_reference else len(records)
        points = tuple(Number(counts[letter] / len(records), n=n) for letter in letters)
        return Series(name, points, is_reference)

    both = (series(label, answers, False), series("right answers", right, True))
    return [Figure(title, letters, both, "answer", note="Share of each answer")]
