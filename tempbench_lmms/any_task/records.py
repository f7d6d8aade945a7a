"""What a log says about the questions of any task: a record of each, and which of them belong together."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness.adapter import reply_of, request_failed
from tempbench_lmms.record import Record

ITEMS = "items"
"""Where a record has what `process_results` gave to each metric."""
_LOGGED = ("input_media", "doc_hash")
_PLAIN = (str, int, float, bool)
_OWN = ("id", "parsed", "failed", "reason", "how", "where", ITEMS, "correct")
_MEDIA = re.compile(
    r"(video|image|img|clip|picture|photo|scene|audio|file)"
    r"s?([_ ]?(id|ids|name|names|path|paths|idx|index|file|key|uid|url|filename))?",
    re.IGNORECASE,
)


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
        own = item.items() if isinstance(item, dict) else ()
        fields |= {name: one for name, one in own if isinstance(one, _PLAIN) and name not in _OWN}
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


def clusters_of(
    records: Sequence[Record], config: Mapping[str, Any], field: str = ""
) -> tuple[list[str], str]:
    """Returns the cluster of each question, and what defines the clusters; "" if each question is one.

    The first that exists defines them: the field that the user names; the task's own `cluster_key`; a field
    named after a medium; the media in the log; the document's hash, unless all hashes are equal.

    Args:
        records: The record of each question.
        config: The task's configuration.
        field: The field that the user names (`--group-by`).

    Raises:
        KeyError: No question has the field that the user names.
    """
    names = dict.fromkeys(name for record in records for name in record)
    if field:
        if field not in names:
            raise KeyError(field)
        return [_name(record.get(field)) for record in records], f"the field {field}"
    own = [str(config.get("cluster_key") or "")]
    for name in [*own, *(name for name in names if _MEDIA.fullmatch(name))]:
        found = [_name(record.get(name)) for record in records]
        if name in names and all(found):
            return found, f"the field {name}"
    for name, words in (("input_media", "the media in the log"), ("doc_hash", "the documents' hashes")):
        found = [_name(record.get(name)) for record in records]
        if all(found) and len({*found}) > 1:
            return found, words
    return [str(record["id"]) for record in records], ""


def _name(value: Any) -> str:
    if value in (None, "", [], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
