"""Every labelled reply reads as a person would read it; None where a person could not tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.choice import parse_choice

TRUE_FALSE = ("True", "False")

# reply, answer among A and B
TWO = [
    ("Option A", "A"),
    ("Option [B]", "B"),
    ("option b", "B"),
    ("[A]", "A"),
    ("(B)", "B"),
    ("**B**", "B"),
    ("`B`", "B"),
    ("B.", "B"),
    ("A. True", "A"),
    ("B) False", "B"),
    ("A: True", "A"),
    ("B", "B"),
    ("b", "B"),
    ("a", "A"),
    ("The answer is B", "B"),
    ("The answer is: Option B.", "B"),
    ("the correct answer is option (b)", "B"),
    ("Answer: a", "A"),
    ("My answer: **A**", "A"),
    ("\\boxed{B}", "B"),
    ("$\\boxed{\\text{B}}$", "B"),
    ("The correct option is A. A dog barks.", "A"),
    ("I choose option A because B is wrong", "A"),
    ("I would go with B.", "B"),
    ("A is incorrect, B is correct", "B"),
    ("The statement is accurate, so A.", "A"),
    ("B because the dog comes last", "B"),
    ("True", "A"),
    ("False.", "B"),
    ("true", "A"),
    ("答案是B", "B"),
    ("答案：A", "A"),
    ("Antwort: B", "B"),
    ("Ｂ", "B"),  # full width
    ("В", "B"),  # Cyrillic
    ("<think>A? No.</think><answer> Option B </answer>", "B"),
    ("<think>It looks like A</think>\nB", "B"),
    ("The first is out.</think> Option A", "A"),
    ("The answer is A. Wait, actually the answer is B.", "B"),
    ("A picture of a dog is shown last. Option B", "B"),
    # Nothing can be told from these.
    ("", None),
    ("   ", None),
    ("I don't know", None),
    ("I", None),
    ("Option C", None),
    ("C", None),
    ("AB", None),
    ("A or B", None),
    ("Option A or B", None),
    ("The answer could be A or B", None),
    ("Both A and B", None),
    ("Neither A nor B", None),
    ("The answer is not A", "B"),
    ("A man opens the door.", None),
    ("It is a cat", None),
    ("The answer is a dog", None),
    ("A. True\nB. False", None),
    ("Person B enters the room first", None),
    ("Option A says true. Option B says false. So the statement is fine.", None),
    ("The answer is A. The answer is B.", None),
    ("<think>It could be A, but", None),
    ("<answer></answer>", None),
    ("I'm sorry, but I can't help with that.", None),
]


@pytest.mark.parametrize(("reply", "answer"), TWO)
def test_two_options(reply, answer):
    assert parse_choice(reply, "AB", TRUE_FALSE) == answer


ORDERS = ("Image c -> Image b -> Image a", "Image a -> Image b -> Image c", "Image b -> Image a -> Image c")

FIVE = [
    ("Image a -> Image b -> Image c", "B"),
    ("image a → image b → image c.", "B"),
    ("Option C: Image b -> Image a -> Image c", "C"),
    ("Image a, image b", None),
    ("D", None),  # only three are on offer
    ("The correct order is given by option A.", "A"),
]


@pytest.mark.parametrize(("reply", "answer"), FIVE)
def test_orders(reply, answer):
    assert parse_choice(reply, "ABC", ORDERS) == answer


@given(st.text(max_size=300))
def test_any_text_gives_an_offered_letter_or_nothing(reply):
    assert parse_choice(reply, "ABCDE") in {*"ABCDE", None}


@given(st.sampled_from("ABCDE"), st.sampled_from(["Option {}", "({})", "The answer is {}.", "**{}**", "{}."]))
def test_relabelling_the_reply_relabels_the_answer(letter, form):
    assert parse_choice(form.format(letter), "ABCDE") == letter


def test_more_options_than_letters_are_no_error():
    assert parse_choice("False", "A", TRUE_FALSE) is None
    assert parse_choice("True", "A", TRUE_FALSE) == "A"
