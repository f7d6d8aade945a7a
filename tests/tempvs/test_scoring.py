import math
from types import SimpleNamespace

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.record import evaluate
from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import MAIN_TESTS

ROWS = {test: read_rows(mini_root("tempvs") / test) for test in MAIN_TESTS}


def main(id_, correct, gates, n_events=None, sequence="s"):
    return {"id": id_, "role": "main", "correct": correct, "grounding": gates, "sequence": sequence,
            "n_events": len(gates) if n_events is None else n_events, "parsed": 1, "failed": 0}  # fmt: skip


def gate(id_, correct, sequence="s"):
    return {
        "id": id_,
        "role": "grounding",
        "correct": correct,
        "sequence": sequence,
        "parsed": 1,
        "failed": 0,
    }


#            right  groundings          grounded
RECORDS = [
    gate("g1", 1),
    gate("g2", 1),
    gate("g3", 0),
    main("m1", 1, ["g1", "g2"]),  # yes
    main("m2", 0, ["g1", "g2"]),  # yes
    main("m3", 1, ["g1", "g3"]),  # no
    main("m4", 1, ["g2"], n_events=2),  # no: a row is missing in the data set
    main("m5", 1, ["g1", "gone"]),  # not known: cut off by --limit
]
BY_HAND = {
    "mt": 4 / 5,
    "gt": 2 / 3,
    "gt_strict": 2 / 4,
    "mt_given_gt_strict": 1 / 2,
    "mt_given_gt_failed": 2 / 2,
    "parse_rate": 1,
    "n_main": 5,
    "n_grounding": 3,
    "n_cut": 1,
    "n_failed": 0,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    assert evaluate(scoring.METRICS.of(scoring.TEST)[name], RECORDS) == pytest.approx(BY_HAND[name])


def test_official_counts_missing_groundings_as_passed():
    record = {"official": {"generic": 1}, "invalid": 0}
    records = [gate("g1", 1) | record, main("m", 1, ["g1"], n_events=2) | record]
    assert scoring.gt_strict(records).value == 0
    assert scoring.gt_strict(scoring.as_official(records, "generic")).value == 1


def test_official_leaves_out_non_events():
    record = {"official": {"generic": 0}, "invalid": 0}
    records = [
        gate("g1", 0) | record | {"invalid": 1},
        main("m1", 1, ["g1"]) | record,
        main("m2", 1, []) | record | {"invalid": 1},
    ]
    kept = scoring.as_official(records, "generic")
    assert [row["id"] for row in kept] == ["m1"]
    assert scoring.gt_strict(kept).value == 1


def test_a_record_says_what_the_official_parsers_read_and_who_solves_it_blind():
    (row,) = [row for row in ROWS["mt1_two"] if row["role"] == "main"][:1]
    row = row | {"answer": "A"}
    assert set(scoring.record(row, "Option A")["official"].values()) == {1}
    assert set(scoring.record(row, "Option B")["official"].values()) == {0}
    assert set(scoring.record(row, "Option A", failed=True)["official"].values()) == {0}
    assert "solved_blind" not in scoring.record(row | {"solved_blind": None}, "")
    records = [scoring.record(row | {"solved_blind": solved}, "Option A") for solved in (True, False)]
    assert [record["solved_blind"] for record in records] == [1, 0]
    assert scoring.n_official(records) == 1


def test_official_metrics_read_as_the_model_s_name_says():
    # Generic: m1 and its grounding are right; InternVL: m2 is right, and the grounding isn't.
    read = {"generic": 1, "internvl": 0}, {"generic": 0, "internvl": 1}
    records = [
        gate("g1", 0) | {"official": read[0], "invalid": 0},
        main("m1", 0, ["g1"]) | {"official": read[0], "invalid": 0},
        main("m2", 0, []) | {"official": read[1], "invalid": 0},
        main("m3", 0, []) | {"official": read[1], "invalid": 0},
    ]
    names = ("mt_official", "gt_strict_official", "mt_given_gt_strict_official")

    def values(model):
        args = SimpleNamespace(model="vllm", model_args=f"model={model}")
        return [scoring.METRICS[name](records, args).value for name in names]

    assert values("Qwen2-VL-7B-Instruct") == [1 / 3, 1, 1 / 3]
    assert values("InternVL2_5-8B") == [2 / 3, 2 / 3, 1]


def asked(record, test, source="vist", **values):
    """Returns a record of a test as tables of details need it."""
    return record | {"tests": [test], "source": source, "gold": "A", "answer": "B"} | values


def test_accuracy_by_statement():
    one = {"statement_type": "after", "polarity": "gt"}
    records = [
        asked(main("m1", 1, []), "mt1_two", **one),
        asked(main("m2", 1, []), "mt1_two", **one),
        asked(main("m3", 0, []), "mt1_two", **one | {"polarity": "nc"}),
        asked(main("m4", 0, []), "mt1_two", **one | {"statement_type": "before"}),
        asked(main("m5", 0, []), "mt1_three", **one),
        asked(main("m6", 0, []), "mt2_event"),
    ]
    found = {name: metric(records).value for name, metric in scoring.FROM_LOG.items()}
    after = [found[f"mt1_two_mt_after_{name}"] for name in ("pos", "neg", "both")]
    assert after == [1, 0, 2 / 3]
    assert found["mt1_two_mt_before_both"] == 0
    assert math.isnan(found["mt1_two_mt_before_neg"])


def test_details_of_two_tests_by_hand():
    # Groundings of MT2: two of three right in "s", all of two in "t"; those of MT3 are others.
    records = [
        *(asked(gate(f"g{n}", n > 0), "gt_event") for n in range(3)),
        *(asked(gate(f"h{n}", 1, "t"), "gt_event", "flintstones") for n in range(2)),
        *(asked(gate(f"x{n}", 0), "gt_caption") for n in range(6)),
        asked(main("m1", 1, ["g0", "g1", "g2"]), "mt2_event", answer="A"),
        asked(main("m2", 0, ["g0", "g1", "g2"]), "mt2_event", answer=None),
        asked(main("m3", 0, ["h0", "h1"], sequence="t"), "mt2_event", "flintstones"),
        asked(main("m4", 1, [f"x{n}" for n in range(6)]), "mt3_caption", gold="C", answer="C"),
    ]
    found = scoring.details(records)
    assert list(found) == ["mt2_event", "mt3_caption"]
    table = found["mt2_event"]
    assert list(table["by_source"]) == ["flintstones", "vist"]
    vist = table["by_source"]["vist"]
    assert vist["mt"] == {"value": 1 / 2, "n": 2}
    assert vist["gt"] == {"value": 2 / 3, "n": 3}
    assert vist["gt_strict"] == {"value": 0, "n": 2}
    assert vist["mt_given_gt_strict"] == {"value": None, "n": 0}
    assert vist["mt_given_gt_failed"] == {"value": 1 / 2, "n": 2}
    # Three groundings, so one or two of them.
    assert vist["given_at_least"] == {"1": {"value": 1 / 2, "n": 2}, "2": {"value": 1 / 2, "n": 2}}
    assert table["given_at_least"] == {"1": {"value": 1 / 3, "n": 3}, "2": {"value": 1 / 3, "n": 3}}
    assert table["answers"] == {"A": 1 / 3, "B": 1 / 3, "unparsed": 1 / 3}
    assert list(table["answers"]) == ["A", "B", "unparsed"]
    assert table["right_answers"] == {"A": 1}
    # Of six groundings up to four are told apart.
    assert list(found["mt3_caption"]["given_at_least"]) == ["1", "2", "3", "4"]
