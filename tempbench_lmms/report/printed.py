"""Adds the user's runs to a paper's table: `PrintedTable` and the scores of runs make a `Grid`.

Models are lines of a table, and a run is one more line, or several if the paper has several per model
(MATEO's Table 3 has one per modality). The metrics' names in the paper's own lines assign a run's numbers to
cells: the suite's `mt1_two_mt` is `mt` of the task `tempvs_mt1_two`, `accuracy_4f` is `accuracy` of
`coherence_qa_4f`, and `cot_mt1_two_mt` is `mt` of `tempvs_mt1_two_cot`. A name consists of the metric's name
and parts of the task's; the rest of the task's name is the number's variant. This code expects models in
rows; a table with models in columns is transposed before and after.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from tempbench_lmms.card import BenchmarkCard, PrintedTable
from tempbench_lmms.report.numbers import (
    CHANCE,
    FIELD,
    MODEL,
    RUN,
    Cell,
    Grid,
    Heading,
    Number,
    Result,
    cell_of,
)

APART = "the paper's numbers cannot be compared with a run's"

Line = tuple[Heading, dict[str, Cell]]
"""A row of a table under construction: its heading, and its cells by field."""
Template = tuple[str, dict[str, str]]
"""Lines of a table with the same metrics in the same fields: what distinguishes them from a model's other
lines, such as "Image-only", and the metrics by field."""
Unit = tuple[int, int]
"""How a table prints a metric: the scale, and the number of decimals."""
Better = Callable[[str], str]
"""Returns the better direction of a metric: `higher`, `lower`, or `neither`."""


def grid_of(card: BenchmarkCard, table: PrintedTable, results: Sequence[Result], better: Better) -> Grid:
    """Returns a paper's table with a line for each run that has a number for it.

    Args:
        card: The benchmark.
        table: One of its tables.
        results: The runs.
        better: The direction of a metric.
    """
    turned = table.models_are == "columns"
    table = _turned(table) if turned else table
    models = [cell for cell in table.cells.values() if cell.metric and card.others.get(cell.model) != CHANCE]
    apart = bool(models) and not any(cell.comparable for cell in models)
    templates, units = _templates(table), _units(card, table)
    lines = [_paper_line(card, table, row, apart) for row in table.rows]
    lines += _chance(card, table, templates, units)
    lines += (line for result in results for line in _run_lines(result, templates, units))
    _mark_best(lines, better)
    lines, fields, common = _gathered(lines, _headings(table.columns))
    remarks = ["; ".join(common)] if common else []
    if apart:
        untold = card.apart and any(
            c.metric and not c.comparable and not c.note for c in table.cells.values()
        )
        remarks = [f"{APART}: {card.apart}" if untold else APART, *remarks]
    grid = Grid(
        name=table.name,
        caption=table.caption,
        rows=tuple(head for head, _ in lines),
        columns=tuple(fields),
        cells=tuple(tuple(cells.get(column, Cell()) for column in table.columns) for _, cells in lines),
        remarks=tuple(remarks),
        is_printed=True,
    )
    return grid.transposed() if turned else grid


def _turned(table: PrintedTable) -> PrintedTable:
    cells, blank = (
        {(column, row): cell for (row, column), cell in own.items()} for own in (table.cells, table.blank)
    )
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, blank=blank)


def _heading(words: str, kind: str = FIELD) -> Heading:
    """Returns a heading from its form in the data files: " / " between a group and its member."""
    return Heading(tuple(words.split(" / ", 1)), kind)


def _headings(columns: Sequence[str]) -> list[Heading]:
    """Returns the headings of columns; one named like the next one's group belongs to that group."""
    found = [_heading(column) for column in columns]
    return [
        replace(one, parts=(one.name, "")) if not one.group and one.name == group else one
        for one, group in zip(found, [*(one.group for one in found[1:]), ""], strict=True)
    ]


def _templates(table: PrintedTable) -> list[Template]:
    out: list[Template] = []
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
        for _, known in out:
            if all(known.get(column, metric) == metric for column, metric in metrics.items()):
                known.update({c: m for c, m in metrics.items() if m not in known.values()})
                break
        else:
            out.append((_heading(row).name, metrics))
    return out if len(out) > 1 else [("", metrics) for _, metrics in out]


def _units(card: BenchmarkCard, table: PrintedTable) -> dict[str, Unit]:
    out: dict[str, Unit] = {}
    for cell in (*table.cells.values(), *table.blank.values()):
        if cell.metric and (isfinite(cell.value) or not cell.printed):
            # Chance has more decimals than measured values.
            is_chance = card.others.get(cell.model) == CHANCE
            scale = 100 if cell.unit == "percent" else 1
            digits = max(0 if is_chance else len(cell.printed.partition(".")[2]), 1 if scale == 100 else 2)
            known = out.get(cell.metric, (scale, digits))
            out[cell.metric] = known[0], max(known[1], digits)
    return out


def _paper_line(card: BenchmarkCard, table: PrintedTable, row: str, apart: bool) -> Line:
    cells = {}
    for column in table.columns:
        if (known := table.cells.get((row, column))) is not None:
            note = known.note
            if known.metric and not known.comparable and not apart:  # else the note moves to the whole table
                note = ": ".join(filter(None, ("not comparable with a run", note or card.apart)))
            cells[column] = Cell(
                text=known.printed,
                notes=tuple(filter(None, note.split("; "))),  # so that a note common to all appears once
                number=Number(known.value) if isfinite(known.value) else None,
                metric=known.metric,
                is_comparable=known.comparable,
            )
    kinds = (card.others.get(table.cells[row, column].model) for column in cells)
    return _heading(row, next(filter(None, kinds), MODEL)), cells


def _chance(
    card: BenchmarkCard, table: PrintedTable, templates: Sequence[Template], units: Mapping[str, Unit]
) -> Iterator[Line]:
    """Yields the score of random answers, if the table does not have it."""
    here = {cell.metric for cell in table.cells.values() if card.others.get(cell.model) == CHANCE}
    for label, metrics in templates:
        cells = {}
        for column, metric in metrics.items():
            ends = [name for name in card.chance if f"_{metric}".endswith(f"_{name}")]
            if ends and metric not in here and metric in units:
                number = Number(float(card.chance[max(ends, key=len)]))
                cells[column] = cell_of(number, metric, "", *units[metric])
        if cells:
            yield Heading(("chance", label) if label else ("chance",), CHANCE), cells


def _run_lines(result: Result, templates: Sequence[Template], units: Mapping[str, Unit]) -> Iterator[Line]:
    """Yields the lines of a run: for each variant as many as the paper has per model."""
    known = {metric for _, metrics in templates for metric in metrics.values()}
    for variant, numbers in result.variants(known):
        name = ", ".join(filter(None, (result.label, variant)))
        for label, metrics in templates:
            cells = {
                column: cell_of(one.number, metric, one.task, *units.get(metric, (1, 4)))
                for column, metric in metrics.items()
                if (one := numbers.get(metric)) is not None
            }
            if cells:
                yield Heading((name, label) if label else (name,), RUN, result.notes), cells


def _mark_best(lines: Sequence[Line], better: Better) -> None:
    """Marks the best value of each metric in a field; models and complete runs compete."""
    values: dict[tuple[str, str], list[float]] = {}
    competing = [
        cells for head, cells in lines if head.kind == MODEL or (head.kind == RUN and not head.notes)
    ]
    for cells in competing:
        for name, cell in cells.items():
            if cell.metric and cell.number and cell.number.number is not None:
                values.setdefault((name, cell.metric), []).append(cell.number.number)
    for cells in competing:
        for name, cell in cells.items():
            own, direction = values.get((name, cell.metric), []), better(cell.metric)
            best = (min if direction == "lower" else max)(own, default=None)
            if len(own) > 1 and direction != "neither" and cell.number and cell.number.number == best:
                cells[name] = replace(cell, is_best=True)


def _gathered(lines: list[Line], fields: list[Heading]) -> tuple[list[Line], list[Heading], list[str]]:
    """Moves notes to where they belong: the table, a row, a column, or the cell.

    A note shared by all cells of the paper moves to the table; a note shared by a row or column moves to its
    heading.

    Args:
        lines: The rows; each cell's notes are parts of one note.
        fields: The columns' headings.
    """
    # Runs and chance have other notes than the paper's own numbers, or none.
    papers = [cells for head, cells in lines if head.kind not in (RUN, CHANCE)]
    of_all = _taken([(cells, name) for cells in papers for name in cells])
    of_rows = [_taken([(cells, name) for name in cells]) for _, cells in lines]
    of_columns = [_taken([(cells, one.label) for cells in papers if one.label in cells]) for one in fields]
    rows = [
        (
            replace(head, notes=_joined([*head.notes, *own])),
            {name: replace(cell, notes=_joined(cell.notes)) for name, cell in cells.items()},
        )
        for (head, cells), own in zip(lines, of_rows, strict=True)
    ]
    heads = [replace(one, notes=_joined(own)) for one, own in zip(fields, of_columns, strict=True)]
    return rows, heads, of_all


def _taken(places: Sequence[tuple[dict[str, Cell], str]]) -> list[str]:
    """Removes the notes that all cells with a number share, and returns them."""
    cells = [line[name] for line, name in places]
    told = [cell.notes for cell in cells if cell.number and cell.number.number is not None]
    common = [note for note in told[0] if all(note in other for other in told)] if told[1:] else []
    for (line, name), cell in zip(places, cells, strict=True):
        line[name] = replace(cell, notes=tuple(note for note in cell.notes if note not in common))
    return common


def _joined(notes: Sequence[str]) -> tuple[str, ...]:
    return ("; ".join(notes),) if notes else ()
