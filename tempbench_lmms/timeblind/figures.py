"""The plots of TimeBlind in a report: the four accuracies, levels and tags, and the bias to one answer."""

from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row
from tempbench_lmms.timeblind.card import CARD, LEVELS, TAGS


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    together = {name: row.metric(name) for name in reversed(CARD.primary)}
    out = shares("Questions alone, in pairs and together", "bars", row.label, together, chance=CARD.chance)
    for name, groups in (("level", tuple(LEVELS)), ("tag", tuple(TAGS.values()))):
        numbers = {group: row.metric(f"i_acc_{group}") for group in groups}
        out += shares(f"Instance accuracy by {name}", "bars", row.label, numbers, chance=CARD.chance["i_acc"])
    return out + position_bias("Bias to one answer", row.label, row.records())
