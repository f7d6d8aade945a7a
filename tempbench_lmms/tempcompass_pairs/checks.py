"""Checks of the data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.tempcompass_pairs import parser
from tempbench_lmms.tempcompass_pairs.card import COUNTS, DETAILS, KINDS
from tempbench_lmms.tempcompass_pairs.features import BENCHMARK, SCHEMA


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared, by kind."""
    for kind, there in ((manifest.get("parts") or {}).get("tempcompass") or {}).get("by_kind", {}).items():
        yield Size(kind, there, COUNTS[kind], COUNTS[kind])


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "question", "video_id")
    details = ("", *DETAILS.get(row["aspect"], ()))
    yield from checks.known_problems(row, kind=KINDS, aspect=DETAILS, detail=details)
    if not row["video"].rpartition("/")[2].startswith(f"{row['video_id']}."):
        yield f"video_id: {row['video_id']!r} is not the video's name"
    if row["choices"] != parser.options_of(row["question"]):
        yield "choices: not the options of the question"
        return
    if (row["kind"] == "yes_no") != (tuple(row["choices"]) == parser.YES_NO):
        yield "kind: another one than the question's"
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, row["choices"]).value)
    if row["target"] not in row["choices"]:
        yield f"target: {row['target'][:80]!r} is not one of the choices"


tables_of = checks.below(Table(BENCHMARK, Path("questions/test.parquet"), SCHEMA, row_problems, ("video",)))
problems = verifying.problems(tables_of, sizes)
