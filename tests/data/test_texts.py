from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.data.texts import original, storable

ANY = st.text(st.characters() | st.characters(categories=["Cs", "Co", "Cn"]))


@given(ANY)
def test_every_text_can_be_stored_and_comes_back(text):
    stored = storable(text)
    assert original(stored.encode().decode()) == text


@given(st.text(st.sampled_from("\ud800\udfff\U0010f7ff\U0010f800\U0010fffe\U0010ffffA")))
def test_what_looks_escaped_already_comes_back_too(text):
    assert original(storable(text)) == text
    assert original(original(storable(storable(text)))) == text


@given(st.text(st.characters(max_codepoint=0x10F7FE, exclude_categories=["Cs"])))
def test_other_texts_stay_as_they_are(text):
    assert storable(text) == text


@given(st.characters(categories=["Cs"]))
def test_a_parser_takes_the_escape_for_what_a_surrogate_is(char):
    (stored,) = storable(char)
    for test in (str.isalpha, str.isdigit, str.isalnum, str.isspace, str.isprintable):
        assert test(stored) == test(char)
