"""Is one run better than another? A test that may be looked at after every group of questions.

A p value that is looked at again and again until it is small is small sooner or later. What stands here
is the capital of somebody who bets on one of two runs, group by group, at fair odds if they are alike: that
it ever grows twentyfold has a probability of at most 1 in 20 then, however often one looks.

Source: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS-B 86(1):
the capital process of theorem 3 for a mean of 0, with the diversified bets (dKelly) of its appendix; Ville
1939 for the inequality.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tempbench_lmms.metrics.ratio import Floats

_BETS = np.concatenate([sign * np.linspace(0.05, 0.95, 19) for sign in (1, -1)])
_TOLERANCE = 1e-12
_HALVINGS = 30


@dataclass(frozen=True)
class Decision:
    """When two runs were told apart.

    Attributes:
        n_groups: After how many groups.
        first_is_higher: Whether the first run has the higher mean.
    """

    n_groups: int
    first_is_higher: bool


def log_capital(differences: ArrayLike) -> Floats:
    """Returns the logarithm of the capital after each group; it begins with 1.

    The capital is shared out among bets of fixed sizes on either side, and each share is staked again on
    every group. Groups must come in an order that has nothing to do with their results: a random one.

    Args:
        differences: Shape (..., n): of each group the first run's result minus the second's, from -1 to 1.

    Raises:
        ValueError: A difference is not in that range.

    >>> [round(float(one), 2) for one in np.exp(log_capital([0.0, 1.0, -1.0]))]
    [1.0, 1.0, 0.67]
    """
    given = np.asarray(differences, dtype=np.float64)
    if not (np.abs(given) <= 1 + _TOLERANCE).all():
        raise ValueError("a difference is not from -1 to 1; divide it by the largest one possible")
    total = np.full(given.shape, -math.inf)
    for bet in _BETS:
        total = np.logaddexp(total, np.log1p(bet * given).cumsum(axis=-1))
    return total - math.log(len(_BETS))


def decision(differences: ArrayLike, level: float = 0.05) -> Decision | None:
    """Returns when two runs are told apart; None where they are not.

    Args:
        differences: Shape (n,), as for `log_capital`.
        level: Probability, at most, that runs with the same mean are ever told apart.

    >>> decision([0.5] * 40)
    Decision(n_groups=14, first_is_higher=True)
    """
    given = np.asarray(differences, dtype=np.float64)
    above = np.flatnonzero(log_capital(given) >= -math.log(level))
    if not len(above):
        return None
    n = int(above[0]) + 1
    return Decision(n, bool(given[:n].sum() > 0))


def at_least(differences: ArrayLike, level: float = 0.05) -> float:
    """Returns how large the difference of the means is at least, on the side that the results speak for.

    The capital of those who bet on that side at odds that are fair for a mean of `m`, not of 0, falls as `m`
    grows. It is twenty times as large as both sides' stakes up to the value that is returned, and that this
    ever happens for the true mean has a probability of at most `level`.

    Args:
        differences: Shape (n,), as for `log_capital`.
        level: Probability, at most, that the true difference is ever smaller.

    Returns:
        From 0 to 1, without a sign; 0 where nothing is told.

    >>> at_least([0.0] * 40), round(at_least([0.5] * 14), 2), round(at_least([-0.5] * 200), 2)
    (0.0, 0.03, 0.46)
    """
    given = np.asarray(differences, dtype=np.float64)
    given = given * (1.0 if given.sum() >= 0 else -1.0)
    bets, wanted = _BETS[_BETS > 0], -math.log(level) + math.log(len(_BETS))

    def is_refuted(mean: float) -> bool:
        # No stake loses more than all of it: a result of -1 costs 1 + mean.
        staked = np.log1p(bets[:, None] * (given - mean) / (1 + mean)).sum(axis=1)
        return bool(np.logaddexp.reduce(staked) >= wanted)

    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return low
