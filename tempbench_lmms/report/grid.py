"""A table as data: numbers, headings, cells, notes. Other modules here write it as text and HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import isfinite
from typing import Any

from tempbench_lmms.record import UNDEFINED, shown

MODEL, HUMAN, CHANCE, BEST, OTHER = "model", "human", "chance", "best", "other"
RUN, FIELD = "run", "field"
"""The kinds of headings: a model of the paper, people, chance, the best of unnamed models, a mean or the
like, a run of the user, or a measured quantity."""

METRICS, DETAILS, SECOND = "run", "details", "second"
"""The sources of a task's tables: its metrics, its breakdowns, a second reader."""

Value = float | int | str | None


@dataclass(frozen=True)
class Number:
    """A value with its spread, as far as known."""

    value: Value  # as in the results file: a number, "-" if undefined, or a word
    error: float | None = None  # standard error
    low: float | None = None  # lower end of the 95 % interval
    high: float | None = None  # its upper end
    n: float | None = None  # number of units behind it, if known
    why: str = ""  # why there is no interval, if known
    is_share: bool = True  # False if it is known to be none, such as PNR

    @property
    def number(self) -> float | None:
        """The value if it is a finite number, else None."""
        if isinstance(self.value, (int, float)) and isfinite(self.value):
            return float(self.value)
        return None

    def text(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the value times `scale` as text."""
        scalable = isinstance(self.value, float) and scale != 1
        return shown(self.value * scale if scalable else self.value, digits)  # type: ignore[operator]

    def bounds(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the interval times `scale` as text; empty if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{shown(self.low * scale, digits)}, {shown(self.high * scale, digits)}]"


@dataclass(frozen=True)
class Cell:
    """A cell."""

    text: str = UNDEFINED  # the value as shown
    bounds: str = ""  # its 95 % interval as shown; empty if there is none
    notes: tuple[str, ...] = ()  # notes about it
    is_best: bool = False  # whether no other model has a better value
    number: Number | None = None  # the unscaled value with its spread; None if the cell has none
    metric: str = ""  # its metric; empty if it is not a metric of ours
    task: str = ""  # the task that gave it; empty for the paper's cells
    is_comparable: bool = True  # whether the paper's number and a run's can be compared
    link: str = ""  # the part of the page that it links to
    is_fault: bool = False  # whether it reports a problem


def cell_of(number: Number, metric: str, task: str = "", scale: float = 1, digits: int = 4) -> Cell:
    """Returns the cell of a number, times `scale`."""
    text, bounds = number.text(scale, digits), number.bounds(scale, digits)
    return Cell(text, bounds, number=number, metric=metric, task=task)


@dataclass(frozen=True)
class Heading:
    """The heading of a row or of a column."""

    parts: tuple[str, ...]  # A group and its member, or only one of them
    kind: str = FIELD  # one of `MODEL` and its like
    notes: tuple[str, ...] = ()  # notes about the whole row or column

    @property
    def label(self) -> str:
        """The heading in one line."""
        return " / ".join(part for part in self.parts if part)

    @property
    def group(self) -> str:
        """The group; empty if the heading has no member."""
        return self.parts[0] if len(self.parts) > 1 else ""

    @property
    def name(self) -> str:
        """The member, or the only part."""
        return self.parts[-1]


@dataclass(frozen=True)
class Grid:
    """A table."""

    name: str  # "Table 3", or its topic
    caption: str  # what it shows
    rows: tuple[Heading, ...]  # their headings
    columns: tuple[Heading, ...]  # their headings
    cells: tuple[tuple[Cell, ...], ...]  # by row, one cell per column
    remarks: tuple[str, ...] = ()  # notes about the whole table
    signatures: tuple[str, ...] = ()  # one line per task that says how its scores were made
    corner: str = ""  # what the rows are
    is_printed: bool = False  # whether it is a paper's table, with the paper's name and caption
    source: str = DETAILS  # the source of a task's table (`METRICS` and its like)

    @classmethod
    def of(cls, name: str, head: Sequence[str], rows: Mapping[str, Sequence[Cell]], **more: Any) -> "Grid":
        """Returns a table with plain headings: the corner's and the columns', and the cells by row."""
        columns = tuple(Heading((one,)) for one in head[1:])
        kind = more.pop("kind", FIELD)
        heads = tuple(Heading((one,), kind) for one in rows)
        known = {"caption": "", "corner": head[0]} | more
        return cls(name, rows=heads, columns=columns, cells=tuple(map(tuple, rows.values())), **known)

    @property
    def has_runs(self) -> bool:
        """Whether it has a run of the user."""
        return any(one.kind == RUN for one in (*self.rows, *self.columns))

    @property
    def bodies(self) -> list[tuple[bool, list[int]]]:
        """The rows in parts, with the user's runs separate: whether a part has runs, and its row numbers."""
        parts = groupby(range(len(self.rows)), lambda number: self.rows[number].kind == RUN)
        return [(is_own, [*numbers]) for is_own, numbers in parts]

    @property
    def has_row_groups(self) -> bool:
        """Whether some row is a member of a group."""
        return any(row.group for row in self.rows)

    @property
    def column_groups(self) -> list[tuple[str, int]]:
        """The groups of columns in order, with their widths; columns without a group are ""."""
        return [(group, len([*own])) for group, own in groupby(self.columns, lambda column: column.group)]

    @cached_property
    def marks(self) -> dict[str, str]:
        """The notes with their marks: a, b, c, in reading order."""
        places: list[Heading | Cell] = [*self.columns]
        for row, cells in zip(self.rows, self.cells, strict=True):
            places += [row, *cells]
        notes = dict.fromkeys(note for one in places for note in one.notes)
        return {note: _letter(number) for number, note in enumerate(notes)}

    def mark(self, one: Cell | Heading, form: str = "%s") -> str:
        """Returns the marks of a cell's or a heading's notes in a form: "a,b"; empty if there are none."""
        return form % ",".join(self.marks[note] for note in one.notes) if one.notes else ""

    def starts_group(self, row: int) -> bool:
        """Returns whether a line separates a row from the one above: its group or kind differs."""
        this, above = self.rows[row], self.rows[max(row - 1, 0)]
        return this.group != above.group or (this.kind == RUN) != (above.kind == RUN)

    def shows_group(self, row: int) -> bool:
        """Returns whether a row is the first of its group and so shows the group's name."""
        return row == 0 or self.rows[row].group != self.rows[row - 1].group

    def row_head(self, row: int) -> list[str]:
        """Returns a row's heading as one cell, or as two if the table has groups of rows."""
        head = self.rows[row]
        if self.has_row_groups and not head.group:
            return [head.name, ""]
        group = [head.group if self.shows_group(row) else ""] if self.has_row_groups else []
        return [*group, head.name]

    def transposed(self) -> "Grid":
        """Returns the table with its columns as rows."""
        turned = tuple(zip(*self.cells, strict=True)) if self.cells else ()
        return replace(self, rows=self.columns, columns=self.rows, cells=turned)


def _letter(number: int) -> str:
    """Returns a, b, ..., z, aa, ab, ..."""
    more, rest = divmod(number, 26)
    return (_letter(more - 1) if more else "") + chr(ord("a") + rest)
