"""`tempbench stats mateo`: the counts of the data beside the paper's, and what trivial answers get."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import manifests
from tempbench_lmms.data.tables import Row, read_rows
from tempbench_lmms.mateo import prompts, scoring
from tempbench_lmms.mateo.card import CLASSES, COUNTS
from tempbench_lmms.record import evaluate

_BOTH = ("accuracy", "accuracy_dependent", "accuracy_independent")
_NAMES = (*_BOTH, "f1_before", "f1_independent", "f1_after", "n_pairs", "n_dependent", "n_independent")


def measure(root: Path) -> dict[str, Any]:
    """Returns the counts by split, and the metrics of trivial answers to the test split."""
    counts = (manifests.read(root, "counts") or {"counts": {}})["counts"]
    return {"counts": counts, "paper": COUNTS, "trivial": trivial(read_rows(root / "pairs"))}


def trivial(rows: Sequence[Row]) -> dict[str, dict[str, float | None]]:
    """Returns what answers without a look at the question get on a data set.

    Returns:
        For each class, the metrics of always answering it; `uniform`: the expected values of drawing one of
        the three classes for each question.
    """
    table: dict[str, dict[str, float | None]] = {}
    for label in CLASSES:
        records = [scoring.record(row, prompts.full_reply(label), "triple") for row in rows]
        values = {name: evaluate(scoring.METRICS[name], records) for name in _NAMES}
        table[f"always {label}"] = {
            name: value if math.isfinite(value) else None for name, value in values.items()
        }
    # Two questions a pair, each right with probability 1/3.
    table["uniform"] = dict.fromkeys(_BOTH, 1 / 9)
    return table
