"""How far a task's numbers spread over repeats: the same questions with other sampled replies."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite

from tempbench_lmms.report.grid import Cell, Grid, Heading
from tempbench_lmms.report.numbers import Number, TaskNumbers
from tempbench_lmms.runs import repeats
from tempbench_lmms.runs.logs import by_repeat

TITLE = "Spread over repeats"
ENDS = ("mean", "standard deviation", "variance between questions", "variance within questions")
ERRORS = ("standard error", "of one repeat", "of endless repeats", "of more questions instead")


def grids_of(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    """Yields the headline numbers of a task's repeats side by side; only with the first of them.

    Args:
        tasks: All tasks of all runs.
        task: One of them.
    """
    if task.log.repeat is None:
        return
    for own in by_repeat(one.log for one in tasks if one.log.task == task.log.task):
        if own[0].file == task.log.file:
            found = repeats.over(own)
            numbers = [f"repeat {log.repeat[1]}" for log in found.logs if log.repeat]
            heads = tuple(Heading((column,)) for column in (*numbers, *ENDS, *ERRORS))
            rows = tuple(Heading((one.name,)) for one in found.metrics)
            cells = tuple(tuple(_cells(one, task.log.task)) for one in found.metrics)
            about = f"{task.log.task}, {task.log.name or task.log.model}"
            yield Grid(TITLE, about, rows, heads, cells, tuple(found.warnings), corner="metric")


def _cells(one: repeats.Spread, task: str) -> Iterator[Cell]:
    for value in one.values:
        yield _cell(Number(value), one.name, task)
    has_ends = isfinite(one.low)
    mean = Number(one.mean, low=one.low, high=one.high) if has_ends else Number(one.mean)
    yield _cell(mean, one.name, task)
    yield _cell(Number(one.deviation), one.name, task)
    if one.variances is None or one.errors is None:
        yield from [Cell(text="")] * (2 + len(ERRORS))
        return
    for value in (one.variances.between, one.variances.within, *asdict(one.errors).values()):
        yield _cell(Number(value), one.name, task)


def _cell(number: Number, metric: str, task: str) -> Cell:
    return Cell(number.scaled_text(), number.bounds(), number=number, metric=metric, task=task)
