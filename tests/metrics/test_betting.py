"""A test that may be looked at after every group."""

import numpy as np
import pytest

from tempbench_lmms.metrics.betting import Decision, at_least, decision, log_sides

PAIRS, GROUPS, LEVEL = 2000, 100, 0.05


def log_capital(differences):
    return np.logaddexp(*log_sides(differences))


def decided(differences):
    """Returns the share of the pairs that are told apart at any group."""
    return float((log_capital(differences) >= -np.log(LEVEL)).any(axis=1).mean())


def runs(generator, difference=0.0, size=1):
    """Pairs of runs: each group has its own share of right answers, for both but for a difference."""
    share = generator.beta(2, 2, (PAIRS, GROUPS)) * (1 - difference)
    first, second = (generator.binomial(size, share + more) / size for more in (difference, 0))
    return first - second


@pytest.mark.parametrize("size", [1, 8])
def test_runs_that_are_alike_are_rarely_told_apart(size):
    assert decided(runs(np.random.default_rng(size), size=size)) <= LEVEL


@pytest.mark.slow
def test_unlike_spreads_are_no_difference():
    """One run is right in half of all groups, the other in half of each group's questions."""
    generator = np.random.default_rng(3)
    first = generator.integers(0, 2, (PAIRS, GROUPS)).astype(float)
    second = generator.binomial(8, 0.5, (PAIRS, GROUPS)) / 8
    assert decided(first - second) <= LEVEL
    # As skewed as can be: small losses that a rare large gain makes up for.
    skewed = np.where(generator.random((PAIRS, GROUPS)) < 0.1, 0.9, -0.1)
    assert decided(skewed) <= LEVEL


def test_capital_is_fair():
    """Its mean stays 1 where both runs are alike, after one group exactly."""
    for values, chances in (((-1, 1), (0.5, 0.5)), ((-0.25, 0.75), (0.75, 0.25))):
        after = np.exp([log_capital([value])[0] for value in values])
        assert after @ np.array(chances) == pytest.approx(1)


def test_a_difference_is_told_and_its_side():
    found = runs(np.random.default_rng(4), 0.2, size=8)
    decisions = [decision(one) for one in found[:100]]
    assert all(one is not None and one.first_is_higher and one.n_groups < GROUPS for one in decisions)
    mirrored = decision(-found[0])
    assert mirrored == Decision(decisions[0].n_groups, False)
    assert decision(np.zeros(50)) is None
    assert decision([]) is None


def test_what_is_decided_stays_decided():
    found = runs(np.random.default_rng(5), 0.2)[0]
    at = decision(found)
    assert at is not None
    assert decision(found[: at.n_groups]) == at
    assert decision(found[: at.n_groups - 1]) is None


@pytest.mark.parametrize("wrong", [[1.5], [0.0, -1.01], [float("nan")]])
def test_differences_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="not from -1 to 1"):
        log_capital(wrong)


@pytest.mark.slow
def test_a_random_order_of_groups_that_are_all_there_is():
    """A task has so many groups, and over all of them the two runs are equally good."""
    generator = np.random.default_rng(6)
    half = generator.integers(-4, 5, GROUPS // 2) / 4
    groups = np.clip(np.concatenate([half, -half]), -1, 1)
    assert decided(np.array([generator.permutation(groups) for _ in range(PAIRS)])) <= LEVEL


@pytest.mark.slow
def test_the_difference_is_rarely_smaller_than_the_least_that_is_stated():
    generator = np.random.default_rng(7)
    found = generator.binomial(1, 0.6, (200, GROUPS)) - generator.binomial(1, 0.4, (200, GROUPS))
    least = [
        max((at_least(one[:n]) if one[:n].sum() > 0 else 0.0) for n in (20, 50, GROUPS)) for one in found
    ]
    assert np.mean(np.array(least) > 0.2) <= LEVEL
    assert max(least) > 0


def test_more_groups_state_more():
    assert 0 < at_least([0.5] * 20) < at_least([0.5] * 40) < at_least([0.5] * 400) < 0.5
    assert at_least([-0.5] * 40) == at_least([0.5] * 40)
    assert at_least([]) == 0


def test_groups_of_unlike_weights_state_what_holds_of_the_share():
    # Half of the groups weigh a quarter; the share of right answers differs by 0.4 in all of them.
    weights = np.tile([1.0, 0.25], 200)
    least = at_least(0.4 * weights, weights)
    assert 0.3 < least < 0.4
