"""Groups of questions, by hand."""

import math

from tempbench_lmms.metrics.groups import all_right, complete


def test_a_group_is_right_when_all_its_questions_are():
    # a: 2 of 2, b: 1 of 2, c: 0 of 2 right; d was cut: 1 of 3 groups.
    answers = [("a", 1), ("b", 1), ("c", 0), ("a", 1), ("b", 0), ("c", 0), ("d", 1)]
    found = all_right(answers, 2)
    assert found.value == 1 / 3
    assert found.keys == ("a", "b", "c")
    assert complete((key for key, _ in answers), 2) == {"a", "b", "c"}


def test_a_group_belongs_to_its_cluster():
    # Two groups of one instance are one cluster.
    answers = [(("x", 0), 1), (("x", 1), 0), (("y", 0), 1), (("y", 1), 1)]
    found = all_right(answers, 1, lambda key: key[0])
    assert found.keys == ("x", "y")
    assert found.value == 0.75
    assert list(found.cluster) == [0, 0, 1, 1]


def test_nothing_is_undefined_and_not_0():
    assert math.isnan(all_right([], 2).value)
    assert math.isnan(all_right([("a", 1)], 2).value)
