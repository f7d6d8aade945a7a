"""What holds of the letter that is read in any reply."""

from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.choice import parse_choice

TRUE_FALSE = ("True", "False")


@given(st.text(max_size=300))
def test_any_text_gives_an_offered_letter_or_nothing(reply):
    assert parse_choice(reply, "ABCDE") in {*"ABCDE", None}


@given(st.sampled_from("ABCDE"), st.sampled_from(["Option {}", "({})", "The answer is {}.", "**{}**", "{}."]))
def test_relabelling_the_reply_relabels_the_answer(letter, form):
    assert parse_choice(form.format(letter), "ABCDE") == letter


def test_more_options_than_letters_are_no_error():
    assert parse_choice("False", "A", TRUE_FALSE) is None
    assert parse_choice("True", "A", TRUE_FALSE) == "A"
