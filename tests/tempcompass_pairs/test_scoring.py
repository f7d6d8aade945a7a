"""Contrast groups and the metrics over them."""

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.record import evaluate
from tempbench_lmms.tempcompass_pairs import parser, rows, scoring


@pytest.fixture(scope="module")
def docs():
    return read_rows(mini_root("tempcompass_pairs") / "questions")


def values(records):
    return {name: evaluate(metric, records) for name, metric in scoring.METRICS.of(scoring.ALL).items()}


def asked_of(kind, clip, aspect, question, answer):
    return {"kind": kind, "video_id": clip, "aspect": aspect, "question": question, "answer": answer}


def yes_no(clip, answer, question="Is it rising?", aspect="direction"):
    return asked_of("yes_no", clip, aspect, question, answer)


def test_a_group_is_one_question_on_twins_with_another_answer():
    assert rows.contrast_groups([yes_no("7", "yes"), yes_no("7_reverse", "no")]) == [[0, 1]]
    # Three clips made of two, of which one has the other answer.
    asked = [yes_no("7_8_0", "no"), yes_no("7_8_1", "yes"), yes_no("7_8_2", "no")]
    assert rows.contrast_groups(asked) == [[0, 1, 2]]


@pytest.mark.parametrize(
    "other",
    [
        yes_no("7_reverse", "yes"),  # the same answer
        yes_no("7", "no"),  # the same clip
        yes_no("8", "no"),  # a clip of another origin
        yes_no("7_reverse", "no", question="Does it rise?"),
        yes_no("7_reverse", "no", aspect="speed"),
        asked_of("multi_choice", "7_reverse", "direction", "Is it rising?", "no"),
    ],
)
def test_no_group(other):
    assert rows.contrast_groups([yes_no("7", "yes"), other]) == []


def doc(number, group="g", size=2, kind="yes_no", answer="yes"):
    return {
        "question_id": f"{kind}/{number}",
        "kind": kind,
        "aspect": "direction",
        "detail": "object motion",
        "video_id": f"{number}",
        "question": "Is it rising?",
        "answer": answer,
        "group": group,
        "group_size": size,
        "target": answer,
        "choices": [*parser.YES_NO],
    }


def test_group_score_by_hand():
    docs = [doc(1), doc(2, answer="no"), doc(3, "h"), doc(4, "h", answer="no"), doc(5, "", 0)]
    replies = ["yes", "no", "yes", "yes", "no"]
    found = values([scoring.record(one, reply) for one, reply in zip(docs, replies, strict=True)])
    # Questions 1, 2 and 3 are right, of five; group g is right, of two.
    assert (found["accuracy"], found["group_score"], found["n_groups"], found["n_cut"]) == (0.6, 0.5, 2, 0)
    assert found["accuracy_direction"] == found["accuracy_object_motion"] == 0.6
    assert found["group_score_direction"] == 0.5


def test_official_numbers_and_what_a_record_keeps():
    # The rules decide on the first two and the last, which is wrong; the third is read by us.
    docs = [doc(1), doc(2, answer="no"), doc(3, ""), doc(4, ""), doc(5, "")]
    records = [
        scoring.record(one, reply)
        for one, reply in zip(docs, ["Yes.", "No", "It is: yes", "?", "No"], strict=True)
    ]
    found = values(records)
    assert (found["accuracy"], found["accuracy_official"], found["match_rate_official"]) == (0.6, 0.4, 0.6)
    assert found["group_score_official"] == 1
    assert found["group_score_multi_choice"] != found["group_score_multi_choice"]  # NaN
    assert [record["reply"] for record in records] == ["Yes.", "No", "It is: yes", "?", "No"]
    assert scoring.record(doc(1), "Yes.", failed=True)["reply"] == ""
    # Clips of one origin are drawn together for the error, alone and in groups.
    twins = [scoring.record(doc(1) | {"video_id": clip}, "yes") for clip in ("7", "7_reverse")]
    for name in ("accuracy", "group_score"):
        assert set(scoring.METRICS[name](twins).keys) == {"7"}


def test_a_group_that_was_cut_is_left_out():
    docs = [doc(1), doc(2, answer="no"), doc(3, "h")]
    found = values([scoring.record(one, "yes") for one in docs])
    assert (found["n_groups"], found["n_cut"], found["group_score"]) == (1, 1, 0.0)


def test_details_say_how_groups_fail(docs):
    records = [scoring.record(one, "yes") for one in docs if one["kind"] == "yes_no"]
    found = scoring.details(records)["yes_no"]
    assert found["groups_with_one_answer"] == 1.0
    assert found["answers"] == {"yes": 1.0}
    # One of the two or three questions of each group has yes for an answer: sizes 2 (8 groups), 3 (6 groups).
    assert found["of_a_group"] == {"1 of 2": 8 / 14, "1 of 3": 6 / 14}
    alone = scoring.details([scoring.record(doc(n, ""), reply) for n, reply in enumerate(["yes", "no"])])[
        "yes_no"
    ]
    assert (alone["groups_with_one_answer"], list(alone["answers"])) == (0, ["no", "yes"])
