"""A report's tables for each benchmark: main scores, the paper's tables with the runs, and a task's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import groupby
from math import isfinite
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, PrintedTable
from tempbench_lmms.data import provenance
from tempbench_lmms.harness.tasks import kwargs_of, task_files
from tempbench_lmms.harness.variants import base_of
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.record import READINGS, Metrics, shown
from tempbench_lmms.report import printed
from tempbench_lmms.report.grid import CHANCE, RUN, Cell, Grid, Heading, Number, cell_of
from tempbench_lmms.report.numbers import TaskNumbers, of_records
from tempbench_lmms.report.printed import Found, Parts, Result, nearest
from tempbench_lmms.runs import repeats, run_card
from tempbench_lmms.runs.logs import by_repeat

REPEATS = "Spread over repeats"
"""The name of the table of a task's scores over repeats."""
_ENDS = ("mean", "standard deviation", "variance between questions", "variance within questions")
_VALUES = ("value", "share")  # the key of a share's value beside its count, `n`
_WIDTH = 8  # columns of a table, so that it fits a page


@dataclass(frozen=True)
class Row:
    """One run of one variant."""

    run: str  # the run's name
    variant: str  # what distinguishes its tasks from the benchmark's main ones; empty for those
    tasks: tuple[TaskNumbers, ...]  # the tasks behind it
    numbers: dict[str, Number]  # by the names of the benchmark's main metrics

    @property
    def label(self) -> str:
        """The row's name."""
        return f"{self.run}, {self.variant}" if self.variant else self.run

    def metric(self, column: str) -> Number | None:
        """Returns any metric of the row's tasks, by its name in the suite."""
        if column in self.numbers:
            return self.numbers[column]
        own = ((task.stem, name, one) for task in self.tasks for name, one in task.numbers.items())
        return next((one for stem, name, one in own if nearest(stem, name, {column})), None)


@dataclass(frozen=True)
class Section:
    """One benchmark in a report."""

    card: BenchmarkCard  # the benchmark
    tasks: tuple[TaskNumbers, ...]  # every task of every run
    rows: tuple[Row, ...]  # the runs by their main metrics

    @cached_property
    def main(self) -> list[Grid]:
        """The main numbers of the runs."""
        tasks = [task for row in self.rows for task in row.tasks]
        return [signed(grid, tasks) for grid in _main(self.card, self.rows)]

    @cached_property
    def printed(self) -> list[Grid]:
        """The paper's tables that a run has a number for."""
        return [grid for grid in grids_of(self.card, self.tasks) if grid.has_runs]

    def grids_of(self, task: TaskNumbers) -> list[Grid]:
        """Returns the tables of one task: all metrics, their spread, breakdowns, readings, second readers."""
        other = task.log.other
        found = _by_field(task, other) if other else breakdowns_of(task.log.details)
        own = [replace(grid, caption=task.caption) for grid in found]
        grids = [task.metrics_grid, *_over_repeats(self.tasks, task), *own, *task.own_grids]
        return [signed(grid, [task]) for grid in grids]


def sections_of(tasks: Sequence[TaskNumbers]) -> list[Section]:
    """Returns one section per benchmark."""
    out = []
    for name in sorted({task.log.section for task in tasks}):
        own = tuple(task for task in tasks if task.log.section == name)
        card = own[0].log.card
        out.append(Section(card, own, tuple(rows_of(card, own))))
    return out


# ---- the paper's tables


def grids_of(
    card: BenchmarkCard, tasks: Sequence[TaskNumbers], tables: Sequence[PrintedTable] = ()
) -> Iterator[Grid]:
    """Yields the paper's tables with the runs in them, and the signatures of the runs that have a number."""
    results = results_of(card, tasks)
    for table in tables or card.tables:
        grid = printed.grid_of(card, table, results, partial(better, card.name))
        used = {name for cells in grid.cells for cell in cells for name in cell.task.split(", ")}
        yield signed(grid, [task for task in tasks if task.log.task in used])


def signed(grid: Grid, tasks: Iterable[TaskNumbers]) -> Grid:
    """Returns a table with the signatures of its tasks."""
    return replace(grid, signatures=tuple(run_card.signature_lines(task.signature for task in tasks)))


def results_of(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> list[Result]:
    """Returns the results of each run, with the bundled sample and the real data separate."""
    runs: dict[tuple[str, bool], list[TaskNumbers]] = {}
    for task in tasks:
        runs.setdefault((task.run, task.is_mini), []).append(task)
    return [
        Result(run, tuple(own), (*_of_files(card, own), *_of_logs(card, own)))
        for (run, _), own in runs.items()
    ]


def _of_files(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> Iterator[Found]:
    for task in tasks:
        for name, number in task.numbers.items():
            yield Found(_stem(card, task), name, task.log.task, number)


def _of_logs(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> Iterator[Found]:
    """Yields numbers of the paper's tables that need the questions of all tests and are in no results file.

    `FROM_LOG` of a benchmark's module `scoring` lists them. Tasks with the same settings are combined.
    """
    metrics = getattr(_module(card.name, "scoring"), "FROM_LOG", {})
    alike: dict[str, list[TaskNumbers]] = {}
    for task in tasks if metrics else ():
        settings = kwargs_of(task.log.config)
        # Derived tasks have the settings of their base task.
        alike.setdefault(repr((settings, bool(base_of(task.log.task)))), []).append(task)
    for own in alike.values():
        records = list({str(one["id"]): one for task in own for one in task.log.records}.values())
        records.sort(key=lambda record: str(record["id"]))
        stems = [_stem(card, task) for task in own]
        stem = tuple(part for part in stems[0] if all(part in other for other in stems))
        for name, metric in metrics.items():
            number = of_records(metric, records, own[0].with_intervals)
            if number.number is not None:
                yield Found(stem, name, ", ".join(task.log.task for task in own), number)


def _stem(card: BenchmarkCard, task: TaskNumbers) -> Parts:
    return tuple(part for part in task.stem if part not in card.plain)


def _module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark; None for the card of a task that is not ours."""
    return benchmarks.optional(benchmark, name) if benchmark in benchmarks.names() else None


@cache
def _directions(benchmark: str) -> dict[str, str]:
    """Returns the better direction by metric, from the metric lists in the benchmark's hooks."""
    hooks = _module(benchmark, "hooks")
    lists = [found for name, found in vars(hooks).items() if name.endswith("METRIC_LIST")] if hooks else []
    rows = [getattr(entry["aggregation"], "row", None) for found in lists for entry in found]
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


# ---- the main numbers


def rows_of(card: BenchmarkCard, tasks: Sequence[TaskNumbers]) -> list[Row]:
    """Returns the rows of a benchmark's main numbers; tasks of one run and variant share a row."""
    out = []
    for result in results_of(card, tasks):
        by_name = {task.log.task: task for task in result.tasks}
        own = replace(result, found=tuple(one for one in result.found if one.task in by_name))
        for variant, found in own.variants(set(card.primary)):
            names = dict.fromkeys(one.task for one in found.values())
            numbers = {name: one.number for name, one in found.items()}
            out.append(Row(result.label, variant, tuple(by_name[name] for name in names), numbers))
    return out


def _main(card: BenchmarkCard, rows: Sequence[Row]) -> Iterator[Grid]:
    """Yields the main scores in tables of a page's width, with columns in the paper's order."""
    present = [column for column in card.primary if any(column in row.numbers for row in rows)]
    pages: list[list[str]] = [[]]
    for _, group in groupby(present, lambda column: test_of(card, column)[0]):
        own = list(group)
        if pages[-1] and len(pages[-1]) + len(own) > _WIDTH:
            pages.append([])
        pages[-1] += own
    for page in pages:
        for start in range(0, len(page), _WIDTH):  # a group may be wider than a page
            yield _main_grid(card, page[start : start + _WIDTH], rows)


def test_of(card: BenchmarkCard, column: str) -> tuple[str, str]:
    """Returns a column's test and metric: `mt1_two_mt` is `mt` of `mt1_two`; `acc` has no test.

    A test has its own task, so `i_acc` is not `acc` of a test `i`.
    """
    metrics: Metrics | dict[str, Any] = getattr(_module(card.name, "scoring"), "METRICS", {})
    parts = column.split("_")
    for cut in range(1, len(parts)):
        test, metric = "_".join(parts[:cut]), "_".join(parts[cut:])
        if metric in metrics and f"{card.name}_{test}" in task_files():
            return test, metric
    return "", column


def _main_grid(card: BenchmarkCard, columns: Sequence[str], rows: Sequence[Row]) -> Grid:
    """Returns numbers as the results file has them; the paper's own tables are in the paper's units."""
    parts = [test_of(card, column) for column in columns]
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
            head = ["metric", *numbers, *_ENDS]
            yield Grid.of(REPEATS, head, rows, caption=about, remarks=tuple(found.warnings))


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
    out: list[Grid] = []
    for name, value in details.items():
        if name not in (provenance.KEY, READINGS) and isinstance(value, Mapping):
            out += _nested((name,), value)
    return out


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
