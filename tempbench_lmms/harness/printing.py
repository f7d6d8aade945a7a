"""Limits what the harness prints to the headline metrics of our tasks. Its results file has every metric."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.harness.adapter import rows_of
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.record import Row


def headlines(results: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns a run's results with only our headline metrics, and a line for each shortened task."""
    tables, arrows = dict(results["results"]), dict(results.get("higher_is_better") or {})
    notes = []
    for task in tables.keys() & task_files().keys():
        rows = {row.name: row for row in rows_of(load_task(task))}
        if not rows:  # a group
            continue
        values = tables[task]
        tables[task] = {key: value for key, value in values.items() if _is_shown(key, value, rows)}
        directions = {row.name: {"higher": True, "lower": False}.get(row.better) for row in rows.values()}
        arrows[task] = {**arrows.get(task, {}), **directions}
        n_shown, n_all = (
            sum(key.partition(",")[0] in rows for key in table) for table in (tables[task], values)
        )
        if n_shown < n_all:
            notes.append(f"{task}: {n_shown} of {n_all} metrics; the results file (--output_path) has all")
    return {**results, "results": tables, "higher_is_better": arrows}, sorted(notes)


def _is_shown(key: str, value: Any, rows: Mapping[str, Row]) -> bool:
    """Returns whether to print a value: headline metrics, and values that are not metrics (alias, errors)."""
    name, comma, _ = key.partition(",")
    if name in rows:
        return rows[name].headline
    if not comma:
        return name != "samples"  # the number of questions, which the headlines include if needed
    return "_stderr" in name or isinstance(value, (int, float))  # not the name of an encoder
