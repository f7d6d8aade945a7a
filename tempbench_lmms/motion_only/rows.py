"""The columns of a question, and what must hold of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.media import verifying
from tempbench_lmms.motion_only import parser
from tempbench_lmms.motion_only.card import KINDS, N_OPTIONS, N_PAIRS

BENCHMARK = "motion_only"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("pair_id", pa.string()),  # two questions with the same options and another answer
        ("kind", pa.string()),  # one of card.KINDS
        ("video", pa.string()),  # tempbench:// URL
        ("options", pa.list_(pa.string())),  # texts of options A to D
        ("answer", pa.string()),  # a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all letters
    ]
)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields the number of prepared questions; `--pairs` sets another number."""
    if pairs := (manifest.get("settings") or {}).get("pairs"):
        yield Size("test", manifest["rows"]["test"], 2 * pairs, 2 * max(pairs, N_PAIRS))


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one question, as "field: what"."""
    yield from checks.text_problems(row, "pair_id", kind=KINDS)
    yield from checks.option_problems(row["options"], N_OPTIONS, N_OPTIONS)
    yield from checks.reply_problems(row, lambda reply: parser.read(reply, row["options"]).value)


def together(rows: Sequence[checks.NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields questions whose options differ from those of the other question of their pair."""
    first: dict[str, tuple[int, list[str]]] = {}
    for number, row in rows:
        known, options = first.setdefault(row["pair_id"], (number, row["options"]))
        if options != row["options"]:
            yield number, f"options: others than in row {known} of the same pair"


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",), together),
    sizes=sizes,
)
