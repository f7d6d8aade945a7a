import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.boolean import parse_boolean


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("True", True),
        ("false.", False),
        ("**False**", False),
        ("TRUE\n", True),
        ("Yes", True),
        ("No, it is reversed.", False),
        ("The statement is not true.", False),
        ("It isn't true.", False),
        ("True or False? False", False),
        ("Answer: True", True),
        ("It would be false in summer. Answer: True", True),
        ("The statement is true because image 2 has more houses.", True),
        ("<think>True? False.</think> True", True),
        ("\\boxed{False}", False),
        ("<think>True", None),
        ("It is true that houses were built, but false that trees grew.", None),
        ("True or False?", None),
        ("True\nFalse", None),
        ("I can't say whether it's true.", None),
        ("It may be true.", None),
        ("It cannot be true.", False),
        ("Both statements are true.", None),
        ("The statement is incorrect.", False),
        ("The correct order is unclear.", None),
        ("$\\boxed{Yes}$", True),
        ("I don't know.", None),
        ("", None),
    ],
)
def test_table(reply, expected):
    assert parse_boolean(reply) is expected


@given(st.text(max_size=200))
def test_never_raises(text):
    assert parse_boolean(text) in (True, False, None)
