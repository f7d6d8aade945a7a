"""The plots of TempCompass in a report: single questions beside whole groups, by kind and by aspect."""

from tempbench_lmms.report.figures import Figure, shares
from tempbench_lmms.report.tables import Row
from tempbench_lmms.tempcompass_pairs.card import ASPECTS, KINDS

# The mean of 1/(number of options); the other two kinds have two options each.
_CHANCE = {"multi_choice": 0.29836, "yes_no": 0.5, "caption_matching": 0.5}


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    out = []
    for metric, name in (("accuracy", "Accuracy"), ("group_score", "Contrast groups right as a whole")):
        for of, groups in (("kind", KINDS), ("aspect", ASPECTS)):
            numbers = {group: row.metric(f"{metric}_{group}") for group in groups}
            if any(number is not None for number in numbers.values()):
                chance = _CHANCE if (metric, of) == ("accuracy", "kind") else None
                out += shares(f"{name} by {of}", "bars", row.label, numbers, chance=chance)
    return out
