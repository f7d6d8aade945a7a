"""Tests whether one run is better than another, with a result that may be checked after every group.

A p value that is checked repeatedly will be small sooner or later. This module instead computes the capital
of somebody who bets on one of two runs, group by group, at odds that are fair if the runs are alike. The
probability that this capital ever grows twentyfold is then at most 1 in 20, however often one checks.

Sources: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS-B 86(1):
the capital process of theorem 3 for a mean of 0, with the diversified bets (dKelly) of its appendix; Ville
1939 for the inequality.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tempbench_lmms.metrics.ratio import Floats

_BETS = np.linspace(0.05, 0.95, 19)  # on either side
_TOLERANCE = 1e-12
_HALVINGS = 20


@dataclass(frozen=True)
class Decision:
    """When two runs were found to differ."""

    n_groups: int  # number of groups until the decision
    first_is_higher: bool  # whether the first run has the higher mean


def log_sides(differences: ArrayLike) -> tuple[Floats, Floats]:
    """Returns the logarithms of the capital on the first and on the second run after each group.

    Both sides together begin with 1. The capital is shared out among bets of fixed sizes on either side, and
    each share is staked again on every group. Groups must come in an order that has nothing to do with their
    results: a random one.

    Args:
        differences: Shape (..., n): of each group the first run's result minus the second's, from -1 to 1.

    Raises:
        ValueError: A difference is not in that range.

    >>> [round(float(one), 3) for one in sum(map(np.exp, log_sides([0.0, 1.0, -1.0])))]
    [1.0, 1.0, 0.675]
    """
    given = np.asarray(differences, dtype=np.float64)
    if not (np.abs(given) <= 1 + _TOLERANCE).all():
        raise ValueError("a difference is not from -1 to 1; divide it by the largest one possible")
    found = []
    for won in (given, -given):
        total = np.full(won.shape, -math.inf)
        for bet in _BETS:
            total = np.logaddexp(total, np.log1p(bet * won).cumsum(axis=-1))
        found.append(total - math.log(2 * len(_BETS)))
    return found[0], found[1]


def decision(differences: ArrayLike, level: float = 0.05) -> Decision | None:
    """Returns when two runs are found to differ, or None.

    Args:
        differences: Shape (n,), as for `log_sides`.
        level: Maximum probability of ever deciding for runs with equal means.

    >>> decision([0.5] * 40)
    Decision(n_groups=14, first_is_higher=True)
    """
    first, second = log_sides(differences)
    above = np.flatnonzero(np.logaddexp(first, second) >= -math.log(level))
    if not len(above):
        return None
    at = int(above[0])
    return Decision(at + 1, bool(first[at] > second[at]))


def at_least(differences: ArrayLike, weights: ArrayLike = 1.0, level: float = 0.05) -> float:
    """Returns a lower bound of the difference, on the side that the results favour.

    Bets on that side, at odds that are fair for a difference of `m` instead of 0, multiply the stakes by
    twenty for each `m` up to the returned value. The probability that this ever happens for the true
    difference is at most `level`.

    Args:
        differences: Shape (n,), as for `log_sides`.
        weights: What a difference of 1 between the runs' shares adds to a group's, from 0 to 1.
        level: Probability, at most, that the true difference is ever smaller.

    Returns:
        From 0 to 1, without a sign; 0 where nothing is told.

    >>> at_least([0.0] * 40), round(at_least([0.5] * 14), 2), round(at_least([-0.5] * 200), 2)
    (0.0, 0.03, 0.46)
    """
    given = np.asarray(differences, dtype=np.float64)
    if not given.size:
        return 0.0
    first, second = (side[-1] for side in log_sides(given))
    won = given if first >= second else -given
    wanted = -math.log(level) + math.log(2 * len(_BETS))
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):  # the capital falls as the difference grows
        middle = (low + high) / 2
        # No stake loses more than all of it: a result is no less than -1 - middle.
        staked = np.log1p(_BETS[:, None] * ((won - middle * np.asarray(weights)) / (1 + middle))).sum(axis=1)
        low, high = (middle, high) if (np.logaddexp.reduce(staked) >= wanted) else (low, middle)
    return low
