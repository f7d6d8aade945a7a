"""The plots of MATEO in a report: confusion matrices of both orders, accuracy by plan length and distance."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.mateo.card import CARD
from tempbench_lmms.mateo.scoring import details
from tempbench_lmms.report.figures import Figure, Series, confusion
from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.tables import Row


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    out = []
    for task in row.tasks:
        tables = task.log.details or details(task.log.records)
        for order, counts in tables["confusion"].items():
            out += confusion(f"Predictions, {order} order: {row.label}", counts)
        out.append(
            _accuracy("Accuracy by the plan's number of steps", "steps", row.label, tables["by_steps"])
        )
        out.append(
            _accuracy("Accuracy by distance of the steps", "places apart", row.label, tables["by_distance"])
        )
    return out


def _accuracy(title: str, axis: str, label: str, groups: Mapping[str, Any]) -> Figure:
    def series(name: str, field: str, is_reference: bool) -> Series:
        points = tuple(Number(group[field], n=group["n_pairs"]) for group in groups.values())
        return Series(name, points, is_reference)

    both = (series(label, "accuracy", False), series("always independent", "always_independent", True))
    chance = dict.fromkeys(groups, CARD.chance["accuracy"])
    return Figure(title, "lines", tuple(groups), both, axis, chance=chance)
