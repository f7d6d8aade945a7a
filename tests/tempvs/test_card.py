"""The paper's numbers as data."""

import math

from hf_datasets.tempvs.filters import THRESHOLDS, Thresholds
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS, SOURCES, TABLE_2

ROWS = CARD.reference


def value(table, model, metric):
    (row,) = [row for row in ROWS if (row.table, row.model, row.metric) == (table, model, metric)]
    return row.value


def test_chance_is_the_random_row_but_for_its_error():
    for test in MAIN_TESTS:
        assert math.isclose(value("Table 3", "Random", f"{test}_mt"), CARD.chance[f"{test}_mt"])
    assert math.isclose(value("Table 3", "Random", "mt1_two_gt_strict"), CARD.chance["mt1_two_gt_strict"])
    assert math.isclose(value("Table 3", "Random", "mt2_event_gt_strict"), CARD.chance["mt2_event_gt_strict"])
    # The paper prints 0.6 %; three groundings of five images are 0.8 %.
    assert value("Table 3", "Random", "mt1_three_gt_strict") != CARD.chance["mt1_three_gt_strict"]


def test_table_2_adds_up():
    # The printed totals, and the 15,192 questions that the introduction counts.
    totals = [sum(TABLE_2[test].values()) for test in MAIN_TESTS]
    assert totals == [7560, 2126, 1803, 1618, 2085, 2085]
    assert sum(totals[:5]) == 15192
    # Easily swapped: VWP is the smaller one of the two.
    assert (TABLE_2["mt1_two"]["vwp"], TABLE_2["mt1_two"]["vist"]) == (850, 3742)


def test_table_8_is_printed_so():
    (table,) = [one for one in CARD.tables if one.name == "Table 8"]
    for row, source in zip(table.rows, SOURCES, strict=True):
        expected = Thresholds(*(table.cells[row, column].value for column in table.columns))
        assert THRESHOLDS["paper"][source] == expected
