"""Ratios, their errors, and trends as weighted sums, by hand; Student's t beside scipy's."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from tempbench_lmms.metrics.ratio import (
    Ratio,
    area_weights,
    gain_weights,
    mean_of_ratios,
    ratio,
    slope_weights,
    smoothed_log_odds,
    standard_error,
    statistic,
    t_cdf,
    t_quantile,
)

units = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=60)


def build(rows):
    return ratio(((hit, 1) for hit, _ in rows), (cluster for _, cluster in rows))


def test_value_by_hand():
    # (1 + 0 + 1) / (1 + 1 + 2)
    assert ratio([(1, 1), (0, 1), (1, 2)], "abc").value == 0.5
    # Ratio 1: 3 of 4; ratio 2: 0 of 1; their mean is 0.375, while 3 of 5 would be 0.6.
    terms = [(1, 0, 1, 0)] * 3 + [(0, 0, 1, 0), (0, 0, 0, 1)]
    assert statistic(terms, range(5), 4, mean_of_ratios).value == 0.375


def test_empty_denominator_is_undefined():
    assert math.isnan(ratio([], []).value)
    assert math.isnan(ratio([(0, 0), (1, 0)], "ab").value)
    assert math.isnan(standard_error(ratio([], [])))
    assert math.isnan(statistic([(1, 0, 1, 0)], ["a"], 4, mean_of_ratios).value)
    assert math.isnan(statistic([], [], 4, mean_of_ratios).value)
    # Of several sums at once, each for itself.
    found = Ratio.function(np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 0.0]]))
    assert found == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)


def test_log_odds_stay_finite():
    assert statistic([(10, 0)], ["a"], 2, smoothed_log_odds).value == pytest.approx(math.log(10.5 / 0.5))
    assert statistic([(3, 3)], ["a"], 2, smoothed_log_odds).value == 0
    assert statistic([(0, 1)], ["a"], 2, smoothed_log_odds).value == pytest.approx(-math.log(3))
    assert math.isnan(statistic([], [], 2, smoothed_log_odds).value)


@pytest.mark.filterwarnings("error")
def test_too_few_clusters_or_resamples_say_nothing_of_the_spread():
    assert math.isnan(standard_error(ratio([(1, 1), (0, 1)], "aa")))
    assert math.isnan(standard_error(statistic([(1, 1), (0, 1)], "aa", 2, mean_of_ratios)))
    # The other clusters have nothing below the line.
    assert math.isnan(standard_error(ratio([(1, 1), (0, 0), (0, 0)], "abc")))
    metric = ratio([(1, 1), (0, 1)], "ab")
    assert math.isnan(standard_error(metric, n_resamples=1))
    # Resamples of two are 0, 1/2 twice, and 1: a standard deviation of the root of 1/8.
    assert standard_error(metric, 4000) == pytest.approx(math.sqrt(1 / 8), rel=0.05)


def test_a_cluster_is_needed_for_each_unit():
    with pytest.raises(ValueError, match="2 terms, 1 clusters"):
        ratio([(1, 1), (1, 1)], "a")


@pytest.mark.slow
@given(units)
def test_bounds_and_order(rows):
    metric = build(rows)
    assert 0 <= metric.value <= 1
    assert build(rows[::-1]).value == pytest.approx(metric.value)


def test_standard_error_of_a_mean_is_the_textbook_one():
    # 400 independent units with p = 0.3: sqrt(0.3 * 0.7 / 400) = 0.0229
    hits = np.arange(400) < 120
    alone = standard_error(ratio(((hit, 1) for hit in hits), range(400)), 4000)
    assert alone == pytest.approx(0.0229, rel=0.05)
    of_one = statistic(((hit, 1) for hit in hits), range(400), 2, mean_of_ratios)
    assert standard_error(of_one, 4000) == pytest.approx(alone, rel=1e-6)
    # 100 clusters of 4 equal units hold the information of 100 units: the error doubles.
    grouped = ratio(((hit, 1) for hit in hits), np.repeat(np.arange(100), 4))
    assert standard_error(grouped, 4000) / alone == pytest.approx(2, rel=0.1)


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


@pytest.mark.parametrize("degrees", [1, 2, 3.7, 11, 99.5, 399, 16_000])
def test_t(degrees):
    for p in (0.01, 0.2, 0.5, 0.8, 0.975, 0.9999):
        assert t_quantile(degrees, p) == pytest.approx(stdtrit(degrees, p), rel=1e-8, abs=1e-12)
    for t in (-30, -2.5, -0.01, 0, 0.3, 4):
        assert t_cdf(degrees, t) == pytest.approx(stdtr(degrees, t), rel=1e-8)


def test_no_degrees_of_freedom_is_undefined():
    assert math.isnan(t_quantile(0, 0.975))
