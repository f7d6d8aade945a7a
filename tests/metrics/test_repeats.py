"""The spread of a metric over repeats: numbers worked by hand, and variances that are known."""

import numpy as np
import pytest

from tempbench_lmms.metrics import resampling as repeats
from tempbench_lmms.metrics.planning import spread
from tempbench_lmms.metrics.ratio import Ratio, interval, ratio, smoothed_log_odds, statistic, wilson


def test_variances_by_hand():
    # Means 0.5, 1, 0.25; of the replies to each 1/3, 0, 1/4; the means' own 7/48.
    scores = np.array([[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]], float)
    found = repeats.variances(scores)
    assert found.within == pytest.approx((1 / 3 + 0 + 1 / 4) / 3)
    assert found.between == pytest.approx(7 / 48 - found.within / 4)


def test_questions_that_differ_no_more_than_replies_do_have_no_variance_of_their_own():
    found = repeats.variances(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert (found.between, found.within) == (0, 0.5)


def test_the_mean_of_a_gated_metric_is_over_repeats_and_not_over_all_that_passed():
    one = ratio([(1, 1), (0, 0), (0, 0)], "abc")
    other = ratio([(1, 1), (0, 1), (0, 1)], "abc")
    assert repeats.mean_over([one, other]).value == pytest.approx((1 + 1 / 3) / 2)
    assert repeats.pooled([one, other]).value == pytest.approx(2 / 4)


def test_clusters_are_paired_by_their_keys_and_not_by_their_order():
    one, other = ratio([(1, 1), (0, 1)], "ab"), ratio([(0, 1), (1, 1)], "ba")
    same = [ratio([(1, 1), (0, 1)], "ab")] * 2
    assert spread(repeats.mean_over([one, other])) == spread(repeats.mean_over(same))
    assert list(
        np.bincount(repeats.pooled([one, other]).cluster, repeats.pooled([one, other]).numerator)
    ) == [2, 0]


def test_a_mean_over_repeats_is_a_metric_like_any_other():
    logs = [statistic([(4, 1), (2, 2)], "ab", 2, smoothed_log_odds) for _ in range(3)]
    assert repeats.mean_over(logs).value == pytest.approx(logs[0].value)


def test_a_share_keeps_its_interval_at_its_end():
    all_right = [ratio([(1, 1)] * 20, range(20))] * 3
    low, high = repeats.interval_of(all_right)
    assert (low, high) == wilson(repeats.pooled(all_right))
    assert low < 0.9 < high == 1
    # A question is no more than one, however often it is asked.
    assert low == pytest.approx(wilson(all_right[0])[0], abs=1e-9)


def test_the_interval_of_a_gated_share_is_of_the_mean():
    # 90 % of 40, and none of 10: the mean is 0.45, while 36 of all 50 are right.
    one = ratio([(i % 10 > 0, 1) for i in range(40)], range(40))
    other = ratio([(0, i % 4 == 0) for i in range(40)], range(40))
    low, high = repeats.interval_of([one, other])
    assert low < 0.45 < high < 0.55


def test_the_interval_of_what_is_no_ratio():
    logs = [statistic([(i % 3, 1) for i in range(10)], "abcdefghij", 2, smoothed_log_odds)] * 2
    assert repeats.interval_of(logs) == pytest.approx(interval(logs[0]))


def test_groups_of_a_mean_come_in_the_order_of_their_names():
    """So a seed draws the same groups whichever repeat, or process, comes first."""
    one, other = ratio([(1, 1)] * 7, "gcaebdf"), ratio([(0, 1)] * 7, "bdfgcae")
    assert repeats.mean_over([one, other]).keys == tuple("abcdefg")


def test_what_is_no_one_metric_is_refused():
    one = ratio([(1, 1)], "a")
    nameless = Ratio(one.numerator, one.denominator, one.cluster)
    with pytest.raises(ValueError, match="no keys"):
        repeats.mean_over([one, nameless])
    with pytest.raises(ValueError, match="different functions"):
        repeats.mean_over([ratio([(1, 1)], "a"), statistic([(1, 2, 3)], "a", 3, lambda sums: sums[..., 0])])
