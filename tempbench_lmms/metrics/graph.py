"""Properties of a directed graph, given by its edges."""

import graphlib
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def has_cycle(edges: Iterable[tuple[Node, Node]]) -> bool:
    """Returns whether a walk along the edges can return to its start.

    >>> has_cycle([(1, 2), (2, 3), (1, 3)]), has_cycle([(1, 2), (2, 3), (3, 1)])
    (False, True)
    """
    sorter: graphlib.TopologicalSorter[Node] = graphlib.TopologicalSorter()
    for before, after in edges:
        sorter.add(after, before)
    try:
        sorter.prepare()
    except graphlib.CycleError:
        return True
    return False


def chains(edges: Iterable[tuple[Node, Node]]) -> Iterator[tuple[Node, Node]]:
    """Yields the ends A and C of every two edges A to B and B to C, A and C being different nodes.

    >>> list(chains([(1, 2), (2, 3), (2, 1)]))
    [(1, 3)]
    """
    after: dict[Node, list[Node]] = {}
    listed = list(edges)
    for first, second in listed:
        after.setdefault(first, []).append(second)
    for first, second in listed:
        yield from ((first, third) for third in after.get(second, ()) if third != first)
