"""What must hold of ReXTime data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, tables
from tempbench_lmms.rextime import scoring, videos
from tempbench_lmms.rextime.prompts import LETTERS

SPLITS = ("validation", "test", "train")


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; then every missing or damaged video."""
    from tempbench_lmms.hf_datasets.rextime.features import SCHEMA

    found = [root / split / f"{split}.parquet" for split in SPLITS]
    found = [table for table in found if table.is_file()]
    if not found:
        yield f"{root}: no table is there; prepare the data again"
    urls: list[str] = []

    for table in found:
        has_answers = table.parent.name != "test"

        def check(row: tables.Row, has_answers: bool = has_answers) -> Iterator[str]:
            urls.append(row["video"])
            yield from row_problems(row, has_answers)

        yield from checks.table_problems(table, SCHEMA, check)
    yield from videos.problems(urls).values()


def row_problems(row: tables.Row, has_answers: bool = True) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what".

    Two things look wrong and are in the official data: windows of no length, and windows that end up to a
    second after the video, because they are rounded up.
    """
    if not row["duration"] > 0:
        yield f"duration: {row['duration']} seconds"
    if len(row["options"]) not in (0, len(LETTERS)):
        yield f"options: {len(row['options'])}, there are four"
    if len(set(row["options"])) < len(row["options"]):
        yield "options: two are the same"
    if row["source"] not in scoring.SOURCES:
        yield f"source: {row['source']!r} is neither of {', '.join(scoring.SOURCES)}"
    if not has_answers:
        if row["answer"] or row["windows"]:
            yield "answer: the test split has no public answers, yet there is one"
        return
    if len(row["answer"]) != 1 or row["answer"] not in LETTERS:
        yield f"answer: {row['answer']!r} is not one of {', '.join(LETTERS)}"
    if not row["windows"]:
        yield "windows: none"
    for window in row["windows"]:
        if len(window) != 2 or not 0 <= window[0] <= window[1] <= row["duration"] + 1:
            yield f"windows: {window} lies outside {row['duration']} seconds or is no span"
