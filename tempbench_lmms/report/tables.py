"""A report's tables for each benchmark: main scores, the paper's tables with the runs, and a task's own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, groupby
from math import isfinite
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, PrintedTable
from tempbench_lmms.data import provenance
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.record import READINGS, shares, shown
from tempbench_lmms.report import printed
from tempbench_lmms.report.numbers import (
    CHANCE,
    OF_METRICS,
    OF_SECOND,
    RUN,
    Cell,
    Grid,
    Heading,
    Number,
    Row,
    Section,
    TaskNumbers,
    cell_of,
    of_records,
    results_of,
    signed,
)
from tempbench_lmms.runs import repeats, rereading
from tempbench_lmms.runs.logs import by_repeat

REPEATS = "Spread over repeats"
"""The name of the table of a task's scores over repeats."""
_ENDS = ("mean", "standard deviation", "variance between questions", "variance within questions")
_VALUES = ("value", "share")  # the key of a share's value beside its count, `n`
_WIDTH = 8  # columns of a table, so that it fits a page


# ---- a benchmark's tables


def printed_of(section: Section) -> list[Grid]:
    """Returns the paper's tables that a run has a number for."""
    return [
        grid
        for grid in papers(section.card, section.tasks)
        if any(one.kind == RUN for one in (*grid.rows, *grid.columns))
    ]


def papers(
    card: BenchmarkCard, tasks: Sequence[TaskNumbers], tables: Sequence[PrintedTable] = ()
) -> Iterator[Grid]:
    """Yields the paper's tables with the runs in them, and the signatures of the runs that have a number."""
    results = results_of(card, tasks)
    for table in tables or card.tables:
        grid = printed.grid_of(card, table, results, partial(better, card.name))
        used = {name for cells in grid.cells for cell in cells for name in cell.task.split(", ")}
        yield signed(grid, [task for task in tasks if task.log.task in used])


def main(section: Section) -> Iterator[Grid]:
    """Yields the main scores in tables of a page's width, with columns in the paper's order."""
    card, rows = section.card, section.rows
    tasks = [task for row in rows for task in row.tasks]
    present = [column for column in card.primary if any(column in row.numbers for row in rows)]
    pages: list[list[str]] = [[]]
    for _, group in groupby(present, lambda column: card.test_of(column)[0]):
        own = list(group)
        if pages[-1] and len(pages[-1]) + len(own) > _WIDTH:
            pages.append([])
        pages[-1] += own
    for page in pages:
        for start in range(0, len(page), _WIDTH):  # a group may be wider than a page
            yield signed(_main_grid(card, page[start : start + _WIDTH], rows), tasks)


def _main_grid(card: BenchmarkCard, columns: Sequence[str], rows: Sequence[Row]) -> Grid:
    """Returns numbers as the results file has them; the paper's own tables are in the paper's units."""
    parts = [card.test_of(column) for column in columns]
    with_tests = any(test for test, _ in parts)
    lines = [row for row in rows if any(column in row.numbers for column in columns)]
    heads = [Heading((row.label,), RUN) for row in lines]
    cells = [
        tuple(cell_of(row.numbers[one], one) if one in row.numbers else Cell("") for one in columns)
        for row in lines
    ]
    if any(column in card.chance for column in columns):
        heads.append(Heading(("chance",), CHANCE))
        known = {
            name: Cell(f"{round(value, 4):g}", number=Number(value), metric=name)
            for name, value in card.chance.items()
        }
        cells.append(tuple(known.get(column, Cell("")) for column in columns))
    fields = tuple(Heading(one if with_tests else one[1:]) for one in parts)
    return Grid("Main numbers", card.name, tuple(heads), fields, tuple(cells), corner="run")


# ---- a task's own tables


def grids_of(section: Section, task: TaskNumbers) -> list[Grid]:
    """Returns the tables of one task: all metrics, their spread, breakdowns, readings, second readers."""
    other = task.log.other
    found = _by_field(task, other) if other else breakdowns_of(task.log.details)
    own = [replace(grid, caption=task.caption) for grid in found]
    grids = [_all_metrics(task), *_over_repeats(section.tasks, task), *own, *readings_of(task)]
    grids += (_second_grid(one, task.caption) for one in task.second[0])
    return [signed(grid, [task]) for grid in grids]


def _all_metrics(task: TaskNumbers) -> Grid:
    rows = {}
    for name, number in task.numbers.items():
        error = "" if number.error is None else shown(number.error)
        n = "" if number.n is None else f"{number.n:g}"
        value = replace(cell_of(number, name, task.log.task), bounds="")
        rows[name] = [value, *map(Cell, (error, number.bounds() or number.why, n))]
    head = ["metric", "value", "standard error", "95 % interval", "n"]
    none = () if rows else ("The run printed no number for this task.",)
    return Grid.of("All metrics", head, rows, task.caption, RUN, remarks=none, source=OF_METRICS)


def readings_of(task: TaskNumbers) -> list[Grid]:
    """Returns a table of how the task's replies were read; none if the run does not say."""
    found = shares(task.log.limited)
    rows: dict[str, list[Cell]] = {}
    for name, table in found.items():
        said = name.replace("how", "read by").replace("reason", "unread").replace("_", " ")
        rows |= {f"{said}: {word}": [Cell(shown(share))] for word, share in table.items()}
    grid = Grid.of("How replies were read", ["rule or reason", "share of the replies"], rows, task.caption)
    return [grid] if rows else []


def _second_grid(one: rereading.Compared, caption: str) -> Grid:
    """Returns the metrics that a second reader changes; the remarks say how often both readers agree."""
    name = one.readings.reader
    versions = {f"ours, else {name}": one.filled} | ({f"{name} first": one.alone} if one.alone else {})
    moved = {metric for found in versions.values() for metric in found.differing}
    rows = {}
    for metric, value in one.filled.then.items():
        if metric in moved and isinstance(value, (int, float, str)) and not metric.endswith("_stderr"):
            now = [found.now.get(metric) for found in versions.values()]
            others = (Cell(shown(own), number=Number(own), metric=metric) for own in now)
            rows[metric] = [Cell(shown(value)), *others]
    about = tuple(filter(None, (str(one.readings), one.agreement)))
    return Grid.of(
        f"With {name}", ["metric", "ours", *versions], rows, caption, remarks=about, source=OF_SECOND
    )


def _over_repeats(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    """Yields a table of the spread of a task's headline scores, if it is the first of its run's repeats."""
    if task.log.repeat is None:
        return
    for own in by_repeat(one.log for one in tasks if one.log.task == task.log.task):
        if own[0].file == task.log.file:
            found = repeats.over(own)
            numbers = [f"repeat {log.repeat[1]}" for log in found.logs if log.repeat]
            rows = {one.name: _spread(one, task.log.task) for one in found.metrics}
            about = f"{task.log.task}, {task.log.name or task.log.model}"
            yield Grid.of(REPEATS, ["metric", *numbers, *_ENDS], rows, about, remarks=tuple(found.warnings))


def _spread(one: repeats.Spread, task: str) -> list[Cell]:
    mean = Number(one.mean, low=one.low, high=one.high) if isfinite(one.low) else Number(one.mean)
    numbers = [*map(Number, one.values), mean, Number(one.deviation)]
    found = one.variances
    numbers += [Number(found.between), Number(found.within)] if found else []
    return [*(cell_of(number, one.name, task) for number in numbers), *[Cell("")] * (0 if found else 2)]


def _by_field(task: TaskNumbers, other: Any) -> list[Grid]:
    """Returns the headline of a task that is not ours, by each short field of its documents."""
    out = []
    row: Any = next((row for row in other.rows if row.headline), None)
    for name, values in other.by_field().items() if row else ():
        rows = {}
        for value, ids in sorted(values.items()):
            own = {*ids}
            records = [record for record in other.records if record["id"] in own]
            try:
                number = of_records(row.metric, records, isinstance(row.metric(records), Ratio))
            except ValueError as error:  # the task's aggregation takes no part of the questions
                number = Number("-", why=str(error))
            rows[value] = [cell_of(number, f"{row.name}.{value}", task.log.task), Cell(f"{len(ids)}")]
        out.append(Grid.of(name.replace("_", " "), ["", row.name, "n"], rows))
    return out


def breakdowns_of(details: Mapping[str, Any]) -> list[Grid]:
    """Returns the tables nested under `details`, without entries that are not results: `run`, `readings`.

    A table is as large as one line per row allows: sources with all their shares are one table, several
    confusion matrices are several.
    """
    known = {name: value for name, value in details.items() if isinstance(value, Mapping)}
    others = known.keys() - {provenance.KEY, READINGS}
    return [grid for name in known if name in others for grid in _nested((name,), known[name])]


def _nested(path: tuple[str, ...], node: Mapping[str, Any]) -> Iterator[Grid]:
    """Yields the tables below a node: one if each child is a line of it, else those of its children."""
    if not all(map(_is_row, node.values())):
        for name, child in node.items():
            if isinstance(child, Mapping) and not _is_leaf(child):
                yield from _nested((*path, str(name)), child)
    elif node:
        lines = {str(name): dict(_flat(child)) for name, child in node.items()}
        columns = list(dict.fromkeys(column for cells in lines.values() for column in cells))
        rows = {
            row.replace("_", " "): [
                _cell(own.get(one), ".".join(filter(None, (*path, row, one)))) for one in columns
            ]
            for row, own in lines.items()
        }
        heads = ["", *((column or "share").replace("_", " ") for column in columns)]
        yield Grid.of(", ".join(path).replace("_", " "), heads, rows)


def _is_leaf(node: Any) -> bool:
    """Returns whether a node is one value: a number, or a share with its count."""
    return not isinstance(node, Mapping) or {*node} - {"n"} in ({"value"}, {"share"}, {*_VALUES})


def _is_row(node: Any) -> bool:
    """Returns whether a node is a table line: a value, or values with more values below one of them."""
    return _is_leaf(node) or not node or any(_is_leaf(child) for child in node.values())


def _flat(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if _is_leaf(node):
        yield " ".join(path), node
        return
    for name, child in node.items():
        yield from _flat(child, (*path, str(name)))


def _cell(leaf: Any, name: str) -> Cell:
    if leaf is None:
        return Cell(metric=name)
    known = leaf if isinstance(leaf, Mapping) else {"value": leaf}
    value = next(known[key] for key in _VALUES if key in known)
    count = known.get("n")
    text = shown(value) if count is None else f"{shown(value)} ({count:g})"
    return Cell(text, number=Number(value, n=count), metric=name)


# ---- what a metric's name says


def _module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark; None for the card of a task that is not ours."""
    return benchmarks.optional(benchmark, name) if benchmark in benchmarks.names() else None


@cache
def _directions(benchmark: str) -> dict[str, str]:
    """Returns the better direction by metric, from the metric lists in the benchmark's hooks."""
    hooks = getattr(_module(benchmark, "hooks"), "__dict__", {})
    entries = chain(*(found for name, found in hooks.items() if name.endswith("METRIC_LIST")))
    rows = [getattr(entry["aggregation"], "row", None) for entry in entries]
    rows += getattr(getattr(_module(benchmark, "scoring"), "FROM_LOG", None), "rows", [])
    return {row.name: row.better for row in rows if row is not None}


def better(benchmark: str, name: str) -> str:
    """Returns the better direction of a metric of a paper's table; "neither" if unknown.

    The name may have a task's parts before or after the metric's own: `cot_mt1_two_mt`, `accuracy_1f`.
    """
    known = _directions(benchmark)
    parts = name.split("_")
    pieces = ("_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))
    return known.get(max((piece for piece in pieces if piece in known), key=len, default=""), "neither")
