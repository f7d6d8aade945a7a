"""The reader as a whole: bounds on labelled replies, and what holds of any reply."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tempbench_lmms.data.replies import json_lines
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, Truth
from tempbench_lmms.parsing.reading import REASONS, RULES
from tests.parsing.replies import Labelled

KINDS = [
    Choice("ABCD", ("a dog barks", "a cat sleeps", "a man sings", "it rains")),
    Item(5),
    Order(tuple("12345")),
    Truth(),
    Count("ABCD", ("2", "3", "4", "5")),
    Relation("cot"),
]
REFUSALS = (
    "Based on the {} frames provided, it is not possible to determine the count.",
    "I can't tell from these {} images.",
    "I'm sorry, but I am unable to answer with {} pictures.",
    "Without more context it is impossible to say which of the {} it is.",
    "根据这{}帧,无法判断。",
)


OTHER_WORDS = [
    (Item(5), "We can eliminate 1 (rain), 2 (dusk), 4 (no tents) and 5 (no snow).", 3),
    (Item(5), "2 is the image number", 2),
    (Item(5), '{"final_answer": {"image_number": 4}}', 4),
    (Item(5), "犬が走っているのは3枚目です。1枚目にも犬がいます。", 3),
    (Item(3, odd=True), "1: fine, 2: fine, 3: fine", None),
    (Choice("AB", ("True", "False")), "Option two.", "B"),
    (Choice("AB", ("the first image", "the second image"), asks="first before second"), "第二张图片", "B"),
    (Order(tuple("ABC"), quantities=True), "B < C, C < A", tuple("BCA")),
    (Order(tuple("ABC"), quantities=True), "A is the shortest, C is the longest.", tuple("ABC")),
    (Order(tuple("123")), "Image 2 is the last of the three, image 3 the first.", tuple("312")),
    (Order(tuple("123")), "Image 1 shows the first houses, image 3 the last trees.", None),
    (Order(tuple("123")), "2, 1, 3 or, less likely, 3, 1, 2. I'll go with the former.", tuple("213")),
    (Item(5), "1. No. 2. No. 3. No. 4. Yes. 5. No.", 4),
    (Item(3), "Image 1: no\nImage 2: yes\nImage 3: yes", None),
    (Item(4, odd=True), "Image 1: normal\nImage 2: anomalous\nImage 3: normal\nImage 4: normal", 2),
    (Item(5), "In Image 1, a dog runs. In Image 2, it digs. In Image 3", None),
    (Choice("ABC"), "Images a–c", None),
    (Choice("AB", ("True", "False")), "Some clues point to True, some to False. I can't settle it.", None),
    (
        Order(tuple("1234")),
        "The newest is image 3, before that 4, before that 1, the oldest is 2.",
        tuple("2143"),
    ),
    (Order(tuple("123")), "新しい順：2、1、3。したがって、古い順は3、1、2。", tuple("312")),
    (Item(5), "Images 2 and 3 both could work.", None),
    (Item(5), "Fourth from the left.", 4),
    (Item(5), "the second image from the right", 4),
    (Item(5), "Pic 2", 2),
    (Item(5), "The penultimate image", 4),
    (Item(5, odd=True), "Everything is consistent except image 2.", 2),
    (Item(5, odd=True), "Images 1-3 are fine, 4 is misplaced, 5 is fine.", 4),
    (Item(5), "最后一张图。", 5),
    (Choice("ABCD"), "Ich tippe auf B, nicht A.", "B"),
    (KINDS[0], "정답: ③", "C"),
    (KINDS[0], "Locking in C.", "C"),
    (Choice("AB", ("True", "False")), "The claim doesn't hold.", "B"),
    (Truth("chronological"), "Not in order.", False),
    (Truth("chronological"), "They are sorted, but the claim falls apart.", False),
    (Order(tuple("123")), "Image 1 came first, then Image 3, and Image 2 came last.", tuple("132")),
    (Order(tuple("12345")), "Image 4 came first, then 2, 5, 1, and 3 came last.", tuple("42513")),
    (Order(tuple("123")), "Image 1 was last, image 3 was first and image 2 was second.", tuple("321")),
    (Order(tuple("123")), "Image 1 goes first, Image 2 goes second.", tuple("123")),
    (Order(tuple("123")), "Image 2 came first.", None),
    (Order(tuple("12")), "Image 2 was taken first.", tuple("21")),
    (Order(tuple("12")), "Image 1 came last.", tuple("21")),
    (Order(tuple("12")), "Image 2 came after Image 1.", tuple("12")),
    (Order(tuple("12")), "Image 1, after that Image 2.", tuple("12")),
    (Order(tuple("12")), "If Image 1 came first, the sun would be lower.", None),
    (Order(tuple("12")), "Image 1 is first or second.", None),
    (Order(tuple("12")), "Image 1 did not come first.", None),
    (Order(tuple("12")), "Either image 1 or image 2 came first.", None),
    (Order(tuple("12")), "Image 2 was first thought to be the later one.", None),
    (KINDS[4], "x3", ("B", 3)),
    (KINDS[4], "He jumps 3x.", ("B", 3)),
    (KINDS[4], "×3", ("B", 3)),
    (KINDS[4], "The video is shown at 3x speed.", None),
    (KINDS[4], "a 3x3 grid", None),
    (KINDS[0], "Not A. Not B. Not D.", "C"),
    (KINDS[0], "I eliminated A and C, and B doesn't fit either.", "D"),
    (KINDS[0], "A, B and D can be ruled out.", "C"),
    (KINDS[0], "Not A. Not B.", None),
    (KINDS[0], "Neither A nor B nor C nor D.", None),
    (KINDS[0], "A can't be ruled out. B can't be ruled out. C is wrong.", None),
    (Item(5), "Not image 1, 2, 3 or 5.", 4),
    (Item(5), "Images 1, 2, 3 and 4 are not different.", None),
    (Relation("cot"), "You can do them in whichever order you like.", "independent"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("expected", "reply", "value"), OTHER_WORDS)
def test_other_words(expected, reply, value):
    assert reader.read(reply, expected).value == value


@pytest.mark.slow
def test_labelled_replies_are_read_as_a_person_reads_them(shared):
    rows = [Labelled(**json.loads(row)) for _, row in json_lines(shared / "replies" / "labelled.jsonl")]
    verdicts = Counter(row.verdict() for row in rows)
    assert verdicts["misread"] <= 0.003 * len(rows)
    assert verdicts["misread"] + verdicts["unread"] <= 0.02 * len(rows)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), st.sampled_from(KINDS))
def test_any_reply_gives_a_value_or_a_reason(reply, kind):
    found = reader.read(reply, kind)
    assert found.reason in REASONS if found.value is None else found.how in RULES


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("n", [1, 4, 16])
def test_a_refusal_is_none_whatever_its_numbers(kind, refusal, n):
    assert reader.read(refusal.format(n), kind).value is None


@settings(max_examples=20, deadline=None)
@given(st.permutations(["Image 1 shows a dog.", "Image 4 shows a cat.", "In image 3 it rains."]))
def test_reasoning_in_any_order_keeps_the_final_line(lines):
    assert reader.read("\n".join([*lines, "Answer: 2"]), Item(5)).value == 2


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
