"""What the harness prints of our tasks: the headline metrics. Its results file has every metric."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.harness.adapter import rows_of
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.record import Row


def headlines(results: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns a run's results with the headline metrics of our tasks, and a line for each task cut short.

    Args:
        results: What the harness writes into its results file; it is left as it is.
    """
    ours = task_files()
    tables, arrows = dict(results["results"]), dict(results.get("higher_is_better") or {})
    notes = []
    for task, values in tables.items():
        if task not in ours or not (rows := _rows(task)):
            continue
        shown = {key: value for key, value in values.items() if _is_shown(key, value, rows)}
        tables[task] = shown
        directions = {row.name: {"higher": True, "lower": False}.get(row.better) for row in rows.values()}
        arrows[task] = {**arrows.get(task, {}), **directions}
        n_shown = sum(_metric(key) in rows and rows[_metric(key)].headline for key in shown)
        n_all = sum(_metric(key) in rows for key in values)
        if n_shown < n_all:
            notes.append(f"{task}: {n_shown} of {n_all} metrics; the results file (--output_path) has all")
    return {**results, "results": tables, "higher_is_better": arrows}, notes


def _rows(task: str) -> dict[str, Row]:
    config = load_task(task)
    return {} if "group" in config else {row.name: row for row in rows_of(config)}


def _metric(key: str) -> str:
    return key.partition(",")[0]


def _is_shown(key: str, value: Any, rows: Mapping[str, Row]) -> bool:
    """True for a headline metric, and for what is no metric: the alias, errors, a number of lines written."""
    name, comma, _ = key.partition(",")
    if name in rows:
        return rows[name].headline
    if not comma:
        return name != "samples"  # the number of questions, which the headlines have as they need it
    return "_stderr" in name or isinstance(value, (int, float))  # not the name of an encoder
