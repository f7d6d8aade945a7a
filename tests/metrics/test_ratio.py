import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics.ratio import Ratio, bootstrap, ratio, standard_error

units = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=60)


def build(rows):
    return ratio(((hit, 1) for hit, _ in rows), (cluster for _, cluster in rows))


def test_value_by_hand():
    # (1 + 0 + 1) / (1 + 1 + 2)
    assert ratio([(1, 1), (0, 1), (1, 2)], "abc").value == 0.5


def test_empty_denominator_is_undefined():
    assert math.isnan(ratio([], []).value)
    assert math.isnan(ratio([(0, 0), (1, 0)], "ab").value)
    assert math.isnan(standard_error(ratio([], [])))
    # Of several sums at once, each for itself.
    found = Ratio.function(np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 0.0]]))
    assert found == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)


def test_one_cluster_says_nothing_of_the_spread():
    assert bootstrap(ratio([(1, 1), (0, 1)], "aa")).size == 0
    # The other clusters have nothing below the line.
    assert bootstrap(ratio([(1, 1), (0, 0), (0, 0)], "abc")).size == 0
    assert set(bootstrap(ratio([(1, 1), (0, 1)], "ab"), 200)) == {0.0, 0.5, 1.0}


@pytest.mark.filterwarnings("error")
def test_one_resample_says_nothing_of_the_spread():
    metric = ratio([(1, 1), (0, 1)], "ab")
    assert math.isnan(standard_error(metric, n_resamples=1))
    # Of two it is their distance by the root of 2.
    one, other = bootstrap(metric, 2, seed=1)
    assert standard_error(metric, 2, seed=1) == pytest.approx(abs(one - other) / math.sqrt(2)) != 0


def test_terms_and_clusters_must_match():
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
    hits = np.zeros(400)
    hits[:120] = 1
    metric = ratio(((hit, 1) for hit in hits), range(400))
    assert standard_error(metric, 4000) == pytest.approx(0.0229, rel=0.05)


def test_clusters_of_equal_units_widen_the_error():
    # 100 clusters of 4 equal units hold the information of 100 units: the error doubles.
    hits = np.repeat(np.arange(100) < 30, 4)
    alone = standard_error(ratio(((hit, 1) for hit in hits), range(400)), 4000)
    grouped = standard_error(ratio(((hit, 1) for hit in hits), np.repeat(np.arange(100), 4)), 4000)
    assert grouped / alone == pytest.approx(2, rel=0.1)
