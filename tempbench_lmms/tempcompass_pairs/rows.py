"""Turns official questions into rows."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import Row
from tempbench_lmms.tempcompass_pairs import groups, parser

from .features import BENCHMARK


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


def asked(row: Mapping[str, Any]) -> groups.Asked:
    """Returns what of a row decides its group."""
    return groups.Asked(row["kind"], row["video_id"], row["aspect"], row["question"], row["answer"])


def grouped(rows: Iterable[Row]) -> list[Row]:
    """Returns rows with their contrast groups, the questions of a group beside each other.

    A group is called after the first of its questions.
    """
    listed = list(rows)
    of: dict[int, list[int]] = {}
    for indices in groups.find([asked(one) for one in listed]):
        of.update(dict.fromkeys(indices, indices))
    out = []
    for index in range(len(listed)):
        together = of.get(index)
        if together is None:
            out.append(listed[index])
        elif together[0] == index:
            name = listed[index]["question_id"]
            out += [listed[one] | {"group": name, "group_size": len(together)} for one in together]
    return out
