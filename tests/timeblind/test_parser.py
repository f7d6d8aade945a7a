"""How replies of TimeBlind are read, by us and by the official rules."""

import pytest

from tempbench_lmms.timeblind import parser, prompts
from tempbench_lmms.timeblind.official import parse_official

OPTIONS = ("The wheel turns quickly.", "The wheel turns slowly.")

YES_NO = [
    # reply, ours, official
    ("Yes", "Yes", 1),
    ("No.", "No", 0),
    ("no, it does not roll", "No", 0),
    ("The answer is: no", "No", 0),
    ("Final answer: Yes.", "Yes", 1),
    ("**Yes**", "Yes", -1),  # no space, mark or end behind the word
    ("I cannot tell.", None, -1),
    ("", None, -1),
    # The first word of the reasoning counts officially.
    ("<think>No, wait. It does roll.</think>Yes", "Yes", 0),
    ("<think>yes or no? It rolls.</think>The answer is <|begin_of_box|>No<|end_of_box|>.", "No", 1),
    ("It is a yes/no question. So: yes", "Yes", 0),
    ("Ｙｅｓ", "Yes", 1),
    ("Yesterday", None, -1),
]
LETTERED = [
    ("A", "A", 1),
    ("b", "B", 0),
    ("(B)", "B", 0),
    ("Option B", "B", 0),
    ("Answer: A", "A", 1),
    ("The wheel turns slowly.", "B", -1),
    # The article is a letter officially.
    ("The wheel is a slow one, so B.", "B", 1),
    ("The answer is B", "B", 0),
    ("B is the answer, not A", "B", 0),
    ("<think>Is it A? No.</think>B", "B", 1),
    ("neither", None, -1),
]


@pytest.mark.parametrize(("reply", "ours", "official"), YES_NO)
def test_yes_or_no(reply, ours, official):
    assert parser.read(reply).value == ours
    assert parse_official(reply) == official


@pytest.mark.parametrize(("reply", "ours", "official"), LETTERED)
def test_letters(reply, ours, official):
    assert parser.read(reply, OPTIONS).value == ours
    assert parse_official(reply, OPTIONS) == official


def test_the_prompt_asks_for_the_form():
    doc = {"question": "Does the wheel turn?", "options": []}
    assert prompts.build(doc) == "Does the wheel turn? Please output Yes or No."
    assert prompts.build({**doc, "options": [*OPTIONS]}).endswith("? Please output A or B.")
    assert parser.read(prompts.build(doc)).value is None
