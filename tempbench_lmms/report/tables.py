"""Tables in the form of the papers: a row a run, the paper's own rows beside them.

A task's metric is found in a paper's table by its name: `mt` of the task `tempvs_mt1_two` is the suite's
`mt1_two_mt`, and `accuracy` of `coherence_qa_4f` is `accuracy_4f`. What is left of the task's name is the
row's variant: `cot`, `both_baseline`.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, Reference
from tempbench_lmms.record import UNDEFINED, Record
from tempbench_lmms.report.numbers import Number, TaskNumbers

_WIDTH = 8  # columns of a table, so that it fits a page

MINI = "the run is on the bundled sample; the paper's numbers are not"
PARTIAL = "the run is incomplete; the paper's numbers are over all questions"
OF_PAPER = ("Table", "Section", "Footnote")
"""How the paper's own tables and sections are called; other sources go by their name."""
MARK = "†"
"""Stands beside a row that a run cannot be set beside."""


@dataclass(frozen=True)
class Row:
    """One run of one variant.

    Attributes:
        run: The run's name.
        variant: What sets its tasks apart from the benchmark's main ones; empty for those.
        tasks: The tasks that it is made of.
        numbers: By column.
    """

    run: str
    variant: str
    tasks: tuple[TaskNumbers, ...]
    numbers: dict[str, Number]

    @property
    def label(self) -> str:
        """The row's name."""
        return f"{self.run}, {self.variant}" if self.variant else self.run

    def metric(self, column: str) -> Number | None:
        """Returns any metric of the row's tasks by the name that it has, or would have, in the suite."""
        if column in self.numbers:
            return self.numbers[column]
        for task in self.tasks:
            for name in task.names:
                if column_of(task.stem, name, frozenset({column})) is not None:
                    return task.number(name)
        return None

    def records(self, **fields: Any) -> list[Record]:
        """Returns the records of the row's tasks whose fields have these values."""
        return [
            record
            for task in self.tasks
            for record in task.log.records
            if all(record.get(name) == value for name, value in fields.items())
        ]


@dataclass(frozen=True)
class PaperRow:
    """One row of a paper's table.

    Attributes:
        table: Where it is printed.
        model: Its name there.
        variant: The variant that it belongs to.
        cells: By column.
        notes: Why it cannot be set beside the runs; empty where it can.
    """

    table: str
    model: str
    variant: str
    cells: dict[str, Reference]
    notes: tuple[str, ...]

    @property
    def source(self) -> str:
        """Where it is printed, in words."""
        return (
            f"{self.table} of the paper"
            if self.table.startswith(OF_PAPER)
            else f"{self.table}, another paper"
        )

    @property
    def label(self) -> str:
        """The row's name, marked where it is not comparable."""
        name = f"{self.model}, {self.variant}" if self.variant else self.model
        return f"{name} {MARK}" if self.notes else name


@dataclass(frozen=True)
class Table:
    """A benchmark's main numbers.

    Attributes:
        groups: (heading, its columns) in order; the heading is empty where there is none.
        rows: The runs.
        chance: What random answers get, by column.
        paper: The paper's rows.
        percent: The columns shown in percent: those that the paper prints so, with all of their heading.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    rows: tuple[Row, ...]
    chance: dict[str, float]
    paper: tuple[PaperRow, ...]
    percent: frozenset[str] = field(default_factory=frozenset)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in order."""
        return tuple(column for _, columns in self.groups for column in columns)

    @property
    def paper_by_table(self) -> dict[str, list[PaperRow]]:
        """The paper's rows by the table that they are printed in."""
        out: dict[str, list[PaperRow]] = {}
        for row in self.paper:
            out.setdefault(row.table, []).append(row)
        return out

    def short(self, heading: str, column: str) -> str:
        """Returns a column's name below its heading."""
        name = column.removeprefix(f"{heading}_") if heading else column
        return f"{name} %" if column in self.percent else name

    def scale(self, column: str) -> int:
        """Returns what values of a column are multiplied with."""
        return 100 if column in self.percent else 1

    def digits(self, column: str) -> int:
        """Returns the decimals of a column."""
        return 1 if column in self.percent else 4

    def cell(self, row: Row, column: str) -> str:
        """Returns the text of a run's cell: value and interval."""
        number = row.numbers.get(column)
        return "" if number is None else number.text(self.scale(column), self.digits(column))

    def paper_cell(self, row: PaperRow, column: str) -> str:
        """Returns the text of a paper's cell, as precise as it is printed."""
        found = row.cells.get(column)
        if found is None:
            return ""
        if not isfinite(found.value):
            return UNDEFINED
        if (found.unit == "percent") == (column in self.percent):
            return found.printed
        return f"{round(found.value * self.scale(column), 6):g}"

    def chance_cell(self, column: str) -> str:
        """Returns the text of the cell of chance."""
        value = self.chance.get(column)
        return "" if value is None else f"{round(value * self.scale(column), 4):g}"


def column_of(stem: str, metric: str, known: frozenset[str]) -> tuple[str, str] | None:
    """Returns the paper's name of a task's metric and the task's variant; None where the paper has none.

    Args:
        stem: The task's name without the benchmark's.
        metric: The metric's name in the task.
        known: The paper's names.

    >>> column_of("mt1_two_cot", "mt", frozenset({"mt1_two_mt"}))
    ('mt1_two_mt', 'cot')
    """
    parts = [part for part in stem.split("_") if part]
    for k in range(len(parts), -1, -1):
        head, tail = parts[:k], parts[k:]
        if (name := "_".join([*head, metric])) in known:
            return name, "_".join(tail)
        if head and (name := f"{metric}_{head[-1]}") in known:
            return name, "_".join([*head[:-1], *tail])
    return None


def rows_of(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> list[Row]:
    """Returns the rows of a benchmark's table; tasks of one run and variant share a row."""
    known = frozenset(card.primary)
    rows: dict[tuple[Any, ...], tuple[list[TaskNumbers], dict[str, Number]]] = {}
    for task in tasks:
        found: dict[str, dict[str, Number]] = {}
        for name in task.names:
            if (cell := column_of(task.stem, name, known)) is not None:
                found.setdefault(cell[1], {})[cell[0]] = task.number(name)
        for variant, numbers in found.items():
            if task.is_mini:
                variant = f"{variant}, mini" if variant else "mini"
            copy = 0
            # The suite and a single test may both have a column: they are rows apart.
            while rows.get((task.run, variant, copy), ([], {}))[1].keys() & numbers.keys():
                copy += 1
            members, merged = rows.setdefault((task.run, variant, copy), ([], {}))
            members.append(task)
            merged.update(numbers)
    out = []
    for (run, variant, copy), (members, numbers) in rows.items():
        label = (
            variant if not copy else ", ".join([variant, *(task.log.task for task in members)]).strip(", ")
        )
        out.append(Row(run, label, tuple(members), numbers))
    return out


def tables_of(card: BenchmarkCard, rows: Sequence[Row]) -> list[Table]:
    """Returns a benchmark's main numbers in tables of a page's width, columns in the paper's order."""
    present = [column for column in card.primary if any(column in row.numbers for row in rows)]
    groups = _grouped(card, present)
    n_pages = -(-len(present) // _WIDTH)
    width = -(-len(present) // n_pages) if n_pages else 0  # two tables of 5 and 4 rather than of 8 and 1
    pages: list[list[tuple[str, tuple[str, ...]]]] = []
    for group in groups:
        if not pages or sum(len(columns) for _, columns in [*pages[-1], group]) > width:
            pages.append([])
        pages[-1].append(group)
    return [_table(card, tuple(page), rows) for page in pages]


def _grouped(card: BenchmarkCard, columns: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Returns the columns under the tests that they belong to: `mt1_two` over `mt1_two_mt`."""
    metrics = getattr(importlib.import_module(f"tempbench_lmms.{card.name}.scoring"), "METRICS", {})
    out: list[tuple[str, tuple[str, ...]]] = []
    for column in columns:
        parts = column.split("_")
        cuts = (k for k in range(1, len(parts)) if "_".join(parts[k:]) in metrics)
        heading = "_".join(parts[: next(cuts, 0)])
        if out and out[-1][0] == heading and (heading or len(out[-1][1]) < _WIDTH):
            out[-1] = (heading, (*out[-1][1], column))
        else:
            out.append((heading, (column,)))
    return out


def _table(
    card: BenchmarkCard, groups: tuple[tuple[str, tuple[str, ...]], ...], rows: Sequence[Row]
) -> Table:
    columns = [column for _, own in groups for column in own]
    rows = [row for row in rows if any(column in row.numbers for column in columns)]
    tasks = [task for row in rows for task in row.tasks]
    general = [MINI] if all(task.is_mini for task in tasks) else []
    if not general and not any(task.is_complete for task in tasks if not task.is_mini):
        general = [PARTIAL]
    variants = sorted({row.variant.removesuffix("mini").strip(", ") for row in rows} - {""})
    paper: dict[tuple[str, str, str], dict[str, Reference]] = {}
    for reference in card.reference:
        for variant in ("", *variants):
            column = reference.metric.removeprefix(f"{variant}_") if variant else reference.metric
            if column in columns and (not variant or column != reference.metric):
                paper.setdefault((reference.table, reference.model, variant), {})[column] = reference
                break
    return Table(
        groups=groups,
        rows=tuple(rows),
        chance={column: card.chance[column] for column in columns if column in card.chance},
        paper=tuple(
            PaperRow(table, model, variant, cells, (*general, *_notes(card, cells)))
            for (table, model, variant), cells in sorted(paper.items(), key=lambda item: _place(item[0][0]))
        ),
        percent=_percent(card, groups),
    )


def _percent(card: BenchmarkCard, groups: tuple[tuple[str, tuple[str, ...]], ...]) -> frozenset[str]:
    # A metric and its official twin are in one unit, whichever of them the paper prints.
    printed = {
        one.metric.removesuffix("_official")
        for one in card.reference
        if one.unit == "percent" and one.table.startswith(OF_PAPER)
    }
    return frozenset(
        column
        for heading, own in groups
        for column in own
        if (printed.intersection(own) if heading else column.removesuffix("_official") in printed)
    )


def _place(table: str) -> tuple[int, int, str]:
    """Returns what tables are sorted by: Table 3, Table 14, a section, and other papers' last."""
    kinds = [kind for kind in OF_PAPER if table.startswith(kind)]
    digits = "".join(sign for sign in table if sign.isdigit())
    return OF_PAPER.index(kinds[0]) if kinds else len(OF_PAPER), int(digits or 0), table


def _notes(card: BenchmarkCard, cells: dict[str, Reference]) -> tuple[str, ...]:
    why = f"see docs/fidelity/{card.name}.md"
    return tuple(sorted({cell.note or why for cell in cells.values() if not cell.comparable}))


@dataclass(frozen=True)
class Section:
    """One benchmark in a report.

    Attributes:
        card: The benchmark.
        rows: The runs in the paper's form.
        tables: The main numbers.
        tasks: Every task of every run.
    """

    card: BenchmarkCard
    rows: tuple[Row, ...]
    tables: tuple[Table, ...]
    tasks: tuple[TaskNumbers, ...]


def sections_of(tasks: Sequence[TaskNumbers]) -> list[Section]:
    """Returns a section a benchmark."""
    out = []
    for name in sorted({task.log.benchmark for task in tasks}):
        own = tuple(task for task in tasks if task.log.benchmark == name)
        card = benchmarks.card(name)
        rows = rows_of(card, own)
        out.append(Section(card, tuple(rows), tuple(tables_of(card, rows)), own))
    return out
