"""Questions dealt out to the processes of a run: as many to each, those about the same together."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.harness.dealing import Pictured, in_groups, shares

# What each question of a task shows, and in which order.
SHOWN = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("12")), max_size=60)


def numbered(task, shown):
    return [Pictured(task, i, one, one + order) for i, (one, order) in enumerate(shown)]


def in_turn(questions, size):
    """Returns the questions of each process as the harness deals them out."""
    return [questions[rank::size] for rank in range(size)]


def cuts(keys):
    """Returns how often something comes back after another one."""
    return sum(one != other for one, other in pairwise(keys)) + bool(keys) - len({*keys})


def checked(left):
    """Returns the shares; every question is in one, and all have as many."""
    dealt = shares(left)
    every = {(rank, i) for rank, own in enumerate(left) for i in range(len(own))}
    assert len({len(share) for share in dealt}) == 1
    assert {one for share in dealt for one in share} == every
    assert sum(map(len, dealt)) - len(every) < len(left)
    return dealt


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_questions_that_are_not_known_move_as_little_as_possible(missing):
    dealt = checked([[None] * n for n in missing])
    # Nobody asks a question of another process while it has own ones that another process asks.
    counts = Counter(one for share in dealt for one in share)
    first = [list(dict.fromkeys(share)) for share in dealt]
    moved = [one for rank, share in enumerate(first) for one in share if one[0] != rank and counts[one] == 1]
    assert len(moved) <= sum(max(0, n - sum(missing) // len(missing)) for n in missing)


@pytest.mark.slow
@given(SHOWN, SHOWN, st.integers(1, 6), st.sets(st.integers(0, 119)))
def test_groups_are_cut_between_processes_alone(one, other, size, stored):
    questions = numbered("first", one) + numbered("second", other)
    kept = [question for i, question in enumerate(questions) if i not in stored]
    left = [[one for one in own if one in kept] for own in in_turn(questions, size)]
    dealt = checked(left)
    asked = [[left[rank][i] for rank, i in share] for share in dealt]
    assert all(cuts([(one.task, one.shown) for one in share]) == 0 for share in asked)
    assert all(cuts([(one.task, one.shown, one.order) for one in share]) == 0 for share in asked)
    # One after the other the processes ask what one process asks, each question where it stands there.
    together = [*dict.fromkeys(one for share in asked for one in share)]
    assert cuts([one.task for one in together]) == 0
    for task in ("first", "second"):
        own = [one for one in kept if one.task == task]
        assert [one for one in together if one.task == task] == [own[i] for i in in_groups(own)]
    groups = Counter(group for share in asked for group in {(one.task, one.shown) for one in share})
    assert sum(groups.values()) - len(groups) < size


@given(SHOWN, st.integers(1, 6), st.integers(0, 9))
def test_a_task_that_is_not_known_is_dealt_out_beside_ours(shown, size, others):
    known = in_turn(numbered("ours", shown), size)
    dealt = checked([[*own, *[None] * others] for own in known])
    for rank, share in enumerate(dealt):
        assert {(rank, len(known[rank]) + i) for i in range(others)} <= {*share}


@given(SHOWN)
def test_questions_without_company_stay_in_their_order(shown):
    alone = [Pictured("task", i, str(i), order) for i, (_, order) in enumerate(shown)]
    assert in_groups(alone) == [*range(len(alone))]
