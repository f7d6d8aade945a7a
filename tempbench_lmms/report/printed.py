"""Adds the user's runs to a paper's table: `PrintedTable` and the scores of runs make a `Grid`.

Models are lines of a table, and a run is one more line, or several if the paper has several per model
(MATEO's Table 3 has one per modality). The metrics' names in the paper's own lines assign a run's numbers to
cells (`placing`). This code expects models in rows; a table with models in columns is transposed before and
after.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite

from tempbench_lmms.card import BenchmarkCard, PrintedTable, Reference
from tempbench_lmms.report.grid import (
    CHANCE,
    MODEL,
    RUN,
    Cell,
    Grid,
    Line,
    Number,
    cell_of,
    gathered,
    heading,
    headings,
)
from tempbench_lmms.report.grid import Heading as Head
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.placing import Parts, nearest

MINI = "the run used the bundled sample, unlike the paper"
APART = "the paper's numbers cannot be compared with a run's"
PARTIAL = "the run is incomplete, but the paper's numbers cover all questions"

Better = Callable[[str], str]
"""Returns the better direction of a metric: `higher`, `lower`, or `neither`."""


@dataclass(frozen=True)
class Found:
    """A number of a run, before it is assigned to a cell."""

    stem: Parts  # the parts of its task's name, without the benchmark's and the card's `plain` parts
    metric: str  # its name in the task
    task: str  # the task
    read: Callable[[], Number]  # returns the number


@dataclass(frozen=True)
class Result:
    """The results of a run."""

    label: str  # the run's name
    tasks: tuple[TaskNumbers, ...]  # its tasks: all on the bundled sample, or none
    found: tuple[Found, ...]  # its numbers

    @property
    def is_mini(self) -> bool:
        """Whether it used the bundled sample."""
        return self.tasks[0].is_mini

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Why it cannot be compared with the paper."""
        if self.is_mini:
            return (MINI,)
        whole = all(task.is_complete and not task.log.problems for task in self.tasks)
        return () if whole else (PARTIAL,)


@dataclass(frozen=True)
class _Template:
    """Lines of a table with the same metrics in the same fields."""

    label: str  # what distinguishes them from a model's other lines: "Image-only"
    metrics: dict[str, str]  # by field


@dataclass(frozen=True)
class _Unit:
    """How a table prints a metric."""

    scale: int
    digits: int

    def cell(self, number: Number, metric: str, task: str = "") -> Cell:
        return cell_of(number, metric, task, self.scale, self.digits)


def grid_of(card: BenchmarkCard, table: PrintedTable, results: Sequence[Result], better: Better) -> Grid:
    """Returns a paper's table with a line for each run that has a number for it.

    Args:
        card: The benchmark.
        table: One of its tables.
        results: The runs.
        better: The direction of a metric.
    """
    turned = table.models_are == "columns"
    if turned:
        cells, blank = (
            {(column, row): cell for (row, column), cell in own.items()} for own in (table.cells, table.blank)
        )
        table = replace(table, rows=table.columns, columns=table.rows, cells=cells, blank=blank)
    templates = _templates(table)
    apart = _is_apart(card, table)
    paper = [_paper_line(card, table, row, apart) for row in table.rows]
    units = _units(card, table)
    others = list(_chance(card, table, templates, units))
    runs = [line for result in results for line in _run_lines(result, templates, units)]
    lines = _with_best([*paper, *others, *runs], better)
    lines, fields, remarks = gathered(lines, headings(table.columns))
    grid = Grid(
        name=table.name,
        caption=table.caption,
        rows=tuple(line.heading for line in lines),
        columns=tuple(fields),
        cells=tuple(tuple(line.cells.get(column, Cell()) for column in table.columns) for line in lines),
        remarks=tuple(_remarks(card, table, apart, remarks)),
        is_printed=True,
    )
    return grid.transposed() if turned else grid


def _remarks(card: BenchmarkCard, table: PrintedTable, apart: bool, common: Sequence[str]) -> Iterator[str]:
    """Yields the notes on the whole table."""
    if apart:
        untold = any(c.metric and not c.comparable and not c.note for c in table.cells.values())
        yield f"{APART}: {card.apart}" if untold and card.apart else APART
    if common:
        yield "; ".join(common)


def _templates(table: PrintedTable) -> list[_Template]:
    out: list[_Template] = []
    known_cells = {**table.blank, **table.cells}
    for row in table.rows:
        metrics: dict[str, str] = {}
        own = [(column, known_cells[row, column]) for column in table.columns if (row, column) in known_cells]
        # If a metric appears twice ("Before" and "After"), a run goes to the comparable one.
        for column, cell in sorted(own, key=lambda one: not one[1].comparable):
            if cell.metric and cell.metric not in metrics.values():
                metrics[column] = cell.metric
        if not metrics:
            continue
        for known in out:
            if all(known.metrics.get(column, metric) == metric for column, metric in metrics.items()):
                new = {c: m for c, m in metrics.items() if m not in known.metrics.values()}
                known.metrics.update(new)
                break
        else:
            out.append(_Template(heading(row).name, metrics))
    return out if len(out) > 1 else [replace(one, label="") for one in out]


def _units(card: BenchmarkCard, table: PrintedTable) -> dict[str, _Unit]:
    out: dict[str, _Unit] = {}
    for cell in (*table.cells.values(), *table.blank.values()):
        if cell.metric and (isfinite(cell.value) or not cell.printed):
            # Chance has more decimals than measured values.
            is_chance = card.others.get(cell.model) == CHANCE
            scale = 100 if cell.unit == "percent" else 1
            digits = max(0 if is_chance else len(cell.printed.partition(".")[2]), 1 if scale == 100 else 2)
            known = out.get(cell.metric, _Unit(scale, digits))
            out[cell.metric] = _Unit(known.scale, max(known.digits, digits))
    return out


def _is_apart(card: BenchmarkCard, table: PrintedTable) -> bool:
    """Returns whether no run can be compared with any model of the table."""
    models = [cell for cell in table.cells.values() if cell.metric and card.others.get(cell.model) != CHANCE]
    return bool(models) and not any(cell.comparable for cell in models)


def _paper_line(card: BenchmarkCard, table: PrintedTable, row: str, apart: bool) -> Line:
    cells = {
        column: _paper_cell(card, table.cells[row, column], apart)
        for column in table.columns
        if (row, column) in table.cells
    }
    models = [table.cells[row, column].model for column in cells]
    kind = next((card.others[model] for model in models if model in card.others), MODEL)
    return Line(heading(row, kind), cells)


def _paper_cell(card: BenchmarkCard, cell: Reference, apart: bool) -> Cell:
    number = Number(cell.value) if isfinite(cell.value) else None
    return Cell(
        text=cell.printed,
        notes=_notes(card, cell, apart),
        number=number,
        metric=cell.metric,
        is_comparable=cell.comparable,
    )


def _notes(card: BenchmarkCard, cell: Reference, apart: bool) -> tuple[str, ...]:
    if cell.comparable or not cell.metric or apart:  # then the note moves to the whole table
        note = cell.note
    else:
        note = ": ".join(filter(None, ("not comparable with a run", cell.note or card.apart)))
    # In parts, so that a note common to all cells appears once.
    return tuple(part for part in note.split("; ") if part)


def _chance(
    card: BenchmarkCard, table: PrintedTable, templates: Sequence[_Template], units: Mapping[str, _Unit]
) -> Iterator[Line]:
    """Yields the score of random answers, if the table does not have it."""
    here = {cell.metric for cell in table.cells.values() if card.others.get(cell.model) == CHANCE}
    for template in templates:
        cells = {}
        for column, metric in template.metrics.items():
            ends = [name for name in card.chance if f"_{metric}".endswith(f"_{name}")]
            if ends and metric not in here and metric in units:
                number = Number(float(card.chance[max(ends, key=len)]))
                cells[column] = units[metric].cell(number, metric)
        if cells:
            yield Line(_head("chance", template, CHANCE), cells)


def _head(name: str, template: _Template, kind: str, notes: tuple[str, ...] = ()) -> Head:
    return Head((name, template.label) if template.label else (name,), kind, notes)


def _run_lines(result: Result, templates: Sequence[_Template], units: Mapping[str, _Unit]) -> Iterator[Line]:
    """Yields the lines of a run: for each variant as many as the paper has per model."""
    known = {metric for template in templates for metric in template.metrics.values()}
    rows = list(variants(result.found, known))
    for variant, numbers in rows:
        tasks = dict.fromkeys(one.task for one in numbers.values())
        again = sum(other == variant for other, _ in rows) > 1
        words = ["_".join(variant), "mini" if result.is_mini else "", *(tasks if again else ())]
        name = ", ".join([result.label, *filter(None, words)])
        for template in templates:
            cells = {
                column: units.get(metric, _Unit(1, 4)).cell(one.read(), metric, one.task)
                for column, metric in template.metrics.items()
                if (one := numbers.get(metric)) is not None
            }
            if cells:
                yield Line(_head(name, template, RUN, result.notes), cells)


def variants(found: Iterable[Found], known: set[str]) -> Iterator[tuple[Parts, dict[str, Found]]]:
    """Yields the variants of a run with their numbers by the names among `known`.

    If two tasks give the same number, as the suite and a single test do, the variant appears twice.
    """
    tasks: dict[tuple[str, Parts], dict[str, Found]] = {}
    for one in found:
        if (place := nearest(one.stem, one.metric, known)) is not None:
            tasks.setdefault((one.task, place[1]), {})[place[0]] = one
    rows: dict[tuple[Parts, int], dict[str, Found]] = {}
    for (_, rest), numbers in tasks.items():
        copy = 0
        while rows.get((rest, copy), {}).keys() & numbers.keys():
            copy += 1
        rows.setdefault((rest, copy), {}).update(numbers)
    for (rest, _), numbers in rows.items():
        yield rest, numbers


def _with_best(lines: Sequence[Line], better: Better) -> list[Line]:
    """Returns the lines with the best value of each metric in a field marked.

    Models and complete runs compete.
    """
    values: dict[tuple[str, str], list[float]] = {}
    competing = [
        line
        for line in lines
        if line.heading.kind == MODEL or (line.heading.kind == RUN and not line.heading.notes)
    ]
    for line in competing:
        for name, cell in line.cells.items():
            if cell.metric and cell.number is not None and cell.number.number is not None:
                values.setdefault((name, cell.metric), []).append(cell.number.number)
    best = {
        (name, metric): (min if better(metric) == "lower" else max)(own)
        for (name, metric), own in values.items()
        if len(own) > 1 and better(metric) != "neither"
    }
    return [
        Line(
            line.heading,
            {name: _marked(cell, best.get((name, cell.metric))) for name, cell in line.cells.items()},
        )
        if line in competing
        else line
        for line in lines
    ]


def _marked(cell: Cell, best: float | None) -> Cell:
    is_best = best is not None and cell.number is not None and cell.number.number == best
    return replace(cell, is_best=True) if is_best else cell
