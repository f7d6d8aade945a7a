"""What a benchmark is: its paper, sources, licences, version, and the numbers that the paper prints."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A source of data.

    Attributes:
        name: As its authors call it.
        url: Its home.
        licence: SPDX identifier, or the licence's own words.
        redistributable: Whether its licence allows publishing a converted copy.
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


def read_references(folder: Path) -> tuple[Reference, ...]:
    """Returns the numbers in a folder with a CSV file a table, Table 3 before Table 14 and sections last.

    Columns: table, model, metric, printed, unit, comparable, note.
    """
    return tuple(
        Reference(
            table=row["table"],
            model=row["model"],
            metric=row["metric"],
            value=_value(row["printed"], row["unit"]),
            comparable=row["comparable"] == "yes",
            note=row["note"],
            unit=row["unit"],
        )
        for path in sorted(folder.glob("*.csv"), key=_order)
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    )


def _value(printed: str, unit: str) -> float:
    value = float("nan") if printed == "-" else float(printed)
    return value / 100 if unit == "percent" else value


def _order(path: Path) -> tuple[bool, list[int]]:
    return not path.stem.startswith("table_"), [int(number) for number in re.findall(r"\d+", path.stem)]


@dataclass(frozen=True)
class LoraSettings:
    """The settings of a LoRA fine-tuning, as a paper prints them.

    Attributes:
        rank: r.
        alpha: The scaling factor.
        dropout: From 0 to 1.
        learning_rate: Peak of the schedule.
        epochs: Passes over the training data.
        batch_size: Conversations a device and step.
        source: Where the settings are printed, e.g. "section V.1 of the TimePerceptBench paper".
        gradient_accumulation: Steps that are summed before an update.
        scheduler: As transformers calls it.
        target_modules: The modules to adapt, by the last part of their names; "all-linear" for all linear
            layers.
        weight_decay: Of the optimiser.
    """

    rank: int
    alpha: int
    dropout: float
    learning_rate: float
    epochs: float
    batch_size: int
    source: str
    gradient_accumulation: int = 1
    scheduler: str = "cosine"
    target_modules: str | tuple[str, ...] = "all-linear"
    weight_decay: float = 0.0


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
    """

    name: str
    title: str
    paper: str
    bibtex: str
    sources: tuple[Source, ...]
    version: str
    chance: Mapping[str, float]
    primary: tuple[str, ...]

    @cached_property
    def reference(self) -> tuple[Reference, ...]:
        """What the paper prints: the tables in the benchmark's folder `reference`."""
        return read_references(Path(__file__).parent / self.name / "reference")
