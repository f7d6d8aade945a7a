"""How far a task's numbers spread over the words of its prompt: the task beside its paraphrases."""

import statistics
from collections.abc import Iterator, Sequence

from tempbench_lmms.harness.adapter import rows_of
from tempbench_lmms.harness.derived import PARAPHRASES, base_of
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.report.grid import Cell, Grid, Heading
from tempbench_lmms.report.numbers import Number, TaskNumbers

TITLE = "Spread over paraphrases"
FIRST = "first words"
RANGE, DEVIATION = "largest less smallest", "standard deviation"


def grids_of(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    """Yields a task's headline numbers beside those of its paraphrases; nothing where the run has none.

    The standard deviation is that of a sample: the words asked are some of those that could be.

    Args:
        tasks: All tasks of all runs.
        task: The task in its first words.
    """
    others = {}
    for one in tasks:
        made = base_of(one.log.task)
        if one.run == task.run and made and made[0] == task.log.task and made[1] in PARAPHRASES:
            others[made[1]] = one
    if not others:
        return
    asked = {FIRST: task} | dict(sorted(others.items()))
    names = [name for name in headlines(task) if all(_has(one, name) for one in asked.values())]
    rows, columns = [Heading((name,)) for name in names], [*asked, RANGE, DEVIATION]
    cells = tuple(tuple(_cells(name, list(asked.values()))) for name in names)
    heads = tuple(Heading((column.replace("_", " "),)) for column in columns)
    yield Grid(TITLE, f"{task.log.task}, {task.run}", tuple(rows), heads, cells, corner="metric")


def _has(task: TaskNumbers, name: str) -> bool:
    return name in task.names and task.number(name).number is not None


def headlines(task: TaskNumbers) -> list[str]:
    """Returns the metrics that the harness prints of a task, counts left out."""
    rows = rows_of(load_task(task.log.task))
    return [row.name for row in rows if row.headline and row.has_error]


def _cells(name: str, asked: Sequence[TaskNumbers]) -> Iterator[Cell]:
    numbers = [one.number(name) for one in asked]
    for one, number in zip(asked, numbers, strict=True):
        yield Cell(number.scaled_text(), number.bounds(), number=number, metric=name, task=one.log.task)
    values = [float(number.number) for number in numbers if number.number is not None]
    for value in (max(values) - min(values), statistics.stdev(values)):
        found = Number(value)
        yield Cell(found.scaled_text(), number=found, metric=name)
