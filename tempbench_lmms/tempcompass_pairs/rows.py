"""The columns of a question, what must hold of them, and official questions as rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, roots
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_object
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.tempcompass_pairs import parser
from tempbench_lmms.tempcompass_pairs.card import COUNTS, DETAILS, KINDS, origin

BENCHMARK = "tempcompass_pairs"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # KIND/CLIP/ASPECT/NUMBER, the number counted within clip and aspect
        ("kind", pa.string()),  # one of card.KINDS
        ("aspect", pa.string()),  # one of card.ASPECTS
        ("detail", pa.string()),  # one of card.DETAILS; "" where the source has none
        ("video_id", pa.string()),  # the clip's official name
        ("video", pa.string()),  # tempbench:// URL
        ("question", pa.string()),  # the official text, its options in further lines
        ("answer", pa.string()),  # what the parser returns for the right reply: a label, yes, or no
        ("group", pa.string()),  # its contrast group; "" where it has none
        ("group_size", pa.int32()),  # questions of that group; 0 where it has none
        ("target", pa.string()),  # the official answer, whole
        ("choices", pa.list_(pa.string())),  # every answer on offer
    ]
)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared, by kind."""
    for kind, there in ((manifest.get("parts") or {}).get("tempcompass") or {}).get("by_kind", {}).items():
        yield Size(kind, there, COUNTS[kind], COUNTS[kind])


def row_problems(row: Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    details, choices = ("", *DETAILS.get(row["aspect"], ())), row["choices"]
    yield from checks.text_problems(row, "question", "video_id", kind=KINDS, aspect=DETAILS, detail=details)
    if choices != parser.options_of(row["question"]):
        yield "choices: not the options of the question"
        return
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, choices).value)
    is_yes_no = tuple(choices) == parser.YES_NO
    yield from checks.present(
        {
            f"video_id: {row['video_id']!r} is not the video's name": (
                not row["video"].rpartition("/")[2].startswith(f"{row['video_id']}.")
            ),
            "kind: another one than the question's": (row["kind"] == "yes_no") != is_yes_no,
            f"target: {row['target'][:80]!r} is not one of the choices": row["target"] not in choices,
        }
    )


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("questions/test.parquet"), SCHEMA, row_problems, ("video",)), sizes=sizes
)


Entries = dict[str, dict[str, Any]]
"""The questions of an official file by id, as `questions_of` yields them."""


def read_questions(path: Path, kind: str, *fields: str) -> Entries:
    """Returns the questions of an official file: of questions, predictions or judgements.

    Each entry must have a text under each of `fields`.

    Raises:
        TempbenchError: The file cannot be read, or is not of the official form.
    """
    try:
        found = dict(questions_of(kind, json_object(path, "get the file again")))
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
    """Yields id and entry of every question of an official file, which lists entries by clip and aspect."""
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


def contrast_groups(rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Returns the contrast groups, each as the indices of its rows, in the order of their first ones.

    A group is the same question on a clip and on its twin, with another answer: all questions of one kind and
    aspect with the same text, options included, on clips of one origin. They must be on two clips at least,
    and have two right answers at least: else one and the same reply could be right throughout.
    """
    together = grouped(
        ((row["kind"], origin(row["video_id"]), row["aspect"], row["question"]), index)
        for index, row in enumerate(rows)
    )
    return [
        own
        for own in together.values()
        if all(len({rows[i][of] for i in own}) > 1 for of in ("video_id", "answer"))
    ]


def with_contrast_groups(rows: Iterable[Row]) -> list[Row]:
    """Returns rows with their contrast groups, the questions of a group beside each other.

    A group is called after the first of its questions.
    """
    listed = list(rows)
    of = {index: own for own in contrast_groups(listed) for index in own}
    out = []
    for index, row in enumerate(listed):
        own = of.get(index, [index])
        if own[0] == index:
            name, size = (row["question_id"], len(own)) if index in of else ("", 0)
            out += [listed[one] | {"group": name, "group_size": size} for one in own]
    return out
