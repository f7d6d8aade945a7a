"""Checks of TimeBlind data before a model is loaded."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.timeblind import parser
from tempbench_lmms.timeblind.card import N_INSTANCES, SIZE, TAGS
from tempbench_lmms.timeblind.features import BENCHMARK, SCHEMA


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are prepared; the bundled sample's manifest has no parts."""
    if part := (manifest.get("parts") or {}).get("timeblind"):
        yield Size("test", part["rows"], SIZE * N_INSTANCES, SIZE * N_INSTANCES)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "question", "pair_id")
    if row["index"] < 0:
        yield f"index: {row['index']} is below 0"
    if row["tag"] is not None and row["tag"] not in TAGS:
        yield f"tag: {row['tag']!r} is not one of {', '.join(TAGS)}"
    if row["options"]:
        yield from checks.option_problems(row["options"], 2, 2)
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


tables_of = checks.below(
    Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",), together)
)
problems = verifying.problems(tables_of, sizes)
