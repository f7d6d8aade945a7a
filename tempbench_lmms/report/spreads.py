"""The spread of a task's scores over repeats with sampled replies."""

from collections.abc import Iterator, Sequence
from math import isfinite

from tempbench_lmms.report.grid import Cell, Grid, Number, cell_of
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.runs import repeats
from tempbench_lmms.runs.logs import by_repeat

REPEATS = "Spread over repeats"
_ENDS = ("mean", "standard deviation", "variance between questions", "variance within questions")


def grids_of(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    """Yields a table of the spread of a task's headline scores, if its run has repeats.

    Args:
        tasks: All tasks of all runs.
        task: The first of the repeats.
    """
    if task.log.repeat is None:
        return
    for own in by_repeat(one.log for one in tasks if one.log.task == task.log.task):
        if own[0].file == task.log.file:
            found = repeats.over(own)
            numbers = [f"repeat {log.repeat[1]}" for log in found.logs if log.repeat]
            head = ["metric", *numbers, *_ENDS]
            rows = {one.name: list(_cells(one, task.log.task)) for one in found.metrics}
            about = f"{task.log.task}, {task.log.name or task.log.model}"
            yield Grid.of(REPEATS, head, rows, caption=about, remarks=tuple(found.warnings))


def _cells(one: repeats.Spread, task: str) -> Iterator[Cell]:
    mean = Number(one.mean, low=one.low, high=one.high) if isfinite(one.low) else Number(one.mean)
    numbers = [*map(Number, one.values), mean, Number(one.deviation)]
    if (found := one.variances) is not None:
        numbers += [Number(found.between), Number(found.within)]
    yield from (cell_of(number, one.name, task) for number in numbers)
    yield from [Cell(text="")] * (0 if found else 2)
