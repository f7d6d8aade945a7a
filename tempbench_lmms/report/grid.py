"""A table as data: numbers, headings, cells, notes. The writers beside this file make text and HTML of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from math import isfinite
from typing import Any

from tempbench_lmms.record import UNDEFINED, shown

MODEL, HUMAN, CHANCE, BEST, OTHER = "model", "human", "chance", "best", "other"
RUN, FIELD = "run", "field"
"""What a heading is of: a model of the paper, people, chance, the best of models that are not named, a mean
or the like, a run of the reader's, or what was measured."""

METRICS, DETAILS, SECOND = "run", "details", "second"
"""Where the numbers of a task's tables come from: its metrics, its breakdowns, a second reader."""

Value = float | int | str | None


@dataclass(frozen=True)
class Number:
    """A value with what is known of its spread.

    Attributes:
        value: As in the results file: a number, "-" where undefined, or a word.
        error: Standard error.
        low: Lower end of the 95 % interval.
        high: Its upper end.
        n: How many units it is over, where that is known.
        why: Why there is no interval, where that is known.
    """

    value: Value
    error: float | None = None
    low: float | None = None
    high: float | None = None
    n: float | None = None
    why: str = ""

    @property
    def number(self) -> float | None:
        """The value where it is a finite number."""
        if isinstance(self.value, (int, float)) and isfinite(self.value):
            return float(self.value)
        return None

    def text(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the value times `scale` for people."""
        scalable = isinstance(self.value, float) and scale != 1
        return shown(self.value * scale if scalable else self.value, digits)  # type: ignore[operator]

    def bounds(self, scale: float = 1, digits: int = 4) -> str:
        """Returns the interval times `scale` for people; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{shown(self.low * scale, digits)}, {shown(self.high * scale, digits)}]"


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: The value as it is shown.
        bounds: Its 95 % interval as it is shown; empty where there is none.
        notes: What must be known of it.
        is_best: Whether no other model has a better value.
        number: The value itself, unscaled, with its spread; None where the cell has none.
        metric: What it is a value of; empty where it is of no metric of ours.
        task: The task whose run gave it; empty for the paper's.
        is_comparable: Whether the paper's number and a run's can be set beside each other.
        link: The part of the page that it leads to.
        is_fault: Whether it tells of a fault.
    """

    text: str = UNDEFINED
    bounds: str = ""
    notes: tuple[str, ...] = ()
    is_best: bool = False
    number: Number | None = None
    metric: str = ""
    task: str = ""
    is_comparable: bool = True
    link: str = ""
    is_fault: bool = False


def cell_of(number: Number, metric: str, task: str = "", scale: float = 1, digits: int = 4) -> Cell:
    """Returns the cell of a number, times `scale`."""
    text, bounds = number.text(scale, digits), number.bounds(scale, digits)
    return Cell(text, bounds, number=number, metric=metric, task=task)


@dataclass(frozen=True)
class Heading:
    """The heading of a row or of a column.

    Attributes:
        parts: A group and its member, or the one of them that there is.
        kind: One of `MODEL` and its like.
        notes: What must be known of the whole row or column.
    """

    parts: tuple[str, ...]
    kind: str = FIELD
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The heading in one line."""
        return " / ".join(part for part in self.parts if part)

    @property
    def group(self) -> str:
        """The group; empty where the heading has no member."""
        return self.parts[0] if len(self.parts) > 1 else ""

    @property
    def name(self) -> str:
        """The member, or what stands alone."""
        return self.parts[-1]


def heading(words: str, kind: str = FIELD) -> Heading:
    """Returns a heading as the data files write it: " / " between a group and its member."""
    return Heading(tuple(words.split(" / ", 1)), kind)


def headings(columns: Sequence[str]) -> list[Heading]:
    """Returns the headings of columns; one that is called like the next one's group belongs to the group."""
    found = [heading(column) for column in columns]
    groups = [one.group for one in found[1:]] + [""]
    return [
        replace(one, parts=(one.name, "")) if not one.group and one.name == group else one
        for one, group in zip(found, groups, strict=True)
    ]


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        name: "Table 3", or what it is of.
        caption: What it shows.
        rows: Their headings.
        columns: Likewise.
        cells: By row, a cell a column.
        remarks: What must be known of the whole table.
        corner: What the rows are.
        is_printed: Whether a paper has it: its name is where, and its caption the paper's.
        source: Where the numbers of a task's table come from (`METRICS` and its like).
    """

    name: str
    caption: str
    rows: tuple[Heading, ...]
    columns: tuple[Heading, ...]
    cells: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()
    corner: str = ""
    is_printed: bool = False
    source: str = DETAILS

    @classmethod
    def of(cls, name: str, head: Sequence[str], rows: Mapping[str, Sequence[Cell]], **more: Any) -> "Grid":
        """Returns a table of plain headings: the corner's and the columns', and the cells by row."""
        columns = tuple(Heading((one,)) for one in head[1:])
        kind = more.pop("kind", FIELD)
        heads = tuple(Heading((one,), kind) for one in rows)
        known = {"caption": "", "corner": head[0]} | more
        return cls(name, rows=heads, columns=columns, cells=tuple(map(tuple, rows.values())), **known)

    @property
    def has_runs(self) -> bool:
        """Whether a run of the reader's is in it."""
        return any(one.kind == RUN for one in (*self.rows, *self.columns))

    @property
    def bodies(self) -> list[tuple[bool, list[int]]]:
        """The rows in parts, the reader's runs apart: whether a part is theirs, and its rows' numbers."""
        parts = groupby(range(len(self.rows)), lambda number: self.rows[number].kind == RUN)
        return [(is_own, list(numbers)) for is_own, numbers in parts]

    @property
    def has_row_groups(self) -> bool:
        """Whether some row is a member of a group."""
        return any(row.group for row in self.rows)

    @property
    def column_groups(self) -> list[tuple[str, int]]:
        """The groups of columns in order, with their widths; columns outside of groups are "" together."""
        return [(group, len([*own])) for group, own in groupby(self.columns, lambda column: column.group)]

    @cached_property
    def marks(self) -> dict[str, str]:
        """The notes with their marks: a, b, c, in the order in which a reader meets them."""
        places = [*self.columns]
        for row, cells in zip(self.rows, self.cells, strict=True):
            places += [row, *cells]  # type: ignore[list-item]
        notes = dict.fromkeys(note for one in places for note in one.notes)
        return {note: _letter(number) for number, note in enumerate(notes)}

    def mark(self, one: Cell | Heading) -> str:
        """Returns the marks of a cell's or a heading's notes: "a,b"."""
        return ",".join(self.marks[note] for note in one.notes)

    def starts_group(self, row: int) -> bool:
        """Whether a row's group differs from that of the row above, or its kind does: a line is above it."""
        if row == 0:
            return False
        this, above = self.rows[row], self.rows[row - 1]
        apart = this.kind != above.kind and RUN in (this.kind, above.kind)
        return apart or this.group != above.group

    def shows_group(self, row: int) -> bool:
        """Whether a row is the first of its group, where the group's name stands."""
        return row == 0 or self.rows[row].group != self.rows[row - 1].group

    def row_head(self, row: int) -> list[str]:
        """Returns a row's heading as one cell, or as two where the table has groups of rows."""
        head = self.rows[row]
        if not self.has_row_groups:
            return [head.name]
        if not head.group:
            return [head.name, ""]
        return [head.group if self.shows_group(row) else "", head.name]

    def transposed(self) -> "Grid":
        """Returns the table with its columns as rows."""
        turned = tuple(zip(*self.cells, strict=True)) if self.cells else ()
        return replace(self, rows=self.columns, columns=self.rows, cells=turned)


def _letter(number: int) -> str:
    """Returns a, b, ..., z, aa, ab, ..."""
    more, rest = divmod(number, 26)
    return (_letter(more - 1) if more else "") + chr(ord("a") + rest)


@dataclass(frozen=True)
class Line:
    """A row of a table while it is made: its heading, and its cells by field."""

    heading: Heading
    cells: Mapping[str, Cell] = field(default_factory=dict)


def gathered(lines: Sequence[Line], fields: Sequence[Heading]) -> tuple[list[Line], list[Heading], list[str]]:
    """Returns the lines with notes where they belong: on the table, a row, a column, or else the cell.

    What every cell of the paper says is said once of the whole table; what all cells of a row or of a column
    say is said at its heading.

    Args:
        lines: The rows; the notes of a cell are parts of one note.
        fields: The columns' headings.
    """
    left = {(place, name): cell for place, line in enumerate(lines) for name, cell in line.cells.items()}
    # A run and chance have other notes than the paper's own numbers, or none.
    papers = {place for place, line in enumerate(lines) if line.heading.kind not in (RUN, CHANCE)}
    of_all = _taken(left, [one for one in left if one[0] in papers])
    rows = [_taken(left, [one for one in left if one[0] == place]) for place in range(len(lines))]
    heads = [
        replace(column, notes=_joined(_taken(left, [(place, column.label) for place in papers])))
        for column in fields
    ]
    out = [
        Line(
            replace(line.heading, notes=_joined([*line.heading.notes, *own])),
            {
                name: replace(cell, notes=_joined(left[place, name].notes))
                for name, cell in line.cells.items()
            },
        )
        for place, (line, own) in enumerate(zip(lines, rows, strict=True))
    ]
    return out, heads, list(of_all)


def _taken(left: dict[tuple[int, str], Cell], places: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Takes from some cells the notes that all of those with a number have, and returns these notes."""
    cells = {place: left[place] for place in places if place in left}
    told = [cell.notes for cell in cells.values() if cell.number and cell.number.number is not None]
    common = tuple(note for note in told[0] if all(note in other for other in told)) if told[1:] else ()
    for place, cell in cells.items():
        left[place] = replace(cell, notes=tuple(note for note in cell.notes if note not in common))
    return common


def _joined(notes: Sequence[str]) -> tuple[str, ...]:
    return ("; ".join(notes),) if notes else ()
