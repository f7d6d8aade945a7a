"""Groups of questions, and questions with their options in every order, by hand."""

import math

import pytest

from tempbench_lmms.metrics.ratio import interval
from tempbench_lmms.metrics.together import (
    Rotation,
    all_right,
    asked_in_every_order,
    circular_accuracy,
    complete,
    position_bias,
)


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


def asked(question, n, chosen):
    """Returns a question in all orders, answered by a function of the right place and n."""
    places = ((gold, chosen(gold, n)) for gold in range(n))
    return [Rotation(question, question, n, gold, place, gold == place) for gold, place in places]


def questions(chosen, sizes=(4,) * 10):
    return [one for number, n in enumerate(sizes) for one in asked(number, n, chosen)]


@pytest.mark.parametrize("n", range(2, 9))
def test_one_place_always(n):
    for place in range(n):
        found = questions(lambda gold, n, place=place: place, (n,) * 8)
        assert circular_accuracy(found).value == 0
        assert position_bias(found).value == pytest.approx(math.sqrt(n - 1) / n)


def test_right_throughout_and_never():
    right = questions(lambda gold, n: gold, (2, 3, 5))
    assert circular_accuracy(right).value == 1
    assert position_bias(right).value == 0
    never = questions(lambda gold, n: (gold + 1) % n, (2, 3, 5))
    assert circular_accuracy(never).value == position_bias(never).value == 0
    unread = questions(lambda gold, n: None)
    assert circular_accuracy(unread).value == position_bias(unread).value == 0


def test_one_wrong_order_is_enough():
    found = [*questions(lambda gold, n: gold, (3,)), *asked("other", 3, lambda gold, n: min(gold, 1))]
    assert circular_accuracy(found).value == 0.5


def test_questions_that_were_not_asked_in_every_order_are_left_out():
    found = questions(lambda gold, n: gold)
    assert circular_accuracy(found[:-1]).numerator.sum() == 9
    assert len(list(asked_in_every_order(found[:-1]))) == 9
    # Four records of one order are no four orders.
    assert not list(asked_in_every_order([found[0]] * 4))
    assert math.isnan(circular_accuracy(found[:1]).value)
    assert math.isnan(position_bias(found[:1]).value)


def test_bias_is_the_spread_of_recalls():
    # Recalls 1, 1, 0 and 0.
    found = questions(lambda gold, n: gold if gold < 2 else 0)
    assert position_bias(found).value == pytest.approx(0.5)
    # Recalls 1 and 1/2: A where the right one is C.
    some = [*asked("a", 2, lambda gold, n: gold), *asked("b", 2, lambda gold, n: 0)]
    assert position_bias(some).value == pytest.approx(0.25)


def test_interval_resamples_questions_and_not_orders():
    mixed = [*questions(lambda gold, n: gold, (4,) * 20)]
    for number in range(20, 40):
        mixed += asked(number, 4, lambda gold, n: 0)
    metric = position_bias(mixed)
    assert len(set(metric.cluster)) == 40
    low, high = interval(metric)
    assert metric.value == pytest.approx(math.sqrt(3) / 8)
    assert 0 < low < metric.value < high < math.sqrt(3) / 4
