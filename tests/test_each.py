"""The sample of cases that the test command runs covers what it says."""

import itertools

import pytest

from tests.each import sample

CASES = list(itertools.product("abcd", "xyz", (1, 2)))


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_every_class_is_covered(at_once):
    params = sample([pytest.param(case) for case in CASES], lambda case: case, at_once=at_once)
    assert [param.values[0] for param in params] == CASES
    kept = [param.values[0] for param in params if not param.marks]
    for places in itertools.combinations(range(3), at_once):
        every = {tuple(case[i] for i in places) for case in CASES}
        assert {tuple(case[i] for i in places) for case in kept} == every
    # No fewer than the largest product of classes, and not many more.
    least = {1: 4, 2: 12, 3: 24}[at_once]
    assert least <= len(kept) <= least * 4 / 3


def test_a_mark_and_a_name_stay():
    slow = pytest.param("a", marks=pytest.mark.slow, id="first")
    kept, left = sample([slow, pytest.param("a", marks=pytest.mark.slow, id="second")], lambda case: case)
    assert kept == slow
    assert (left.id, {mark.name for mark in left.marks}) == ("second", {"slow", "exhaustive"})
