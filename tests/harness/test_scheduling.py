"""Questions dealt out to the processes of a run: as many to each, those about the same together."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.harness.scheduling import Question, in_groups, shares

SHOWN = st.lists(st.sampled_from("abcdef"), max_size=40)


def numbered(task, shown):
    return [Question(task, i, one) for i, one in enumerate(shown)]


def cuts(keys):
    """Returns how often something comes back after another one."""
    return sum(one != other for one, other in pairwise(keys)) + bool(keys) - len({*keys})


@given(SHOWN, SHOWN, st.integers(1, 6), st.sets(st.integers(0, 79)))
def test_groups_are_cut_between_processes_alone(one, other, size, stored):
    questions = numbered("first", one) + numbered("second", other)
    kept = [question for i, question in enumerate(questions) if i not in stored]
    left = [[one for one in questions[rank::size] if one in kept] for rank in range(size)]
    dealt = shares(left)
    # Every question is asked, all processes have as many, and few are asked twice.
    assert len({len(share) for share in dealt}) == 1
    assert {one for share in dealt for one in share} == {
        (rank, i) for rank, own in enumerate(left) for i in range(len(own))
    }
    asked = [[left[rank][i] for rank, i in dict.fromkeys(share)] for share in dealt]
    assert all(cuts([(one.task, one.shown) for one in share]) == 0 for share in asked)
    # One after the other the processes ask what one process asks, each question where it stands there.
    together = [*dict.fromkeys(one for share in asked for one in share)]
    for task in ("first", "second"):
        own = [one for one in kept if one.task == task]
        assert [one for one in together if one.task == task] == [own[i] for i in in_groups(own)]


@given(SHOWN)
def test_questions_without_company_stay_in_their_order(shown):
    assert in_groups([Question("task", i, str(i)) for i in range(len(shown))]) == [*range(len(shown))]
