import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.clean import clip, final_answer, squeeze
from tempbench_lmms.parsing.expected import Choice


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>A?</think> B", "B"),
        ("A <answer>B</answer> C", "B"),
        ("<CONCLUSION>B</CONCLUSION>", "B"),
        ("A or B? <|begin_of_box|>B<|end_of_box|>", "B"),
        ("<think>A</think><think>B", None),
        ("<answer>B <think>or", None),
        ("İ<answer>B</answer>", "B"),
    ],
)
def test_final_answer(reply, answer):
    assert final_answer(reply) == answer


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "A", " ", "İ"])).map("".join)
)
def test_the_final_answer_stands_in_the_reply(reply):
    answer = final_answer(reply)
    assert answer is None or answer in reply


def test_a_cut_halves_no_word():
    # Cut at any place, "OMEGA." would begin with "A." somewhere, and "12.5" with 5.
    for shift in range(12):
        reply = "x " * 3000 + "y" * shift + " OMEGA. 12.5 " * 400
        assert {*clip(reply).split()} <= {*reply.split(), "@"}
    assert len(clip("x " * 10**6)) < 8_010
    assert clip("short") == "short"


def test_the_beginning_and_the_end_of_a_long_reply_are_read():
    filler = "The picture shows it. " * 1000
    assert reader.read(f"Answer: B\n{filler}", Choice("AB")).value == "B"
    assert reader.read(f"{filler}\nAnswer: B", Choice("AB")).value == "B"
    # Nothing reads across the cut.
    apart = "x " * 1994 + "The answer is " + "x " * 5000 + "B x " + "y " * 1997
    assert reader.read(apart, Choice("AB")).how != "answer"


@given(st.text(st.sampled_from("a \n\t\r\u3000\u2028")))
def test_squeezing_leaves_words_and_paragraphs(text):
    squeezed = squeeze(text)
    assert squeezed.split() == text.split()
    assert squeeze(squeezed) == squeezed
    assert "  " not in squeezed
    assert "\n\n\n" not in squeezed
