"""Cycles and chains, against the definition on all small graphs."""

import itertools

from tempbench_lmms.metrics import ordering

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
