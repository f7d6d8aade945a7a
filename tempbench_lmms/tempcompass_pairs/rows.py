"""Turns official questions into rows."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots
from tempbench_lmms.data.replies import json_object
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempcompass_pairs import groups, parser
from tempbench_lmms.tempcompass_pairs.features import BENCHMARK

Entries = dict[str, dict[str, Any]]
"""The questions of an official file by id, as `questions_of` yields them."""


def read(path: Path, kind: str, *fields: str) -> Entries:
    """Returns the questions of an official file: of questions, predictions or judgements.

    Args:
        path: The file.
        kind: One of `card.KINDS`.
        fields: What each entry must have as a text.

    Raises:
        TempbenchError: It cannot be read, or is not of the official form.
    """
    content = json_object(path, "get the file again")
    try:
        found = dict(questions_of(kind, content))
    except (AttributeError, TypeError):
        raise TempbenchError(f"{path}: not lists of entries by clip and aspect; correct it") from None
    for key, one in found.items():
        entry = one["entry"] if isinstance(one["entry"], Mapping) else {}
        if missing := [name for name in fields if not isinstance(entry.get(name), str)]:
            raise TempbenchError(f"{path}: {key} has no {missing[0]} that is a text; correct it")
    if not found:
        raise TempbenchError(f"{path} holds no question; get the file again")
    return found


def questions_of(kind: str, content: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields id and entry of every question of an official file: of questions, predictions or judgements.

    Args:
        kind: One of `card.KINDS`.
        content: By clip and aspect a list of entries.
    """
    for clip, aspects in content.items():
        for aspect, entries in aspects.items():
            for number, entry in enumerate(entries):
                key = f"{kind}/{clip}/{aspect}/{number}"
                yield key, {"kind": kind, "clip": clip, "aspect": aspect, "entry": entry}


def row(key: str, found: Mapping[str, Any], detail: str = "", video: str | None = None) -> Row:
    """Returns the row of a question, without its group.

    Args:
        key: Its id.
        found: As `questions_of` yields it, the entry with `question` and `answer`.
        detail: The finer aspect.
        video: The clip's URL; one for an mp4 file named after the clip where omitted.
    """
    question, answer = found["entry"]["question"], found["entry"]["answer"]
    return {
        "question_id": key,
        "kind": found["kind"],
        "aspect": found["aspect"],
        "detail": detail,
        "video_id": found["clip"],
        "video": video or f"{roots.SCHEME}{BENCHMARK}/media/{found['clip']}.mp4",
        "question": question,
        "answer": parser.label_of(answer),
        "group": "",
        "group_size": 0,
        "target": answer,
        "choices": parser.options_of(question),
    }


def grouped(rows: Iterable[Row]) -> list[Row]:
    """Returns rows with their contrast groups, the questions of a group beside each other.

    A group is called after the first of its questions.
    """
    listed = list(rows)
    of = {index: own for own in groups.find(listed) for index in own}
    out = []
    for index, row in enumerate(listed):
        own = of.get(index, [index])
        if own[0] == index:
            name, size = (row["question_id"], len(own)) if index in of else ("", 0)
            out += [listed[one] | {"group": name, "group_size": size} for one in own]
    return out
