import json
import math

import pytest

from tempbench_lmms.record import Record, evaluate
from tempbench_lmms.timepercept import scoring

# The worked example of the reference data: true order, answer.
WORKED = [("12345", "13245"), ("12345", "54321"), ("24153", "24153"), ("12345", "21534"), ("12345", "11234")]


def isr(truth: str, reply: str, number: int = 0, **values):
    answer = ", ".join(truth)
    doc = {
        "question_id": f"isr/test/{number:04d}",
        "test": "isr",
        "places": [f"place {number}"],
        "category": "",
        "kind": "",
        "images": [""] * len(truth),
        "options": [],
        "answer": answer,
    } | values
    return scoring.record(doc, reply, values.get("failed", False))


def worked() -> list[Record]:
    return [isr(truth, ", ".join(reply), i) for i, (truth, reply) in enumerate(WORKED)]


def test_pooled_pnr_by_hand():
    # Positive: 9 + 0 + 10 + 7; negative: 1 + 10 + 0 + 3; the last answer repeats a 1 and is left out.
    records = worked()
    assert [(record["positive"], record["negative"]) for record in records] == [
        (9, 1),
        (0, 10),
        (10, 0),
        (7, 3),
        (0, 0),
    ]
    values = {name: evaluate(scoring.METRICS[name], records) for name in ("n_positive", "n_negative")}
    assert values == {"n_positive": 26, "n_negative": 14}
    assert scoring.n_invalid(records) == 1
    assert scoring.pnr(records).value == pytest.approx(26 / 14)
    # The ten pairs of the invalid answer count as negative.
    assert scoring.pnr_strict(records).value == pytest.approx(26 / 24)
    assert scoring.pair_accuracy(records).value == pytest.approx(26 / 50)
    assert scoring.log_odds(records).value == pytest.approx(math.log(26.5 / 14.5))
    # (0.8 - 1 + 1 + 0.4) / 4
    assert scoring.kendall_tau(records).value == pytest.approx(0.3)
    assert scoring.accuracy(records).value == pytest.approx(1 / 5)
    assert evaluate(scoring.METRICS["parse_rate"], records) == pytest.approx(4 / 5)


def test_ipr_by_hand():
    # C < A < B against C, B, A: CA and CB agree, AB does not.
    doc = {"test": "ipr", "answer": "C, A, B", "images": [""] * 6}
    record = isr("123", "C, B, A", **doc)
    assert (record["positive"], record["negative"]) == (2, 1)


def test_interval_classes_of_the_reference_data(shared):
    for days, letter in json.loads((shared / "golden" / "worked_examples.json").read_text())["ice"].items():
        assert scoring.interval_class(int(days)) == letter


def test_perfect_orders_have_no_pnr_but_finite_log_odds():
    records = [isr("12345", "1, 2, 3, 4, 5", i) for i in range(3)]
    assert math.isnan(scoring.pnr(records).value)
    assert scoring.log_odds(records).value == pytest.approx(math.log(30.5 / 0.5))
    assert scoring.orders_backwards(records) == 0


def test_reversed_orders_are_called_backwards():
    # What GPT-4o mini got on ISR: 0.3093 is 472 positive pairs of 2,000, 18 standard deviations off.
    backwards = [isr("12345", "5, 4, 3, 2, 1", i) for i in range(3)]
    assert scoring.orders_backwards(backwards) == 1
    assert scoring.pnr(backwards).value == 0
    one = [isr("12345", "5, 4, 3, 2, 1")]
    # One reversed order of five items is 2.4 standard deviations: chance would explain it.
    assert scoring.orders_backwards(one) == 0


def test_averages_count_each_test_once():
    # TAL 1 of 2, ISR 9 of 10 pairs, SOV, POV and TPL all right: (0.5 + 0.9 + 1 + 1 + 1) / 5.
    records = [isr("12345", "1, 3, 2, 4, 5", test="isr")]
    for number, (test, answer, reply) in enumerate(
        [
            ("tal", "2", "Image 2"),
            ("tal", "2", "Image 3"),
            ("sov", "True", "True"),
            ("pov", "False", "False"),
            ("tpl", "A", "A"),
        ]
    ):
        records.append(isr("12345", reply, number + 1, test=test, answer=answer))
    assert scoring.METRICS["tou_average"](records).value == pytest.approx(4.4 / 5)
    assert math.isnan(scoring.METRICS["tiu_average"](records).value)
    assert scoring.METRICS["isr_pnr"](records).value == 9


def test_categories_count_each_once():
    # In "a" one of one, in "b" one of three.
    records = [isr("1", "True", test="sov", answer="True", category="a")]
    records += [
        isr("1", reply, i, test="sov", answer="True", category="b")
        for i, reply in enumerate(["True", "False", "?"])
    ]
    assert scoring.category_average(records).value == pytest.approx((1 + 1 / 3) / 2)
    details = scoring.details(records)
    assert details["by_category"] == {
        "a": {"share": 1, "n": 1},
        "b": {"share": pytest.approx(1 / 3), "n": 3},
    }
    assert list(details["by_category"]) == ["a", "b"]
    # None of the questions has a kind.
    assert details["by_kind"] == {"sov": {}}
    assert scoring.category_average(records[1:]).value == pytest.approx(1 / 3)


def test_details_by_test_and_kind():
    asked = [("tal", "time", "1"), ("tal", "place", "?"), ("tal", "time", "2"), ("pov", "ordered", "True")]
    records = [
        isr("1", reply, i, test=test, kind=kind, answer="1" if test == "tal" else "True", images=["", ""])
        for i, (test, kind, reply) in enumerate(asked)
    ]
    found = scoring.details(records)["by_kind"]
    assert found == {
        "pov": {"ordered": {"share": 1, "n": 1}},
        "tal": {"place": {"share": 0, "n": 1}, "time": {"share": 1 / 2, "n": 2}},
    }
    assert [*found, *found["tal"]] == ["pov", "tal", "place", "time"]
    assert scoring.METRICS["tal_accuracy_time"](records).value == 1 / 2
    assert scoring.METRICS["tal_accuracy_place"](records).value == 0


def test_transfer_tests_together():
    asked = [("A", "A", "x"), ("B", "B", "x"), ("A", "A", "y"), ("B", "A", "y"), ("A", "B", "z")]
    order = [
        isr("1", reply, i, test="transfer_order", answer=answer, places=[place])
        for i, (answer, reply, place) in enumerate(asked)
    ]
    lapse = [isr("1", "A", 9, test="transfer_lapse", answer="B")]
    overall = scoring.FROM_LOG["transfer_overall_accuracy"]
    assert overall([*order, *lapse, isr("12345", "1, 2, 3, 4, 5", 10)]).value == 3 / 6
    assert math.isnan(overall(order).value)
    assert math.isnan(overall(lapse).value)
    # Of x both orders are right, of y one, and of z one was asked.
    assert scoring.FROM_LOG["transfer_order_consistent"](order + lapse).value == 1 / 2
