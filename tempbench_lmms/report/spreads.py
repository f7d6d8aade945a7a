"""How far a task's numbers spread: over the words of its prompt, and over repeats with sampled replies."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite

from tempbench_lmms.harness.adapter import rows_of
from tempbench_lmms.harness.derived import PARAPHRASES, base_of
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.report.grid import Cell, Grid, Number, cell_of
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.runs import repeats
from tempbench_lmms.runs.logs import by_repeat

REPEATS, PARAPHRASED = "Spread over repeats", "Spread over paraphrases"
_ENDS = ("mean", "standard deviation", "variance between questions", "variance within questions")
_ERRORS = ("standard error", "of one repeat", "of endless repeats", "of more questions instead")
_RANGES = ("largest less smallest", "standard deviation")


def grids_of(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> list[Grid]:
    """Returns how far a task's headline numbers spread; nothing where its run has no more of it.

    Args:
        tasks: All tasks of all runs.
        task: The first of the repeats, or the task in its first words.
    """
    return [*_over_repeats(tasks, task), *_over_paraphrases(tasks, task)]


def _over_repeats(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    if task.log.repeat is None:
        return
    for own in by_repeat(one.log for one in tasks if one.log.task == task.log.task):
        if own[0].file == task.log.file:
            found = repeats.over(own)
            numbers = [f"repeat {log.repeat[1]}" for log in found.logs if log.repeat]
            head = ["metric", *numbers, *_ENDS, *_ERRORS]
            rows = {one.name: list(_cells(one, task.log.task)) for one in found.metrics}
            about = f"{task.log.task}, {task.log.name or task.log.model}"
            yield Grid.of(REPEATS, head, rows, caption=about, remarks=tuple(found.warnings))


def _cells(one: repeats.Spread, task: str) -> Iterator[Cell]:
    mean = Number(one.mean, low=one.low, high=one.high) if isfinite(one.low) else Number(one.mean)
    numbers = [*map(Number, one.values), mean, Number(one.deviation)]
    n_unknown = 2 + len(_ERRORS)
    if one.variances is not None and one.errors is not None:
        numbers += map(Number, (one.variances.between, one.variances.within, *asdict(one.errors).values()))
        n_unknown = 0
    yield from (cell_of(number, one.name, task) for number in numbers)
    yield from [Cell(text="")] * n_unknown


def _over_paraphrases(tasks: Sequence[TaskNumbers], task: TaskNumbers) -> Iterator[Grid]:
    """The standard deviation is that of a sample: the words asked are some of those that could be."""
    others = {}
    for one in tasks:
        made = base_of(one.log.task)
        if one.run == task.run and made and made[0] == task.log.task and made[1] in PARAPHRASES:
            others[made[1].replace("_", " ")] = one
    if not others:
        return
    asked = {"first words": task} | dict(sorted(others.items()))
    rows = {}
    for row in rows_of(load_task(task.log.task)):
        if row.headline and row.has_error and all(row.name in one.names for one in asked.values()):
            numbers = [one.number(row.name) for one in asked.values()]
            values = [number.number for number in numbers if number.number is not None]
            if len(values) == len(numbers):
                ranges = (max(values) - min(values), statistics.stdev(values))
                own = zip(numbers, asked.values(), strict=True)
                rows[row.name] = [cell_of(number, row.name, one.log.task) for number, one in own]
                rows[row.name] += [cell_of(Number(value), row.name) for value in ranges]
    yield Grid.of(PARAPHRASED, ["metric", *asked, *_RANGES], rows, caption=task.caption)
