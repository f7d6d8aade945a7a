"""Reads NExT-GQA's official result files and annotations, and scores results as the official scorers do."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_object
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import official as rules
from tempbench_lmms.nextgqa import rows
from tempbench_lmms.nextgqa.card import FILES
from tempbench_lmms.nextgqa.prompts import LETTERS
from tempbench_lmms.runs.importing import Answer, Reader, Source

# What the name of a file of Gaussian masks ends in officially: its spans are shares of the video.
_SHARES = "_gs"
# What names each option beside its text.
_NAMES = [(str(i), f"{i}.0", letter, letter.lower(), f"({letter})") for i, letter in enumerate(LETTERS)]


def nextgqa(source: Source) -> Iterator[Answer]:
    """Reads `test-res.json` and one `test_ground*.json` of a folder (`val` for validation), or one of them.

    They hold answers and spans, not replies: a question's reply is written as the task asks for it. Spans of
    a file whose name ends in `_gs` are shares of the video. Answers that name no option are left out.
    """
    answers, spans = _read(source)
    docs = {str(doc["question_id"]): doc for doc in source.docs}
    if others := len({*answers, *spans} - docs.keys()):
        source.remarks.append(f"left out are {others} questions that {source.task} does not ask")
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


def official(source: Source) -> dict[str, Any]:
    """Returns what both official scorers print: for the grounding, and for the answers if all exist."""
    if not source.docs:
        return {}
    answers, spans = _read(source)
    truths = {doc["question_id"]: doc["windows"] for doc in source.docs}
    types = {doc["question_id"]: doc["type"] for doc in source.docs}
    out = {"eval_ground": rules.score(truths, spans, answers or None)} if spans else {}
    if answers and types.keys() <= answers.keys():
        out["eval_next"] = rules.accuracies(types, answers)
    if missing := len(truths.keys() - spans.keys()) if spans else 0:
        source.remarks.append(
            f"{missing} of {len(truths)} questions have no span: the official numbers leave them out"
        )
    return out


def questions(data: Path, table: str) -> list[Row]:
    """Returns the questions of a split in a clone of the release, or in its folder `datasets/nextgqa`."""
    return list(rows.rows(rows.annotations_in(data), table))


def _read(source: Source) -> tuple[dict[str, dict[str, Any]], Mapping[str, Sequence[float]]]:
    """Returns the answers and the spans, in seconds, of the official files; empty if there are none."""
    files = _files(source)
    answers = _checked(files.get("answers"), _is_answer, "answer and prediction; write both")
    spans: Mapping[str, Sequence[float]] = _checked(
        files.get("spans"), _is_span, "span of two finite numbers; write [start, end] in seconds"
    )
    if spans and files["spans"].stem.endswith(_SHARES):
        spans = rules.in_seconds(spans, {str(doc["question_id"]): doc["duration"] for doc in source.docs})
        source.remarks.append(f"spans are shares of the video, as the name {files['spans'].name} says")
    elif spans and all(0 <= edge <= 1 for span in spans.values() for edge in (span[0], span[-1])):
        source.remarks.append(
            f"all spans of {files['spans'].name} lie within 0 and 1, and are read as seconds; if they are "
            f"shares of the video, let its name end in {_SHARES}"
        )
    return answers, spans


def _checked(file: Path | None, is_right: Callable[[Any], bool], wanted: str) -> dict[str, Any]:
    found = json_object(file, rows.ADVICE) if file else {}
    if wrong := [key for key, one in found.items() if not is_right(one)]:
        raise TempbenchError(f"{file}, {wrong[0][:80]}: no {wanted}")
    return found


def _is_answer(one: Any) -> bool:
    return isinstance(one, dict) and {"answer", "prediction"} <= one.keys()


def _is_span(one: Any) -> bool:
    return (
        isinstance(one, list)
        and len(one) > 1
        and all(type(edge) in (int, float) and math.isfinite(edge) for edge in one)
    )


def _files(source: Source) -> dict[str, Path]:
    if source.path.is_file():
        values = json_object(source.path, rows.ADVICE).values()
        return {"spans" if isinstance(next(iter(values), None), list) else "answers": source.path}
    split = FILES["validation" if "val" in source.task.split("_") else "test"]
    found: dict[str, Path] = {}
    for kind, pattern in (("answers", f"{split}-res.json"), ("spans", f"{split}_ground*.json")):
        several = sorted(source.path.glob(pattern))
        if len(several) > 1:
            names = ", ".join(file.name for file in several)
            raise TempbenchError(f"{source.path} has {names}; keep only the file that you want")
        found |= dict.fromkeys([kind], several[0]) if several else {}
    if not found:
        raise TempbenchError(
            f"{source.path} has neither {split}-res.json nor {split}_ground*.json; give the official folder"
        )
    return found


def _reply(doc: Row, answers: Mapping[str, Any], spans: Mapping[str, Any]) -> dict[str, Any]:
    letter = letter_of(doc, answers.get(doc["question_id"], {}).get("prediction"))
    span = spans.get(doc["question_id"])
    ends = [span[0], span[-1]] if span and min(span[0], span[-1]) >= 0 else None
    return {name: one for name, one in (("answer", letter), ("span", ends)) if one}


def letter_of(doc: Row, said: Any) -> str | None:
    """Returns the letter of an answer: an option's number from 0, its letter, or its text.

    The official files hold whole numbers; others write them as texts or as floating point numbers. None if
    the text of one option is the letter or number of another one.
    """
    named = {letter for letter, names in zip(LETTERS, _NAMES, strict=True) if str(said).strip() in names}
    if said in doc["options"]:
        named.add(LETTERS[doc["options"].index(said)])
    return named.pop() if len(named) == 1 else None


READERS: dict[str, Reader] = {"nextgqa": nextgqa}
