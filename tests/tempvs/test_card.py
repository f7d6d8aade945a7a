"""The paper's numbers as data."""

import math

from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS, SOURCES, TABLE_2, TABLE_9

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
        "Table 14": 38,
        "Table 15": 38,
        "Table 16": 38,
    }
    assert models["Table 14"] == models["Table 15"] == models["Table 16"]
    # 21 * 16 + 10, and 38 * (8 + 8 + 4)
    assert len(ROWS) == 346 + 760


def test_values_and_units():
    assert math.isclose(value("Table 3", "InternVL2.5 78B-MPO", "mt2_caption_mt"), 0.863)
    assert value("Table 15", "InternVL2_5-78B-MPO", "mt2_caption_mt") == 0.8634
    assert math.isnan(value("Table 16", "Janus-Pro-7B", "mt3_event_mt_given_gt_strict"))
    assert value("Table 14", "GPT-4o", "mt1_three_mt_given_gt_strict") == 0.6644
    for row in ROWS:
        assert row.metric in scoring.METRICS
        assert math.isnan(row.value) or 0 <= row.value <= 1


def test_table_3_is_table_14_to_16_rounded_but_for_what_is_noted():
    pairs = {"InternVL2.5 26B": "InternVL2_5-26B", "Qwen2-VL-Instruct 72B": "Qwen2-VL-72B-Instruct"}
    for short, full in pairs.items():
        for row in ROWS:
            if row.table == "Table 3" and row.model == short:
                (long,) = [
                    r for r in ROWS if r.table != "Table 3" and (r.model, r.metric) == (full, row.metric)
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


def test_table_9_adds_up():
    # 24,433 + 11,444 + 12,627 + 49,700, and the 2,085 sequences that Table 2 prints for MT3.
    assert sum(TABLE_9["stories"].values()) == 98204
    assert TABLE_9["manual"] == TABLE_2["mt3_event"] == TABLE_2["mt3_caption"]


def test_tables_2_and_9_are_printed_so(shared):
    text = (shared / "papers/000_1f4afa32a1a354c5.txt").read_text(encoding="utf-8").replace(",", "")
    for source, printed in zip(SOURCES, ("FlintstonesSV", "PororoSV", "VWP", "VIST"), strict=True):
        row = " ".join(str(TABLE_2[test][source]) for test in MAIN_TESTS[:5])
        assert f"{printed} {row}\n" in text
    assert "FlintstonesSV PororoSV VWP VIST\nOriginal image sequences" in text
    for counts in (*TABLE_9.values(), TABLE_2["mt1_two"], TABLE_2["mt1_three"]):
        assert " ".join(str(counts[source]) for source in SOURCES) + "\n" in text
