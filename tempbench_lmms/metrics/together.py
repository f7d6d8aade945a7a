"""Metrics of questions that count only together: one question on two clips, or its options in every order.

A question with n options is asked n times, rotated by one more place each time, so that the right option is
once in every place. A model that always picks one place is right exactly once.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from tempbench_lmms.metrics.ratio import Floats, Ratio, Statistic, ratio, statistic

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Returns the values of each key, both in the order of the pairs."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def complete(keys: Iterable[Key], size: int) -> set[Key]:
    """Returns the groups with at least `size` questions; `--limit` may have cut others."""
    return {key for key, n in Counter(keys).items() if n >= size}


def all_right(
    answers: Iterable[tuple[Key, float]],
    size: int,
    cluster: Callable[[Key], Hashable] = lambda key: key,
) -> Ratio:
    """Returns the share of complete groups in which all questions are answered rightly.

    Args:
        answers: The group of each question, and 1 where its answer is right, else 0.
        size: How many questions a whole group has; groups with fewer are left out.
        cluster: Returns the cluster (`card.Cluster`) of a group; the group itself where omitted.

    >>> all_right([("a", 1), ("a", 1), ("b", 1), ("b", 0), ("cut", 1)], 2).value
    0.5
    """
    whole = {key: found for key, found in grouped(answers).items() if len(found) >= size}
    return ratio(((all(found), 1) for found in whole.values()), map(cluster, whole))


PLACES = 26
"""How many options a question may have."""


class Rotation(NamedTuple):
    """A question as it was asked with its options in one order."""

    question: Hashable  # the question, whatever the order
    cluster: Hashable  # the question's (`card.Cluster`)
    n: int  # how many options it has, and so orders
    gold: int  # the place of the right option, from 0
    answer: int | None  # the place of the option that was chosen; None where none was read
    right: bool  # whether the answer is right: two options may have the same text


def asked_in_every_order(rotations: Iterable[Rotation]) -> Iterator[list[Rotation]]:
    """Yields the questions that were asked in all their orders, each with its askings."""
    groups = grouped((one.question, one) for one in rotations)
    return (own for own in groups.values() if len({one.gold for one in own}) == own[0].n)


def circular_accuracy(rotations: Iterable[Rotation]) -> Ratio:
    """Returns the share of questions that are right in all their orders, over those that were asked in all.

    Source: CircularEval; Liu et al. 2024, "MMBench: Is Your Multi-modal Model an All-around Player?"
    (arXiv 2307.06281).

    >>> orders = [Rotation("a", "a", 2, gold, answer, gold == answer) for gold, answer in ((0, 0), (1, 0))]
    >>> circular_accuracy(orders).value
    0.0
    """
    found = list(asked_in_every_order(rotations))
    return ratio(((all(one.right for one in own), 1) for own in found), (own[0].cluster for own in found))


def position_bias(rotations: Sequence[Rotation]) -> Statistic:
    """Returns the standard deviation, over places, of the recall of the right options in a place (RStd).

    Source: Zheng et al. 2024, "Large Language Models Are Not Robust Multiple Choice Selectors" (arXiv
    2309.03882). It is 0 if the right option is found equally well in every place, and sqrt(n - 1) / n, for n
    places, if one place is always chosen. Chance alone spreads recalls a little, so few questions give more
    than 0.

    >>> orders = [Rotation("a", "a", 2, gold, answer, gold == answer) for gold, answer in ((0, 0), (1, 0))]
    >>> position_bias(orders).value
    0.5
    """

    def terms(one: Rotation) -> list[float]:
        out = [0.0] * (2 * PLACES)
        out[one.gold] = one.answer == one.gold
        out[PLACES + one.gold] = 1
        return out

    return statistic(map(terms, rotations), (one.cluster for one in rotations), 2 * PLACES, recall_spread)


def recall_spread(sums: Floats) -> Floats:
    """Returns the standard deviation of recalls; NaN if fewer than two places have a right option.

    Args:
        sums: Shape (..., 2k): of k places what was found, then what was there.
    """
    found, there = np.split(sums, 2, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = (there > 0).sum(axis=-1)
        recalls = np.where(there > 0, found / there, 0)
        mean = recalls.sum(axis=-1) / n
        squares = np.where(there > 0, (recalls - mean[..., None]) ** 2, 0).sum(axis=-1)
        return np.where(n > 1, np.sqrt(squares / n), np.nan)
