"""The metrics and prompts of the motion-only control, by hand."""

import math

from tempbench_lmms.motion_only import prompts, scoring
from tempbench_lmms.motion_only.card import CARD, N_OPTIONS, SHAPES
from tempbench_lmms.record import answers, evaluate


def records(*pairs, kind="shape"):
    """Returns the records of pairs; A is right of the first question of each, B of the second one."""
    found = []
    for number, replies in enumerate(pairs):
        for which, reply in enumerate(replies):
            doc = {
                "question_id": f"{number}_{which}", "pair_id": str(number), "kind": kind,
                "options": [*SHAPES[:N_OPTIONS]], "answer": "AB"[which],
            }  # fmt: skip
            found.append(scoring.record(doc, reply))
    return found


def values(found):
    return {name: evaluate(metric, found) for name, metric in scoring.METRICS.items()}


def test_by_hand():
    # Right are both, one and none of three pairs; the last reply cannot be read.
    found = values(records(("A", "B"), ("A", "A"), ("C", "I cannot tell.")))
    assert found["accuracy"] == found["accuracy_shape"] == 3 / 6
    assert found["pair_accuracy"] == 1 / 3
    assert found["parse_rate"] == 5 / 6
    assert math.isnan(found["accuracy_word"])
    assert (found["n_questions"], found["n_cut"]) == (6, 0)


def test_a_constant_answer_has_no_pair():
    for always in "ABCD":
        assert values(records(*[(always, always)] * 4))["pair_accuracy"] == 0


def test_a_cut_pair_is_left_out():
    found = values(records(("A", "B"), ("A",)))
    assert (found["pair_accuracy"], found["accuracy"], found["n_cut"]) == (1, 1, 1)


def test_kinds_and_position_bias():
    found = [*records(("A", "A")), *records(("C", "?"), kind="word")]
    assert (values(found)["accuracy_shape"], values(found)["accuracy_word"]) == (1 / 2, 0)
    details = answers(found)
    assert details == {
        "answers": {"A": 2 / 4, "C": 1 / 4, "unparsed": 1 / 4},
        "right_answers": {"A": 2 / 4, "B": 2 / 4},
    }
    assert list(answers(found[::-1])["answers"]) == ["A", "C", "unparsed"]


def test_chance():
    assert CARD.chance == {"accuracy": 0.25, "pair_accuracy": 0.0625}


def test_the_prompt_says_what_is_shown():
    doc = {"kind": "shape", "options": ["a ring", "a square"]}
    assert prompts.build(doc).startswith("You are given this video. Every single frame")
    assert "8 frames of a video, in order" in prompts.build(doc, "frames", 8)
    assert "one frame of a video. " in prompts.build(doc, "frames", 1)
    assert "shows a shape. Which shape is it?\n\nA. a ring\nB. a square\n\nAnswer" in prompts.build(doc)
