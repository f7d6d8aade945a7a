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
