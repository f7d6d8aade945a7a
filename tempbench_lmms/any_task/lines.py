"""Reads the lines that the harness logs of any task: a question's record, and the groups of questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.any_task import groups
from tempbench_lmms.any_task.task import ITEMS, UNIT, AnyTask
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import reply_of, request_failed
from tempbench_lmms.record import Record

_LOGGED = ("input_media", "doc_hash")
_PLAIN = (str, int, float, bool)
_OWN = ("id", "parsed", "failed", "reason", "how", "where", UNIT, ITEMS, "correct")


def record_of(row: Mapping[str, Any], metrics: set[str]) -> Record:
    """Returns what a line of a log says of a question.

    Args:
        row: The line.
        metrics: The task's metrics.

    Returns:
        `id`, `parsed`, `failed`, `reason`, what was given to each metric, and the plain fields of that.

    Raises:
        KeyError, TypeError: It is no line of a log.
    """
    reply = reply_of([row["filtered_resps"]])
    failed = request_failed(reply)
    items = {name: row[name] for name in row if name in metrics}
    fields: dict[str, Any] = {name: row[name] for name in _LOGGED if name in row}
    for item in items.values():
        if isinstance(item, dict):
            fields |= {name: value for name, value in item.items() if isinstance(value, _PLAIN)}
    fields = {name: value for name, value in fields.items() if name not in _OWN}
    is_empty = not failed and not reply.strip()
    return {
        "id": str(int(row["doc_id"])),
        "parsed": int(not failed and not is_empty),
        "failed": int(failed),
        "how": None,
        "reason": "empty" if is_empty else None,
        "where": None,
        ITEMS: items,
        **fields,
    }


def task_of(
    task: str,
    reported: Mapping[str, Any],
    higher_is_better: Mapping[str, Any],
    records: Sequence[Record],
    config: Mapping[str, Any],
    group_by: str = "",
) -> AnyTask:
    """Returns a task that is none of ours, after each record got the group of its question.

    Args:
        task: Its name.
        reported: The numbers that the run printed.
        higher_is_better: Likewise.
        records: The records of its questions (`record_of`).
        config: Its configuration in the results file.
        group_by: The field that the groups are made by; a rule finds one where it is empty.

    Raises:
        TempbenchError: No question has the field.
    """
    try:
        names, words = groups.units(records, config, group_by)
    except KeyError:
        known = ", ".join(sorted({name for record in records for name in record} - {*_OWN}))
        raise TempbenchError(
            f"--group-by {group_by}: no question of {task} has it; choose one of {known}"
        ) from None
    for record, name in zip(records, names, strict=True):
        record[UNIT] = name
    return AnyTask(task, reported, higher_is_better, records, words)
