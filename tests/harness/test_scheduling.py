"""Questions dealt out to the processes of a run: as many to each, in stretches."""

from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.harness.scheduling import shares


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 6), st.sets(st.integers(0, 79)))
def test_every_question_is_asked_in_order_and_all_processes_have_as_many(one, other, size, stored):
    questions = [("first", i) for i in range(one)] + [("second", i) for i in range(other)]
    kept = [question for i, question in enumerate(questions) if i not in stored]
    left = [[one for one in questions[rank::size] if one in kept] for rank in range(size)]
    dealt = shares(left)
    assert len({len(share) for share in dealt}) == 1
    asked = [left[rank][i] for share in dealt for rank, i in dict.fromkeys(share)]
    together = [*dict.fromkeys(asked)]
    assert {*together} == {*kept}
    assert len(asked) - len(together) < size  # few are asked twice
    for task in ("first", "second"):
        assert [one for one in together if one[0] == task] == [one for one in kept if one[0] == task]
