"""Plots as values for the library that draws them in the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.metrics.share import wilson
from tempbench_lmms.report.figures import Figure, Series
from tempbench_lmms.report.numbers import Number

MATRICES = "Confusion matrices"
"""The title of the one figure that all matrices of a benchmark share."""


@dataclass(frozen=True)
class Drawing:
    """One card of the page.

    Attributes:
        title: Its heading.
        note: A sentence on what is shown.
        figures: One, or several to choose from.
    """

    title: str
    note: str
    figures: tuple[Figure, ...]


def drawings(figures: Sequence[Figure]) -> list[Drawing]:
    """Returns the cards of a benchmark's figures: all matrices are one, with a choice."""
    whole = [replace(figure, series=tuple(map(_with_spread, figure.series))) for figure in figures]
    out = [Drawing(one.title, one.note, (one,)) for one in whole if one.kind != "matrix"]
    matrices = tuple(one for one in whole if one.kind == "matrix")
    if len(matrices) == 1:
        out.append(Drawing(matrices[0].title, matrices[0].note, matrices))
    elif matrices:
        out.append(Drawing(MATRICES, "Counts; the shade is the share of a row", matrices))
    return out


def as_data(figure: Figure, names: Sequence[str]) -> dict[str, Any]:
    """Returns a figure as JSON values.

    Args:
        figure: The figure.
        names: Series of these names have their colour by their index here, in every figure.
    """
    return {
        "title": figure.title,
        "kind": {"radar": "bars"}.get(figure.kind, figure.kind),
        "axis": figure.axis,
        "categories": list(figure.categories),
        "series": [
            {
                "name": one.name,
                "slot": None if one.is_reference else names.index(one.name) if one.name in names else index,
                "points": [_point(point) for point in one.points],
            }
            for index, one in enumerate(figure.series)
        ],
        "marks": [list(mark) for mark in figure.marks],
        "chance": [figure.chance.get(one) for one in figure.categories] if figure.chance else [],
    }


def _point(point: Number | None) -> list[float | None] | None:
    if point is None or point.number is None:
        return None
    return [
        point.number,
        *(value if value is None or isfinite(value) else None for value in (point.low, point.high, point.n)),
    ]


def _with_spread(series: Series) -> Series:
    return series if series.is_reference else replace(series, points=tuple(map(with_spread, series.points)))


def with_spread(point: Number | None) -> Number | None:
    """Returns a share of n questions with Wilson's interval, where it has no interval of its own.

    "0 of 44" has an interval that is not empty: [0, 0.08].
    """
    if (
        point is None
        or point.number is None
        or not point.n
        or (point.low is not None and point.low != point.high)
    ):
        return point
    right = point.number * point.n
    if not 0 <= right <= point.n or abs(right - round(right)) > 1e-6 * point.n or point.n != round(point.n):
        return point  # a mean of scores
    low, high = _wilson(round(right), round(point.n))
    return replace(point, low=low, high=high) if isfinite(low) and isfinite(high) else point


@lru_cache(maxsize=4096)
def _wilson(right: int, n: int) -> tuple[float, float]:
    return wilson(ratio(((number < right, 1) for number in range(n)), range(n)))
