from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.permutation import parse_permutation


@given(st.permutations("12345"), st.sampled_from([", ", "-", " > ", " -> ", "\n", " ", " then "]))
def test_whatever_is_written_is_read(order, separator):
    assert parse_permutation(separator.join(order), "12345") == tuple(order)


@given(st.text(max_size=200))
def test_never_raises_and_never_invents(text):
    found = parse_permutation(text, "12345")
    assert found is None or sorted(found) == list("12345")
