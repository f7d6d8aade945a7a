"""How replies to the three kinds are read, and how the official rules rate them."""

import pytest

from tempbench_lmms.parsing.expected import Reading, Reread
from tempbench_lmms.tempcompass_pairs import official, parser, prompts

LETTERS = ["A. left", "B. right", "C. up"]
CAPTIONS = ["Caption A: It rises.", "Caption B: It falls."]
SENTENCES = ["Sentence A: It rises.", "Sentence B: It falls."]
NUMBERED = ["Option 1: It rises.", "Option 2: It falls."]


@pytest.mark.parametrize(
    ("reply", "options", "label"),
    [
        ("B. right", LETTERS, "B"),
        ("The best option is (C).", LETTERS, "C"),
        ("It moves right.", LETTERS, "B"),
        ("It is A or B.", LETTERS, None),
        ("Caption A", CAPTIONS, "A"),
        ("Caption B: It falls.", CAPTIONS, "B"),
        ("Sentence B.", SENTENCES, "B"),
        ("It falls.", SENTENCES, "B"),
        ("B", SENTENCES, "B"),
        ("Option 1", NUMBERED, "1"),
        ("Option 2: It falls. \n", NUMBERED, "2"),
        ("2", NUMBERED, "2"),
        ("2.", NUMBERED, "2"),
        ("The best option is Option 1: It rises.", NUMBERED, "1"),
        ("The answer is 2.", NUMBERED, "2"),
        ("It falls.", NUMBERED, "2"),
        ("Option 3", NUMBERED, None),
        ("Neither.", NUMBERED, None),
        ("Yes, it is.", parser.YES_NO, "yes"),
        ("no", parser.YES_NO, "no"),
        ("", parser.YES_NO, None),
        ("A", [], None),
    ],
)
def test_read(reply, options, label):
    assert parser.read(reply, options).value == label


@pytest.mark.parametrize("options", [CAPTIONS, SENTENCES, NUMBERED, LETTERS])
def test_an_option_of_the_prompt_may_be_the_answer(options):
    question = "\n".join(["Which fits?", *options])
    prompt = prompts.build({"question": question, "kind": "caption_matching"})
    reply = f"The best option is:\n\n{options[1]}\n\nThis is to be seen in the video."
    assert parser.read(reply, options, prompt).value == parser.label_of(options[1])


def test_places_in_a_reply_with_numbers_are_its_own():
    reply = "I think that Option 2 fits."
    found = parser.read(reply, NUMBERED)
    start, end = found.where
    assert "2" in reply[start:end]


@pytest.mark.parametrize(
    ("options", "value", "label"), [(NUMBERED, 1, "1"), (CAPTIONS, "A", "A"), (parser.YES_NO, True, "yes")]
)
def test_a_second_reader_is_heard(options, value, label):
    reply = Reread("Who knows?", lambda expected, ours: Reading(value, "second reader"))
    assert parser.read(reply, options).value == label


@pytest.mark.parametrize(
    ("kind", "reply", "rating"),
    [
        ("multi_choice", "B. right", 1),
        ("multi_choice", "B", 1),
        ("multi_choice", "A) left", 0),
        ("multi_choice", "B: right", None),  # a colon is left to the judge
        ("multi_choice", "The answer is B.", None),
        ("multi_choice", "B.</s>", 1),
        ("yes_no", "Yes, it is.", 1),
        ("yes_no", "Nothing moves.", 0),  # begins with "no"
        ("yes_no", "It is.", None),
        ("caption_matching", "Option 2: It falls.", 1),
        ("caption_matching", "It falls.", 1),
        ("caption_matching", "2", 1),
        ("caption_matching", "Option 1.", 0),
        ("caption_matching", "Option 2", 1),
        ("caption_matching", "(2) It falls.", 1),
        ("caption_matching", "option 2", None),
        ("caption_matching", None, None),
    ],
)
def test_official_rules(kind, reply, rating):
    options, answer = {
        "multi_choice": (LETTERS, "B. right"),
        "yes_no": ([], "yes"),
        "caption_matching": (NUMBERED, NUMBERED[1]),
    }[kind]
    assert official.rating(kind, reply, "\n".join(["Which?", *options]), answer) == rating


def test_a_reply_that_is_the_official_answer_is_right_in_any_form():
    assert official.rating("multi_choice", "right", "Where to?", "right") == 1


def test_the_official_numbers_have_one_decimal():
    assert official.printed([("speed", 1), ("speed", 0), ("action", 1), ("speed", 0)]) == {
        "action": 100.0,
        "speed": 33.3,
        "avg": 50.0,
    }


def test_prompts_are_the_official_ones():
    row = {"question": "Where to?\nA. left\nB. right"}
    choose = "Where to?\nA. left\nB. right\nPlease directly give the best option:"
    assert prompts.build(row | {"kind": "multi_choice"}) == choose
    assert prompts.build(row | {"kind": "caption_matching"}) == choose
    assert prompts.build({"question": "Is it?", "kind": "yes_no"}) == "Is it?\nPlease answer yes or no:"
