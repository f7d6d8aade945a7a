"""A benchmark's plots as data: the main scores of all runs, and their groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.tables import Row, Section


@dataclass(frozen=True)
class Series:
    """One row of a plot."""

    name: str  # for the legend
    points: tuple[Number | None, ...]  # by category, in the figure's order; None for missing points


@dataclass(frozen=True)
class Figure:
    """A plot: points with their intervals."""

    title: str  # what is shown
    categories: tuple[str, ...]  # the categories of the points of a series
    series: tuple[Series, ...]  # at least one, in the order of their colours
    # the score of random answers by category, if known
    chance: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The values at the left and right end: 0 and 1, or wider if needed."""
        points = [point for one in self.series for point in one.points if point]
        ends = [end for point in points for end in (point.number, point.low, point.high) if end is not None]
        return round(min([0, *ends]), 2), round(max([1, *ends]), 2)

    def place(self, value: float) -> float:
        """Returns the place of a value, in percent of the figure's width."""
        low, high = self.ends
        return round(4 + 92 * (value - low) / (high - low), 2)


def figures_of(section: Section) -> Iterator[Figure]:
    """Yields the plots of a benchmark."""
    card = section.card
    main = {name: name for name in card.primary}
    yield from _drawn("Main numbers", section.rows, main, card.chance)
    for by, groups in card.groups.items():
        for metric in card.primary:
            names = {group: f"{metric}_{group}" for group in groups}
            known = card.chance.get(metric)
            chance = {} if known is None else dict.fromkeys(groups, known)
            title = f"{metric.replace('_', ' ')} by {by}"
            yield from _drawn(title, section.rows, names, chance)


def _drawn(
    title: str,
    rows: Sequence[Row],
    names: Mapping[str, str],
    chance: Mapping[str, float],
) -> Iterator[Figure]:
    """Yields a figure of the named metrics, if any row has a value."""
    series = tuple(Series(row.label, tuple(map(row.metric, names.values()))) for row in rows)
    if any(point and point.number is not None for one in series for point in one.points):
        yield Figure(title, tuple(names), series, {name: chance[name] for name in names if name in chance})
