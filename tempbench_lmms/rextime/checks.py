"""Checks of ReXTime data before a model is loaded."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.rextime import parser
from tempbench_lmms.rextime.card import COUNTS, SOURCES, SPLITS
from tempbench_lmms.rextime.features import BENCHMARK, SCHEMA
from tempbench_lmms.rextime.prompts import LETTERS


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the paper's questions are prepared, for each prepared split."""
    for split in SPLITS if "annotations" in manifest else ():
        asked = COUNTS[split] if split in manifest["annotations"] else 0
        yield Size(split, manifest["rows"].get(split, 0), asked, COUNTS[split], less_by="--splits")


def row_problems(row: tables.Row, has_answers: bool = True) -> Iterator[str]:
    """Yields the problems of one row, as "field: what".

    The official data has two oddities that are allowed: windows of length 0, and windows that end up to a
    second after the video, because they are rounded up.
    """
    yield from checks.text_problems(row, "video_id", "question")
    if not row["duration"] > 0:
        yield f"duration: {row['duration']} seconds"
    yield from checks.option_problems(row["options"], len(LETTERS), len(LETTERS))
    yield from checks.known_problems(row, source=SOURCES)
    if row["question_span"] is not None and not _is_span(row["question_span"], row["duration"]):
        yield f"question_span: {row['question_span']} is not a span within {row['duration']} seconds"
    if not has_answers:
        for name in ("answer", "windows", "target"):
            if row[name]:
                yield f"{name}: must be empty, the test split has no public answers"
        yield from checks.choice_problems(row, lambda reply: _read(reply, row))
        return
    if not row["windows"]:
        yield "windows: none"
    for window in row["windows"]:
        if not _is_span(window, row["duration"]):
            yield f"windows: {window} is not a span within {row['duration']} seconds"
    yield from checks.reply_problems(row, lambda reply: _read(reply, row))
    if not any(list(span) in row["windows"] for span in parser.parse(row["target"])[1]):
        yield f"target: {row['target'][:80]!r} does not name one of the windows"


def _is_span(span: Sequence[float], duration: float) -> bool:
    return len(span) == 2 and 0 <= span[0] <= span[1] <= duration + 1


def _read(reply: str, row: tables.Row) -> str | None:
    """Returns the letter of a reply that states a letter and a span."""
    letter, spans = parser.parse(reply, row["options"])
    return letter if spans else None


tables_of = checks.below(
    *(
        Table(
            BENCHMARK,
            Path(split, f"{split}.parquet"),
            SCHEMA,
            partial(row_problems, has_answers=split != "test"),
            ("video",),
        )
        for split in SPLITS
    )
)
problems = verifying.problems(tables_of, sizes)
