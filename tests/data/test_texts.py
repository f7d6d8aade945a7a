from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.data.replies import storable


@given(st.text(st.characters() | st.characters(categories=["Cs", "Co", "Cn"])))
def test_every_text_can_be_stored_and_a_parser_takes_it_for_what_it_is(text):
    stored = storable(text)
    assert stored.encode().decode() == stored
    for one, other in zip(text, stored, strict=True):
        assert one == other or "\ud800" <= one <= "\udfff"
        for test in (str.isalpha, str.isdigit, str.isalnum, str.isspace, str.isprintable):
            assert test(other) == test(one)
