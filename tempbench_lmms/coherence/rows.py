"""The columns of questions and of videos to caption, and what must hold of them."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from tempbench_lmms.coherence.card import COUNTS, SCENES, TYPES
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.coherence.prompts import CAPTION, ORDERS
from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.media import verifying

BENCHMARK = "coherence"

QA_SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("type", pa.string()),  # one of card.TYPES
        ("scene", pa.string()),  # one of card.SCENES: who or what moves
        ("video", pa.string()),  # tempbench:// URL
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A, B, ...
        ("answer", pa.string()),  # a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that choose something
        ("variation", pa.list_(pa.string())),  # counterfactual, composite, zoom, first_person
        pa.field("reference", pa.string(), metadata={"optional": "1"}),  # a sentence that states the answer
        pa.field("reference_source", pa.string(), metadata={"optional": "1"}),  # who wrote it
        ("n_frames", pa.int32()),  # how many frames are shown; a task may ask for other numbers
        ("order", pa.string()),  # ordered; a task may ask for shuffled, reversed, blind
    ]
)

CAPTION_SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("view", pa.string()),  # "video": n frames; "frame": the middle one of them
        ("video", pa.string()),  # tempbench:// URL
        ("n_frames", pa.int32()),
        ("target", pa.string()),  # a reference caption, or ""
        ("choices", pa.list_(pa.string())),  # captions of other videos among them
        ("events", pa.list_(pa.string())),  # what happens, in order; empty where nobody wrote it down
    ]
)

REFERENCED_SCHEMA = CAPTION_SCHEMA.append(pa.field("references", pa.list_(pa.string())))
"""Of prepared videos, which may have several reference captions: all of them, the target first. The bundled
sample has no such column."""


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how much of TOMATO is prepared, by type; the videos to caption are the user's own."""
    part = (manifest.get("parts") or {}).get("tomato") or {}
    for kind, there in (part.get("by_type") or {}).items():
        asked = COUNTS[kind] if kind in part.get("types", TYPES) else 0
        yield Size(kind, there, asked, COUNTS[kind], less_by="--types")


def question_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    letters = [*letters_of(row["options"])]
    texts = ("question", "variation", "reference", "reference_source")
    yield from checks.text_problems(row, *texts, type=TYPES, scene=SCENES, answer=letters, order=ORDERS)
    yield from checks.option_problems(row["options"], 2, 26)
    yield from checks.present(
        {
            f"target: {row['target']!r} is not the answer {row['answer']!r}": row["target"] != row["answer"],
            f"choices: not the letters {', '.join(letters)}": row["choices"] != letters,
            "reference_source: a reference and its source go together": (
                (row["reference"] is None) != (row["reference_source"] is None)
            ),
            f"n_frames: {row['n_frames']}, at least one is needed": row["n_frames"] < 1,
        }
    )


def caption_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one video to caption, as "field: what"."""
    references = row.get("references") or []
    yield from checks.present(
        {
            f"n_frames: {row['n_frames']}, at least one is needed": row["n_frames"] < 1,
            "choices: none": not row["choices"],
            "target: not among the choices": row["target"] and row["target"] not in row["choices"],
            "target: not the first of the references": references and row["target"] != references[0],
        }
    )
    yield from checks.text_problems(
        row, "choices", "events", *(["references"] if references else []), view=CAPTION
    )


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("qa/test.parquet"), QA_SCHEMA, question_problems, ("video",)),
    checks.Table(BENCHMARK, Path("caption/test.parquet"), CAPTION_SCHEMA, caption_problems, ("video",)),
    sizes=sizes,
)
