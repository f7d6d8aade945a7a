"""The numbers of tasks with second readers' readings, as a table beside ours."""

from dataclasses import dataclass
from typing import Any

from tempbench_lmms.record import shown
from tempbench_lmms.runs import second_scores
from tempbench_lmms.runs.logs import TaskLog


@dataclass(frozen=True)
class SecondTable:
    """One task's numbers with one second reader.

    Attributes:
        reader: The second reader.
        columns: What the numbers are of, ours first.
        rows: A metric and its values each; those that a second reader moves.
        remarks: Lines about what it was given and how it and we agree.
    """

    reader: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Any, ...]], ...]
    remarks: tuple[str, ...]

    @property
    def head(self) -> list[str]:
        """The table's first line."""
        return ["metric", *self.columns]

    @property
    def body(self) -> list[list[str]]:
        """Its lines, for people."""
        return [[name, *map(shown, values)] for name, values in self.rows]


def tables_of(log: TaskLog) -> tuple[list[SecondTable], str]:
    """Returns a table for each second reader of a task, and why there is none although there are readings."""
    found, problem = second_scores.shown(log, intervals=False)
    return [_table(one) for one in found], problem


def _table(one: second_scores.Compared) -> SecondTable:
    name = one.readings.reader
    versions = {f"ours, else {name}": one.filled} | ({f"{name} first": one.alone} if one.alone else {})
    moved = [metric for found in versions.values() for metric in found.differing]
    rows = [
        (metric, (value, *(found.now.get(metric) for found in versions.values())))
        for metric, value in one.filled.then.items()
        if metric in moved and isinstance(value, (int, float, str)) and not metric.endswith("_stderr")
    ]
    agreements = (f"{name} and we, {second_scores.in_words(found)}" for found in one.agreements)
    return SecondTable(
        name, ("ours", *versions), tuple(rows), (second_scores.summary(one.readings), *agreements)
    )
