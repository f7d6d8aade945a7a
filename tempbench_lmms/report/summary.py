"""The first screen as tables for text formats: the page shows the same columns and problems with links."""

from collections.abc import Iterator, Mapping, Sequence

from tempbench_lmms.report import overview
from tempbench_lmms.report.grid import RUN, Cell, Grid, Heading
from tempbench_lmms.report.overview import Column, Mark, Problem
from tempbench_lmms.report.tables import Section


def grids_of(sections: Sequence[Section], runs: Sequence[str] = ()) -> Iterator[Grid]:
    """Yields how good each run is on each benchmark, and what is wrong with the runs.

    Args:
        sections: The benchmarks.
        runs: The runs' names in order; where omitted, as they come in the sections.
    """
    tasks = [task for section in sections for task in section.tasks]
    names = list(runs) or list(dict.fromkeys(task.run for task in tasks))
    columns = overview.columns_of(sections)
    if columns:
        yield headlines(columns, names)
    yield problems(overview.problems_of(tasks, {place: place for place in range(len(tasks))}), names)


def headlines(columns: Sequence[Column], runs: Sequence[str]) -> Grid:
    """Returns a row a run, and one for chance, the paper's best and people; a column a benchmark."""
    rows = [Heading((run,), RUN) for run in runs]
    cells = [tuple(_cell(column, run) for column in columns) for run in runs]
    for kind, name in overview.MARKS.items():
        rows.append(Heading((name,), kind))
        cells.append(tuple(_mark(column, kind) for column in columns))
    return Grid(
        name="Headlines",
        caption="How good each run is on each benchmark",
        rows=tuple(rows),
        columns=tuple(map(_heading, columns)),
        cells=tuple(cells),
        remarks=tuple(overview.remarks(columns)),
        corner="run",
    )


def _heading(column: Column) -> Heading:
    notes = (f"no run has {column.instead_of}",) if column.instead_of else ()
    return Heading((column.benchmark, column.metric), notes=notes)


def _cell(column: Column, run: str) -> Cell:
    if run not in column.cells:
        return Cell(overview.OTHERS if run in column.others else "")
    number, variant, more = column.cells[run]
    bounds = overview.bounds_of(number)
    own = column.variant(variant)
    notes = [own] if own else []
    notes += [f"no interval: {number.why}"] if number.why and not bounds else []
    notes += [f"{more} more below"] if more else []
    words = ("; ".join(notes),) if notes else ()
    return Cell(overview.text_of(number), bounds, words, number=number, metric=column.metric)


def _mark(column: Column, kind: str) -> Cell:
    mark = column.mark(kind)
    if mark is None:
        return Cell(column.missing(kind))
    words = _words(mark)
    return Cell(mark.text, notes=(words,) if words else (), metric=column.metric)


def _words(mark: Mark) -> str:
    """Returns whose the value is, where the row's name does not say it, and what speaks against it."""
    label = "" if mark.label.lower() == mark.kind else mark.label
    return ": ".join(filter(None, (label, mark.note)))


def problems(found: Mapping[str, Mapping[str, Problem]], runs: Sequence[str]) -> Grid:
    """Returns a row a run, and a column a thing that can be wrong with it."""
    kinds = overview.PROBLEMS
    return Grid(
        name="What is wrong with these runs",
        caption="",
        rows=tuple(Heading((run,), RUN) for run in runs),
        columns=tuple(Heading((kind,), notes=(words,)) for kind, words in kinds.items()),
        cells=tuple(
            tuple(Cell(found[run][kind].text if kind in found[run] else "none") for kind in kinds)
            for run in runs
        ),
        corner="run",
    )
