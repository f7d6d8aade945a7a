"""Checks of NExT-GQA data before a model is loaded."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.nextgqa import parser
from tempbench_lmms.nextgqa.card import COUNTS, OPTIONS, SPLITS, TYPES
from tempbench_lmms.nextgqa.features import BENCHMARK, SCHEMA

_BEYOND = 0.5
"""Released segments begin up to 0.2 seconds before their video and end up to 0.5 seconds after it: lengths
are rounded to whole seconds."""


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared, by split."""
    for split in SPLITS if "splits" in manifest else ():
        asked = COUNTS[split] if split in manifest["splits"] else 0
        yield Size(split, manifest["rows"].get(split, 0), asked, COUNTS[split], less_by="--splits")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what".

    The official data has two oddities that are allowed: segments that end a little after the video, and four
    questions with two equal options.
    """
    yield from checks.text_problems(row, "video_id", "question", "options")
    if row["question_id"].rpartition("_")[0] != row["video_id"]:
        yield f"video_id: {row['video_id']!r} is not what the question's id begins with"
    yield from checks.known_problems(row, type=TYPES)
    if not row["duration"] > 0:
        yield f"duration: {row['duration']} seconds"
    if len(row["options"]) != OPTIONS:
        yield f"options: {len(row['options'])}, a question has {OPTIONS}"
    if not row["windows"]:
        yield "windows: none"
    for window in row["windows"]:
        if not _is_segment(window, row["duration"]):
            yield f"windows: {window} is not a segment within {row['duration']} seconds"
    yield from checks.reply_problems(row, lambda reply: _read(reply, row))
    span = parser.read(row["target"])["span"].value
    if span is None or list(span) not in row["windows"]:
        yield f"target: {row['target'][:80]!r} does not name one of the windows"


def _is_segment(window: Sequence[float], duration: float) -> bool:
    return len(window) == 2 and -_BEYOND <= window[0] < window[1] <= duration + _BEYOND


def _read(reply: str, row: tables.Row) -> str | None:
    """Returns the letter of a reply that states a letter and a span."""
    found = parser.read(reply, row["options"])
    letter: str | None = found["letter"].value
    return letter if found["span"].value is not None else None


tables_of = checks.below(
    *(Table(BENCHMARK, Path(split, "test.parquet"), SCHEMA, row_problems, ("video",)) for split in SPLITS)
)
problems = verifying.problems(tables_of, sizes)
