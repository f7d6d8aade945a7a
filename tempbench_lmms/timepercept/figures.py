"""The plots of TimePerceptBench in a report: the nine tests, scene categories, interval classes."""

from tempbench_lmms.report.figures import Figure, confusion, confusion_of, shares
from tempbench_lmms.report.tables import Row
from tempbench_lmms.timepercept.card import CARD, INTERVALS, LAPSES, RANKINGS, TESTS


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run. The orderings are shown by pair accuracy: PNR has no upper end."""
    names = {test: "pair_accuracy" if test in RANKINGS else "accuracy" for test in TESTS}
    tests = {test: number for test, name in names.items() if (number := row.metric(f"{test}_{name}"))}
    # Of the pairs of an ordering, random answers get half.
    chance = {test: CARD.chance.get(f"{test}_accuracy", 0.5) for test in TESTS}
    title = "Accuracy on the nine tests"
    out = shares(title, "bars", row.label, tests, chance=chance) if len(tests) > 2 else []
    for test, classes in (("ice", [name for name, _ in INTERVALS]), ("transfer_lapse", LAPSES)):
        if records := row.records(test=test):
            out += confusion(
                f"{test}: {row.label}", confusion_of(records, dict(zip("ABCDEF", classes, strict=False)))
            )
    return out
