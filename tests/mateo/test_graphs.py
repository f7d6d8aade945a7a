"""Pairs from graphs, against a path search that tries everything."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.mateo.graphs import Pair, counts, cycle, descendants, pairs

# 0 -> 1 -> 3 -> 4 and 2 -> 3. A path but no edge: 03, 04, 14, 24.
WORKED = [(0, 1), (1, 3), (2, 3), (3, 4)]


def test_a_dependent_pair_is_in_the_order_of_its_edge_an_independent_one_in_that_of_the_plan():
    # The plan lists the second step first: 1 -> 0.
    assert pairs(3, [(1, 0)]) == [Pair(1, 0, True), Pair(0, 2, False), Pair(1, 2, False)]


def test_an_edge_that_a_path_implies_too_is_still_asked():
    assert Pair(0, 2, True) in pairs(3, [(0, 1), (1, 2), (0, 2)])


def test_extremes():
    assert pairs(0, []) == []
    assert pairs(1, []) == []
    assert pairs(3, []) == [Pair(0, 1, False), Pair(0, 2, False), Pair(1, 2, False)]
    chain = [(i, i + 1) for i in range(20)]
    assert [pair[:2] for pair in pairs(21, chain)] == chain


def test_cycle():
    assert cycle(4, [(0, 1), (1, 2), (2, 1), (2, 3)]) == [1, 2]
    assert cycle(2, [(1, 1)]) == [1]
    assert cycle(5, WORKED) == []
    with pytest.raises(ValueError, match="1 -> 2 form a cycle"):
        pairs(4, [(0, 1), (1, 2), (2, 1), (2, 3)])


def test_counts():
    # Three steps have successors, four edges and 2 independent pairs of 10: 4 transitive ones.
    # Steps with a successor: 0, 1, 2, 3; one each.
    assert counts([(5, WORKED)])._asdict() == {
        "plans": 1,
        "steps": 5,
        "edges": 4,
        "independent": 2,
        "transitive": 4,
        "branching": 1.0,
    }


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 7))
    order = draw(st.permutations(range(n)))
    possible = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    return n, draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []


@pytest.mark.slow
@given(graphs())
def test_like_trying_every_path(graph):
    n, edges = graph
    successors = {i: [b for a, b in edges if a == i] for i in range(n)}

    def reaches(a, b):
        return any(c == b or reaches(c, b) for c in successors[a])

    expected = set()
    for a, b in itertools.combinations(range(n), 2):
        if (a, b) in edges:
            expected.add(Pair(a, b, True))
        elif (b, a) in edges:
            expected.add(Pair(b, a, True))
        elif not reaches(a, b) and not reaches(b, a):
            expected.add(Pair(a, b, False))
    assert set(pairs(n, edges)) == expected
    bits = descendants(n, edges)
    assert bits == [sum(1 << b for b in range(n) if reaches(a, b)) for a in range(n)]


@pytest.mark.slow
@given(st.integers(1, 6), st.sets(st.integers(0, 35), max_size=12))
def test_a_cycle_is_found_where_there_is_one(n, places):
    edges = {(a, b) for a, b in (divmod(place, 6) for place in places) if a < n and b < n}
    around = cycle(n, edges)
    assert (descendants(n, edges) is None) == bool(around)
    if around:
        steps = [*around, around[0]]
        assert all(edge in edges for edge in itertools.pairwise(steps))
