"""Plans as directed acyclic graphs: the order of steps, and the pairs to ask.

Source: section 5.2. Before is a direct edge; independent is no directed path either way. A pair with a path
but no edge (a transitive dependency) is not asked.
"""

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

Edge = tuple[int, int]


class Pair(NamedTuple):
    """An unordered pair of steps in its original order."""

    # 0-based position of step A. Of a dependent pair, the step that must come first; of an independent
    # pair, the one that the plan lists first.
    first: int
    second: int  # position of step B
    dependent: bool  # whether there is an edge from A to B


def descendants(n: int, edges: Iterable[Edge]) -> list[int] | None:
    """Returns, for each step, the steps that depend on it, directly or indirectly.

    Computed once over the whole graph, from the last steps to the first: a step's set is the union of its
    successors' sets.

    Returns:
        n sets as bits: bit j of the i-th number is set where j comes after i. None if there is a cycle.

    >>> [bin(bits) for bits in descendants(3, [(0, 1), (1, 2)])]
    ['0b110', '0b100', '0b0']
    """
    after: list[list[int]] = [[] for _ in range(n)]
    for first, second in edges:
        after[first].append(second)
    reach = [0] * n
    try:
        ordered = [*TopologicalSorter(dict(enumerate(after))).static_order()]
    except CycleError:
        return None
    for step in ordered:
        for second in after[step]:
            reach[step] |= reach[second] | 1 << second
    return reach


def cycle(n: int, edges: Iterable[Edge]) -> list[int]:
    """Returns the steps of one cycle in order; empty if there is none."""
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(n), ()))
    for before, after in edges:
        sorter.add(after, before)
    try:
        sorter.prepare()
    except CycleError as error:
        loop = error.args[1][:-1]
        first = loop.index(min(loop))
        return [*loop[first:], *loop[:first]]
    return []


def pairs(n: int, edges: Sequence[Edge]) -> list[Pair]:
    """Returns all pairs to ask: one for each edge, and the independent ones.

    Returns:
        Pairs in the order of their first and second step's positions in the plan.

    >>> pairs(3, [(0, 2), (1, 2)])
    [Pair(first=0, second=1, dependent=False), Pair(first=0, second=2, dependent=True), \
Pair(first=1, second=2, dependent=True)]
    """
    after = descendants(n, edges)
    if after is None:
        raise ValueError(f"the steps {' -> '.join(map(str, cycle(n, edges)))} form a cycle")
    direct = [0] * n
    for first, second in edges:
        direct[first] |= 1 << second
    found = []
    for low in range(n):
        for high in range(low + 1, n):
            if direct[low] >> high & 1:
                found.append(Pair(low, high, True))
            elif direct[high] >> low & 1:
                found.append(Pair(high, low, True))
            elif not (after[low] >> high & 1 or after[high] >> low & 1):
                found.append(Pair(low, high, False))
    return found


class Counts(NamedTuple):
    """Counts of a set of plans."""

    plans: int  # number of plans
    steps: int  # number of steps
    edges: int  # number of direct dependencies, so of dependent pairs
    independent: int  # number of independent pairs
    transitive: int  # number of pairs with a path but no edge, which are not asked
    branching: float  # mean number of successors of the steps that have any


def counts(graphs: Iterable[tuple[int, Sequence[Edge]]]) -> Counts:
    """Counts the pairs of plans given as (number of steps, edges), without cycles."""
    plans = steps = edges = independent = transitive = inner = 0
    for n, graph in graphs:
        asked = pairs(n, graph)
        dependent = sum(pair.dependent for pair in asked)
        plans += 1
        steps += n
        edges += dependent
        independent += len(asked) - dependent
        transitive += n * (n - 1) // 2 - len(asked)
        inner += len({before for before, _ in graph})
    return Counts(
        plans, steps, edges, independent, transitive, round(edges / inner, 4) if inner else float("nan")
    )
