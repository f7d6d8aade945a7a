"""Reads what the harness logs about each question of any task."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.any_task.task import ITEMS
from tempbench_lmms.harness.adapter import reply_of, request_failed
from tempbench_lmms.record import Record

_LOGGED = ("input_media", "doc_hash")
_PLAIN = (str, int, float, bool)
_OWN = ("id", "parsed", "failed", "reason", "how", "where", ITEMS, "correct")


def record_of(row: Mapping[str, Any], metrics: set[str]) -> Record:
    """Returns the record of a question from a line of a log.

    Args:
        row: The line.
        metrics: The task's metrics.

    Returns:
        `id`, `parsed`, `failed`, `reason`, what was given to each metric, and the plain fields of that.

    Raises:
        KeyError, TypeError: It is not a line of a log.
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
