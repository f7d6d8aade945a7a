"""A benchmark's card: its paper, sources, licences, version, and the numbers that the paper prints."""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import tempbench_lmms

NO_NUMBER = ("-", "–", "—", "N/A")  # what papers print in place of a number


def home(benchmark: str) -> Path:
    """Returns the folder of a benchmark's code, in this package or in a folder of the user."""
    folders = [Path(one) / benchmark for one in tempbench_lmms.__path__]
    return next((one for one in folders if (one / "card.py").is_file()), folders[0])


def joined(*values: Any) -> str:
    """Returns the values of a row's columns as one name.

    >>> joined("vist", "17"), joined(["rome", "bonn"])
    ('vist/17', 'rome+bonn')
    """
    return "/".join("+".join(map(str, value)) if isinstance(value, list) else str(value) for value in values)


@dataclass(frozen=True)
class Cluster:
    """What a benchmark's answers vary together in: an image sequence, a video, a recipe or a place.

    Each benchmark names one in its `card.py`. The spread of scores in confidence intervals, `compare` and
    reports is that between clusters, `plan` counts them, `--until-decided` asks them whole, and `_lite` tasks
    keep them whole. Pages and messages call a cluster a group.

    Attributes:
        field: The field of a record that names the question's cluster.
        columns: The columns of a row that define the cluster.
        name: Makes the cluster's name from the values of these columns.
    """

    field: str
    columns: tuple[str, ...]
    name: Callable[..., str] = joined

    def of(self, row: Mapping[str, Any]) -> str:
        """Returns the cluster of a question, from its row."""
        return self.name(*(row[column] for column in self.columns))


@dataclass(frozen=True)
class Source:
    """A source of data.

    Attributes:
        name: As its authors call it.
        url: Its home.
        licence: SPDX identifier, or the licence's own words.
        redistributable: Whether its licence allows publishing a converted copy.
        withheld: The part that the licence does not cover, so that no copy of it may be published.
    """

    name: str
    url: str
    licence: str
    redistributable: bool
    withheld: str = ""


@dataclass(frozen=True)
class Reference:
    """A cell of a paper's table.

    Attributes:
        table: Where it is printed, e.g. "Table 3".
        model: The model, as this package names it; empty if the cell belongs to no model.
        metric: One of the benchmark's metrics, after the test if there are several (`mt1_two_mt`) and the
            task's variant (`cot_mt1_two_mt`). Empty if it is not a metric of ours.
        value: A fraction from 0 to 1 unless the metric has another unit; NaN for "-", "N/A" and words.
        comparable: Whether it can be compared with a run of this package on the released data.
        note: Why it cannot be compared, or what contradicts it.
        unit: `fraction`, `percent`, `text` for words, or the number's own unit.
        row: Its row's heading as printed; " / " between a group of rows and the row.
        column: Its column's heading, in the same form.
        printed: The cell as printed, without marks; empty if it is empty in the paper.
    """

    table: str
    model: str
    metric: str
    value: float
    comparable: bool = True
    note: str = ""
    unit: str = "fraction"
    row: str = ""
    column: str = ""
    printed: str = ""


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper, or the numbers of one of its sections, as printed.

    Attributes:
        name: "Table 3"; "Section 6" for numbers in the text; after the source's name if it is from another
            paper.
        caption: The paper's caption, or a description of the numbers.
        rows: The rows' headings in the paper's order.
        columns: The columns' headings in the paper's order.
        cells: The cells by row and column, without empty ones.
        blank: The empty cells with a known metric, where a run has a number.
        models_are: `rows` or `columns`: a run becomes one more of these.
    """

    name: str
    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Reference]
    models_are: str = "rows"
    blank: Mapping[tuple[str, str], Reference] = field(default_factory=dict)


def _read_table(path: Path) -> PrintedTable:
    """Returns the table in a CSV file.

    A line is a cell. Columns: table, row, column, model, metric, printed, unit, comparable, note, and in the
    first line caption, and models_are if the models are the table's columns. Rows and columns are in the
    order in which the file first names them, so the first row also has lines for its empty cells, with their
    metric if known.
    """
    lines = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    cells = {(line["row"], line["column"]): _cell(line) for line in lines}
    return PrintedTable(
        name=lines[0]["table"],
        caption=lines[0]["caption"],
        rows=tuple(dict.fromkeys(line["row"] for line in lines)),
        columns=tuple(dict.fromkeys(line["column"] for line in lines)),
        cells={place: cell for place, cell in cells.items() if cell.printed},
        models_are=lines[0].get("models_are") or "rows",
        blank={place: cell for place, cell in cells.items() if cell.metric and not cell.printed},
    )


def _cell(line: Mapping[str, str]) -> Reference:
    return Reference(
        table=line["table"],
        model=line["model"],
        metric=line["metric"],
        value=_value(line["printed"], line["unit"]),
        comparable=line["comparable"] == "yes",
        note=line["note"],
        unit=line["unit"],
        row=line["row"],
        column=line["column"],
        printed=line["printed"],
    )


def _value(printed: str, unit: str) -> float:
    if unit == "text" or not printed or printed in NO_NUMBER:
        return float("nan")
    value = Decimal(printed.replace(",", ""))
    return float(value / 100 if unit == "percent" else value)  # 20.20 % is 0.202, not 0.20199999999999999


def _order(path: Path) -> tuple[int, list[int], str]:
    kinds = {"table": 0, "section": 1, "footnote": 2}
    numbers = [int(number) for number in re.findall(r"\d+", path.stem)]
    return kinds.get(path.stem.partition("_")[0], len(kinds)), numbers, path.stem


@dataclass(frozen=True)
class BenchmarkCard:
    """The card of one benchmark.

    Attributes:
        name: The prefix of its tasks.
        title: The paper's title.
        paper: A link to the paper.
        bibtex: Its citation.
        sources: Where its data comes from.
        version: `N-L`: scores of different N cannot be compared; L changes with everything else.
        chance: The scores of random answers, by metric, from 0 to 1. The card says which are from the
            paper.
        primary: The metrics to look at first.
        full: A task that asks what the paper asks, and how many questions it asks at the paper's
            size.
        cluster: What answers vary together in.
        others: What the papers' tables have besides models, by the name in their column `model`:
            `human`, `chance`, `best` (of models that the paper does not name there), or `other`
            (means, lowest). None of them is ever marked as a table's best.
        apart: Why a run cannot be compared with a number of the paper that is not `comparable` and
            has no note.
        plain: Parts of tasks' names that do not mark a variant: the folder of its questions, the
            suite.
        breakdowns: What metrics are broken down by, with the parts as the metrics' names have them: the
            metric `acc_sequential` is `acc` of a part of {"relation": ("sequential", ...)}.
        tests: The tests that a suite asks together, each also a task of its own. The suite's metrics have
            their names: `mt1_two_mt` is `mt` of the test `mt1_two`.
        headline: The metric that represents the benchmark if only one is shown; by default the first
            of `primary`.
    """

    name: str
    title: str
    paper: str
    bibtex: str
    sources: tuple[Source, ...]
    version: str
    chance: Mapping[str, float]
    primary: tuple[str, ...]
    full: tuple[str, int]
    cluster: Cluster
    others: Mapping[str, str] = field(default_factory=dict)
    apart: str = ""
    plain: tuple[str, ...] = ()
    breakdowns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    headline: str = ""

    def test_of(self, name: str) -> tuple[str, str]:
        """Returns the test and the metric in a suite's name; an empty test for other names."""
        test = next((one for one in self.tests if name.startswith(f"{one}_")), "")
        return test, name.removeprefix(f"{test}_") if test else name

    @cached_property
    def tables(self) -> tuple[PrintedTable, ...]:
        """The paper's tables, from the folder `reference`: Table 3 before Table 14, then sections."""
        return tuple(map(_read_table, sorted((home(self.name) / "reference").glob("*.csv"), key=_order)))

    @cached_property
    def reference(self) -> tuple[Reference, ...]:
        """The cells with a metric of this package, which can be compared with a run's number."""
        return tuple(cell for table in self.tables for cell in table.cells.values() if cell.metric)
