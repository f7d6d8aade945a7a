"""The plots of TempVS in a report: the six tests, statement types, event distance, position bias."""

from tempbench_lmms.report.figures import Figure, position_bias, shares
from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.tables import Row
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS
from tempbench_lmms.tempvs.scoring import details


def figures(row: Row) -> list[Figure]:
    """Returns the plots of one run: those of the paper's Table 5 and Figure 3, and what goes beyond them."""
    tests = {test: row.numbers[f"{test}_mt"] for test in MAIN_TESTS if f"{test}_mt" in row.numbers}
    chance = {test: CARD.chance[f"{test}_mt"] for test in MAIN_TESTS}
    title = "Accuracy on the main tests"
    out = shares(title, "bars", row.label, tests, chance=chance) if len(tests) > 2 else []
    for task in row.tasks:
        records = task.log.records
        for test, table in (task.log.details or details(records)).items():
            for field, kind, title, axis in (
                ("by_statement", "bars", "statement", ""),
                ("by_distance", "lines", "distance of the events", "images apart"),
            ):
                groups = {
                    name: Number(group["value"], n=group["n"]) for name, group in table.get(field, {}).items()
                }
                out += shares(f"{test}: by {title}", kind, row.label, groups, axis, chance[test])
            asked = [record for record in records if record["role"] == "main" and test in record["tests"]]
            out += position_bias(f"{test}: position bias", row.label, asked)
    return out
