"""The paper's numbers as data."""

import math

from hf_datasets.tempvs.build import _table_9
from hf_datasets.tempvs.filters import THRESHOLDS, Thresholds
from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS, SOURCES, TABLE_2

ROWS = CARD.reference


def value(table, model, metric):
    (row,) = [row for row in ROWS if (row.table, row.model, row.metric) == (table, model, metric)]
    return row.value


def test_every_model_row():
    models = {
        table: {row.model for row in ROWS if row.table == table} for table in {row.table for row in ROWS}
    }
    assert {table: len(names) for table, names in models.items()} == {
        "Table 3": 22,  # 21 models and Random
        "Table 4": 1,  # the annotators
        "Table 5": 6,  # five models and their mean
        "Table 6": 2,
        "Table 12": 6,
        "Table 14": 38,
        "Table 15": 38,
        "Table 16": 38,
        "Table 17": 3 * 2,  # before and after filtering
        "Table 18": 5 * 2,
        "Table 19": 3,
    }
    assert models["Table 14"] == models["Table 15"] == models["Table 16"]
    # 21 * 16 + 10; 38 * (8 + 8 + 4); 9 * (5 * 2 + 3); 6 + 2 * 8 + 6 * 8; 6 * 4 + 10 * 4 + 3 * 3
    assert len(ROWS) == 346 + 760 + 117 + 70 + 73


def test_values_and_units():
    assert math.isclose(value("Table 3", "InternVL2.5 78B-MPO", "mt2_caption_mt"), 0.863)
    assert value("Table 15", "InternVL2_5-78B-MPO", "mt2_caption_mt") == 0.8634
    assert math.isnan(value("Table 16", "Janus-Pro-7B", "mt3_event_mt_given_gt_strict"))
    assert value("Table 14", "GPT-4o", "mt1_three_mt_given_gt_strict") == 0.6644
    variants = ("", "cot_", "separate_", "blind_")
    for row in ROWS:
        names = (*scoring.METRICS, *scoring.FROM_LOG)
        known = [name for name in names if any(row.metric == f"{one}{name}" for one in variants)]
        assert known or row.metric == "mt3_image_only_mt", row  # a task of its own
        assert math.isnan(row.value) or 0 <= row.value <= 1


def test_table_3_is_table_14_to_16_rounded_but_for_what_is_noted():
    pairs = {"InternVL2.5 26B": "InternVL2_5-26B", "Qwen2-VL-Instruct 72B": "Qwen2-VL-72B-Instruct"}
    for short, full in pairs.items():
        for row in ROWS:
            if row.table == "Table 3" and row.model == short:
                (long,) = [
                    r
                    for r in ROWS
                    if r.table in ("Table 14", "Table 15", "Table 16")
                    and (r.model, r.metric) == (full, row.metric)
                ]
                assert abs(row.value - long.value) < 0.0011, row


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


def counts(name: str) -> dict[str, dict[str, int]]:
    """Returns the numbers of a printed table by its column and row."""
    (table,) = [one for one in CARD.tables if one.name == name]
    return {
        column: {row: int(table.cells[row, column].value) for row in table.rows} for column in table.columns
    }


def test_tables_2_and_9_are_printed_so():
    printed = ("FlintstonesSV", "PororoSV", "VWP", "VIST")
    found = counts("Table 2")
    for column, test in zip(found, MAIN_TESTS[:5], strict=True):
        rows = dict(zip(printed, TABLE_2[test].values(), strict=True))
        assert found[column] == rows | {"TempVS": sum(rows.values())}
    found = _table_9()
    assert sum(found["stories"].values()) == 98204  # 24,433 + 11,444 + 12,627 + 49,700
    assert found["manual"] == TABLE_2["mt3_event"] == TABLE_2["mt3_caption"]


def test_table_8_is_printed_so():
    (table,) = [one for one in CARD.tables if one.name == "Table 8"]
    for row, source in zip(table.rows, SOURCES, strict=True):
        expected = Thresholds(*(table.cells[row, column].value for column in table.columns))
        assert THRESHOLDS["paper"][source] == expected


def test_chain_of_thought_gains_are_the_differences():
    (table,) = [one for one in CARD.tables if one.name == "Table 6"]
    for row in table.rows:
        for model in ("InternVL2.5-78B", "GPT-4o"):
            without, with_, gain = (
                table.cells[row, f"{model} / {column}"] for column in ("w/o. CoT", "w. CoT", "Δ")
            )
            assert math.isclose(100 * (with_.value - without.value), gain.value, abs_tol=1e-9)
