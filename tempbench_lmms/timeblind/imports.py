"""Reads TimeBlind's official files of results and of questions, and scores results by the official rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.data.user_files import json_objects
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs.importing import Answer, Reader, Source, plain, reply_of
from tempbench_lmms.timeblind import official as rules
from tempbench_lmms.timeblind import rows
from tempbench_lmms.timeblind.card import TAGS


def timeblind(source: Source) -> Iterator[Answer]:
    """Reads a list of objects with `index` and `model_output`; one that is null is a failed request.

    If they have `question` and `video_path`, these must match the index.
    """
    docs = {doc["index"]: doc for doc in source.docs}
    for where, one, reply in _predictions(source.path):
        if doc := docs.get(one["index"]):
            _check_same(f"{source.path}: {where}", one, doc)
        yield Answer(str(one["index"]), reply, where)


def official(source: Source) -> dict[str, Any]:
    """Returns what the official scorer prints for a result file: overall, and by tag."""
    found = [one for _, one, _ in _predictions(source.path)]
    forms = {doc["index"]: doc["options"] for doc in source.docs}
    tags = {tag: [doc["index"] for doc in source.docs if doc["tag"] == tag] for tag in TAGS}
    return {"all": rules.score(found, forms), **rules.score_tags(found, forms, tags)} if forms else {}


def questions(data: Path, table: str) -> list[Row]:
    """Returns the questions of the official `data.jsonl`, or of a folder with it and perhaps `tags.json`."""
    return rows.read_release(*rows.files_of(data))


def _predictions(path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    for where, one in json_objects(path, "give the official result file", "index", "model_output"):
        if type(one["index"]) is not int:
            raise TempbenchError(f"{path}: {where}: index is not a whole number; correct it")
        yield where, one, reply_of(one["model_output"], "model_output", f"{path}: {where}")


def _check_same(where: str, one: dict[str, Any], doc: Row) -> None:
    """Compares a prediction's question with the data's; extra text around the question is allowed."""
    stated = (one.get(name) for name in ("question", "video_path"))
    question, video = (text if isinstance(text, str) else "" for text in stated)
    asked, shown, own = plain(question), rows.video_name(video), rows.video_name(doc["video"])
    for name, theirs, ours, same in (
        ("question", question, doc["question"], plain(doc["question"]) in asked),
        ("video_path", shown, own, shown == own),
    ):
        if theirs and not same:
            raise TempbenchError(
                f"{where} has index {one['index']}, but its {name} is {one_line(theirs)[:80]!r}, and that of "
                f"the index is {one_line(ours)[:80]!r}; correct the indices, or score it with the data that "
                "the model was asked"
            )


READERS: dict[str, Reader] = {"timeblind": timeblind}
