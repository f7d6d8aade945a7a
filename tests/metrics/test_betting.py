"""A test that may be looked at after every group."""

from dataclasses import replace

import numpy as np
import pytest

from tempbench_lmms.metrics import betting
from tempbench_lmms.metrics.betting import (
    Alike,
    Decision,
    alike,
    at_least,
    decision,
    differences,
    log_capital,
)

PAIRS, GROUPS, LEVEL = 2000, 100, 0.05
FEW_OR_ALL = pytest.mark.parametrize("pairs", [250, pytest.param(800, marks=pytest.mark.exhaustive)])
"""How many pairs of gated runs: each takes its own range of ratios."""


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


def gated_runs(generator, pairs, difference=0.0, passes=(0.9, 0.4)):
    """Pairs of runs, (pairs, GROUPS, 2) each: alike in what passes, which is more in the one."""
    share = generator.beta(2, 2, (pairs, GROUPS))  # the easier a group, the more of it passes
    weights = [generator.binomial(4, rate * share) for rate in passes]
    values = [
        generator.binomial(weight, share + more * (1 - share))
        for weight, more in zip(weights, (difference / (1 - 0.6), 0), strict=True)
    ]
    return [np.stack(one, axis=-1) / 4 for one in zip(values, weights, strict=True)]


def gated_decided(first, second):
    """Returns the share of the pairs that are told apart at any group."""
    common = [alike(terms, LEVEL) for terms in second]
    before = np.stack([one.before(first.shape[1]) for one in common], axis=1)
    found = differences(first, second, [*np.array([one.ratios for one in common]).T[:, :, None]], before)
    return float((log_capital(found) >= -np.log(common[0].level)).any(axis=1).mean())


@pytest.mark.slow
@FEW_OR_ALL
@pytest.mark.parametrize("passes", [(0.9, 0.9), (0.9, 0.3), (0.3, 0.9)])
def test_gated_runs_that_are_alike_are_rarely_told_apart(passes, pairs):
    first, second = gated_runs(np.random.default_rng(8), pairs, passes=passes)
    assert first[..., 0].sum() / first[..., 1].sum() == pytest.approx(
        second[..., 0].sum() / second[..., 1].sum(), abs=0.01
    )
    assert gated_decided(first, second) <= LEVEL


@pytest.mark.slow
@FEW_OR_ALL
def test_a_random_order_of_gated_groups_that_are_all_there_is(pairs):
    """Over all groups the two runs have the same ratio, with unlike gates."""
    generator = np.random.default_rng(9)
    weight = generator.integers(0, 5, GROUPS) / 4
    value = weight * generator.integers(0, 2, GROUPS)
    second = np.stack([value, weight], axis=-1)
    first = np.roll(second, GROUPS // 3, axis=0) * 0.5
    orders = np.array([generator.permutation(GROUPS) for _ in range(pairs)])
    assert gated_decided(first[orders], second[orders]) <= LEVEL


def test_bets_on_gated_groups_are_fair():
    """What is staked on a group is known before it; so its mean is 0 at the ratio that both runs share."""
    generator = np.random.default_rng(10)
    first, second = gated_runs(generator, 4000)
    found = differences(first, second, [0.6])
    last = found.ends[0, :, -1]
    assert last.mean() == pytest.approx(0, abs=4 * last.std() / np.sqrt(len(last)))
    assert (last <= found.losses[1][:, -1]).all()
    assert (-last <= found.losses[0][:, -1]).all()
    first[:, -1] = 1.0
    other = differences(first, second, [0.6])
    for before, after in zip(found.losses, other.losses, strict=True):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(found.ends[..., :-1], other.ends[..., :-1])


def test_later_groups_of_the_earlier_run_have_no_say_in_what_is_staked():
    _, ((*second,),) = gated_runs(np.random.default_rng(17), 1)
    common = alike(second)
    for n in (3, 8, 50, 100):
        other = alike([*second[:n], *[[0.0, 1.0]] * (GROUPS - n)])
        np.testing.assert_array_equal(common.before(GROUPS)[:, :n], other.before(GROUPS)[:, :n])
    lows, highs = common.before(GROUPS + 1)
    assert (lows[0], highs[0]) == (0, 1)
    assert (lows[-1], highs[-1]) == common.ratios
    assert (np.diff(lows) >= 0).all()
    assert (np.diff(highs) <= 0).all()


def test_no_bet_loses_more_than_all_of_it():
    """Whatever the gates let through, and whatever is right of it."""
    generator = np.random.default_rng(16)
    groups = np.array([[0, 0], [0, 1], [1, 1], [0.5, 1]])
    first, second = (groups[generator.integers(0, 4, (200, GROUPS))] for _ in range(2))
    for ratios in ([0.0, 1.0], [0.2, 0.3], [1.0]):
        assert np.isfinite(log_capital(differences(first, second, ratios))).all()


def test_the_capital_between_two_ratios_is_no_less_than_at_its_ends():
    (first,), (second,) = gated_runs(np.random.default_rng(11), 1, 0.2)
    found = differences(first, second, [0.1, 0.9])
    least = log_capital(found)
    for ratio in np.linspace(0.1, 0.9, 33):
        between = differences(first, second, [ratio]).ends
        assert (log_capital(replace(found, ends=between)) >= least - 1e-9).all()


def test_runs_with_the_same_weights_are_tested_as_if_nothing_were_gated():
    (first,), (second,) = gated_runs(np.random.default_rng(12), 1)
    first[:, 1] = second[:, 1] = 1
    plain = log_capital(first[:, 0] - second[:, 0])
    for ratios in ([0.0], [0.3, 0.7]):
        found = differences(first, second, ratios)
        np.testing.assert_allclose(log_capital(found), plain, rtol=0, atol=1e-12)
        assert at_least(found) == pytest.approx(at_least(first[:, 0] - second[:, 0]), abs=0.01)


def test_what_is_gated_is_told_and_its_side():
    first, second = gated_runs(np.random.default_rng(13), 20, 0.3, (0.9, 0.9))
    for a, b in zip(first, second, strict=True):
        common = alike(b)
        found = decision(differences(a, b, common.ratios, common.before(GROUPS)), common.level)
        assert found is not None
        assert found.first_is_higher
        mirrored = decision(differences(b, a, common.ratios, common.before(GROUPS)), common.level)
        assert mirrored == Decision(found.n_groups, False)


@pytest.mark.slow
@FEW_OR_ALL
def test_the_ratio_of_an_earlier_run_is_in_its_range_and_costs_a_tenth_of_the_level(pairs):
    _, second = gated_runs(np.random.default_rng(14), pairs)
    ranges = [alike(terms) for terms in second]
    assert ranges[0].level == pytest.approx(0.9 * LEVEL)
    lows, highs = np.array([one.ratios for one in ranges]).T
    assert ((lows <= 0.6) & (highs >= 0.6)).mean() > 1 - 0.1 * LEVEL - 0.01
    own = second[..., 0].sum(axis=1) / second[..., 1].sum(axis=1)
    assert ((lows <= own) & (own <= highs)).all()
    assert (highs - lows).max() < 0.6
    assert alike(np.zeros((9, 2))) == Alike((0.0, 1.0), pytest.approx(0.9 * LEVEL))


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [100, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_a_gated_difference_is_rarely_smaller_than_the_least_that_is_stated(monkeypatch, pairs):
    monkeypatch.setattr(betting, "_STEPS", 100)  # which states less, and sooner
    first, second = gated_runs(np.random.default_rng(15), pairs, 0.2, (0.9, 0.6))
    least = []
    for a, b in zip(first, second, strict=True):
        common = alike(b)
        found = differences(a, b, common.ratios, common.before(GROUPS))
        stated = [at_least(found[:n], common.level) for n in (30, GROUPS) if found.ends[0, :n].sum() > 0]
        least.append(max(stated, default=0.0))
    assert np.mean(np.array(least) > 0.2) <= LEVEL
    assert max(least) > 0.05


def test_more_gated_groups_state_more():
    a, b = [[0.5, 0.5]] * 400, [[0.25, 0.5]] * 400
    ratios, level = alike(b).ratios, alike(b).level
    found = [at_least(differences(a, b, ratios)[:n], level) for n in (20, 100, 400)]
    assert 0 == found[0] < found[1] < found[2] < 0.5
    low, high = alike([[0.25, 0.5]] * 400).ratios
    assert at_least(differences(b, a, [1 - high, 1 - low])[:400], level) > 0
