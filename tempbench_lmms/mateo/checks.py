"""What must hold of MATEO data before a model is loaded."""

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checks, manifests, tables, terminal
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import parser, scoring
from tempbench_lmms.mateo.card import COUNTS, SPLITS
from tempbench_lmms.media.sandbox import verify_picture


def table_name(split: str) -> str:
    """Returns the configuration that holds a split."""
    return "pairs" if split == "test" else f"pairs_{split}"


TABLES = tuple(f"{table_name(split)}/{split}.parquet" for split in SPLITS)
"""The tables that prepared data may have; the bundled sample has the first."""


OFFICIAL = "official release"
"""What the manifest calls the edition of data that is not of plans of one's own."""
GRAPHS = "graphs.json"
"""The plans of each split that `prepare` drew its questions from: number of steps, and the edges."""
_CHECKED = 300
"""So many gold labels of a table are computed again from the graphs."""


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, with what must hold of each."""
    from tempbench_lmms.mateo.features import BENCHMARK, SCHEMA

    media = () if _manifest(root).get("text_only") is True else ("image_a", "image_b")
    return [
        Table(BENCHMARK, root / name, SCHEMA, row_problems, media, plan_problems)
        for name in TABLES
        if (root / name).parent.is_dir()
    ]


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem: of rows, of pictures that cannot be used, of what is left out, of labels."""
    yield from checks.problems(root, tables_of(root), verify_picture, sizes)
    manifest = _manifest(root)
    for split, lines in (manifest.get("problems") or {}).items():
        lost = [line for line in lines if str(line).endswith(("left out", "not asked about"))]
        if lost:
            yield (
                f"{split}: {len(lost)} plans or steps were left out when the data was prepared, named in "
                f"{MANIFEST}, first: {terminal.one_line(str(lost[0]))}"
            )
    if isinstance(manifest.get("text_only"), bool):  # the bundled sample keeps no graphs
        yield from _label_problems(root)


def sizes(manifest: Mapping[str, Any]) -> Iterator[Size]:
    """Yields how many of the paper's plans are there, by split; its numbers of pairs disagree."""
    if manifest.get("edition") == OFFICIAL:
        wanted = manifest["source"].get("splits", SPLITS)
        for split in SPLITS:
            n, whole = manifest["counts"].get(split, {}).get("plans", 0), int(COUNTS[split]["plans"])
            yield Size(split, n, whole if split in wanted else 0, whole, "plans", "--splits")


def _manifest(root: Path) -> Mapping[str, Any]:
    with contextlib.suppress(TempbenchError):  # a damaged one is among the problems
        return manifests.read(root) or {}
    return {}


def _label_problems(root: Path) -> Iterator[str]:
    """Yields the rows, of a sample, whose label is not what the plan's graph says."""
    try:
        graphs = tables.read_json(root / GRAPHS)
    except (OSError, ValueError) as error:
        yield f"{root / GRAPHS} cannot be read ({error}); prepare the data again with --force"
        return
    for split in SPLITS:
        path = root / table_name(split) / f"{split}.parquet"
        if not path.is_file():
            continue
        try:
            rows = tables.read_rows(path)
        except TempbenchError:  # among the problems above
            continue
        for row in random.Random(split).sample(rows, min(_CHECKED, len(rows))):
            try:
                label = _label_of(row, graphs[split][row["plan_id"]])
            except (KeyError, ValueError, TypeError, IndexError):
                label = "no pair of a plan"
            if label != row["label"]:
                yield terminal.one_line(
                    f"{table_name(split)}/{split}.parquet: {row['question_id']}: label: {row['label']!r}, "
                    f"by the plan's graph it is {label!r}; prepare the data again with --force"
                )


def _label_of(row: tables.Row, graph: tuple[int, Sequence[Sequence[int]]]) -> str:
    """Returns the class of a pair of steps, computed from all edges of its plan."""
    n, edges = graph
    first, second = (int(number) for number in str(row["pair_id"]).rpartition("/")[2].split("-"))
    a, b = (first, second) if row["version"] == scoring.VERSIONS[0] else (second, first)
    if not (0 <= a < n and 0 <= b < n):
        raise ValueError(f"no steps {a} and {b} among {n}")
    if [a, b] in edges:
        return scoring.BEFORE
    if [b, a] in edges:
        return scoring.AFTER
    return "transitive" if b in _after(a, edges) or a in _after(b, edges) else scoring.INDEPENDENT


def _after(step: int, edges: Sequence[Sequence[int]]) -> set[int]:
    """Returns the steps that need a step's outcome, directly or not."""
    found: set[int] = set()
    open_steps = [step]
    while open_steps:
        here = open_steps.pop()
        new = {after for before, after in edges if before == here} - found
        found |= new
        open_steps += new
    return found


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
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
            a, b = _steps(row)
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


def _steps(row: tables.Row) -> tuple[str, str]:
    """Returns what tells two steps from a plan's others: their pictures, or without any their positions."""
    if row["image_a"] or row["image_b"]:
        return row["image_a"], row["image_b"]
    first, _, second = str(row["pair_id"]).rpartition("/")[2].partition("-")
    return (first, second) if row["version"] == scoring.VERSIONS[0] else (second, first)


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
