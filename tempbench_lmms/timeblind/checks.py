"""What must hold of TimeBlind data before a model is loaded."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import records, sandbox
from tempbench_lmms.timeblind import parser
from tempbench_lmms.timeblind.card import N_INSTANCES, SIZE, TAGS


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, with what must hold of each."""
    from tempbench_lmms.timeblind.features import BENCHMARK, SCHEMA

    path = root / "test" / "test.parquet"
    return (
        [Table(BENCHMARK, path, SCHEMA, row_problems, ("video",), together)] if path.parent.is_dir() else []
    )


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; every video that changed is decoded."""
    yield from checks.problems(root, tables_of(root), records.checker(root, sandbox.check_video), sizes)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the release's questions are there; the bundled sample's manifest has no parts."""
    if part := (manifest.get("parts") or {}).get("timeblind"):
        yield Size("test", part["rows"], SIZE * N_INSTANCES, SIZE * N_INSTANCES)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one question, as "field: what"."""
    yield from checks.text_problems(row, "question", "pair_id")
    if row["index"] < 0:
        yield f"index: {row['index']} is below 0"
    if row["tag"] is not None and row["tag"] not in TAGS:
        yield f"tag: {row['tag']!r} is not one of {', '.join(TAGS)}"
    if row["options"]:
        yield from checks.option_problems(row["options"], 2, 2)
    yield from checks.reply_problems(row, lambda reply: parser.parse(reply, row["options"]))


def together(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields what is wrong between the rows of an instance, which has two videos by two questions."""
    places: dict[tuple[str, int], int] = {}
    same: dict[tuple[str, str, int], tuple[int, str]] = {}
    for number, row in rows:
        instance, place = row["pair_id"], row["index"] % SIZE
        first = places.setdefault((instance, place), number)
        if first != number:
            for one, other in ((number, first), (first, number)):
                yield one, f"index: row {other} has the same place in {instance[:80]}"
        for name, which in (("question", place // 2), ("video", place % 2)):
            known, value = same.setdefault((name, instance, which), (number, row[name]))
            if value != row[name]:
                for one, other in ((number, known), (known, number)):
                    yield one, f"{name}: another one than in row {other} of the same instance"
    instances: dict[str, list[NumberedRow]] = {}
    for number, row in rows:
        instances.setdefault(row["pair_id"], []).append((number, row))
    for four in instances.values():
        if problem := _gap([row for _, row in four]):
            yield four[0][0], problem


def _gap(found: Sequence[tables.Row]) -> str | None:
    """Returns what an instance lacks, as "field: what"; None where it has all."""
    at = {row["index"] % SIZE: row for row in found}
    if len(at) < SIZE:
        return f"pair_id: {len(at)} of the {SIZE} questions of the instance are there"
    for name, other in (("question", 2), ("video", 1)):
        if at[0][name] == at[other][name]:
            return f"{name}: one {name}, an instance has two"
    return None
