"""A table as data: headings, cells, what is best, notes. How it is written is the writers' affair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.report.numbers import Number

MODEL, HUMAN, CHANCE, BEST, OTHER = "model", "human", "chance", "best", "other"
RUN, FIELD = "run", "field"
"""What a heading is of: a model of the paper, people, chance, the best of models that are not named, a mean
or the like, a run of the reader's, or what was measured."""


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
    """

    text: str = UNDEFINED
    bounds: str = ""
    notes: tuple[str, ...] = ()
    is_best: bool = False
    number: Number | None = None
    metric: str = ""
    task: str = ""
    is_comparable: bool = True


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
        """The heading below its group."""
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
    """

    name: str
    caption: str
    rows: tuple[Heading, ...]
    columns: tuple[Heading, ...]
    cells: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()
    corner: str = ""
    is_printed: bool = False

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
        out: list[tuple[str, int]] = []
        for column in self.columns:
            if out and out[-1][0] == column.group:
                out[-1] = (column.group, out[-1][1] + 1)
            else:
                out.append((column.group, 1))
        return out

    @cached_property
    def marks(self) -> dict[str, str]:
        """The notes with their marks: a, b, c, in the order in which a reader meets them."""
        notes: dict[str, str] = {}
        heads = (note for one in self.columns for note in one.notes)
        body = (
            note
            for row, cells in zip(self.rows, self.cells, strict=True)
            for own in (row.notes, *(cell.notes for cell in cells))
            for note in own
        )
        for note in (*heads, *body):
            notes.setdefault(note, _letter(len(notes)))
        return notes

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
    of_all = _common([cell for line in lines if _tells(line) for cell in line.cells.values()])
    rows = []
    for line in lines:
        line = _without(line, of_all)
        own = _common(list(line.cells.values()))
        rows.append(Line(replace(line.heading, notes=(*line.heading.notes, *own)), _without(line, own).cells))
    columns, heads = {}, []
    for one in fields:
        cells = [line.cells[one.label] for line in rows if _tells(line) and one.label in line.cells]
        columns[one.label] = _common(cells)
        heads.append(replace(one, notes=_joined(columns[one.label])))
    out = []
    for line in rows:
        body = {
            name: (
                replace(
                    cell, notes=_joined([note for note in cell.notes if note not in columns.get(name, ())])
                )
                if cell.notes
                else cell
            )
            for name, cell in line.cells.items()
        }
        out.append(Line(replace(line.heading, notes=_joined(line.heading.notes)), body))
    return out, heads, list(of_all)


def _tells(line: Line) -> bool:
    """Whether a row has the paper's own numbers: a run and chance have other notes, or none."""
    return line.heading.kind not in (RUN, CHANCE)


def _joined(notes: Sequence[str]) -> tuple[str, ...]:
    return ("; ".join(notes),) if notes else ()


def _common(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Returns the notes that all of several cells with a number have."""
    told = [cell for cell in cells if cell.number is not None and cell.number.number is not None]
    if len(told) < 2:
        return ()
    return tuple(note for note in told[0].notes if all(note in cell.notes for cell in told))


def _without(line: Line, notes: Sequence[str]) -> Line:
    return Line(
        line.heading,
        {
            name: (
                replace(cell, notes=tuple(note for note in cell.notes if note not in notes))
                if cell.notes
                else cell
            )
            for name, cell in line.cells.items()
        },
    )
