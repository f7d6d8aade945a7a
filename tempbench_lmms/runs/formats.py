"""Readers of general formats: JSON Lines, and VLMEvalKit's tables."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tempbench_lmms.data.terminal import counted
from tempbench_lmms.data.user_files import CELL, json_values, question_and_reply, read_table
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.runs.importing import Answer, Reader, Source, plain, reply_of

_FAILED = "Failed to obtain answer"
"""What VLMEvalKit writes in place of a reply when a request failed."""

_IDS = ("question_id", "id", "index")
"""The columns of a table that may hold a question's id."""


def replies(source: Source) -> Iterator[Answer]:
    """Reads JSON Lines: `question_id` and `reply`, and `condition` where a task asks in several ways.

    A sample log of the harness is read too, and a JSON list of such objects. If all lines have the same
    `model`, that is the model's name.
    """
    ids = source.ids()
    models = set()
    for where, line in json_values(source.path, "give JSON lines"):
        key, reply = question_and_reply(source.path, where, line, adapter.question_and_reply)
        name = f"{key}/{line['condition']}" if "condition" in line else key
        models.add(str(line.get("model") or ""))
        yield Answer(ids.get(name, name), reply, where)
    if len(models) == 1:
        source.model = source.model or models.pop()


def of_mapping(replies: Mapping[str, str | None]) -> Reader:
    """Returns the reader of replies by the question's id; None for a request that failed."""

    def read(source: Source) -> Iterator[Answer]:
        ids = source.ids()
        for key, reply in replies.items():
            yield Answer(ids.get(str(key), str(key)), reply_of(reply, "reply", str(key)), repr(key))

    return read


def vlmevalkit(source: Source) -> Iterator[Answer]:
    """Reads a table with the columns `index` and `prediction`, as .xlsx, .tsv, .csv, .json or .jsonl.

    A row belongs to the question whose id is in `question_id`, `id` or `index`, or else to the one whose text
    or prompt is in `question`. A row with the id of one question and the text of another is refused, because
    one of the two columns was sorted or shifted.
    """
    ids, texts = source.ids(), source.ids_by_text()
    n_full = 0
    for where, row in read_table(source.path, "prediction", (*_IDS, "question")):
        names = [name for column in _IDS for name in _names(row.get(column))]
        asked = texts.get(plain(str(row.get("question") or "")), set())
        found = next((ids[name] for name in names if name in ids), "")
        if found and asked and found not in asked:
            raise TempbenchError(
                f"{source.path}: {where} has the id of question {found} but the text of question "
                f"{min(asked)}; one of these columns was sorted or shifted: correct it"
            )
        found = found or (next(iter(asked)) if len(asked) == 1 else "")
        reply = _reply(source, where, row["prediction"])
        n_full += len(reply) == CELL and source.path.suffix.lower() == ".xlsx"
        yield Answer(found or (names or [where])[0], reply, where)
    if n_full:
        n = counted(n_full, "reply", "replies")
        source.remarks.append(f"{n} of {CELL:,} characters, the most that a cell can hold: probably cut off")


def _names(value: Any) -> list[str]:
    """Returns an id without surrounding space, and as an integer if pandas turned it into a float."""
    if value is None or (isinstance(value, float) and math.isnan(value)) or not str(value).strip():
        return []
    text = str(value)
    names = [text, text.strip()]
    whole, point, rest = text.strip().partition(".")
    if point and whole.isdigit() and rest and not rest.strip("0"):
        names.append(whole)
    return list(dict.fromkeys(names))


def _reply(source: Source, where: str, value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""  # pandas writes an empty reply as an empty cell
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # and turns integers into floats in a column with empty cells
    if not isinstance(value, (str, int, float)):
        raise TempbenchError(
            f"{source.path}: {where}: prediction is of type {type(value).__name__}, not a text; put the text "
            "itself there"
        )
    text = str(value)
    return adapter.failure("VLMEvalKit got no answer") if text.startswith(_FAILED) else text


READERS: dict[str, Reader] = {"replies": replies, "vlmevalkit": vlmevalkit}
"""The general formats, by the name that `tempbench import` takes."""
