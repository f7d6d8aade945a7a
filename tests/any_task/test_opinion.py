"""Our reader's letter beside the score of somebody else's multiple-choice task."""

import pytest

from tempbench_lmms.any_task import opinion

COLOURS = ("red", "green", "blue")


@pytest.mark.parametrize(
    ("doc", "options"),
    [
        ({"options": ["red", "green", "blue"]}, COLOURS),
        ({"options": ["A. red", "B. green", "C. blue"]}, COLOURS),
        ({"options": ["(A) red", "(B) green", "(C) blue"]}, COLOURS),
        ({"options": "['red', 'green', 'blue']"}, COLOURS),
        ({"choices": {"text": ["red", "green", "blue"], "label": ["A", "B", "C"]}}, COLOURS),
        ({"candidates": ["red", "green", "blue"]}, COLOURS),
        ({"A": "red", "B": "green", "C": "blue", "D": None}, COLOURS),
        ({"choice_a": "red", "choice_b": "green", "choice_c": "blue"}, COLOURS),
        ({"options": "[]"}, ()),
        ({"options": "red or __import__('os')"}, ()),
        ({"question": "Which?", "answer": "red"}, ()),
    ],
)
def test_options_that_stand_in_a_document(doc, options):
    assert opinion.options_of(doc) == options


@pytest.mark.parametrize(
    ("target", "doc", "letter"),
    [
        ("B", {}, "B"),
        ("(B)", {}, "B"),
        ("B. green", {}, "B"),
        ("green", {}, "B"),
        ("utils.doc_to_target", {"answer": 1}, "B"),  # TOMATO's YAML lacks a word before it
        ("", {"answerKey": "C"}, "C"),
        ("violet", {"answer": 7}, None),
        ("", {}, None),
    ],
)
def test_the_right_letter(target, doc, letter):
    assert opinion.right_letter(COLOURS, doc, target) == letter


def test_a_default_answer_is_found_by_what_counts_as_right():
    doc = {"options": [*COLOURS]}
    refused = "I'm sorry, but I can't help with that."
    rights = ["A", "B", "A", "C", "B"]
    answers = [
        opinion.answer(str(i), refused, "Which colour?", doc, right, float(right == "A"))
        for i, right in enumerate(rights)
    ]
    assert [one.letter for one in answers] == [None] * 5
    assert opinion.default_letter(answers) == "A"
    assert [one.id for one in answers if one.differs] == ["0", "2"]
    assert opinion.default_letter(answers[1:]) is None  # one alone may be a lucky guess
    right = opinion.answer("5", "The answer is **C**.", "Which colour?", doc, "C", 0.0)
    assert right.letter == "C"
    assert right.differs
