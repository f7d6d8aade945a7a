"""Tables of scores with second readers' readings beside ours."""

from tempbench_lmms.record import shown
from tempbench_lmms.report.grid import SECOND, Cell, Grid, Number
from tempbench_lmms.runs import second_scores
from tempbench_lmms.runs.task_log import TaskLog


def grids_of(log: TaskLog, caption: str) -> tuple[list[Grid], str]:
    """Returns a table for each second reader of a task, or why existing readings cannot be shown."""
    found, problem = second_scores.shown(log, intervals=False)
    return [_grid(one, caption) for one in found], problem


def _grid(one: second_scores.Compared, caption: str) -> Grid:
    """Returns the metrics that a second reader changes; the remarks say how often both readers agree."""
    name = one.readings.reader
    versions = {f"ours, else {name}": one.filled} | ({f"{name} first": one.alone} if one.alone else {})
    moved = {metric for found in versions.values() for metric in found.differing}
    rows = {}
    for metric, value in one.filled.then.items():
        if metric in moved and isinstance(value, (int, float, str)) and not metric.endswith("_stderr"):
            now = [found.now.get(metric) for found in versions.values()]
            cells = [Cell(shown(own), number=Number(own), metric=metric) for own in now]
            rows[metric] = [Cell(shown(value)), *cells]
    remarks = tuple(filter(None, (str(one.readings), one.agreement)))
    head = ["metric", "ours", *versions]
    return Grid.of(f"With {name}", head, rows, caption=caption, remarks=remarks, source=SECOND)
