"""What a benchmark is: its paper, sources, licences, version, and the numbers that the paper prints."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A source of data.

    Attributes:
        name: As its authors call it.
        url: Its home.
        licence: SPDX identifier, or the licence's own words.
        redistributable: Whether `tempbench push` may publish a converted copy.
    """

    name: str
    url: str
    licence: str
    redistributable: bool


@dataclass(frozen=True)
class Reference:
    """A number that a paper prints.

    Attributes:
        table: Where it is printed, e.g. "Table 3".
        model: The row.
        metric: One of the benchmark's metrics, with the test where there are several: `mt1_two_mt`.
        value: A fraction from 0 to 1 unless the metric has another unit; NaN for a printed "-".
        comparable: Whether a run of this package on the released data can be set beside it.
        note: Why not, or what contradicts it.
        unit: How it is printed: `fraction`, `percent`, or the metric's own unit.
    """

    table: str
    model: str
    metric: str
    value: float
    comparable: bool = True
    note: str = ""
    unit: str = "fraction"


def read_references(path: Path) -> tuple[Reference, ...]:
    """Returns the numbers in a CSV file: table, model, metric, printed, unit, comparable, note."""
    out = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            value = float("nan") if row["printed"] == "-" else float(row["printed"])
            out.append(
                Reference(
                    table=row["table"],
                    model=row["model"],
                    metric=row["metric"],
                    value=value / 100 if row["unit"] == "percent" else value,
                    comparable=row["comparable"] == "yes",
                    note=row["note"],
                    unit=row["unit"],
                )
            )
    return tuple(out)


@dataclass(frozen=True)
class BenchmarkCard:
    """One benchmark.

    Attributes:
        name: The prefix of its tasks.
        title: The paper's title.
        paper: A link to the paper.
        bibtex: Its citation.
        sources: Where its data comes from.
        version: `N-L`: scores of different N cannot be compared; L changes with everything else.
        chance: What random answers get, by metric, from 0 to 1 (paper).
        primary: The metrics to look at first.
        reference: What the paper prints.
    """

    name: str
    title: str
    paper: str
    bibtex: str
    sources: tuple[Source, ...]
    version: str
    chance: Mapping[str, float]
    primary: tuple[str, ...]
    reference: tuple[Reference, ...] = ()
