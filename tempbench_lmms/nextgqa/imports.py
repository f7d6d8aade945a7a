"""Reads NExT-GQA's official result files for `tempbench import`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import offline, rows
from tempbench_lmms.nextgqa.card import FILES
from tempbench_lmms.runs.importing import Answer, Reader, Source


def nextgqa(source: Source) -> Iterator[Answer]:
    """Reads `test-res.json` and one `test_ground*.json` of a folder (`val` for validation), or one of them.

    They hold answers and spans, not replies: a question's reply is written as the task asks for it. Spans of
    a file whose name ends in `_gs` are shares of the video. What names no option is left out.
    """
    files = _files(source)
    answers = rows.read_answers(files["answers"]) if "answers" in files else {}
    stated = rows.read_spans(files["spans"]) if "spans" in files else {}
    docs = {str(doc["question_id"]): doc for doc in source.docs}
    if others := len((answers.keys() | stated.keys()) - docs.keys()):
        source.remarks.append(f"left out are {others} questions that {source.task} does not ask")
    spans, notes = offline.in_seconds(stated, files.get("spans", source.path), source.docs)
    source.remarks += notes
    odd = negative = 0
    for key, doc in docs.items():
        if key in answers or key in spans:
            reply = _reply(doc, answers, spans)
            odd += key in answers and "answer" not in reply
            negative += key in spans and "span" not in reply
            yield Answer(key, json.dumps(reply) if reply else "", key)
    if odd:
        source.remarks.append(f"{odd} predictions name no option; these questions have no answer")
    if negative:
        source.remarks.append(
            f"{negative} spans have a time below 0, which no reply names; they are left out"
        )


def _files(source: Source) -> dict[str, Path]:
    """Returns the file of the answers and the file of the spans, or one of them."""
    if source.path.is_file():
        values = rows.object_of(source.path).values()
        return {"spans" if isinstance(next(iter(values), None), list) else "answers": source.path}
    split = FILES["validation" if "val" in source.task.split("_") else "test"]
    found: dict[str, Path] = {}
    for kind, pattern in (("answers", f"{split}-res.json"), ("spans", f"{split}_ground*.json")):
        several = sorted(source.path.glob(pattern))
        if len(several) > 1:
            names = ", ".join(file.name for file in several)
            raise TempbenchError(f"{source.path} has {names}; leave the one whose spans are meant")
        found |= dict.fromkeys([kind], several[0]) if several else {}
    if not found:
        raise TempbenchError(
            f"{source.path} has neither {split}-res.json nor {split}_ground*.json; give the official folder"
        )
    return found


def _reply(doc: Row, answers: Mapping[str, Any], spans: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a reply states, with its keys as the task asks for them."""
    stated: dict[str, Any] = {}
    if letter := offline.letter_of(doc, answers):
        stated["answer"] = letter
    span = spans.get(doc["question_id"])
    if span and min(span[0], span[-1]) >= 0:
        stated["span"] = [span[0], span[-1]]
    return stated


READERS: dict[str, Reader] = {"nextgqa": nextgqa}
