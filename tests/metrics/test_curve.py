"""Trends as weighted sums."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics.ratio import area_weights, gain_weights, slope_weights

BUDGETS = (4, 8, 12, 16)
scores = st.lists(st.floats(0, 1), min_size=4, max_size=4)


@given(scores)
def test_slope_and_area_equal_numpy(values: list[float]) -> None:
    assert slope_weights(BUDGETS) @ values == pytest.approx(np.polyfit(BUDGETS, values, 1)[0], abs=1e-9)
    trapezoid = sum((a + b) / 2 * 4 for a, b in itertools.pairwise(values))
    assert area_weights(BUDGETS) @ values == pytest.approx(trapezoid / 12, abs=1e-9)
    assert gain_weights(BUDGETS) @ values == pytest.approx(values[3] - values[0], abs=1e-12)


def test_uneven_budgets() -> None:
    # Area of 0 -> 1 over [1, 2], then 1 over [2, 8]: (0.5 + 6) / 7.
    assert area_weights((1, 2, 8)) @ [0, 1, 1] == pytest.approx(6.5 / 7)
