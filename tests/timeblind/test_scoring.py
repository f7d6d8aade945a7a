"""The metrics of TimeBlind, by hand."""

import json
import math

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import evaluate
from tempbench_lmms.runs import importing
from tempbench_lmms.timeblind import official, prompts, scoring
from tempbench_lmms.timeblind.card import CARD, LEVELS, SIZE, TAGS

RIGHT = ("Yes", "No", "No", "Yes")


def doc(index, tag="Speed"):
    return {
        "question_id": str(index), "index": index, "pair_id": str(index // SIZE), "tag": tag, "options": [],
        "answer": RIGHT[index % SIZE], "question": "?",
    }  # fmt: skip


def records(*instances, tag="Speed"):
    """Returns the records of instances, each given by four replies."""
    return [
        scoring.record(doc(SIZE * number + place, tag), reply)
        for number, replies in enumerate(instances)
        for place, reply in enumerate(replies)
    ]


def values(found):
    return {name: evaluate(metric, found) for name, metric in scoring.METRICS.items()}


def test_by_hand():
    # Instance 0 is right. Of instance 1 question 0 is right on video 0 alone, question 1 on both; so video 0
    # is right and video 1 is not. Of instance 2 nothing can be read.
    found = values(records(RIGHT, ("Yes", "Yes", "No", "Yes"), ("maybe",) * SIZE))
    assert found["i_acc"] == 1 / 3
    assert found["q_acc"] == 3 / 6
    assert found["v_acc"] == 3 / 6
    assert found["acc"] == 7 / 12
    assert found["parse_rate"] == 8 / 12
    assert found["first_rate"] == 5 / 8
    assert {name: found[f"{name}_official"] for name in CARD.primary} == {
        name: found[name] for name in CARD.primary
    }
    assert (found["n_questions"], found["n_instances"], found["n_cut"]) == (12, 3, 0)
    assert found["i_acc_speed"] == found["i_acc_event_attribute"] == 1 / 3
    assert math.isnan(found["i_acc_force"])


@pytest.mark.parametrize("name", [*CARD.primary, "i_acc_official", "acc_official"])
def test_instances_are_what_is_drawn_for_the_error(name):
    assert set(scoring.METRICS[name](records(RIGHT, RIGHT)).keys) == {"0", "1"}


def test_an_instance_that_was_cut_is_left_out_by_us_and_wrong_officially():
    found = values(records(RIGHT, RIGHT)[:6])  # of instance 1 question 0 alone was asked
    assert found["i_acc"] == 1
    assert found["q_acc"] == 1  # two questions of instance 0, one of instance 1
    assert found["n_cut"] == 1
    assert found["i_acc_official"] == 0.5
    assert found["acc_official"] == 4 / 8
    # Of a question or a video with one reply of two nothing is said, be it wrong.
    found = values(records(RIGHT, ("No",) * SIZE)[:5])
    assert [found[name] for name in ("i_acc", "q_acc", "v_acc")] == [1, 1, 1]


def test_the_tags_are_those_of_the_paper():
    assert len(TAGS) == 11
    assert [len(tags) for tags in LEVELS.values()] == [2, 6, 3]
    assert CARD.chance == {name: 0.5**power for name, power in zip(CARD.primary, (4, 2, 2, 1), strict=True)}


FORMS = dict.fromkeys(range(8), ())


def answers(*replies, start=0):
    return [{"index": start + place, "model_output": reply} for place, reply in enumerate(replies)]


def test_official_denominators():
    whole = answers(*RIGHT)
    assert official.score(whole, FORMS) == {
        "Q_Acc": 1.0, "V_Acc": 1.0, "Acc": 1.0, "I_Acc": 1.0, "num_instances": 1,
    }  # fmt: skip
    # An instance with some predictions is wrong altogether; by tag only what is missing is.
    some = whole + answers("Yes", "No", start=4)
    assert official.score(some, FORMS)["Acc"] == 0.5
    assert official.score_tags(some, FORMS, {"Speed": range(8)})["Speed"]["Acc"] == 0.75
    # The last prediction of an index counts; one that is no question makes its instance wrong.
    assert official.score(whole + answers("No"), FORMS)["Acc"] == 0.75
    assert official.score(whole + answers("No", start=99), FORMS)["num_instances"] == 2
    assert official.score([{**whole[0], "model_output": None}, *whole[1:]], FORMS)["Acc"] == 0.75
    # What is no text makes its instance wrong altogether.
    assert official.score([{**whole[0], "model_output": 5}, *whole[1:]], FORMS)["Acc"] == 0
    with pytest.raises(TempbenchError, match="no prediction"):
        official.score([], FORMS)


def test_official_tags():
    """In order, four indices are an instance; a rest, and an instance with an unknown question, are none."""
    tags = {"Speed": [6, 0, 3, 5, 1, 2, 7, 4], "Force": range(6), "Order": range(8, 12)}
    given = answers(*RIGHT, "Yes", "Yes", "Yes", "Yes", "Yes")
    found = official.score_tags(given, FORMS | {8: ()}, tags)
    # Saying Yes throughout is right on two of four.
    assert found["Speed"] == {"Q_Acc": 0.5, "V_Acc": 0.5, "Acc": 0.75, "I_Acc": 0.5, "num_instances": 2}
    assert found["Force"]["num_instances"] == 1
    assert set(found) == {"Speed", "Force"}


def test_a_file_is_scored(tmp_path):
    file = tmp_path / "results.json"
    rows = [
        {
            "index": i, "video_path": f"TimeBlind/videos/{i % 2}.mp4", "question": "Is it?",
            "answer": RIGHT[i].lower(), "type": "yes_no",
        }
        for i in range(4)
    ]  # fmt: skip
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    file.write_text(json.dumps(answers("<think>no,</think>Yes", "No", "No", "Yes")))
    (tmp_path / "tags.json").write_text(json.dumps({tag: [] for tag in TAGS} | {"Force": [0, 1, 2, 3]}))
    found = importing.score("timeblind", file, data=tmp_path).as_json()
    assert found["official"]["all"] == {
        "Q_Acc": 0.5, "V_Acc": 0.5, "Acc": 0.75, "I_Acc": 0.0, "num_instances": 1,
    }  # fmt: skip
    assert list(found["official"]) == ["all", "Force"]
    assert (found["metrics"]["i_acc"], found["metrics"]["i_acc_force"]) == (1, 1)
    assert found["metrics"]["i_acc_speed"] is None


MINI = {row["index"]: row for row in read_rows(mini_root("timeblind") / "test")}


def stated(index, of):
    """Returns a prediction of an index of the bundled sample, with question and video of another one."""
    doc = MINI[of]
    question = f"{doc['question']} {prompts.YES_NO}"
    return {"index": index, "question": question, "video_path": doc["video"], "model_output": "Yes"}


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        ([{"index": "0", "model_output": "Yes"}], "entry 1: index is not a whole number"),
        ([{"index": 0}], "entry 1 is not an object with index and model_output"),
        ([{"index": 0, "model_output": 5}], "model_output is of type int"),
        ([], "no prediction belongs to a question"),
        (answers("Yes", start=400), "unknown questions"),
        (answers("Yes"), "have no reply"),
        ([stated(4, 4), stated(0, 2)], "entry 2 has index 0, but its question is"),
        ([stated(4, 4), stated(0, 1)], "entry 2 has index 0, but its video_path is"),
    ],
)
def test_a_wrong_file_is_refused(predictions, said, tmp_path):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(predictions))
    with pytest.raises(TempbenchError, match=said):
        importing.score("timeblind", file, mini=True)
