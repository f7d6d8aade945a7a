"""Metrics: the worked example, values by hand, and what must hold of all replies."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.mateo import scoring
from tempbench_lmms.record import evaluate

# The graph 0 -> 1 -> 3 -> 4, 2 -> 3 has the dependent pairs 01, 13, 23, 34 and the independent ones 02, 12.
WORKED = {
    "01": ("before", "before", "after"),
    "13": ("before", "before", "before"),
    "23": ("before", "independent", "after"),
    "34": ("before", "other", "after"),
    "02": ("independent", "independent", "independent"),
    "12": ("independent", "independent", "after"),
}


def value(name, records):
    return evaluate(scoring.METRICS[name], records)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 2 / 6),  # 01 and 02
        ("accuracy_dependent", 1 / 4),
        ("accuracy_independent", 1 / 2),
        # Original order: 01 and 13 are TP; no FP; 23 (independent) and 34 (other) are FN: 4 / (4 + 2).
        ("f1_before", 2 / 3),
        # Original order: 02 and 12 are TP, 23 is FP: 4 / (4 + 1).
        ("f1_independent", 0.8),
        # Swapped order: 01, 23 and 34 are TP; 12 is FP; 13 is FN: 6 / (6 + 2).
        ("f1_after", 0.75),
        ("consistency_dependent", 1 / 4),  # 01
        ("consistency_independent", 1 / 2),  # 02
        ("always_independent", 2 / 6),
        # TP 2, FP 4, FN 0: 4 / (4 + 4).
        ("always_independent_f1", 0.5),
        ("other_rate", 1 / 12),
        ("parse_rate", 11 / 12),
        ("unread_rate", 1 / 12),
        ("accuracy_strict", 2 / 6),  # all of these replies have the form of the prompt
        ("parse_rate_strict", 11 / 12),
        ("n_questions", 12),
        ("n_pairs", 6),
        ("n_dependent", 4),
        ("n_independent", 2),
        ("n_cut", 0),
        ("n_failed", 0),
    ],
)
def test_worked_example(answered, name, expected):
    assert value(name, answered(WORKED)) == pytest.approx(expected)


def test_confusion(answered):
    assert scoring.confusion(answered(WORKED), "original") == {
        "before": {"before": 2, "after": 0, "independent": 1, "other": 1},
        "independent": {"before": 0, "after": 0, "independent": 2, "other": 0},
    }
    assert scoring.confusion(answered(WORKED), "swapped") == {
        "after": {"before": 1, "after": 3, "independent": 0, "other": 0},
        "independent": {"before": 0, "after": 1, "independent": 1, "other": 0},
    }


def test_a_wrong_but_steady_answer_is_consistent(answered):
    # Reversed both times, and independent both times: consistent, though wrong.
    records = answered(
        {"a": ("before", "after", "before"), "b": ("before", "independent", "independent")}
        | {"c": ("independent", "before", "after"), "d": ("independent", "other", "other")}
    )
    assert value("consistency_dependent", records) == 1
    assert value("consistency_independent", records) == 0.5  # "other" twice says nothing
    assert value("accuracy", records) == 0


def test_a_cut_pair_is_counted_and_neither_right_nor_wrong(answered):
    records = answered(WORKED)
    cut = [record for record in records if record["id"] != "02/swapped"]
    assert value("n_cut", cut) == 1
    assert value("n_pairs", cut) == 5
    assert value("accuracy", cut) == pytest.approx(1 / 5)  # 01 alone
    originals = [record for record in records if record["version"] == "original"]
    assert value("n_cut", originals) == 6
    assert math.isnan(value("accuracy", originals))
    assert value("f1_before", originals) == pytest.approx(2 / 3)
    assert value("always_independent_f1", originals) == 0.5
    assert math.isnan(value("f1_after", originals))


def _stated(replies, form="cot"):
    """Returns records of one pair, before and after, with these replies in the two orders."""
    doc = {"pair_id": "x", "plan_id": "p", "n_steps": 3, "distance": 1}
    labels = zip(scoring.VERSIONS, ("before", "after"), replies, strict=True)
    return [
        scoring.record(doc | {"question_id": version, "version": version, "label": label}, reply, form)
        for version, label, reply in labels
    ]


def test_strict_takes_the_exact_form_alone():
    records = _stated(("Step A must be executed before Step B.", "The answer is: After"))
    assert [record["strict"] for record in records] == [None, "after"]
    assert [record["prediction"] for record in records] == ["before", "after"]
    assert (value("accuracy", records), value("accuracy_strict", records)) == (1, 0)
    assert (value("parse_rate", records), value("parse_rate_strict", records)) == (1, 0.5)


def test_reflection(answered, steps):
    # Gold before throughout; (answer before the reflection, after it).
    stated = [("Before", "Before"), ("After", "Before"), ("Before", "After"), ("After", "Parallel")]
    stated += [("After", "Before"), *[("Before", "Parallel")] * 2]
    stated += [("After", ""), ("", "Before")]
    records = []
    for i, (first, final) in enumerate(stated):
        reply = f"The answer is: {first}.\nReflection: hm.\nThe final answer: {final}"
        doc = {"question_id": f"{i}", "pair_id": f"{i}", "plan_id": "p", "version": "original"}
        doc |= steps | {"label": "before", "n_steps": 3, "distance": 1}
        records.append(scoring.record(doc, reply, "reflection"))
    # The last two lack one of the answers. Right both times: 1; after alone: 2; before alone: 3.
    assert value("n_reflected", records) == 7
    assert value("reflection_kept", records) == 1 / 7
    assert value("reflection_corrected", records) == 2 / 7
    assert value("reflection_spoiled", records) == 3 / 7
    assert value("unread_rate", records) == pytest.approx(1 / 9)


def test_breakdowns(answered):
    records = answered(WORKED)
    for record in records:
        record["n_steps"] = 9 if record["pair"] in ("01", "02") else 5
        record["distance"] = 2 if record["pair"] == "12" else 1
    details = scoring.details(records)
    assert details["by_steps"] == {
        "5": {"accuracy": 0, "always_independent": 1 / 4, "n_pairs": 4},
        "9": {"accuracy": 1, "always_independent": 1 / 2, "n_pairs": 2},
    }
    assert list(details["by_steps"]) == ["5", "9"]
    assert details["by_distance"]["2"] == {"accuracy": 0, "always_independent": 1, "n_pairs": 1}
    assert json.loads(json.dumps(details)) == details


predictions = st.sampled_from(scoring.PREDICTIONS)
answered_pairs = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4),
    st.tuples(st.sampled_from(scoring.GOLD["original"]), predictions, predictions),
    max_size=12,
)


def records_of(pairs):
    records = []
    for name, (gold, *answers) in pairs.items():
        for version, answer in zip(scoring.VERSIONS, answers, strict=True):
            label = gold if version == "original" else scoring.SWAPPED[gold]
            records.append(
                {
                    "id": f"{name}/{version}",
                    "pair": name,
                    "plan": name[0],
                    "version": version,
                    "gold": label,
                    "prediction": answer,
                    "strict": None if answer == "other" else answer,
                    "correct": int(answer == label),
                    "parsed": int(answer != "other"),
                    "failed": 0,
                    "n_steps": 4,
                    "distance": 1,
                }
            )
    return records


def same(a, b):
    return a == pytest.approx(b, nan_ok=True)


@pytest.mark.slow
@given(answered_pairs)
def test_swapping_a_and_b_and_relabelling_changes_nothing(pairs):
    records = records_of(pairs)
    # What was asked as the original is now the swapped question, with its text, label and reply.
    other = {"original": "swapped", "swapped": "original"}
    exchanged = [record | {"version": other[record["version"]]} for record in records]
    # And with the names of the classes exchanged as well, in labels and replies.
    renamed = [
        record
        | {
            "gold": scoring.SWAPPED[record["gold"]],
            "prediction": scoring.SWAPPED.get(record["prediction"], "other"),
        }
        for record in records
    ]
    for changed in (exchanged, renamed):
        for name in ("accuracy", "accuracy_dependent", "consistency_dependent", "consistency_independent"):
            assert same(value(name, changed), value(name, records))
        assert value("n_pairs", changed) == value("n_pairs", records)


# The asked edges of plan p are 0 -> 1 -> 2 -> 3 -> 4, of q the first two and of r the first.
GRAPHS = {
    "p/0-1": ("before", "before", "after"),
    "p/1-2": ("before", "before", "after"),
    "p/0-3": ("independent", "after", "before"),
    "p/1-3": ("independent", "independent", "independent"),
    "p/2-3": ("before", "before", "before"),
    "p/0-4": ("independent", "before", "after"),
    "p/3-4": ("before", "before", "after"),
    "q/0-1": ("before", "before", "after"),
    "q/1-2": ("before", "before", "after"),
    "q/0-2": ("independent", "after", "before"),
    "r/0-1": ("before", "before", "after"),
}


@pytest.fixture
def graphs(answered):
    return [
        record
        for plan in "pqr"
        for record in answered({name: own for name, own in GRAPHS.items() if name[0] == plan}, plan)
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Claimed: p 0>1, 1>2, 3>0 (wrong), 0>4 (wrong), 3>4; q 0>1, 1>2, 2>0 (wrong); r 0>1.
        ("edge_precision", 6 / 9),
        ("edge_recall", 6 / 7),  # p 2>3 is contradicted by the swapped answer
        ("edge_f1", 12 / (9 + 7)),
        ("cyclic_plans", 1 / 3),  # q: 0 > 1 > 2 > 0
        # p: 3>0>1 but 1 and 3 independent; 3>0>4 and 3>4. q: the third pair of all three is reversed.
        # p 0>1>2 and r have no third pair.
        ("transitivity_violations", 4 / 5),
        ("plans_right", 1 / 3),  # r
    ],
)
def test_graph_of_a_plan(graphs, name, expected):
    assert value(name, graphs) == pytest.approx(expected)
    result = scoring.METRICS[name](graphs)
    assert set(result.keys) <= {"p", "q", "r"}  # resampled by plan


def test_an_edge_is_claimed_from_the_step_that_is_said_to_be_first(answered):
    records = answered(
        {"p/0-1": ("before", "before", "after"), "p/0-2": ("before", "after", "before")}
        | {"p/1-2": ("independent", "independent", "independent"), "p/1-3": ("before", "before", "before")}
    )
    assert [scoring.claim(pair) for pair in scoring.pairs(records)] == [("0", "1"), ("2", "0"), None, None]


def test_a_cut_plan_is_not_right_and_not_wrong(graphs):
    cut = [record for record in graphs if record["id"] != "q/0-1/swapped"]
    assert value("plans_right", cut) == 1 / 2
    assert math.isnan(value("plans_right", []))
    assert math.isnan(value("edge_precision", [one for one in graphs if one["pair"] == "p/1-3"]))
    assert math.isnan(value("transitivity_violations", [one for one in graphs if one["plan"] == "r"]))
