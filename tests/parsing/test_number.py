from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.number import parse_index


@given(st.text(max_size=300), st.integers(1, 9))
def test_any_text_gives_an_offered_number_or_nothing(reply, upper):
    assert parse_index(reply, upper) in {None, *range(1, upper + 1)}
