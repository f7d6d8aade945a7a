"""Checks of the data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.coherence.card import COUNTS, SCENES, TYPES
from tempbench_lmms.coherence.features import BENCHMARK, CAPTION_SCHEMA, QA_SCHEMA
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.coherence.prompts import CAPTION, ORDERS
from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how much of TOMATO is prepared, by type; the videos to caption are the user's own."""
    part = (manifest.get("parts") or {}).get("tomato") or {}
    for kind, there in (part.get("by_type") or {}).items():
        asked = kind in part.get("types", TYPES)
        yield Size(kind, there, COUNTS[kind] if asked else 0, COUNTS[kind], less_by="--types")


def question_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    letters = [*letters_of(row["options"])]
    yield from checks.known_problems(row, type=TYPES, scene=SCENES, answer=letters, order=ORDERS)
    yield from checks.text_problems(row, "question", "variation")
    yield from checks.option_problems(row["options"], 2, 26)
    if row["target"] != row["answer"]:
        yield f"target: {row['target']!r} is not the answer {row['answer']!r}"
    if row["choices"] != letters:
        yield f"choices: not the letters {', '.join(letters)}"
    if row["reference"] is not None:
        yield from checks.text_problems(row, "reference")
    if (row["reference"] is None) != (row["reference_source"] is None):
        yield "reference_source: a reference and its source go together"
    elif row["reference_source"] is not None:
        yield from checks.text_problems(row, "reference_source")
    if row["n_frames"] < 1:
        yield f"n_frames: {row['n_frames']}, at least one is needed"


def caption_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one video to caption, as "field: what"."""
    yield from checks.known_problems(row, view=CAPTION)
    if row["n_frames"] < 1:
        yield f"n_frames: {row['n_frames']}, at least one is needed"
    if not row["choices"]:
        yield "choices: none"
    if row["target"] and row["target"] not in row["choices"]:
        yield "target: not among the choices"
    yield from checks.text_problems(row, "choices", "events")
    if row.get("references"):
        yield from checks.text_problems(row, "references")
        if row["target"] != row["references"][0]:
            yield "target: not the first of the references"


tables_of = checks.below(
    Table(BENCHMARK, Path("qa/test.parquet"), QA_SCHEMA, question_problems, ("video",)),
    Table(BENCHMARK, Path("caption/test.parquet"), CAPTION_SCHEMA, caption_problems, ("video",)),
)
problems = verifying.problems(tables_of, sizes)
