import math

import numpy as np
import pytest

from tempbench_lmms.metrics.ratio import ratio, standard_error
from tempbench_lmms.metrics.statistic import mean_of_ratios, smoothed_log_odds, statistic


def test_mean_of_ratios_counts_each_ratio_once():
    # Ratio 1: 3 of 4; ratio 2: 0 of 1; their mean is 0.375, while 3 of 5 would be 0.6.
    terms = [(1, 0, 1, 0)] * 3 + [(0, 0, 1, 0), (0, 0, 0, 1)]
    assert statistic(terms, range(5), 4, mean_of_ratios).value == 0.375


def test_mean_is_undefined_where_a_ratio_is():
    assert math.isnan(statistic([(1, 0, 1, 0)], ["a"], 4, mean_of_ratios).value)
    assert math.isnan(statistic([], [], 4, mean_of_ratios).value)


def test_log_odds_stay_finite():
    assert statistic([(10, 0)], ["a"], 2, smoothed_log_odds).value == pytest.approx(math.log(10.5 / 0.5))
    assert statistic([(3, 3)], ["a"], 2, smoothed_log_odds).value == 0
    assert statistic([(0, 1)], ["a"], 2, smoothed_log_odds).value == pytest.approx(-math.log(3))
    assert math.isnan(statistic([], [], 2, smoothed_log_odds).value)


@pytest.mark.parametrize("size", [3, 30])
def test_standard_error_is_that_of_a_ratio_for_one_ratio(size):
    generator = np.random.default_rng(0)
    hits = generator.integers(0, 2, 60)
    clusters = [i // size for i in range(60)]
    alone = ratio(((hit, 1) for hit in hits), clusters)
    assert statistic(
        ((hit, 1) for hit in hits), clusters, 2, mean_of_ratios
    ).standard_error() == pytest.approx(standard_error(alone), rel=1e-6)


def test_one_cluster_says_nothing_about_the_spread():
    assert math.isnan(statistic([(1, 1), (0, 1)], ["a", "a"], 2, mean_of_ratios).standard_error())
    assert math.isnan(statistic([], [], 2, mean_of_ratios).standard_error())


def test_a_cluster_key_is_needed_for_each_unit():
    with pytest.raises(ValueError, match="2 terms, 1 clusters"):
        statistic([(1, 1), (0, 1)], ["a"], 2, mean_of_ratios)
