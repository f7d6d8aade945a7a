import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.number import parse_index

# reply, number among five images
REPLIES = [
    ("3", 3),
    ("Image 3", 3),
    ("Image 3.", 3),
    ("image_2", 2),
    ("Image: 3", 3),
    ("**Image 4**", 4),
    ("#3", 3),
    ("(3)", 3),
    ("The 2nd image", 2),
    ("The second image.", 2),
    ("third", 3),
    ("three", 3),
    ("image number 4", 4),
    ("The answer is 2.", 2),
    ("Image 3 shows 5 people", 3),
    ("<think>1 or 2</think> Image 2", 2),
    ("<answer>Image 5</answer>", 5),
    ("Images 1 and 4", None),
    ("Image 2 or 3", None),
    ("3 (not 1)", 3),
    ("In image 3 he runs, in image 2 he walks", None),
    ("Image 10", None),
    ("12", None),
    ("0", None),
    ("3.5", None),
    ("none", None),
    ("", None),
    ("<think>Image 3", None),
]


@pytest.mark.parametrize(("reply", "number"), REPLIES)
def test_reply(reply, number):
    assert parse_index(reply, 5) == number


@given(st.text(max_size=300), st.integers(1, 9))
def test_any_text_gives_an_offered_number_or_nothing(reply, upper):
    assert parse_index(reply, upper) in {None, *range(1, upper + 1)}
