"""`tempbench score tempcompass_pairs` on small files."""

import json

import pytest

from tests.command import complains, tempbench
from tests.source_files import write
from tests.tempcompass_pairs.contract import official


@pytest.fixture
def model(tmp_path):
    """Replies to the yes/no questions of a small release: three of four are right, and one of two groups."""
    release = official(tmp_path / "release")
    questions = json.loads((release / "questions/yes_no.json").read_text())
    replies = {"7": "Yes.", "7_reverse": "no</s>", "8": "As the clip shows.", "8_reverse": "No"}
    for clip, one in questions.items():
        one["direction"][0]["prediction"] = replies[clip]
    write(tmp_path / "predictions/some-model/yes_no.json", questions)
    return tmp_path


def judgements(model, ratings=(1, 1, 1, 1)):
    content = json.loads((model / "predictions/some-model/yes_no.json").read_text())
    for one, rating in zip(content.values(), ratings, strict=True):
        (entry,) = one["direction"]
        one["direction"] = [{"question": entry["question"], "gt-answer": entry["answer"], "rating": rating}]
    write(model / "auto_eval_results/some-model/yes_no.json", content)


def score(*words):
    return tempbench("score", "tempcompass_pairs", *map(str, words))


def test_without_judgements_the_rules_decide(model):
    words = ("--task", "tempcompass_pairs_yes_no", "--data", model / "release", "--json")
    done = score("--predictions", model / "predictions/some-model", *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["official"]["yes_no"] == {
        "n": 4, "judged": 0, "direction": 75.0, "avg": 75.0, "match_rate": 0.75,
        "groups": 2, "groups_right": 0.5,
    }  # fmt: skip
    ours = found["metrics"]
    assert (ours["accuracy"], ours["accuracy_official"], ours["group_score"]) == (0.75, 0.75, 0.5)


def test_with_judgements_the_judge_decides_what_the_rules_leave(model):
    judgements(model)
    done = score("--predictions", model / "predictions/some-model", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["official"]["yes_no"]
    assert (found["judged"], found["avg"], found["groups_right"]) == (4, 100.0, 1.0)
    assert "prepare the data, or name the official files" in done.stderr


def test_a_missing_question_is_named(model):
    file = model / "predictions/some-model/yes_no.json"
    content = json.loads(file.read_text())
    del content["8_reverse"]
    write(file, content)
    words = ("--predictions", file, "--data", model / "release", "--task", "tempcompass_pairs_yes_no")
    complains(score(*words), "1 of 4 questions have no reply", "yes_no/8_reverse/direction/0", "--partial")
    assert score(*words, "--partial").returncode == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "is not a JSON object"),
        ("{}", "holds no question"),
        ('{"7": {"direction": [{"question": "Is it?"}]}}', "has no answer that is a text"),
        (
            '{"7": {"direction": [{"question": "Is it?", "answer": "yes"}]}}',
            "neither prediction nor response",
        ),
        (
            '{"7": {"direction": [{"question": "Is it?", "answer": "yes", "prediction": 3}]}}',
            "prediction is of type int",
        ),
    ],
)
def test_what_is_no_prediction_file_is_refused(tmp_path, content, said):
    file = write(tmp_path / "m/yes_no.json", content)
    complains(score("--predictions", file), said)


def test_no_official_file(tmp_path):
    complains(score("--predictions", tmp_path), "multi-choice.json, yes_no.json, caption_matching.json")


@pytest.mark.parametrize("ratings", [(1, 1, 2, 1), None])
def test_judgements_of_other_replies_are_refused(model, ratings):
    if ratings:
        judgements(model, ratings)
    else:
        other = {"8": {"speed": [{"question": "", "gt-answer": "", "rating": 1}]}}
        write(model / "auto_eval_results/some-model/yes_no.json", other)
    complains(score("--predictions", model / "predictions/some-model"), "does not rate yes_no/")
