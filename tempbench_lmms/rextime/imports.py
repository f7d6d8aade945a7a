"""Reads ReXTime's submissions and ground truth, and scores submissions as the official scorer does."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import text_or_none
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import official as rules
from tempbench_lmms.rextime.parser import NO_SPAN, parse
from tempbench_lmms.rextime.prompts import LETTERS
from tempbench_lmms.rextime.rows import load_records, row
from tempbench_lmms.runs.importing import Answer, Reader, Source, reply_of


def rextime(source: Source) -> Iterator[Answer]:
    """Reads a submission, or JSON Lines with `qid` and `response`.

    A submission holds answers, not replies: a question's reply is written as the task asks for it, with the
    letter and the first window, which is the one that counts. An answer that is no letter of an option counts
    as wrong for the official scorer, "a" too, and is left out.
    """
    odd = 0
    for number, line in enumerate(load_records(source.path), start=1):
        where = f"prediction {number}"
        try:
            yield Answer(str(line["qid"]), _reply(line), where)
        except TempbenchError as error:
            raise TempbenchError(f"{source.path}, {where}: {error}") from None
        odd += "response" not in line and bool(line.get("ans")) and line["ans"] not in [*LETTERS]
    if odd:
        source.remarks.append(f"{odd} answers are no letter of an option; these questions have no answer")


def official(source: Source) -> dict[str, Any]:
    """Returns what the official scorer prints for the answered questions.

    A prediction without a window, which would stop it, counts as [0, 0].
    """
    docs = {str(doc["question_id"]): doc for doc in source.docs}
    truths = [
        {"qid": id_, "relevant_windows": doc["windows"], "ans": doc["answer"]} for id_, doc in docs.items()
    ]
    lines = load_records(source.path) if docs else ()
    found = [_prediction(line, docs.get(str(line["qid"]))) for line in lines]
    return rules.score(found, truths) if found else {}


def questions(data: Path, table: str) -> list[Row]:
    """Returns the questions of `rextime_val.json`, or of the scorer's `rextime_val.jsonl` without options."""
    return [row(record) for record in load_records(data)]


def _prediction(line: Mapping[str, Any], doc: Row | None) -> Mapping[str, Any]:
    """Returns a line in the form of a submission; a reply is read."""
    found = dict(line)
    if "response" in line:
        reply = text_or_none(line["response"], "response") or ""
        answer, spans = parse(reply, doc["options"] if doc else (), doc["duration"] if doc else None)
        found |= {"pred_relevant_windows": [list(span) for span in spans], "ans": answer or ""}
    if found.get("pred_relevant_windows") == []:
        found["pred_relevant_windows"] = [list(NO_SPAN)]
    return found


def _reply(line: dict[str, Any]) -> str:
    if "response" in line:
        return reply_of(line["response"], "response", line["qid"])
    has_windows, has_answer = rules.mode_of(line)
    answer = {"answer": line["ans"]} if has_answer and line["ans"] in [*LETTERS] else {}
    has_span = has_windows and line["pred_relevant_windows"]
    span = {"span": list(rules.first_window(line))} if has_span else {}
    return json.dumps({**answer, **span}) if answer or span else ""


READERS: dict[str, Reader] = {"rextime": rextime}
