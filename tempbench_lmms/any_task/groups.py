"""Which questions of any task belong together: those about one picture or video."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.record import Record

_MEDIA = re.compile(
    r"(video|image|img|clip|picture|photo|scene|audio|file)"
    r"s?([_ ]?(id|ids|name|names|path|paths|idx|index|file|key|uid|url|filename))?",
    re.IGNORECASE,
)


def units(records: Sequence[Record], config: Mapping[str, Any], field: str = "") -> tuple[list[str], str]:
    """Returns the group of each question, and what defines the groups; "" if each question is one.

    The first that exists groups them: the field that the user names; the task's own `cluster_key`; a field
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
    """Returns a value as a group's name; empty for none."""
    if value in (None, "", [], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
