"""Turns official TimeBlind records into rows."""

import re
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timeblind.card import SIZE
from tempbench_lmms.timeblind.features import BENCHMARK

_OPTIONS = re.compile(r"\bOption A\s*[:.]\s*(.+?)\s*\bOption B\s*[:.]\s*(.+?)\s*", re.DOTALL)
_ANSWERS = {True: {"a": "A", "b": "B"}, False: {"yes": "Yes", "no": "No"}}
_FORMS = {"yes_no": False, "multiple_choice": True}


def row(record: Mapping[str, Any], tag: str | None = None) -> Row:
    """Returns the row of a record of `data.jsonl`.

    Args:
        record: With `index`, `video_path`, `question`, `answer` and `type`.
        tag: Its tag, where `tags.json` is at hand.

    Raises:
        TempbenchError: A field is missing or not as in the release.
    """
    index = record.get("index")
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        raise TempbenchError(f"index: {index!r} is not a whole number from 0; use the official data.jsonl")
    where = f"question {index}"
    for name in ("video_path", "question", "answer", "type"):
        if not isinstance(record.get(name), str) or not record[name].strip():
            raise TempbenchError(f"{where}: {name} is missing or no text; use the official data.jsonl")
    if record["type"] not in _FORMS:
        raise TempbenchError(f"{where}: type {record['type'][:80]!r} is not one of {', '.join(_FORMS)}")
    lettered = _FORMS[record["type"]]
    choices = _ANSWERS[lettered]
    answer = choices.get(record["answer"].strip(" .():").lower())
    if answer is None:
        raise TempbenchError(
            f"{where}: answer {record['answer'][:80]!r} is not one of {', '.join(choices.values())}"
        )
    return {
        "question_id": str(index),
        "index": index,
        "pair_id": str(index // SIZE),
        "video": f"{roots.SCHEME}{BENCHMARK}/media/{video_name(record['video_path'])}",
        "tag": tag,
        "question": record["question"],
        "options": options_of(record["question"]) if lettered else [],
        "answer": answer,
        "target": answer,
        "choices": [*choices.values()],
    }


def video_name(path: str) -> str:
    """Returns a video's name without its folders: `TimeBlind/videos/vid_00000_0.mp4` is `vid_00000_0.mp4`."""
    return path.replace("\\", "/").rpartition("/")[2]


def options_of(question: str) -> list[str]:
    """Returns the texts of a question's two options; what they are called where it does not name them.

    >>> options_of("What does it do? Option A: It runs. Option B: It sits.")
    ['It runs.', 'It sits.']
    """
    found = _OPTIONS.fullmatch(question[max(0, question.find("Option A")) :])
    return [found[1], found[2]] if found else ["Option A", "Option B"]


def tag_of(tags: Mapping[str, Any]) -> dict[int, str]:
    """Returns each question's tag from the official `tags.json`; the levels in it are left out.

    Raises:
        TempbenchError: It is not of the official form.
    """
    from tempbench_lmms.timeblind.card import TAGS

    found: dict[int, str] = {}
    for tag in TAGS:
        indices = tags.get(tag)
        if not isinstance(indices, list) or not all(isinstance(one, int) for one in indices):
            raise TempbenchError(f"tags.json has no list of indices under {tag}; use the official file")
        found |= dict.fromkeys(indices, tag)
    return found
