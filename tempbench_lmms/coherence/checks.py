"""What must hold of the data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.coherence.scoring import SCENES, TYPES
from tempbench_lmms.data import checks, roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.video import probe


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field."""
    from tempbench_lmms.hf_datasets.coherence.features import CAPTION_SCHEMA, QA_SCHEMA

    urls: list[str] = []

    def video_problems(row: tables.Row) -> Iterator[str]:
        try:
            roots.resolve(row["video"])
        except TempbenchError as error:
            yield f"video: {error}"
        else:
            urls.append(row["video"])

    def question(row: tables.Row) -> Iterator[str]:
        yield from question_problems(row)
        yield from video_problems(row)

    def caption(row: tables.Row) -> Iterator[str]:
        yield from caption_problems(row)
        yield from video_problems(row)

    found = False
    for name, schema, check in (("qa", QA_SCHEMA, question), ("caption", CAPTION_SCHEMA, caption)):
        table = root / name / "test.parquet"
        if table.is_file():
            found = True
            yield from checks.table_problems(table, schema, check)
    if not found:
        yield f"{root}: no table is there; prepare the data again"
    yield from checks.media_problems(urls, lambda url: probe(roots.resolve(url)))


def question_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one question, as "field: what"."""
    if row["type"] not in TYPES:
        yield f"type: {row['type']!r} is none of {', '.join(TYPES)}"
    if row["scene"] not in SCENES:
        yield f"scene: {row['scene']!r} is none of {', '.join(SCENES)}"
    if not 2 <= len(row["options"]) <= 26:
        yield f"options: {len(row['options'])}, a question has 2 to 26"
    if len(set(row["options"])) < len(row["options"]):
        yield "options: two are the same"
    if row["answer"] not in [*letters_of(row["options"])]:
        yield f"answer: {row['answer']!r} is not one of {', '.join(letters_of(row['options']))}"
    if row["target"] != row["answer"]:
        yield f"target: {row['target']!r} is not the answer {row['answer']!r}"


def caption_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one video to caption, as "field: what"."""
    if row["view"] not in ("video", "frame"):
        yield f"view: {row['view']!r} is neither video nor frame"
    if row["n_frames"] < 1:
        yield f"n_frames: {row['n_frames']}, at least one is needed"
    if not row["choices"]:
        yield "choices: there is none"
