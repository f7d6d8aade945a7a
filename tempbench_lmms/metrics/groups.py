"""Metrics of questions that count only together: one question on two clips, both orders of a pair."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tempbench_lmms.metrics.ratio import Ratio, ratio

Key = TypeVar("Key", bound=Hashable)


def complete(keys: Iterable[Key], size: int) -> set[Key]:
    """Returns the groups with at least `size` questions; `--limit` may have cut others.

    Args:
        keys: The group of each question.
        size: How many questions a whole group has.
    """
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
        cluster: The unit of sampling that a group belongs to; the group itself where omitted.

    >>> all_right([("a", 1), ("a", 1), ("b", 1), ("b", 0), ("cut", 1)], 2).value
    0.5
    """
    right: dict[Key, list[float]] = {}
    for key, correct in answers:
        right.setdefault(key, []).append(correct)
    whole = {key: found for key, found in right.items() if len(found) >= size}
    return ratio(((all(found), 1) for found in whole.values()), map(cluster, whole))
