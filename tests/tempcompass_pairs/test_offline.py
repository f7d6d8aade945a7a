"""`tempbench score tempcompass_pairs` on small files, and on the official repository's recorded replies."""

import json
import os
from pathlib import Path

import pytest

from tempbench_lmms.tempcompass_pairs import offline
from tempbench_lmms.tempcompass_pairs.card import COUNTS, GROUPS, KINDS
from tests.command import complains, tempbench
from tests.each import sample
from tests.source_files import write
from tests.tempcompass_pairs.contract import official

CHECKOUT = os.environ.get("TEMPBENCH_TEMPCOMPASS")
"""A checkout of llyx97/TempCompass."""
MODELS = ("video-llava", "gemini", "reka-core-20240501")


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
    write(model / "judged/some-model/yes_no.json", content)
    return model / "judged"


def score(*words):
    return tempbench("score", "tempcompass_pairs", *map(str, words))


def test_without_judgements_the_rules_decide(model):
    done = score("--predictions", model / "predictions", "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert (found["model"], found["kind"], found["n"]) == ("some-model", "yes_no", 4)
    assert (found["official"], found["match_rate_official"]) == (0.75, 0.75)
    assert found["official_printed"] == {"direction": 75.0, "avg": 75.0}
    assert found["groups"] == {"n": 2, "official": 0.5, "ours": 0.5}
    # By the text alone the four questions are one group.
    assert found["groups_by_text_alone"] == {"n": 1, "official": 0.0, "ours": 0.0}
    assert "judge" not in found
    assert "some-model, yes_no: 4 of 2,453 questions, and 2 of 351 contrast groups" in done.stderr


def test_with_judgements_the_judge_decides_what_the_rules_leave(model):
    done = score("--predictions", model / "predictions", "--judgements", judgements(model), "--json")
    (found,) = json.loads(done.stdout)
    assert (found["official"], found["groups"]["official"]) == (1.0, 1.0)
    assert found["judge"]["n"] == 1
    assert found["judge"]["rules_as_recorded"] == 1.0


def test_the_table_and_the_questions(model):
    words = ("--predictions", model / "predictions/some-model", "--questions", model / "release/questions")
    done = score(*words)
    assert done.returncode == 0, done.stderr
    assert "some-model" in done.stdout
    assert "75.0" in done.stdout


def test_a_missing_question_is_named(model):
    file = model / "predictions/some-model/yes_no.json"
    content = json.loads(file.read_text())
    del content["8_reverse"]
    write(file, content)
    words = ("--predictions", file, "--questions", model / "release/questions")
    complains(score(*words), "1 of 4 questions have no reply", "yes_no/8_reverse/direction/0", "--partial")
    assert score(*words, "--partial").returncode == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not lists of entries"),
        ("{}", "holds no question"),
        (
            '{"7": {"speed": [{"question": "Which?\\nA. on", "answer": "A. on", "prediction": "A"}]}}',
            "the answer of yes_no/7/speed/0 is 'A. on', not yes or no",
        ),
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


def test_judgements_of_other_replies_are_refused(model):
    words = ("--predictions", model / "predictions", "--judgements")
    complains(score(*words, judgements(model, (1, 1, 2, 1))), "neither 0 nor 1")
    other = {"8": {"speed": [{"question": "", "gt-answer": "", "rating": 1}]}}
    write(model / "judged/some-model/yes_no.json", other)
    complains(score(*words, model / "judged"), "has no judgement of yes_no/7/direction/0")


@pytest.mark.slow
def test_the_documented_numbers_are_what_the_command_prints(monkeypatch):
    if not CHECKOUT:
        pytest.skip("set TEMPBENCH_TEMPCOMPASS to a checkout of llyx97/TempCompass")
    page = (Path(__file__).parents[2] / "docs/fidelity/tempcompass_pairs.md").read_text()
    command, *printed = page.split("```\n$ tempbench ")[1].split("\n```")[0].splitlines()
    monkeypatch.chdir(CHECKOUT)
    done = tempbench(*command.split())
    assert [line.rstrip() for line in done.stdout.splitlines()] == printed


@pytest.fixture(scope="module", params=sample(MODELS, lambda model: ["a model"]))
def recorded(request):
    """A model, and by kind the scores of its recorded replies that have an official judgement."""
    if not CHECKOUT:
        pytest.skip("set TEMPBENCH_TEMPCOMPASS to a checkout of llyx97/TempCompass")
    replies, judged, asked = (
        Path(CHECKOUT) / name for name in ("predictions", "auto_eval_results", "questions")
    )
    found = offline.score_files(replies / request.param, judged, asked)
    return request.param, {one.kind: one.as_json() for one in found if one.judged}


@pytest.mark.slow
def test_every_recorded_reply_is_scored(recorded):
    _, scores = recorded
    assert sum(one["n"] for one in scores.values()) == sum(COUNTS.values()) == 5_536
    for kind in KINDS:
        assert (scores[kind]["n"], scores[kind]["groups"]["n"]) == (COUNTS[kind], GROUPS[kind])


@pytest.mark.slow
def test_the_rules_rate_every_reply_as_recorded(recorded):
    _, scores = recorded
    assert {one["judge"]["rules_as_recorded"] for one in scores.values()} == {1.0}


@pytest.mark.slow
def test_the_printed_accuracy_is_the_readme_s(recorded):
    # README of the official repository, "Run Evaluation".
    model, scores = recorded
    if model == "video-llava":
        assert scores["multi_choice"]["official_printed"] == {
            "action": 76.0,
            "direction": 35.2,
            "speed": 35.6,
            "order": 37.7,
            "attribute_change": 41.0,
            "avg": 45.6,
        }


@pytest.mark.slow
def test_ours_is_near_the_official_accuracy(recorded):
    _, scores = recorded
    for kind, one in scores.items():
        assert abs(one["ours"] - one["official"]) < 0.01, kind
        assert one["read"] > 0.985, kind
        assert one["judge"]["agreement_with_rules"] > 0.99, kind
