"""The columns of a question, what must hold of them, and official records as rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, releases, roots, tables
from tempbench_lmms.data.checks import NumberedRow
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_values
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.metrics.sampling import Groups
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

GROUPS = Groups(("pair_id",), ("tag",))
"""An instance: two videos by two questions."""


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared; the bundled sample's manifest has no parts."""
    if part := (manifest.get("parts") or {}).get("timeblind"):
        yield Size("test", part["rows"], SIZE * N_INSTANCES, SIZE * N_INSTANCES)


def row_problems(row: Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "question", "pair_id")
    yield from checks.present({f"index: {row['index']} is below 0": row["index"] < 0})
    yield from checks.known_problems(row, tag=TAGS) if row["tag"] is not None else ()
    yield from checks.option_problems(row["options"], 2, 2) if row["options"] else ()
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, row["options"]).value)


def together(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the problems between the rows of an instance, which has two videos and two questions."""
    same: dict[tuple[str, str, int], tuple[int, Any]] = {}
    first: dict[str, int] = {}
    for number, row in rows:
        instance, place = row["pair_id"], row["index"] % SIZE
        first.setdefault(instance, number)
        for name, which, value in (
            ("index", place, number),
            ("question", place // 2, row["question"]),
            ("video", place % 2, row["video"]),
        ):
            known, expected = same.setdefault((instance, name, which), (number, value))
            if value != expected:
                for one, other in ((number, known), (known, number)):
                    yield one, f"{name}: does not go with row {other} of the same instance"
    for instance, number in first.items():
        found = sum((instance, "index", place) in same for place in range(SIZE))
        if found < SIZE:
            yield number, f"pair_id: {found} of the {SIZE} questions of the instance are there"
        for name in ("question", "video") if found == SIZE else ():
            if same[instance, name, 0][1] == same[instance, name, 1][1]:
                yield number, f"{name}: one {name}, an instance has two"


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",), together),
    sizes=sizes,
)


DATA, TAGS_FILE = "data.jsonl", "tags.json"

_OPTIONS = re.compile(r"\bOption A\s*[:.]\s*(.+?)\s*\bOption B\s*[:.]\s*(.+?)\s*", re.DOTALL)
_ANSWERS = {True: {"a": "A", "b": "B"}, False: {"yes": "Yes", "no": "No"}}
_FORMS = {"yes_no": False, "multiple_choice": True}


def row(record: Mapping[str, Any], tag: str | None = None) -> Row:
    """Returns the row of a record of `data.jsonl`.

    Args:
        record: With `index`, `video_path`, `question`, `answer` and `type`.
        tag: Its tag, if `tags.json` exists.

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
    data = _below(source, DATA)
    if data is None:
        raise TempbenchError(f"no {DATA} in {source}; give the folder with the Hub's download")
    return data, tags or _below(source, TAGS_FILE)


def _below(source: Path, name: str) -> Path | None:
    def here(folder: Path) -> Path | None:
        return releases.file(folder, name) or releases.file(folder / "TimeBlind", name)

    return releases.find(source, here, name)


def read_release(data: Path, tags: Path | None = None) -> list[Row]:
    """Returns the rows of the official files; raises `TempbenchError` with the place of a fault."""
    tag_of = _tags(tags) if tags else {}
    found: dict[int, Row] = {}
    for where, record in json_values(data, f"give the official {DATA}"):
        try:
            one = row(record, tag_of.get(record.get("index", -1)))
        except (TempbenchError, AttributeError, TypeError) as error:
            raise TempbenchError(f"{data}: {where}: {error}; use the official {DATA}") from None
        if one["index"] in found:
            raise TempbenchError(f"{data}: {where} has index {one['index']} again; leave one")
        found[one["index"]] = one
    if not found:
        raise TempbenchError(f"{data} holds no question; give the official {DATA}")
    return [*found.values()]


def _tags(path: Path) -> dict[int, str]:
    try:
        tags = tables.read_json(path)
        return {int(index): tag for tag in TAGS for index in tags[tag]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TempbenchError(
            f"{path} has no indices by tag ({tables.first_line(error)}); give the official tags.json"
        ) from None
