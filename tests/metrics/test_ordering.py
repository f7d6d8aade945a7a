"""Agreement of orderings, cycles and chains, against the definitions."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics import ordering
from tempbench_lmms.metrics.ordering import direction_score, kendall_tau, pair_counts, ranks


def counts(truth: str, predicted: str) -> tuple[int, int]:
    positive, negative = pair_counts([int(c) - 1 for c in truth], [int(c) - 1 for c in predicted])
    return int(positive[0]), int(negative[0])


@pytest.mark.parametrize(
    ("truth", "predicted", "expected"),
    [
        ("12345", "13245", (9, 1)),  # only the pair (2, 3) is turned
        ("12345", "54321", (0, 10)),
        ("24153", "24153", (10, 0)),
        ("12345", "21534", (7, 3)),  # turned: (1, 2), (3, 5), (4, 5)
        ("123", "312", (1, 2)),  # turned: (1, 3), (2, 3)
    ],
)
def test_by_hand(truth, predicted, expected):
    assert counts(truth, predicted) == expected


def test_pairs_are_counted_in_whole_numbers():
    assert {count.dtype for count in pair_counts([0, 1, 2], [0, 2, 1])} == {np.dtype(np.int64)}


def test_ranks_invert_the_order():
    # Item 2 comes first, item 0 second, item 1 last.
    assert ranks([2, 0, 1]).tolist() == [1, 2, 0]


@pytest.mark.parametrize("order", [[0, 0, 1], [1, 2, 3], [-1, 0, 1]])
def test_no_permutation(order):
    with pytest.raises(ValueError, match=r"0\.\.2"):
        ranks(order)


permutations = st.integers(2, 7).flatmap(
    lambda k: st.tuples(st.permutations(range(k)), st.permutations(range(k)), st.permutations(range(k)))
)


@pytest.mark.slow
@given(permutations)
def test_properties(orders):
    from scipy.stats import kendalltau  # takes longer than all of these tests

    truth, predicted, names = (list(order) for order in orders)
    k = len(truth)
    positive, negative = pair_counts(truth, predicted)
    assert positive + negative == k * (k - 1) // 2
    assert pair_counts(truth, truth)[1] == 0
    # Reading the prediction backwards turns every pair.
    assert pair_counts(truth, predicted[::-1]) == (negative, positive)
    # Which of the two is the truth does not matter, nor what the items are called.
    assert pair_counts(predicted, truth) == (positive, negative)
    renamed = [[names[item] for item in order] for order in (truth, predicted)]
    assert pair_counts(*renamed) == (positive, negative)
    expected = kendalltau(ranks(truth), ranks(predicted)).statistic
    assert kendall_tau(positive, negative)[0] == pytest.approx(expected)


def test_direction_score_is_standardised():
    # All 120 orderings of five items: mean 5 of 10 pairs, variance 5 * 4 * 15 / 72.
    everything = np.array(list(itertools.permutations(range(5))))
    positive, _ = pair_counts(np.tile(np.arange(5), (120, 1)), everything)
    assert positive.mean() == 5
    assert positive.var() == pytest.approx(5 * 4 * 15 / 72)
    assert direction_score(5, 5, [5]) == 0
    assert direction_score(0, 10, [5]) == pytest.approx(-5 / math.sqrt(300 / 72))
    assert math.isnan(direction_score(0, 0, []))


@pytest.mark.slow
def test_a_million_orderings_take_less_than_a_second():
    generator = np.random.default_rng(0)
    truth, predicted = (np.argsort(generator.random((1_000_000, 5)), axis=1) for _ in range(2))
    start = time.process_time()
    positive, negative = pair_counts(truth, predicted)
    assert time.process_time() - start < 1
    assert positive.sum() / negative.sum() == pytest.approx(1, abs=0.01)


ALL = list(itertools.permutations("abc", 2))


def test_cycles_are_those_of_the_definition():
    for n in range(len(ALL) + 1):
        for edges in itertools.combinations(ALL, n):
            # A graph has no cycle where some order of its nodes has every edge forwards.
            ordered = any(
                all(order.index(one) < order.index(other) for one, other in edges)
                for order in itertools.permutations("abc")
            )
            assert ordering.has_cycle(edges) == (not ordered)


def test_chains():
    assert sorted(ordering.chains([("a", "b"), ("b", "c"), ("c", "a")])) == [
        ("a", "c"),
        ("b", "a"),
        ("c", "b"),
    ]
    assert list(ordering.chains([("a", "b"), ("b", "a")])) == []
    # Two ways from a to d are two chains.
    assert list(ordering.chains([("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")])) == [("a", "d")] * 2
