"""What must hold of MATEO data before a model is loaded."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tempbench_lmms.data import checks, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.mateo import parser, scoring
from tempbench_lmms.mateo.card import SPLITS
from tempbench_lmms.media.apart import verify_picture


def table_name(split: str) -> str:
    """Returns the configuration that holds a split."""
    return "pairs" if split == "test" else f"pairs_{split}"


TABLES = tuple(f"{table_name(split)}/{split}.parquet" for split in SPLITS)
"""The tables that prepared data may have; the bundled sample has the first."""


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, with what must hold of each."""
    from tempbench_lmms.mateo.features import BENCHMARK, SCHEMA

    return [
        Table(BENCHMARK, root / name, SCHEMA, row_problems, ("image_a", "image_b"), plan_problems)
        for name in TABLES
        if (root / name).parent.is_dir()
    ]


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; then every picture that cannot be used."""
    return checks.problems(root, tables_of(root), verify_picture)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
    if row["version"] not in scoring.VERSIONS:
        yield f"version: {row['version']!r} is neither original nor swapped"
    elif row["label"] not in scoring.GOLD[row["version"]]:
        yield f"label: {row['label']!r} is not one of {', '.join(scoring.GOLD[row['version']])}"
    yield from checks.text_problems(row, "pair_id", "plan_id", "text_a", "text_b")
    if row["image_a"] == row["image_b"]:
        yield "image_b: the same as image_a"
    if row["n_steps"] < 2:
        yield f"n_steps: {row['n_steps']}, a plan with questions has at least 2"
    elif not 1 <= row["distance"] < row["n_steps"]:
        yield f"distance: {row['distance']} in a plan of {row['n_steps']} steps"
    for form in parser.FORMS:
        read = partial(parser.parse_strict, form=form)
        found = list(checks.reply_problems(row, read, "label"))
        yield from found
        if found:
            break
    if row["target"] not in row["choices"]:
        yield "choices: the target is not among them"


def plan_problems(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields what is wrong between rows: pairs whose orders differ, and plans whose steps go in a circle."""
    waiting: NumberedRow | None = None
    for number, row in rows:
        if row["version"] == "swapped":
            if waiting is None:
                yield number, "pair_id: no original before it"
            else:
                yield from ((number, problem) for problem in pair_problems(waiting[1], row))
            waiting = None
            continue
        if waiting is not None:
            yield waiting[0], _NO_PARTNER
        waiting = (number, row)
    if waiting is not None:
        yield waiting[0], _NO_PARTNER
    yield from _circles(rows)


_NO_PARTNER = "pair_id: has no swapped partner after it"


def _circles(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the row that closes a circle, for every plan in which a step comes before itself."""
    plans: dict[str, list[tuple[str, str, int]]] = {}
    for number, row in rows:
        if row["label"] in (scoring.BEFORE, scoring.AFTER):
            a, b = row["image_a"], row["image_b"]
            edge = (a, b, number) if row["label"] == scoring.BEFORE else (b, a, number)
            plans.setdefault(row["plan_id"], []).append(edge)
    for plan, edges in plans.items():
        left = edges
        while left:
            # A step that comes after no other is in no circle, nor are its edges.
            later = {after for _, after, _ in left}
            kept = [edge for edge in left if edge[0] in later]
            if len(kept) == len(left):
                yield max(number for *_, number in left), f"label: the steps of plan {plan!r} go in a circle"
                break
            left = kept


def pair_problems(original: tables.Row, swapped: tables.Row) -> Iterator[str]:
    """Yields what is wrong with the two orders of a pair."""
    if original["pair_id"] != swapped["pair_id"]:
        yield f"pair_id: the row before it is of another pair, {original['pair_id']}"
        return
    for kind in ("text", "image"):
        there = (original[f"{kind}_a"], original[f"{kind}_b"])
        if there != (swapped[f"{kind}_b"], swapped[f"{kind}_a"]):
            yield f"{kind}_a: not the other order of the row before it"
    for name in ("plan_id", "title", "n_steps", "distance"):
        if original[name] != swapped[name]:
            yield f"{name}: {swapped[name]!r} is not {original[name]!r}, as in the row before it"
    if scoring.SWAPPED.get(original["label"]) != swapped["label"]:
        yield f"label: {swapped['label']!r} does not go with {original['label']!r} of the row before it"
