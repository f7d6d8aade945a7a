"""The plots of TimePerceptBench in a report: the nine tests, scene categories, interval classes."""

from tempbench_lmms.report.figures import Figure, confusion, confusion_of, shares
from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.tables import Row
from tempbench_lmms.timepercept.card import CARD, INTERVALS, LAPSES, RANKINGS, TESTS
from tempbench_lmms.timepercept.scoring import details


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run. The orderings are shown by pair accuracy: PNR has no upper end."""
    tests = {
        test: row.metric(f"{test}_{'pair_accuracy' if test in RANKINGS else 'accuracy'}") for test in TESTS
    }
    known = {test: number for test, number in tests.items() if number is not None}
    # Of the pairs of an ordering, random answers get half.
    chance = {test: 0.5 if test in RANKINGS else CARD.chance[f"{test}_accuracy"] for test in TESTS}
    title = "Accuracy on the nine tests"
    out = shares(title, "bars", row.label, known, chance=chance) if len(known) > 2 else []
    for task in row.tasks:
        table = task.log.details or details(task.log.records)
        categories = {
            name: Number(group["share"], n=group["n"]) for name, group in table.get("by_category", {}).items()
        }
        title = f"{task.stem or 'all tests'}: by scene category"
        out += shares(title, "bars", row.label, categories, chance=chance.get(task.stem))
    for test, classes in (("ice", [name for name, _ in INTERVALS]), ("transfer_lapse", LAPSES)):
        records = row.records(test=test)
        if records:
            names = dict(zip("ABCDEF", classes, strict=False))
            out += confusion(f"{test}: {row.label}", confusion_of(records, names))
    return out
