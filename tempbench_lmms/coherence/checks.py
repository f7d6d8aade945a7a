"""What must hold of the data before a model is loaded."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.coherence.card import SCENES, TYPES
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.coherence.prompts import CAPTION, ORDERS
from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import apart, records

NO_VIDEO = "no video"
"""Why a file of a folder is left out of which nobody expects that it is shown, such as a list of links."""

_WHAT_NEXT = "complete the source and prepare it again with --force"


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, with what must hold of each."""
    from tempbench_lmms.coherence.features import BENCHMARK, CAPTION_SCHEMA, QA_SCHEMA

    tables_ = (
        Table(BENCHMARK, root / "qa" / "test.parquet", QA_SCHEMA, question_problems, ("video",)),
        Table(BENCHMARK, root / "caption" / "test.parquet", CAPTION_SCHEMA, caption_problems, ("video",)),
    )
    return [table for table in tables_ if table.path.parent.is_dir()]


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; every video that changed is decoded."""
    yield from checks.problems(root, tables_of(root), records.checker(root, apart.check_video))
    with contextlib.suppress(TempbenchError):  # a damaged manifest is among the problems above
        yield from _missing(manifests.read(root) or {})


def _missing(manifest: manifests.Manifest) -> Iterator[str]:
    """Yields what was asked for when the data was prepared, and is not there.

    The bundled sample and data of an earlier version do not say what was asked for.
    """
    parts = manifest.get("parts")
    for name, part in parts.items() if isinstance(parts, dict) else ():
        if not isinstance(part, dict) or "copied" not in part:
            continue
        for kind in part.get("types", ()):
            if not part["by_type"].get(kind):
                yield f"{name}: no question of {kind}; {_WHAT_NEXT}, or leave the type out with --types"
        first = {one.get("reason"): checks.one_line(one["id"]) for one in reversed(part["skipped"])}
        for reason, n in part["skipped_by_reason"].items():
            if reason != NO_VIDEO:
                yield (
                    f"{name}: {n} left out when the data was prepared ({reason}), the first is "
                    f"{first[reason]}, all are in {MANIFEST}; {_WHAT_NEXT}"
                )


def question_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one question, as "field: what"."""
    if row["type"] not in TYPES:
        yield f"type: {row['type']!r} is not one of {', '.join(TYPES)}"
    if row["scene"] not in SCENES:
        yield f"scene: {row['scene']!r} is not one of {', '.join(SCENES)}"
    yield from checks.text_problems(row, "question", "variation")
    yield from checks.option_problems(row["options"], 2, 26)
    letters = [*letters_of(row["options"])]
    if row["answer"] not in letters:
        yield f"answer: {row['answer']!r} is not one of {', '.join(letters)}"
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
    if row["order"] not in ORDERS:
        yield f"order: {row['order']!r} is not one of {', '.join(ORDERS)}"


def caption_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one video to caption, as "field: what"."""
    if row["view"] not in CAPTION:
        yield f"view: {row['view']!r} is neither video nor frame"
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
