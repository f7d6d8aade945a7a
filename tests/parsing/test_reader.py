"""The reader as a whole: what holds of any reply. Labelled replies are in `replies.jsonl`."""

import pytest

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, Truth

KINDS = [
    Choice("ABCD", ("a dog barks", "a cat sleeps", "a man sings", "it rains")),
    Item(5),
    Order(tuple("12345")),
    Truth(),
    Count("ABCD", ("2", "3", "4", "5")),
    Relation("cot", CLASSES),
]
REFUSALS = (
    "Based on the {} frames provided, it is not possible to determine the count.",
    "I can't tell from these {} images.",
    "I'm sorry, but I am unable to answer with {} pictures.",
    "Without more context it is impossible to say which of the {} it is.",
    "根据这{}帧,无法判断。",
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("n", [1, 4, 16])
def test_a_refusal_is_none_whatever_its_numbers(kind, refusal, n):
    assert reader.read(refusal.format(n), kind).value is None


@pytest.mark.parametrize(
    ("expected", "reply", "words"),
    [
        (Choice("ABCD"), "B", "B"),
        (Choice("ABCD"), "A dog runs. The answer is C, not D.", "C"),
        (Choice("ABCD"), "It might be A.\nAnswer: D", "D"),
        (Choice("ABCD"), "<think>A? B?</think>\nSo option B it is, as A is wrong.", "option B"),
        (KINDS[0], "In the video a cat sleeps on a chair.", "a cat sleeps"),
        (Item(5), "The dog runs in image 3, and it rains.", "image 3"),
        (Choice("ABCD"), "It is **C**, not A.", "C"),
    ],
)
def test_where_gives_the_words_that_decided(expected, reply, words):
    start, end = reader.read(reply, expected).where
    assert reply[start:end] == words


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("neither B nor A", Choice("AB", noun="caption")),
        ("neither b nor a", Choice("AB", noun="caption")),
        ("sure not", Truth()),
        ("of course it is not", Truth()),
        ("Der Mann macht die Tür zu", Choice("AB", ("A man opens the door.", "A man closes the door."))),
    ],
)
def test_a_whole_sentence_is_not_cut_off(reply, expected):
    assert reader.read(reply, expected).reason == "nothing"


@pytest.mark.parametrize("reply", ["moving from left to", "The ball moves to the", "It rolls and then"])
def test_a_phrase_without_its_end_is_cut_off(reply):
    assert reader.read(reply, Choice("AB", ("left to right", "right to left"))).reason == "cut_off"


ROLL = "Does the ball roll faster in the second half of the video? Please output Yes or No."
PUT = "Does the person put the cup down before opening the drawer? Please output Yes or No."
PLATE = (
    "\nThe statement is: Fred opened the door before Wilma dropped the plate.\nDecide whether this is true.\n"
    "Options are: A. True; B. False.\nThe answer is: "
)


@pytest.mark.parametrize(
    ("prompt", "reply", "read"),
    [
        (ROLL, "The ball does not roll faster in the second half.", False),
        (ROLL, "It rolls faster in the second half.", True),
        (ROLL, "It is not true that the ball rolls faster in the second half; it slows down.", False),
        (ROLL, "The ball rolls faster in the first half.", None),
        (ROLL, "I cannot tell whether the ball rolls faster in the second half.", None),
        (PUT, "They put the cup down before opening the drawer.", True),
        (PUT, "The person doesn't put the cup down before opening the drawer.", False),
        (PUT, "The person opens the drawer before putting the cup down.", None),
        (
            PLATE,
            "It is not the case that Fred opened the door before Wilma dropped the plate: it lies there.",
            "B",
        ),
        (PLATE, "Fred opened the door before Wilma dropped the plate.", "A"),
        (PLATE, "Wilma dropped the plate before Fred opened the door.", None),
        (PLATE, "If Fred opened the door before Wilma dropped the plate, image 3 would come first.", None),
    ],
)
def test_a_statement_in_the_questions_own_words_answers_it(prompt, reply, read):
    expected = Choice("AB", ("True", "False")) if prompt is PLATE else Truth()
    assert reader.read(reply, expected, prompt).value == read
