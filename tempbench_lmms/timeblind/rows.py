"""The columns of a question, what must hold of them, and official records as rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, releases, roots
from tempbench_lmms.data.checks import NumberedRow
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.questions import of_release
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_object, json_objects
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.timeblind import parser
from tempbench_lmms.timeblind.card import N_INSTANCES, SIZE, TAGS

BENCHMARK = "timeblind"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official index, as text
        ("index", pa.int32()),  # the official index: 4 x instance + 2 x question + video
        ("pair_id", pa.string()),  # the instance: its two videos and two questions have one
        ("video", pa.string()),  # tempbench:// URL
        pa.field("tag", pa.string(), metadata={"optional": "1"}),  # one of card.TAGS, if known
        ("question", pa.string()),  # as released; a multiple choice has its options in it
        ("options", pa.list_(pa.string())),  # texts of options A and B; none where Yes or No is asked
        ("answer", pa.string()),  # Yes or No, or a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # both replies
    ]
)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared; the bundled sample's manifest has no parts."""
    if part := (manifest.get("parts") or {}).get("timeblind"):
        yield Size("test", part["rows"], SIZE * N_INSTANCES, SIZE * N_INSTANCES)


def row_problems(row: Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "question", "pair_id", tag=TAGS)
    yield from checks.present({f"index: {row['index']} is below 0": row["index"] < 0})
    yield from checks.option_problems(row["options"], 2, 2) if row["options"] else ()
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, row["options"]).value)


def together(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the problems between the rows of an instance, which has two videos and two questions."""
    for own in grouped((row["pair_id"], (number, row)) for number, row in rows).values():
        by_place = {row["index"] % SIZE: row for _, row in own}
        if not len(by_place) == len(own) == SIZE:
            column = "index" if len(own) == SIZE else "pair_id"
            problem = f"{column}: {len(by_place)} of the {SIZE} questions of the instance are there"
            yield from ((number, problem) for number, _ in own)
            continue
        for name, step in (("question", 1), ("video", 2)):
            for number, row in own:
                if row[name] != (other := by_place[row["index"] % SIZE ^ step])[name]:
                    yield number, f"{name}: another one than that of index {other['index']}"
            if by_place[0][name] == by_place[SIZE - 1][name]:
                yield own[0][0], f"{name}: one {name}, an instance has two"


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",), together),
    sizes=sizes,
)


DATA, TAGS_FILE = "data.jsonl", "tags.json"

_OPTIONS = re.compile(r"\bOption A\s*[:.]\s*(.+?)\s*\bOption B\s*[:.]\s*(.+?)\s*", re.DOTALL)
# The answers to each type of question, by their official forms in small letters.
_ANSWERS = {"yes_no": {"yes": "Yes", "no": "No"}, "multiple_choice": {"a": "A", "b": "B"}}


def row(record: Mapping[str, Any], tags: Mapping[int, str] | None = None) -> Row:
    """Returns the row of a record of `data.jsonl`.

    Args:
        record: With `index`, `video_path`, `question`, `answer` and `type`.
        tags: The tags by index, if `tags.json` exists.

    Raises:
        TempbenchError: A field is missing or not as in the release.
    """
    with of_release(record.get("index", "?")):
        index, question, kind = record["index"], str(record["question"]), str(record["type"])
        choices = _ANSWERS.get(kind, {})
        answer = choices.get(str(record["answer"]).strip(" .():").lower())
        texts = [record[name] for name in ("video_path", "question", "answer", "type")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise ValueError("a field is missing or no text")
        if type(index) is not int or index < 0 or answer is None:
            raise ValueError(f"no index {index!r} of type {kind[:80]!r} with answer {record['answer']!r}")
        return {
            "question_id": str(index),
            "index": index,
            "pair_id": str(index // SIZE),
            "video": f"{roots.SCHEME}{BENCHMARK}/media/{video_name(str(record['video_path']))}",
            "tag": (tags or {}).get(index),
            "question": question,
            "options": options_of(question) if kind == "multiple_choice" else [],
            "answer": answer,
            "target": answer,
            "choices": [*choices.values()],
        }


def video_name(path: str) -> str:
    """Returns a video's name without its folders: `TimeBlind/videos/vid_00000_0.mp4` is `vid_00000_0.mp4`."""
    return path.replace("\\", "/").rpartition("/")[2]


def options_of(question: str) -> list[str]:
    """Returns the texts of a question's two options, or their labels if it does not name them.

    >>> options_of("What does it do? Option A: It runs. Option B: It sits.")
    ['It runs.', 'It sits.']
    """
    found = _OPTIONS.fullmatch(question[max(0, question.find("Option A")) :])
    return [found[1], found[2]] if found else ["Option A", "Option B"]


def files_of(source: Path, tags: Path | None = None) -> tuple[Path, Path | None]:
    """Returns the question file, of a download from the Hub or named itself, and the tag file, if any."""
    if not source.is_dir():
        return source, tags

    def here(folder: Path) -> Path | None:
        return releases.file(folder, DATA) or releases.file(folder / "TimeBlind", DATA)

    data = releases.find(source, here, DATA)
    if data is None:
        raise TempbenchError(f"no {DATA} in {source}; give the folder with the Hub's download")
    return data, tags or releases.file(data.parent, TAGS_FILE) or releases.file(source, TAGS_FILE)


def read_release(data: Path, tags: Path | None = None) -> list[Row]:
    """Returns the rows of the official files; raises `TempbenchError` with the question of a fault."""
    listed = json_object(tags, f"give the official {TAGS_FILE}") if tags else {}
    with of_release(f"of a tag in {TAGS_FILE}"):
        tag_of = {int(index): tag for tag in TAGS if tags for index in listed[tag]}
    found: dict[int, Row] = {}
    for where, record in json_objects(data, f"give the official {DATA}"):
        one = row(record, tag_of)
        if found.setdefault(one["index"], one) is not one:
            raise TempbenchError(f"{data}: {where} has index {one['index']} again; leave one")
    if not found:
        raise TempbenchError(f"{data} holds no question; get the file again")
    return [*found.values()]
