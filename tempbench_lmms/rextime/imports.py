"""Reads ReXTime's submissions for `tempbench import`."""

import json
from collections.abc import Iterator
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import official
from tempbench_lmms.rextime.rows import load_records
from tempbench_lmms.runs.importing import Answer, Reader, Source


def rextime(source: Source) -> Iterator[Answer]:
    """Reads a submission, or JSON Lines with `qid` and `response`.

    A submission holds answers, not replies: a question's reply is written as the task asks for it, with the
    letter and the first window, which is the one that counts.
    """
    for number, line in enumerate(load_records(source.path), start=1):
        where = f"prediction {number}"
        if not isinstance(line.get("qid"), str):
            raise TempbenchError(f"{source.path}, {where}: qid is missing; add it")
        try:
            yield Answer(line["qid"], _reply(line), where)
        except TempbenchError as error:
            raise TempbenchError(f"{source.path}, {where}: {error}") from None


def _reply(line: dict[str, Any]) -> str:
    if "response" in line:
        if not isinstance(line["response"], str):
            raise TempbenchError("response is not a text; give the model's reply as it came")
        return line["response"]
    has_windows, has_answer = official.mode_of(line)
    stated: dict[str, Any] = {}
    if has_answer and line["ans"] != "":
        stated["answer"] = line["ans"]
    if has_windows and line["pred_relevant_windows"]:
        stated["span"] = list(official.first_window(line))
    return json.dumps(stated) if stated else ""


READERS: dict[str, Reader] = {"rextime": rextime}
