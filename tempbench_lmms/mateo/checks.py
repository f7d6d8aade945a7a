"""Checks of MATEO data before a model is loaded."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import parser, scoring
from tempbench_lmms.mateo.card import COUNTS, SPLITS
from tempbench_lmms.mateo.features import BENCHMARK, SCHEMA
from tempbench_lmms.media import verifying


def table_name(split: str) -> str:
    """Returns the configuration that holds a split."""
    return "pairs" if split == "test" else f"pairs_{split}"


OFFICIAL = "official release"
"""What the manifest calls the edition of data that is not of plans of one's own."""
_NO_PARTNER = "pair_id: has no swapped partner after it"


def sizes(manifest: Mapping[str, Any]) -> Iterator[Size]:
    """Yields how many of the paper's plans are prepared, by split; its numbers of pairs disagree."""
    if manifest.get("edition") == OFFICIAL:
        wanted = manifest["source"].get("splits", SPLITS)
        for split in SPLITS:
            n, whole = manifest["counts"].get(split, {}).get("plans", 0), int(COUNTS[split]["plans"])
            yield Size(split, n, whole if split in wanted else 0, whole, "plans", "--splits")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    if row["version"] not in scoring.VERSIONS:
        yield f"version: {row['version']!r} is neither original nor swapped"
    elif row["label"] not in scoring.GOLD[row["version"]]:
        yield f"label: {row['label']!r} is not one of {', '.join(scoring.GOLD[row['version']])}"
    yield from checks.text_problems(row, "pair_id", "plan_id", "text_a", "text_b")
    if row["image_a"] == row["image_b"] and row["image_a"]:
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
    """Yields pairs whose two orders are not neighbours or differ in content."""
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


def pair_problems(original: tables.Row, swapped: tables.Row) -> Iterator[str]:
    """Yields the problems of the two orders of a pair."""
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


def _left_out(root: Path) -> Iterator[str]:
    """Yields a line for each split with plans or steps that were left out during preparation."""
    with contextlib.suppress(TempbenchError):  # a damaged manifest is among the other problems
        for split, lines in ((manifests.read(root) or {}).get("problems") or {}).items():
            if lost := [line for line in lines if str(line).endswith(("left out", "not asked about"))]:
                yield (
                    f"{split}: {len(lost)} plans or steps were left out when the data was prepared, named in "
                    f"{MANIFEST}, first: {one_line(str(lost[0]))}"
                )


_with_pictures = checks.below(
    *(
        Table(
            BENCHMARK,
            Path(table_name(split), f"{split}.parquet"),
            SCHEMA,
            row_problems,
            ("image_a", "image_b"),
            plan_problems,
        )
        for split in SPLITS
    )
)


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, which may have been prepared without pictures."""
    with contextlib.suppress(TempbenchError):
        if (manifests.read(root) or {}).get("text_only") is True:
            return [replace(table, media=()) for table in _with_pictures(root)]
    return _with_pictures(root)


problems = verifying.problems(tables_of, sizes, _left_out)
