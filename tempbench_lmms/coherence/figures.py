"""The plots of the temporal coherence benchmark in a report: curves over the frames, types, controls."""

from tempbench_lmms.coherence.card import BUDGETS, CURVES, SCENES, TYPES
from tempbench_lmms.coherence.scoring import CONTROL_CONDITIONS
from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    out = []
    for score in CURVES:
        points = {str(n): row.metric(f"{score}_{n}f") for n in BUDGETS}
        title = f"{score.replace('_', ' ').capitalize()} over the number of frames"
        out += shares(title, "lines", row.label, points, "frames")
    for n in BUDGETS:
        for name, groups in (("reasoning type", TYPES), ("scene", SCENES)):
            numbers = {group: row.metric(f"accuracy_{group}_{n}f") for group in groups}
            out += shares(f"{n} frames: accuracy by {name}", "bars", row.label, numbers)
    controls = {name: row.metric(f"accuracy_{name}") for name in CONTROL_CONDITIONS}
    if controls["shuffled"] is not None:
        out += shares("Accuracy with frames shuffled, reversed, left out", "bars", row.label, controls)
    return out + position_bias("Position bias", row.label, [r for r in row.records() if "condition" in r])
