"""What must hold of MATEO data before a model is loaded."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tempbench_lmms.data import checks, tables
from tempbench_lmms.mateo import parser, scoring
from tempbench_lmms.media.images import load_image

TABLES = ("pairs/test.parquet", "pairs_validation/validation.parquet", "pairs_train/train.parquet")
"""The tables that prepared data may have; the bundled sample has the first."""


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field."""
    from tempbench_lmms.hf_datasets.mateo.features import SCHEMA

    urls: list[str] = []
    found_tables = [root / name for name in TABLES]
    for table in found_tables:
        if table.parent.is_dir():
            waiting: list[tables.Row] = []
            yield from checks.table_problems(table, SCHEMA, _checker(urls, waiting))
            if waiting:
                yield f"{table.parent.name}/{table.name}: {_lonely(waiting[0])}"
    if not any(table.is_file() for table in found_tables):
        yield f"{root}: no table is there; prepare the data again"
    yield from checks.media_problems(urls, load_image)


def _lonely(original: tables.Row) -> str:
    return f"pair_id: {original['pair_id']} has no swapped partner after it"


def _checker(urls: list[str], waiting: list[tables.Row]) -> Callable[[tables.Row], Iterator[str]]:
    """Returns the check of one table's rows.

    Args:
        urls: The pictures' URLs are added here.
        waiting: Holds the original whose swapped partner must come next.
    """

    def check(row: tables.Row) -> Iterator[str]:
        yield from row_problems(row)
        for field in ("image_a", "image_b"):
            yield from checks.collect_media(field, [row[field]], urls)
        if row["version"] == "swapped":
            yield from pair_problems(waiting.pop(), row) if waiting else ["pair_id: no original before it"]
            return
        if waiting:
            yield _lonely(waiting.pop())
        waiting.append(row)

    return check


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
    if row["version"] not in scoring.VERSIONS:
        yield f"version: {row['version']!r} is neither original nor swapped"
    elif row["label"] not in scoring.GOLD[row["version"]]:
        yield f"label: {row['label']!r} is not one of {', '.join(scoring.GOLD[row['version']])}"
    for field in ("text_a", "text_b"):
        if not row[field].strip():
            yield f"{field}: empty"
    if row["image_a"] == row["image_b"]:
        yield "image_b: the same as image_a"
    if not 1 <= row["distance"] < row["n_steps"]:
        yield f"distance: {row['distance']} in a plan of {row['n_steps']} steps"
    if any(parser.parse(row["target"], form) != row["label"] for form in parser.FORMS):
        yield "target: does not say the label in every form"
    if row["target"] not in row["choices"]:
        yield "choices: the target is not among them"


def pair_problems(original: tables.Row, swapped: tables.Row) -> Iterator[str]:
    """Yields what is wrong with the two orders of a pair."""
    if original["pair_id"] != swapped["pair_id"]:
        yield f"pair_id: the row before it is of another pair, {original['pair_id']}"
        return
    for kind in ("text", "image"):
        there = (original[f"{kind}_a"], original[f"{kind}_b"])
        if there != (swapped[f"{kind}_b"], swapped[f"{kind}_a"]):
            yield f"{kind}_a: not the other order of the row before it"
    if scoring.SWAPPED.get(original["label"]) != swapped["label"]:
        yield f"label: {swapped['label']!r} does not go with {original['label']!r} of the row before it"
