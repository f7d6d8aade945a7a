"""The plots of the temporal coherence benchmark in a report: curves over the frames, types, controls."""

from tempbench_lmms.coherence.card import BUDGETS, CARD, CURVES, SCENES, TYPES
from tempbench_lmms.coherence.scoring import CONTROL_CONDITIONS
from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    out = []
    for score in CURVES:
        points = {str(n): row.metric(f"{score}_{n}f") for n in BUDGETS}
        title = f"{score.replace('_', ' ').capitalize()} over the number of frames"
        chance = {str(n): CARD.chance[f"{score}_{n}f"] for n in BUDGETS if f"{score}_{n}f" in CARD.chance}
        out += shares(title, "lines", row.label, points, "frames", chance)
    for n in BUDGETS:
        for name, groups in (("reasoning type", TYPES), ("scene", SCENES)):
            numbers = {group: row.metric(f"accuracy_{group}_{n}f") for group in groups}
            title = f"{n} frames: accuracy by {name}"
            out += shares(title, "bars", row.label, numbers, chance=CARD.chance[f"accuracy_{n}f"])
    controls = {name: row.metric(f"accuracy_{name}") for name in CONTROL_CONDITIONS}
    if controls["shuffled"] is not None:
        title = "Accuracy with frames shuffled, reversed, left out"
        out += shares(title, "bars", row.label, controls, chance=CARD.chance["accuracy_16f"])
    return out + position_bias("Position bias", row.label, [r for r in row.records() if "condition" in r])
