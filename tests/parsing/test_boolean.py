from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.boolean import parse_boolean


@given(st.text(max_size=200))
def test_never_raises(text):
    assert parse_boolean(text) in (True, False, None)
