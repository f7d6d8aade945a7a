"""The plots of NExT-GQA in a report: answers and what of them is grounded, thresholds, types of question."""

from tempbench_lmms.nextgqa.card import CARD, FAMILIES, THRESHOLDS, TYPES
from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row

_GROUPS = (*TYPES.values(), *FAMILIES)


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    answered = {
        name: row.metric(metric) for name, metric in (("right", "acc"), ("right, grounded", "acc_gqa"))
    }
    title, chance = "Right answers, and those that are grounded", {"right": CARD.chance["acc"]}
    out = shares(title, "bars", row.label, answered, chance=chance)
    for name in ("IoP", "IoU"):
        reached = {f"{t:g}": row.metric(f"{name.lower()}_at_{t * 100:.0f}") for t in THRESHOLDS}
        out += shares(f"Questions by {name}", "bars", row.label, reached, f"{name} of at least")
    for metric, title in (("acc", "Accuracy"), ("acc_gqa", "Grounded accuracy"), ("miou", "Mean IoU")):
        numbers = {group: row.metric(f"{metric}_{group}") for group in _GROUPS}
        chance_of = CARD.chance.get(metric)
        out += shares(f"{title} by type of question", "bars", row.label, numbers, chance=chance_of)
    if row.metric("acc") is not None:
        out += position_bias("Position bias", row.label, row.records())
    return out
