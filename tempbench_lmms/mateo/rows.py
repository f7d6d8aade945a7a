"""The columns of a question, a pair of steps in one order, and what must hold of them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import official, parser, scoring
from tempbench_lmms.mateo.card import COUNTS, SPLITS
from tempbench_lmms.media import verifying
from tempbench_lmms.metrics.together import grouped

BENCHMARK = "mateo"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the pair and its version
        ("pair_id", pa.string()),  # both orders of a pair share it, and stand next to each other
        ("version", pa.string()),  # "original" (a dependent pair: before) or "swapped" (after)
        ("plan_id", pa.string()),
        ("title", pa.string()),
        ("text_a", pa.string()),
        ("text_b", pa.string()),
        ("image_a", pa.string()),  # tempbench:// URL
        ("image_b", pa.string()),
        ("label", pa.string()),  # "before", "after" or "independent", of A with regard to B
        ("target", pa.string()),  # a reply that is right in every setting
        ("choices", pa.list_(pa.string())),  # such a reply for each class
        ("n_steps", pa.int32()),  # of the plan
        ("distance", pa.int32()),  # how many positions apart the plan lists the two steps
    ]
)


OFFICIAL = "official release"
"""What the manifest calls the edition of data that is not of plans of one's own."""


def table_name(split: str) -> str:
    """Returns the configuration that holds a split."""
    return "pairs" if split == "test" else f"pairs_{split}"


def sizes(manifest: Mapping[str, Any]) -> Iterator[Size]:
    """Yields how many of the paper's plans are prepared, by split; its numbers of pairs disagree."""
    if manifest.get("edition") == OFFICIAL:
        wanted = manifest["source"].get("splits", SPLITS)
        for split in SPLITS:
            n, whole = manifest["counts"].get(split, {}).get("plans", 0), int(COUNTS[split]["plans"])
            yield Size(split, n, whole if split in wanted else 0, whole, "plans", "--splits")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    yield from checks.text_problems(
        row,
        *("pair_id", "plan_id", "text_a", "text_b"),
        version=scoring.VERSIONS,
        label=scoring.GOLD.get(row["version"], scoring.SWAPPED),
    )
    by_form = (
        list(checks.reply_problems(row, partial(official.parse_strict, form=form), "label"))
        for form in parser.FORMS
    )
    yield from next(filter(None, by_form), ())
    n_steps = row["n_steps"]
    yield from checks.present(
        {
            "image_b: the same as image_a": row["image_a"] == row["image_b"] and row["image_a"],
            f"n_steps: {n_steps}, a plan with questions has at least 2": n_steps < 2,
            f"distance: {row['distance']} in a plan of {n_steps} steps": not 1 <= row["distance"] < n_steps,
            "choices: the target is not among them": row["target"] not in row["choices"],
        }
    )


def plan_problems(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields pairs that are not asked in both orders, or whose two orders differ in content."""
    for own in grouped((row["pair_id"], (number, row)) for number, row in rows).values():
        if [row["version"] for _, row in own] != [*scoring.VERSIONS]:
            yield own[0][0], "pair_id: is not there once as original and then once as swapped"
            continue
        (_, original), (number, swapped) = own
        wanted = {
            **{f"{kind}_a": original[f"{kind}_b"] for kind in ("text", "image")},
            **{f"{kind}_b": original[f"{kind}_a"] for kind in ("text", "image")},
            "label": scoring.SWAPPED.get(original["label"]),
            **{name: original[name] for name in ("plan_id", "title", "n_steps", "distance")},
        }
        for name, value in wanted.items():
            if swapped[name] != value:
                yield number, f"{name}: {repr(swapped[name])[:80]} does not go with the original order"


def left_out(manifest: manifests.Manifest) -> Iterator[str]:
    """Yields a line for each split with plans or steps that were left out during preparation."""
    for split, lines in (manifest.get("problems") or {}).items():
        if lost := [line for line in lines if str(line).endswith(("left out", "not asked about"))]:
            yield (
                f"{split}: {len(lost)} plans or steps were left out when the data was prepared, named in "
                f"{MANIFEST}, first: {one_line(str(lost[0]))}"
            )


def preflight(config: Mapping[str, Any], root: Path) -> None:
    """Raises an error if a task shows pictures but the data was prepared without them."""
    shown = (config.get("lmms_eval_specific_kwargs") or {}).get("default") or {}
    if shown.get("modality") != "text" and (manifests.read(root) or {}).get("text_only") is True:
        raise TempbenchError(
            f"{config['task']} shows pictures, and {root} was prepared with --text-only; run tasks "
            "mateo_text_*, or prepare the data with pictures"
        )


tables_of, problems = verifying.of(
    *(
        checks.Table(
            BENCHMARK,
            Path(table_name(split), f"{split}.parquet"),
            SCHEMA,
            row_problems,
            ("image_a", "image_b"),
            plan_problems,
        )
        for split in SPLITS
    ),
    sizes=sizes,
    left_out=left_out,
)
