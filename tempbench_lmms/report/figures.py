"""A benchmark's plots as data: its main scores, their groups, and the bias to one answer, for all runs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.tables import Row, Section

_ANSWERS = 10
"""With more distinct right answers than this, the share of each answer is not plotted."""


@dataclass(frozen=True)
class Series:
    """One row of a plot.

    Attributes:
        name: For the legend.
        points: By category, in the figure's order; None for missing points.
        is_reference: Whether it is a reference value instead of a run; drawn in grey, last.
    """

    name: str
    points: tuple[Number | None, ...]
    is_reference: bool = False


class Mark(NamedTuple):
    """A drawn point: its place, the ends of its interval, and both as text."""

    x: float | None
    low: float | None
    high: float | None
    text: str
    bounds: str


class Line(NamedTuple):
    """A category of a figure: its name, the place of chance, and a mark for each series."""

    name: str
    chance: float | None
    marks: list[Mark | None]


@dataclass(frozen=True)
class Figure:
    """A plot: points with their intervals.

    Attributes:
        title: What is shown.
        categories: The categories of the points of a series.
        series: At least one; the runs' first, in the order of their colours.
        chance: The score of random answers by category, if known.
    """

    title: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    chance: Mapping[str, float] = field(default_factory=dict)

    @property
    def ends(self) -> tuple[float, float]:
        """The values at the left and right end: 0 and 1, or wider if needed."""
        points = [point for one in self.series for point in one.points if point]
        ends = [end for point in points for end in (point.number, point.low, point.high) if end is not None]
        return round(min([0, *ends]), 2), round(max([1, *ends]), 2)

    @property
    def lines(self) -> list[Line]:
        """The figure by category, with places in percent of its width."""
        low, high = self.ends

        def place(value: float | None) -> float | None:
            return None if value is None else round(4 + 92 * (value - low) / (high - low), 2)

        out = []
        for name, *own in zip(self.categories, *(one.points for one in self.series), strict=True):
            marks = [
                Mark(
                    place(point.number),
                    place(point.low),
                    place(point.high),
                    point.text(),
                    point.bounds(),
                )
                if point and point.number is not None
                else None
                for point in own
            ]
            out.append(Line(name, place(self.chance.get(name)), marks))
        return out

    @property
    def looks(self) -> list[str]:
        """The colour and shape of each series, by the page's names."""
        return ["ref" if one.is_reference else f"c{place % 6}" for place, one in enumerate(self.series)]


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
    yield from _bias(section.rows)


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


def _bias(rows: Sequence[Row]) -> Iterator[Figure]:
    """Yields the share of each answer beside its share among the right answers."""
    asked = {
        row.label: [one for one in row.records() if isinstance(one.get("gold"), str) and "answer" in one]
        for row in rows
    }
    right = [record["gold"] for records in asked.values() for record in records]
    if not 1 < len(set(right)) <= _ANSWERS:
        return
    given = {label: [one["answer"] or "unread" for one in records] for label, records in asked.items()}
    names = tuple(sorted({*right, *(one for own in given.values() for one in own)}))
    series = [Series(label, _shares(names, own)) for label, own in given.items()]
    yield Figure(
        "Share of each answer", names, (*series, Series("right answers", _shares(names, right), True))
    )


def _shares(names: Sequence[str], answers: Sequence[str]) -> tuple[Number | None, ...]:
    counts = Counter(answers)
    return tuple(Number(counts[name] / len(answers)) if answers else None for name in names)
