import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.tempvs.questions import PAIR_TYPES
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.record import evaluate
from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import MAIN_TESTS, N_EVENTS, SOURCES

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
    assert evaluate(scoring.METRICS.of(scoring.ANSWERS)[name], RECORDS) == pytest.approx(BY_HAND[name])


def test_given_at_least():
    # One right grounding or more: all four with known groundings. Two: m1 and m2.
    assert scoring.mt_given_at_least(RECORDS, 1).value == 3 / 4
    assert scoring.mt_given_at_least(RECORDS, 2).value == 1 / 2


def test_nothing_is_undefined():
    assert math.isnan(evaluate(scoring.mt_given_gt_strict, [main("m", 1, ["g"]), gate("g", 0)]))
    assert all(
        math.isnan(value) or value == 0
        for value in (evaluate(metric, []) for metric in scoring.METRICS.of(scoring.ANSWERS).values())
    )


@given(st.permutations(RECORDS))
def test_order_does_not_matter(records):
    for metric in scoring.METRICS.of(scoring.ANSWERS).values():
        assert evaluate(metric, records) == pytest.approx(evaluate(metric, RECORDS), nan_ok=True)


def scored(rows, reply, failed=False):
    return [scoring.record(row, reply(row), failed) for row in rows]


@pytest.mark.parametrize("test", MAIN_TESTS)
def test_oracle(test):
    records = scored(ROWS[test], lambda row: row["target"])
    for name in ("mt", "gt", "gt_strict", "mt_given_gt_strict", "parse_rate"):
        assert evaluate(scoring.METRICS.of(scoring.ANSWERS)[name], records) == 1
    assert math.isnan(evaluate(scoring.mt_given_gt_failed, records))


@pytest.mark.parametrize("test", MAIN_TESTS)
def test_constant_gets_what_chance_gets(test):
    # Answers are balanced between the letters.
    records = scored(ROWS[test], lambda row: "Option A" if row["role"] == "main" else "Image 1")
    assert evaluate(scoring.mt, records) == (0.5 if test.startswith("mt1") else 0.2)


@pytest.mark.parametrize("test", MAIN_TESTS)
def test_blind_majority_gets_what_chance_gets(test):
    for letter in "ABCDE"[: len(ROWS[test][-1]["options"])]:
        records = scored(ROWS[test], lambda row, letter=letter: f"Option {letter}")
        assert evaluate(scoring.mt, records) == (0.5 if test.startswith("mt1") else 0.2)


@pytest.mark.parametrize("reply", ["", "¿?", "I'm sorry, but I can't help with that."])
def test_garbage(reply):
    records = scored(ROWS["mt1_two"], lambda row: reply)
    assert evaluate(scoring.mt, records) == 0
    assert evaluate(scoring.parse_rate, records) == 0
    assert math.isnan(evaluate(scoring.mt_given_gt_strict, records))


def test_failed_requests_are_counted_apart():
    records = scored(ROWS["mt1_two"], lambda row: row["target"], failed=True)
    assert evaluate(scoring.mt, records) == 0
    assert evaluate(scoring.n_failed, records) == len(records)
    assert evaluate(scoring.parse_rate, records) == 0


@pytest.mark.slow
def test_chance_over_many_seeds():
    """The paper's Random row: 0.5, 0.2, 0.2, and GT strict 0.2 ** k for k groundings of five images."""
    from tempbench_lmms.harness.respondents import chance

    n = dict.fromkeys(MAIN_TESTS, 0)
    hits = dict(n)
    grounded = dict(n)
    asked = dict(n)
    for seed in range(60):
        for test in MAIN_TESTS:
            # GT strict only where every sequence has five images.
            rows = [row for row in ROWS[test] if len(row["images"]) == 5]
            records = scored(rows, lambda row, seed=seed: chance(row, "t", seed))
            strict = scoring.gt_strict(records)
            hits[test] += scoring.mt(records).numerator.sum()
            n[test] += scoring.n_main(records)
            grounded[test] += strict.numerator.sum()
            asked[test] += strict.denominator.sum()
    for test in MAIN_TESTS:
        for got, total, p in (
            (hits[test], n[test], 0.5 if test.startswith("mt1") else 0.2),
            # The two or four statements of a sequence share groundings, so fewer are independent.
            (grounded[test], asked[test], 0.2 ** N_EVENTS.get(test, 5)),
        ):
            spread = math.sqrt(p * (1 - p) / total) * (2 if p < 0.1 else 1)
            assert abs(got / total - p) < 2.576 * spread + 1e-12, (test, got / total, p)


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


def test_details():
    rows = ROWS["mt1_two"]
    random.Random(0).shuffle(rows)
    table = scoring.details(scored(rows, lambda row: row["target"]))["mt1_two"]
    assert set(table["by_source"]) == {*SOURCES}
    assert sum(cell["n"] for cell in table["by_statement"].values()) == 120
    assert {name.rpartition("_")[0] for name in table["by_statement"]} == {*PAIR_TYPES}
    assert set(table["by_polarity"]) == {"gt", "nc"}
    assert table["right_answers"] == table["answers"] == {"A": 0.5, "B": 0.5}
    assert sum(cell["n"] for cell in table["by_distance"].values()) == 120
