"""Trends over a growing budget, as weights: a trend is then a weighted sum of a question's scores.

The slope, the gain and the area of a question's curve are linear in its scores. Their means over questions
are therefore those of the mean curve, and each is a `Ratio` like any other metric.
"""

from collections.abc import Sequence

import numpy as np

from tempbench_lmms.metrics.ratio import Floats


def slope_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the least-squares slope: score a unit of budget.

    >>> [round(float(w), 6) for w in slope_weights([4, 8, 12, 16])]
    [-0.075, -0.025, 0.025, 0.075]
    """
    centred = np.asarray(budgets, np.float64) - np.mean(budgets)
    weights: Floats = centred / (centred @ centred)
    return weights


def gain_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the last score minus the first."""
    weights = np.zeros(len(budgets))
    weights[0], weights[-1] = -1, 1
    return weights


def area_weights(budgets: Sequence[float]) -> Floats:
    """Returns the weights of the area under the curve by the trapezoid rule, divided by the budgets' span.

    A curve that is 1 throughout has area 1.

    >>> [round(float(w), 4) for w in area_weights([4, 8, 12, 16])]
    [0.1667, 0.3333, 0.3333, 0.1667]
    """
    steps = np.diff(np.asarray(budgets, np.float64))
    weights = np.zeros(len(budgets))
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    total: Floats = weights / steps.sum()
    return total
