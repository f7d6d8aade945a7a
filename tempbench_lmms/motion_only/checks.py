"""Checks of motion-only data before a model is loaded."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.motion_only import parser
from tempbench_lmms.motion_only.card import KINDS, N_OPTIONS, N_PAIRS
from tempbench_lmms.motion_only.features import BENCHMARK, SCHEMA


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields the number of prepared questions; `--pairs` sets another number."""
    if pairs := (manifest.get("settings") or {}).get("pairs"):
        yield Size("test", manifest["rows"]["test"], 2 * pairs, 2 * max(pairs, N_PAIRS))


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "pair_id")
    yield from checks.known_problems(row, kind=KINDS)
    yield from checks.option_problems(row["options"], N_OPTIONS, N_OPTIONS)
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, row["options"]).value)


def together(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields questions whose options differ from those of the other question of their pair."""
    first: dict[str, tuple[int, list[str]]] = {}
    for number, row in rows:
        known, options = first.setdefault(row["pair_id"], (number, row["options"]))
        if options != row["options"]:
            yield number, f"options: others than in row {known} of the same pair"


tables_of = checks.below(
    Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",), together)
)
problems = verifying.problems(tables_of, sizes)
