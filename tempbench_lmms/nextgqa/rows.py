"""The columns of a question, what must hold of them, and official annotations and results as rows."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, releases, roots
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.questions import finite, of_release, reply, span_of
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_object, read_table
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.nextgqa import parser
from tempbench_lmms.nextgqa.card import COUNTS, FILES, OPTIONS, SPLITS, TYPES
from tempbench_lmms.nextgqa.prompts import LETTERS

BENCHMARK = "nextgqa"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official key: VIDEO_QID
        ("video_id", pa.string()),
        ("video", pa.string()),  # tempbench:// URL
        ("type", pa.string()),  # as released: CW, CH, TN, TP, TC
        ("duration", pa.float64()),  # seconds, as annotated
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A to E
        ("answer", pa.string()),  # a letter
        ("windows", pa.list_(pa.list_(pa.float64()))),  # true segments in seconds
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # each letter, with the whole video as its span
    ]
)


# Released segments begin up to 0.2 seconds before their video and end up to 0.5 seconds after it: lengths are
# rounded to whole seconds.
_BEYOND = 0.5


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared, by split."""
    for split in SPLITS if "splits" in manifest else ():
        there, asked = manifest["rows"].get(split, 0), COUNTS[split] if split in manifest["splits"] else 0
        yield Size(split, there, asked, COUNTS[split], less_by="--splits")


def row_problems(row: Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what".

    The official data has two oddities that are allowed: segments that end a little after the video, and four
    questions with two equal options.
    """
    yield from checks.text_problems(row, "video_id", "question", "options", type=TYPES)
    duration, own, span = row["duration"], row["video_id"], parser.read(row["target"])["span"].value
    yield from checks.present(
        {
            f"video_id: {own!r} is not what the question's id begins with": (
                row["question_id"].rpartition("_")[0] != own
            ),
            f"duration: {duration} seconds": not duration > 0,
            f"options: {len(row['options'])}, a question has {OPTIONS}": len(row["options"]) != OPTIONS,
            "windows: none": not row["windows"],
            **{
                f"windows: {window} is not a segment within {duration} seconds": not (
                    len(window) == 2 and -_BEYOND <= window[0] < window[1] <= duration + _BEYOND
                )
                for window in row["windows"]
            },
            f"target: {row['target'][:80]!r} does not name one of the windows": (
                span is None or list(span) not in row["windows"]
            ),
        }
    )
    yield from checks.reply_problems(row, lambda reply: _read(reply, row))


def _read(reply: str, row: Row) -> str | None:
    found = parser.read(reply, row["options"])
    return found["letter"].value if found["span"].value is not None else None


tables_of, problems = verifying.of(
    *(
        checks.Table(BENCHMARK, Path(split, "test.parquet"), SCHEMA, row_problems, ("video",))
        for split in SPLITS
    ),
    sizes=sizes,
)


ADVICE = "give the official JSON file"


def annotations_in(source: Path) -> Path:
    """Returns the folder of the annotations: a clone of the release's repository has it two folders down."""

    def here(folder: Path) -> Path | None:
        inside = (folder, folder / "datasets" / "nextgqa")
        return next(
            (one for one in inside if any(files_of(one, split)[1].is_file() for split in FILES)), None
        )

    if (found := releases.find(source, here, "the annotations")) is None:
        raise TempbenchError(
            f"neither gsub_test.json nor gsub_val.json is in {source}; name a clone of "
            "https://github.com/doc-doc/NExT-GQA or its folder datasets/nextgqa"
        )
    return found


def files_of(folder: Path, split: str) -> tuple[Path, Path]:
    """Returns the questions and the segments of a split in the release's folder `datasets/nextgqa`."""
    questions, segments = f"{FILES[split]}.csv", f"gsub_{FILES[split]}.json"
    return (
        releases.file(folder, questions) or folder / questions,
        releases.file(folder, segments) or folder / segments,
    )


def rows(folder: Path, split: str) -> Iterator[Row]:
    """Yields the rows of a split in the order of its segments, which the official scorer sums in.

    Args:
        folder: The release's `datasets/nextgqa`.
        split: `test` or `validation`.

    Raises:
        TempbenchError: A file cannot be read, or is not of the release's form; with the question.
    """
    questions_file, segments_file = files_of(folder, split)
    lines = read_table(questions_file, "qid", ("video_id",))
    questions = {f"{line.get('video_id')}_{line['qid']}": line for _, line in lines}
    for video, found in json_object(segments_file, ADVICE).items():
        if not isinstance(found, dict) or not isinstance(found.get("location"), dict):
            raise TempbenchError(f"{segments_file}: video {video} has no location; get the file again")
        for qid, segments in found["location"].items():
            key = f"{video}_{qid}"
            if key not in questions:
                raise TempbenchError(
                    f"{questions_file} lacks the question {key} of {segments_file.name}; get both again"
                )
            yield row(questions[key], segments, found.get("duration"))


def row(question: Mapping[str, Any], segments: Any, duration: Any, video: str = "") -> Row:
    """Returns the row of a question.

    Args:
        question: A line of `test.csv` or `val.csv`.
        segments: Its true segments, of `gsub_test.json` or `gsub_val.json`.
        duration: Of the video in seconds, likewise.
        video: The video's URL; one for an mp4 file named after the id where omitted.

    Raises:
        TempbenchError: A field is missing or of the wrong kind.
    """
    key = f"{question.get('video_id')}_{question.get('qid')}"
    with of_release(key):
        options = [str(question[f"a{i}"]) for i in range(OPTIONS)]
        seconds = finite(duration)
        if not (windows := [span_of(segment) for segment in segments]):
            raise ValueError("there is no segment with a start and an end")
        if question["answer"] not in options:
            raise ValueError(f"the answer {question['answer']!r} is not an option")
        letter = LETTERS[options.index(question["answer"])]
        return {
            "question_id": key,
            "video_id": str(question["video_id"]),
            "video": video or f"{roots.SCHEME}{BENCHMARK}/media/{question['video_id']}.mp4",
            "type": str(question["type"]),
            "duration": seconds,
            "question": str(question["question"]),
            "options": options,
            "answer": letter,
            "windows": windows,
            "target": reply(letter, windows[0]),
            "choices": [reply(one, [0, seconds]) for one in LETTERS],
        }
