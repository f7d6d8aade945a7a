"""Checks of the data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.arrow_of_time import parser
from tempbench_lmms.arrow_of_time.card import CATEGORIES, N_CLIPS
from tempbench_lmms.arrow_of_time.features import BENCHMARK, SCHEMA
from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.media import verifying


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields the number of prepared questions."""
    yield Size("test", manifest["rows"]["test"], 2 * N_CLIPS, 2 * N_CLIPS)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    yield from checks.text_problems(row, "pair_id")
    if unknown := [name for name in row["categories"] if name not in CATEGORIES]:
        yield f"categories: {unknown[0]!r} is not one of {', '.join(CATEGORIES)}"
    yield from checks.reply_problems(row, lambda reply: parser.read(reply).value)


tables_of = checks.below(Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",)))
problems = verifying.problems(tables_of, sizes)
