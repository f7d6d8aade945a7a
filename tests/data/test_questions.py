"""Options that are moved on, and all that goes by their letters."""

import pytest

from tempbench_lmms.data.questions import turned
from tempbench_lmms.tempcompass_pairs import prompts as tempcompass
from tempbench_lmms.timeblind import prompts as timeblind
from tempbench_lmms.timepercept import parser
from tempbench_lmms.timepercept import prompts as timepercept


@pytest.mark.parametrize("form", ["{}", "Option {}", '{{"answer": "{}", "span": [5, 12.5]}}'])
def test_the_letter_moves_with_its_option(form):
    doc = {"options": ["a cat", "A dog", "B"], "answer": "C", "target": form.format("C")}
    found = turned(doc, 1)
    assert (found.labels, found.texts) == ("ABC", ["B", "a cat", "A dog"])
    assert found.changes == {"options": found.texts, "answer": "A", "target": form.format("A")}
    assert turned(doc, 3).changes == {key: doc[key] for key in ("options", "answer", "target")}
    assert turned(doc | {"options": ["alone"]}, 1) is None


@pytest.mark.parametrize(
    ("question", "swapped"),
    [
        (
            "Which? Option A: It runs. Option B: It sits.",
            "Which? Option A: It sits. Option B: It runs.",
        ),
        ("Which? Option A: up, Option B: down?", "Which? Option A: down, Option B: up?"),
        ("Is it Option A: left or Option B: right?", "Is it Option A: right or Option B: left?"),
        ("Is it Option A: a door, or Option B: a floor?", "Is it Option A: a floor, or Option B: a door?"),
        # One text is in the other.
        (
            "A ball? Option A. A ball Option B. A ball rolls",
            "A ball? Option A. A ball rolls Option B. A ball",
        ),
    ],
)
def test_options_in_a_sentence(question, swapped):
    first, _, second = question.partition("Option A")[2][1:].partition("Option B")
    options = [first.strip(), second[1:].strip()]
    doc = {"question": question, "options": options, "answer": "A", "target": "A"}
    changes = timeblind.rotated(doc, 1).changes
    assert (changes["question"], changes["answer"], changes["target"]) == (swapped, "B", "B")
    assert timeblind.rotated(doc, 2).changes["question"] == question


def test_options_that_a_question_does_not_name():
    doc = {"question": "A or B?", "options": ["Option A", "Option B"], "answer": "A", "target": "A"}
    assert timeblind.rotated(doc, 1) is None


@pytest.mark.parametrize("more", ["right? Look twice.", "It shuts.\nPick one"])
def test_a_text_behind_the_options_does_not_move(more):
    doc = {"question": f"Option A: left Option B: {more}", "answer": "A", "target": "A"}
    assert timeblind.rotated(doc | {"options": ["left", more]}, 1) is None
    assert timeblind.rotated(doc | {"options": ["left", more[:5]]}, 1) is not None


def test_options_in_lines():
    question = "Which fits?\nOption 1: It rises.\nOption 2: It falls."
    doc = {"question": question, "answer": "2", "target": "Option 2: It falls.", "kind": "caption_matching"}
    changes = tempcompass.rotated(doc, 1).changes
    assert changes == {
        "question": "Which fits?\nOption 1: It falls.\nOption 2: It rises.",
        "answer": "1",
        "target": "Option 1: It falls.",
        "choices": ["Option 1: It falls.", "Option 2: It rises."],
    }
    assert tempcompass.rotated({"question": "Is it?", "answer": "yes"}, 1) is None


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A", "A"),
        ("The answer is B.", "B"),
        ("the second image", "A"),
        ("The first image.", "B"),
        ("Image 2 was taken before image 1.", "A"),
        ("Image 1 is the earlier one.", "B"),
        ("A. the second image", "A"),
    ],
)
def test_options_that_name_pictures_by_their_places(reply, letter):
    doc = {"test": "transfer_order", "options": [], "answer": "A", "target": "A"}
    found = timepercept.rotated(doc, 1)
    assert found.texts == ["the second image", "the first image"]
    assert found.changes["answer"] == "B"
    assert parser.read(reply, "transfer_order", found.texts, 2).value == letter
