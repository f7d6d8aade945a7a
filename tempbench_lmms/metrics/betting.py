"""Is one run better than another? A test that may be looked at after every group of questions.

A p value that is looked at again and again until it is small is small sooner or later. What stands here
is the capital of somebody who bets on one of two runs, group by group, at fair odds if they are alike: that
it ever grows twentyfold has a probability of at most 1 in 20 then, however often one looks.

A share may be of what the replies decide (right answers where something else is right): a ratio of two means,
E[x] / E[w]. Runs A and B are alike if x_A - r w_A and x_B - r w_B have a mean of 0, for a ratio r that they
share. The bets are on the one less the other. Nobody knows r. The earlier run's groups, all of them known,
give a range for it, at a small part of the level, and what counts is the least capital in that range. Where
both runs have the same weights r drops out, and it is the plain test.

Groups are a sample of those that there might be: alike are models, not their results on these groups. (That
the earlier run's own ratio is taken for r, as if it were exact, tells models apart that are alike.)

Sources: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS-B 86(1):
the capital process of theorem 3 for a mean of 0, with the diversified bets (dKelly) of its appendix; Ville
1939 for the inequality. Fieller 1954, "Some problems in interval estimation", JRSS-B 16(2), for the
ratio as that r. Berger & Boos 1994, "P values maximized over a confidence set for the nuisance parameter",
JASA 89(427), for its range.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tempbench_lmms.metrics.ratio import Floats

_BETS = np.linspace(0.05, 0.95, 19)  # on either side
_TOLERANCE = 1e-12
_HALVINGS = 20
_HALVINGS_OF_RANGE = 11  # an error of 0.0005 on either side, which makes the range wider
_STEPS = 1000
_SPENT = 0.1
_FIRST_LOOK, _LOOKS = 8, 1.5


@dataclass(frozen=True)
class Decision:
    """When two runs were told apart.

    Attributes:
        n_groups: After how many groups.
        first_is_higher: Whether the first run has the higher mean.
    """

    n_groups: int
    first_is_higher: bool


@dataclass(frozen=True)
class Alike:
    """What runs have in common that are as good as an earlier one.

    Attributes:
        ratios: The ends of the range of their ratio; one value where it makes no difference.
        level: What is left for the test.
        known: From which group on, by the groups before it, the ratio was known to lie between which ends.
    """

    ratios: tuple[float, ...]
    level: float
    known: tuple[tuple[int, float, float], ...] = field(default=((0, 0.0, 1.0),), compare=False, repr=False)

    def before(self, n_groups: int) -> Floats:
        """Returns, shape (2, n_groups), the ends of the range that the groups before each one give."""
        starts, lows, highs = zip(*self.known, strict=True)
        at = np.searchsorted(starts, np.arange(n_groups), side="right") - 1
        return np.array([lows, highs])[:, at]


def alike(terms: ArrayLike, level: float = 0.05) -> Alike:
    """Returns where the ratio of an earlier run may lie, and the level that this leaves.

    Args:
        terms: Shape (n, 2): numerator and denominator of all its groups, over the largest one possible.
        level: Of the whole test.

    >>> alike([[0.3, 0.5]] * 400)  # doctest: +ELLIPSIS
    Alike(ratios=(0.576..., 0.616...), level=0.045)
    """
    value, weight = np.asarray(terms, dtype=np.float64).T
    spent = _SPENT * level
    known = [(0, 0.0, 1.0)]
    # The range is looked at again and again too: one capital, so that its level holds for all looks together.
    while (start := known[-1][0]) < len(value):
        look = min(len(value), max(_FIRST_LOOK, int(start * _LOOKS)))
        _, low, high = known[-1]
        low = min(high, max(low, _lowest(value[:look], weight[:look], spent / 2)))
        high = max(low, min(high, 1 - _lowest((weight - value)[:look], weight[:look], spent / 2)))
        known.append((look, low, high))
    return Alike(known[-1][1:], level - spent, tuple(known))


def _lowest(value: Floats, weight: Floats, level: float) -> float:
    """Returns a ratio of means that the true one is below with a probability of `level` at most."""
    bets = _BETS[::2, None]

    def is_refuted(ratio: float) -> bool:
        # A group loses no more than the ratio, so that this is a stake; it falls as the ratio grows.
        staked = np.log1p(bets * (value / ratio - weight)).sum(axis=1)
        return bool(np.logaddexp.reduce(staked) >= math.log(len(bets) / level))

    return _largest(is_refuted, 0.0, 1.0, _HALVINGS_OF_RANGE)


def _largest(holds: Callable[[float], bool], low: float, high: float, halvings: int = _HALVINGS) -> float:
    """Returns up to where something holds, by bisection; `low` where it holds nowhere above that."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class Differences:
    """What is bet on, group by group.

    Attributes:
        ends: Shape (k, ..., n): the groups' differences at either end of the shared ratio's range.
        losses: What a bet of 1 on the first run loses at most, and what one on the second does; shapes that
            go with (..., n), from 0 to 1.
        weights: What a difference of 1 between the runs' ratios adds to a group's, from 0 to 1.
    """

    ends: Floats
    losses: tuple[ArrayLike, ArrayLike] = (1.0, 1.0)
    weights: ArrayLike = 1.0

    def __getitem__(self, groups: slice) -> "Differences":
        """Returns some of the groups."""
        losses = [np.broadcast_to(one, self.ends.shape[1:])[..., groups] for one in self.losses]
        weights = np.broadcast_to(self.weights, self.ends.shape[1:])[..., groups]
        return Differences(self.ends[..., groups], (losses[0], losses[1]), weights)


def differences(
    first: ArrayLike, second: ArrayLike, ratios: Sequence[ArrayLike], before: ArrayLike | None = None
) -> Differences:
    """Returns of each group what has a mean of 0 where both runs have one ratio of means.

    Bets are on so much of each run's group that an error in the shared ratio cancels out: parts that are as
    the other run's mean denominator. The groups before say what these are, and how much can be lost and so
    be staked: the group itself and those to come have no say, so that the bet stays fair.

    Args:
        first: Shape (..., n, 2): each group's numerator and denominator, over the largest one possible; the
            numerator is from 0 to the denominator.
        second: The same of the second run.
        ratios: The ends of the range of the shared ratio, as `Alike` has them; for many pairs of runs of
            shape (..., 1).
        before: Shape (2, ..., n): the ends of the range that is known before each group, wider than `ratios`
            (`Alike.before`); by default `ratios`, as if they had been known from the beginning.

    >>> differences([[0.5, 1.0]], [[0.25, 0.5]], [0.5]).ends
    array([[0.]])
    """
    a, b = (np.asarray(terms, dtype=np.float64) for terms in (first, second))
    passed = [1 + one.cumsum(axis=-1) - one for one in (a[..., 1], b[..., 1])]
    of_a, of_b = (np.minimum(*passed) / one for one in passed)
    ends = [
        of_a * (a[..., 0] - ratio * a[..., 1]) - of_b * (b[..., 0] - ratio * b[..., 1])
        for ratio in (np.asarray(one, dtype=np.float64) for one in ratios)
    ]
    known = [np.asarray(one, dtype=np.float64) for one in (ratios if before is None else np.asarray(before))]
    of_first = np.maximum.reduce([of_a * ratio + of_b * (1 - ratio) for ratio in known])
    of_second = np.maximum.reduce([of_a * (1 - ratio) + of_b * ratio for ratio in known])
    return Differences(np.stack(ends), (of_first, of_second), of_a * a[..., 1])


def _given(differences: ArrayLike | Differences) -> Differences:
    if isinstance(differences, Differences):
        return differences
    return Differences(np.asarray(differences, dtype=np.float64)[None])


def log_capital(differences: ArrayLike | Differences) -> Floats:
    """Returns the logarithm of the capital after each group; it begins with 1.

    The capital is shared out among bets of fixed sizes on either side, and each share is staked again on
    every group. Groups must come in an order that has nothing to do with their results: a random one.

    Args:
        differences: Shape (..., n): of each group the first run's result minus the second's, from -1 to 1. Of
            `Differences` with two ends it is no more than the capital anywhere between: there a share's
            logarithm is concave, so that it is least at an end.

    Raises:
        ValueError: A difference is not in that range.

    >>> [round(float(one), 3) for one in np.exp(log_capital([0.0, 1.0, -1.0]))]
    [1.0, 1.0, 0.675]
    """
    return np.logaddexp(*_log_sides(_given(differences)))


def _log_sides(given: Differences) -> tuple[Floats, Floats]:
    """Returns the logarithms of both sides' capital after each group; it begins with a half each."""
    found = []
    for sign, loss in zip((1, -1), given.losses, strict=True):
        won = sign * given.ends / np.asarray(loss)
        if not (won >= -1 - _TOLERANCE).all():
            raise ValueError("a difference is not from -1 to 1; divide it by the largest one possible")
        total = np.full(won.shape[1:], -math.inf)
        for bet in _BETS:
            total = np.logaddexp(total, np.log1p(bet * won).cumsum(axis=-1).min(axis=0))
        found.append(total - math.log(2 * len(_BETS)))
    return found[0], found[1]


def decision(differences: ArrayLike | Differences, level: float = 0.05) -> Decision | None:
    """Returns when two runs are told apart; None where they are not.

    Args:
        differences: Shape (n,), as for `log_capital`.
        level: Probability, at most, that runs with the same mean are ever told apart.

    >>> decision([0.5] * 40)
    Decision(n_groups=14, first_is_higher=True)
    """
    first, second = _log_sides(_given(differences))
    above = np.flatnonzero(np.logaddexp(first, second) >= -math.log(level))
    if not len(above):
        return None
    at = int(above[0])
    return Decision(at + 1, bool(first[at] > second[at]))


def at_least(differences: ArrayLike | Differences, level: float = 0.05) -> float:
    """Returns how large the difference is at least, on the side that the results speak for.

    The capital of those who bet on that side at odds that are fair for a difference of `m`, not of 0, is
    twenty times as large as both sides' stakes for each `m` up to the value that is returned. That this ever
    happens for the true difference has a probability of at most `level`.

    Args:
        differences: Shape (n,), as for `log_capital`, or `Differences`.
        level: Probability, at most, that the true difference is ever smaller.

    Returns:
        From 0 to 1, without a sign; 0 where nothing is told.

    >>> at_least([0.0] * 40), round(at_least([0.5] * 14), 2), round(at_least([-0.5] * 200), 2)
    (0.0, 0.03, 0.46)
    """
    given = _given(differences)
    if not given.ends.size:
        return 0.0
    sides = [side[-1] for side in _log_sides(given)]
    sign, loss = ((1, -1)[side := int(sides[1] > sides[0])], np.asarray(given.losses[side]))
    wanted = -math.log(level) + math.log(2 * len(_BETS))

    def is_refuted(more: float, top: float) -> bool:
        # No stake loses more than all of it: a result is no less than -loss - more, and more <= top.
        won = (sign * given.ends - more * np.asarray(given.weights)) / (loss + top)
        staked = np.log1p(_BETS[:, None, None] * won).sum(axis=2)
        return bool(np.logaddexp.reduce(staked.min(axis=1)) >= wanted)

    if len(given.ends) == 1:  # the capital falls as `more` grows
        return _largest(lambda more: is_refuted(more, more), 0.0, 1.0)
    # It need not where a group weighs nothing in the first run: there the part that is staked matters alone.
    # So that stays the same within a step, and each step is looked at.
    for step in range(_STEPS):
        low, top = step / _STEPS, (step + 1) / _STEPS
        if not is_refuted(top, top):
            return _largest(partial(is_refuted, top=top), low, top)
    return 1.0
