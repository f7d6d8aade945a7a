"""Agreement of two orderings of the same items: pairs in the right order, Kendall's tau, directions.

An ordering is a permutation of 0, ..., k - 1: which item is first, second, and so on. Answers to pairs of
items are edges of a graph.
"""

import graphlib
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]


def ranks(orders: ArrayLike) -> NDArray[np.int8]:
    """Returns the rank of every item: the inverse permutations.

    Args:
        orders: Shape (n, k) or (k,), k at most 127.

    Returns:
        The same shape: `ranks(orders)[i, item]` is the rank of `item` in ordering i.

    Raises:
        ValueError: A row is not a permutation of 0, ..., k - 1.
    """
    table = np.atleast_2d(np.asarray(orders))
    n, k = table.shape
    out = np.full((n, k), -1, dtype=np.int8)
    if table.size and (table.min() < 0 or table.max() >= k):
        raise ValueError(f"items outside 0..{k - 1}")
    out[np.arange(n)[:, None], table] = np.arange(k, dtype=np.int8)
    if (out < 0).any():
        raise ValueError(f"a row is not a permutation of 0..{k - 1}")
    return out.reshape(np.shape(orders))


def pair_counts(truth: ArrayLike, predicted: ArrayLike) -> tuple[Counts, Counts]:
    """Returns the numbers of positive and of negative pairs of each ordering.

    A pair of items is positive if both orderings have the same one first:
    (rank_pred(i) - rank_pred(j)) * (rank_true(i) - rank_true(j)) > 0; negative where the product is
    negative. Source: TimePerceptBench, section III.D.

    Args:
        truth: True orderings, shape (n, k) or (k,).
        predicted: Predicted orderings of the same shape.

    Returns:
        Two arrays of shape (n,); each row sums to k * (k - 1) / 2.

    >>> [int(count[0]) for count in pair_counts([0, 1, 2, 3, 4], [0, 2, 1, 3, 4])]
    [9, 1]
    """
    # One row an item: every pair is then a comparison of two contiguous arrays.
    wanted, given = (np.ascontiguousarray(ranks(np.atleast_2d(order)).T) for order in (truth, predicted))
    k, n = wanted.shape
    agreeing = np.zeros(n, dtype=np.int16)
    for i in range(k):
        for j in range(i + 1, k):
            agreeing += (wanted[i] < wanted[j]) == (given[i] < given[j])
    positive = agreeing.astype(np.int64)
    return positive, k * (k - 1) // 2 - positive


def kendall_tau(positive: ArrayLike, negative: ArrayLike) -> NDArray[np.float64]:
    """Returns (positive - negative) / (positive + negative): Kendall's tau-a of orderings without ties.

    Returns:
        From -1 (reversed) over 0 (unrelated) to 1 (equal); NaN where there is no pair.
    """
    plus, minus = np.asarray(positive, dtype=np.float64), np.asarray(negative, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        tau: NDArray[np.float64] = (plus - minus) / (plus + minus)
    return tau


def direction_score(positive: float, negative: float, sizes: Sequence[int]) -> float:
    """Returns how many standard deviations the positive pairs lie above those of random orderings.

    The number of positive pairs of a random ordering of k items has the mean k(k-1)/4 and the variance
    k(k-1)(2k+5)/72. Source: Kendall 1938, section 8.

    Args:
        positive: Positive pairs, summed over the orderings.
        negative: Negative pairs, likewise.
        sizes: The number of items of each ordering that was counted.

    Returns:
        Far below 0: ordered backwards. NaN where nothing was counted.
    """
    variance = sum(k * (k - 1) * (2 * k + 5) / 72 for k in sizes)
    return (positive - negative) / 2 / math.sqrt(variance) if variance else math.nan


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
