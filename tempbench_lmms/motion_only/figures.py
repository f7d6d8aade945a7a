"""The plots of the motion-only questions in a report."""

from tempbench_lmms.motion_only.card import CARD, KINDS
from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.tables import Row


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run."""
    out = shares("Alone and in pairs", "bars", row.label, {name: row.metric(name) for name in CARD.primary})
    kinds = {kind: row.metric(f"accuracy_{kind}") for kind in KINDS}
    return [
        *out,
        *shares("Accuracy by kind", "bars", row.label, kinds),
        *position_bias("Position bias", row.label, row.records()),
    ]
