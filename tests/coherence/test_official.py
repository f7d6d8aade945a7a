import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.coherence.official import integers


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


@pytest.mark.slow
@given(st.text())
def test_takes_anything(reply: str) -> None:
    assert all(isinstance(value, int) for value in integers(reply))
