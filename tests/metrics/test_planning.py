"""How large a difference a set of groups can tell."""

import math

import numpy as np
import pytest

from tempbench_lmms.metrics import planning
from tempbench_lmms.metrics.ratio import Ratio, ratio, statistic


def beta_binomial(generator, n_groups, size, within=0.3, mean=0.6):
    total = 1 / within - 1
    share = generator.beta(total * mean, total * (1 - mean), n_groups)
    return generator.binomial(size, share)


def test_spread_of_a_mean_is_its_standard_error():
    values = [0.0, 1.0, 0.5, 0.25, 1.0]
    found = planning.spread(ratio([(value, 1) for value in values], range(5)))
    assert found.value == pytest.approx(np.mean(values))
    assert found.error == pytest.approx(np.std(values, ddof=1) / math.sqrt(5))
    assert found.n_clusters == 5


def test_two_groups_have_a_spread():
    # Half of the distance of 0 and 1, as sqrt(0.5 / 2) is.
    assert planning.spread(ratio([(0, 1), (1, 1)], "ab")).error == pytest.approx(0.5)


def test_spread_counts_groups_and_not_questions():
    generator = np.random.default_rng(1)
    right = beta_binomial(generator, 4000, 8)
    terms = Ratio(right.astype(float), np.full(4000, 8.0), np.arange(4000))
    alone = math.sqrt(0.6 * 0.4 / 32_000)
    # The design effect of groups of 8 with a correlation of 0.3: 1 + 7 * 0.3.
    assert planning.spread(terms).error / alone == pytest.approx(math.sqrt(3.1), rel=0.03)


def test_spread_is_undefined_where_too_few_groups_enter():
    assert math.isnan(planning.spread(ratio([(1, 1)], ["a"])).error)
    assert math.isnan(planning.spread(ratio([(1, 1), (0, 0)], "ab")).error)
    # Two do, but without one of them there is no value.
    assert math.isnan(planning.spread(ratio([(1, 1), (1, 0)], "ab")).error)
    one = planning.spread(statistic([(1.0,), (2.0,)], "aa", 1, lambda sums: sums[..., 0]))
    assert math.isnan(one.error)


def test_groups_that_do_not_enter_do_not_count():
    assert planning.spread(ratio([(1, 1), (0, 1), (0, 0), (0, 0)], "abcd")).n_clusters == 2


@pytest.mark.slow
def test_power_is_what_was_planned():
    """2,000 comparisons of two runs that differ by what is said to be detectable: 80 % tell it."""
    from scipy.stats import t as student  # takes longer than all of these tests

    generator = np.random.default_rng(2)
    n, deviation = 25, 0.4
    least = planning.detectable(deviation / math.sqrt(n), n)
    differences = generator.normal(least, deviation, (2000, n))
    z = differences.mean(axis=1) / differences.std(axis=1, ddof=1) * math.sqrt(n)
    told = (2 * student.sf(np.abs(z), n - 1) < 0.05).mean()
    assert 0.77 < told < 0.83


def test_the_least_difference_of_two_groups_and_of_three():
    # Student's t with one degree of freedom is tan(pi (p - 1 / 2)).
    assert planning.detectable(1, 2) == pytest.approx(math.tan(0.475 * math.pi) + math.tan(0.3 * math.pi))
    # With two it is (2 p - 1) sqrt(2 / (4 p (1 - p))).
    quantiles = 0.95 * math.sqrt(2 / 0.0975) + 0.6 * math.sqrt(2 / 0.64)
    assert planning.detectable(1, 3) == pytest.approx(quantiles)
    assert math.isnan(planning.detectable(1, 1))
    assert math.isnan(planning.detectable(math.nan, 40))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 1000, 2**23])
def test_as_many_groups_are_needed_as_there_are_for_what_these_tell(n):
    assert planning.clusters_needed(0.05, n, planning.detectable(0.05, n)) == n


def test_groups_needed_are_the_fewest():
    error, n = 0.05, 40
    needed = planning.clusters_needed(error, n, 0.06)

    def tells(groups):
        return planning.detectable(error * math.sqrt(n / groups), groups)

    assert tells(needed) <= 0.06 < tells(needed - 1)
    assert planning.clusters_needed(math.nan, n, 0.06) is None
    assert planning.clusters_needed(error, n, 0) is None
    for fewer in (0, 1):
        assert planning.clusters_needed(error, fewer, 0.06) is None
    assert planning.clusters_needed(error, n, 1e-9) is None
    beyond = planning.detectable(error, 2**23 + 1)
    assert planning.clusters_needed(error, 2**23 + 1, beyond) is None
