"""The plots of ReXTime in a report: the IoU threshold curve, gated accuracy, groups, position bias."""

from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row
from tempbench_lmms.rextime.card import CARD, CATEGORIES, DURATIONS
from tempbench_lmms.rextime.official import GATES, THRESHOLDS


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    recall = {f"{t:g}": row.metric(f"r1_at_{t * 100:.0f}") for t in THRESHOLDS}
    gated = {"0": row.metric("acc")} | {f"{t:g}": row.metric(f"acc_at_iou_{t * 100:.0f}") for t in GATES}
    out = shares("Recall@1 over the IoU threshold", "lines", row.label, recall, "IoU of at least")
    if any(number is not None for name, number in gated.items() if name != "0"):
        title, chance = "Right answers whose span is right too", {"0": CARD.chance["acc"]}
        out += shares(title, "lines", row.label, gated, "IoU of at least", chance)
    for metric, name in (("acc", "Accuracy"), ("miou", "Mean IoU")):
        for kind, groups in (("category", CATEGORIES), ("duration", tuple(DURATIONS))):
            numbers = {group: row.metric(f"{metric}_{group}") for group in groups}
            out += shares(f"{name} by {kind}", "bars", row.label, numbers, chance=CARD.chance.get(metric))
    if row.metric("acc") is not None:
        out += position_bias("Position bias", row.label, row.records())
    return out
