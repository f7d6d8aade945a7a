import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.coherence.official import final_answer, integers, letter


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("3", [3]),
        ("**Answer: 4**", [4]),
        ("Three times, then twice", [3, 2]),
        ("5.0", [5]),
        ("3.5", []),
        ("50%", []),
        ("frame16", []),
        ("none", [0]),
        ("<think>2 or 3</think> 4", [4]),
        ("<think>2", []),
        ("", []),
        ("-1", [-1]),
    ],
)
def test_integers(reply: str, found: list[int]) -> None:
    assert integers(reply) == found


# Frozen: what each rule makes of a reply, by its own comment. A reply that names several options has none.
LETTERS = [
    # A letter alone, and with a word before it.
    (" c. ", "C"),
    ("F", None),
    (".", None),
    ("Option a", "A"),
    ("Option b", "B"),
    ("answer: (c)", "C"),
    # Statements; "a" is a letter only where no noun can follow it, and after "option" any letter is one.
    ("\\boxed{B} as C is not", "B"),
    ("The answer is A", "A"),
    ("The answer is b, I am sure", "B"),
    ("The answer is d, I am sure", "D"),
    ("The answer is a small wheel", None),
    ("The answer is A small wheel", None),
    ("The answer is a. It turns", "A"),
    ("The answer is option b; option c moves", "B"),
    ("The answer is option a wheel", None),
    ("The answer is a. The answer is A", "A"),
    # Rejected, held possible, one of two, or corrected.
    ("The answer is not B", None),
    ("The answer is not B" + ", it turns" * 20, None),
    ("The answer is B is wrong; the answer is C", "C"),
    ("The answer is B or C", None),
    ("The answer is B and E", "B"),
    ("The answer is B or B", "B"),
    ("The answer is B. True or C. False", None),
    ("The answer is B. No, the answer is C", None),
    ("The answer is B. Wait, the answer is C", "C"),
    ("The answer is B. Wait, the answer is C. No, the answer is D", "D"),
    ("If the wheel stops, the answer would be A", None),
    ("If I look, the answer would be A", "A"),
    # The first paragraph is a letter, and another line isn't another one.
    ("B\n\nThe arm moves, with C) and not", "B"),
    ("B\n\nIt moves.\n\nC", None),
    ("It moves, as (C) does.\nB", "C"),
    # Options that are mentioned.
    ("Looking at option B again, it shows a wheel.", "B"),
    ("Looking at option b again, it shows a wheel.", "B"),
    ("Looking at option A again, it shows a wheel.", "A"),
    ("Looking at option a again, it shows a wheel.", None),
    ("Looking at option B and at option C", None),
    ("Looking at option B, wait, at option C", "C"),
    ("Looking at option B, wait, at option C, at option D", "D"),
    ("Looking at option B, not option C", "B"),
    # Letters at the head of a line, then letters in brackets.
    ("B. True\nIt turns twice", "B"),
    ("(B) twice it turns", "B"),
    ("A. False\nB. True", None),
    ("B. true, A. false", None),
    ("B. true and [C] is not", None),
    ("It is twice [B], I think", "B"),
    ("It is twice [B], or once (C)", None),
    # In running text: no name, but for words that may stand before a letter, another script or letter.
    ("I think B.", "B"),
    ("Person B.", None),
    ("I think C, Person B.", "C"),
    ("Person B or C", None),
    ("With A.", "A"),
    ("人 A.", "A"),
    ("C or C A.", None),
    ("not B.", None),
    ("B because it turns", "B"),
    ("each option: A. no B. yes", None),
]


@pytest.mark.parametrize(("reply", "read"), LETTERS)
def test_letter(reply: str, read: str | None) -> None:
    assert letter(reply, "ABCD") == read


@pytest.mark.parametrize(
    ("reply", "final"),
    [
        ("  x ", "x"),
        ("  ", None),
        ("<think>a</think> b", "b"),
        ("<think>a</think> ", None),
        ("<think>a", None),
        ("</think>a <think>b", None),
        ("</think>b", "b"),
        ("<think>[ or ◁</think> b", "b"),
        ("x [/think] y", "y"),
        ("◁think▷a◁/think▷ 3", "3"),
        # The last tag of an answer, up to the next end of one, if any.
        ("<think>a</think> <answer>1</answer> 2", "1"),
        ("<answer>1</answer> <answer> 2 </answer> 3", "2"),
        ("<answer>1", "1"),
        ("<answer>4</conclusion> 5 </answer>", "4"),
        ("<answer></answer> 3", None),
        # A tag within the reasoning is talked about.
        ("<think><answer>1</answer></think> 2", "2"),
        ("İİİİİİİİ <answer>1</answer>", "1"),
    ],
)
def test_final_answer(reply: str, final: str | None) -> None:
    assert final_answer(reply) == final


@pytest.mark.slow
@given(st.text())
def test_takes_anything(reply: str) -> None:
    assert all(isinstance(value, int) for value in integers(reply))
