import math
import statistics
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr

from tempbench_lmms.metrics.ratio import Ratio, Statistic, bootstrap, by_cluster, interval, jackknife, ratio
from tempbench_lmms.metrics.resampling import heads_at_most, holm, mcnemar, needed_factor, paired_difference


def share(hits, clusters):
    return ratio(((hit, 1) for hit in hits), clusters)


def test_jackknife_by_hand():
    # Clusters: a 2 of 2, b 0 of 1, c 1 of 1. Without a: 1 of 2; without b: 3 of 3; without c: 2 of 3.
    metric = share([1, 1, 0, 1], "aabc")
    assert jackknife(metric).tolist() == [0.5, 1, pytest.approx(2 / 3)]


def test_interval_of_a_mean_is_the_textbook_one():
    # 8 groups about as large as each other: 100 -+ t * s / sqrt(8), with t = 2.3646 for 7 degrees of freedom.
    values = [97, 98, 99, 99, 101, 101, 102, 103]
    half = 2.3646 * statistics.stdev(values) / math.sqrt(8)
    low, high = interval(ratio(((value, 1) for value in values), range(8)))
    assert (low, high) == pytest.approx((100 - half, 100 + half), abs=0.03)
    assert low + high == pytest.approx(200)


def test_unequal_clusters_have_fewer_degrees_of_freedom():
    """A cluster counts by what it gives to the sums: of 3, 1, 1, 1 and 1 questions 49 / 13 are as many."""
    sums = np.array([[33.0, 3], [9, 1], [9.5, 1], [10.5, 1], [11, 1]])
    found = Statistic(sums, np.arange(5), Ratio.function)
    error = statistics.stdev(bootstrap(found).tolist()) * math.sqrt(5 / 4)
    # The shares of the first are 33 / 73 and 3 / 7, those of the others follow: 3.684 clusters.
    shares = (sums / sums.sum(axis=0)).mean(axis=1)
    quantile = pytest.importorskip("scipy.stats").t.ppf(0.975, 1 / float((shares**2).sum()) - 1)
    low, high = interval(found)
    assert (high - low) / 2 == pytest.approx(quantile * error)
    # One cluster that is nearly all of it leaves one degree of freedom, not less.
    whole = Statistic(sums * [[1e6], [1], [1], [1], [1]], np.arange(5), Ratio.function)
    error = statistics.stdev(bootstrap(whole)[np.isfinite(bootstrap(whole))].tolist()) * math.sqrt(5 / 4)
    low, high = interval(whole)
    assert (high - low) / 2 == pytest.approx(math.tan(0.475 * math.pi) * error)


def test_two_clusters_are_resampled():
    assert set(bootstrap(ratio([(1, 1), (0, 1)], "ab"), 200)) == {0.0, 0.5, 1.0}


def test_where_nothing_can_be_said():
    nothing = (pytest.approx(math.nan, nan_ok=True),) * 2
    assert interval(ratio([], [])) == nothing
    assert interval(share([1, 0], "aa")) == nothing
    # One cluster alone has something below the line.
    alone = ratio([(1, 1), (0, 0), (0, 0)], "abc")
    assert interval(alone) == interval(by_cluster(alone)) == nothing
    assert bootstrap(alone).size == bootstrap(ratio([], [])).size == 0
    # There is one cluster alone, with a value or without one where it is left out.
    assert bootstrap(share([1, 0], "aa")).size == 0
    total = Statistic(np.ones((1, 1)), np.arange(1), lambda sums: sums[..., 0])
    assert (total.value, bootstrap(total).size) == (1, 0)
    # Three of fifty have: 5 % of the resamples miss them all.
    assert interval(ratio([(i / 2, i < 3) for i in range(50)], range(50))) == nothing


@pytest.mark.filterwarnings("error")
def test_one_resample_says_nothing_of_the_spread():
    def compared(n):
        one, other = (ratio([(value, 1), (0.5, 1)], "ab") for value in (1, 0.25))
        return paired_difference(one, other, n_resamples=n, seed=1)

    assert math.isnan(compared(1).standard_error)
    assert math.isnan(compared(1).low)
    assert compared(2).low < compared(2).high


def test_wilson_by_hand():
    # Wilson 1927 with n = 10, one right, and the t quantile for 5 degrees of freedom, 2.5706:
    # middle 0.1 + 6.6079 / 20, half 2.5706 * sqrt(0.009 + 6.6079 / 400), scale 1.66079.
    assert interval(share([1] + [0] * 9, range(10))) == pytest.approx((0.0119, 0.5064), abs=1e-4)


@pytest.mark.parametrize(
    ("terms", "clusters", "n", "t"),
    [
        # Two questions of their own, so one degree of freedom, and a quantile of tan(0.475 pi).
        ([(1, 1), (0, 1)], "ab", 2, math.tan(0.475 * math.pi)),
        # Four clusters of three questions, two of them right throughout:
        # 4 / 3 * 4 * 1.5 ** 2 / 12 ** 2 = 1 / 12 is the variance, 1 / 4 / 11 were they independent.
        ([(i < 6, 1) for i in range(12)], "aaabbbcccddd", 12 / (44 / 12), 3.182446305),
        # Weights of 1, 1, 3 and 3 are worth 8 ** 2 / 20 questions. The variance, 4 / 3 * 5 / 64, is less than
        # that of as many, 0.25 / 2.2. So are the clusters: 2.2 degrees of freedom.
        ([(1, 1), (0, 1), (3, 3), (0, 3)], "abcd", 3.2, 3.94872075),
    ],
)
def test_wilson_of_a_half_by_hand(terms, clusters, n, t):
    # At 1 / 2 its ends are 1 / 2 -+ t / (2 sqrt(n + t ** 2)).
    half = t / 2 / math.sqrt(n + t**2)
    assert interval(ratio(terms, clusters)) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-6)


def test_scores_that_vary_less_are_worth_more_questions():
    """Of 0.25 and 0.75, with a mean of 0.5, the variance is a quarter of that of 0 and 1: 10 are worth 40."""
    half = 2.262157 / 2 / math.sqrt(40 + 2.262157**2)
    metric = ratio([(0.25, 1), (0.75, 1)] * 5, range(10))
    assert interval(metric) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)
    # The same with weights, and with questions that count nothing.
    weighted = ratio([(0.5, 2), (1.5, 2), (0, 0)] * 5, [i - i // 3 for i in range(15)])
    assert interval(weighted) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_equal_scores_are_worth_a_question_a_cluster():
    """Nothing is known of their variance, so it is not taken to be 0, whatever the score."""
    # The quantile for 9 degrees of freedom, 2.2622: at 0.1 the middle is 0.1 + 5.1174 / 20 and the half
    # 2.2622 * sqrt(0.009 + 5.1174 / 400), over 1.51174.
    assert interval(share([0.1] * 10, range(10))) == pytest.approx((0.0145, 0.4563), abs=1e-4)
    # At 0.5 it is 1 / 2 -+ t / (2 sqrt(n + t ** 2)), whether a cluster has one question or three.
    half = 2.262157 / 2 / math.sqrt(10 + 2.262157**2)
    for n in (1, 3):
        metric = share([0.5] * 10 * n, [i // n for i in range(10 * n)])
        assert interval(metric) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_all_right_has_a_width():
    # Ten questions, the quantile for 4 degrees of freedom, 2.7764: the lower end is 10 / (10 + 7.7087).
    assert interval(share([1] * 10, range(10))) == pytest.approx((0.5647, 1), abs=1e-4)
    assert interval(share([0] * 10, range(10))) == pytest.approx((0, 0.4353), abs=1e-4)
    # Questions of one cluster are one question where nothing tells them apart.
    assert interval(share([1] * 30, [i // 3 for i in range(30)])) == pytest.approx((0.5647, 1), abs=1e-4)


def test_clusters_widen_an_interval():
    alone = interval(share([1, 1, 0, 0] * 25, range(100)))
    together = interval(share([1, 1, 0, 0] * 25, [i // 2 for i in range(100)]))
    assert together[1] - together[0] > 1.3 * (alone[1] - alone[0])


@pytest.mark.slow
@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("resampled", [False, True])
def test_coverage(resampled, gated):
    """A 95 % interval covers the true value in 93 to 97 % of 1,000 simulated studies.

    A study has 120 clusters of 1 to 6 questions. A cluster's difficulty is drawn first, so that its
    questions go together; gated: a question counts where a second, easier coin says so, and that coin and
    the answer share the cluster's difficulty.
    """
    generator = np.random.default_rng(7)
    n_studies, n_clusters = 1000, 120

    def study(n):
        sizes = generator.integers(1, 7, n)
        cluster = np.repeat(np.arange(n), sizes)
        ease = generator.beta(2, 2, n)[cluster]
        hit = generator.random(len(cluster)) < ease
        counts = generator.random(len(cluster)) < (0.3 + 0.6 * ease) if gated else np.ones(len(cluster), bool)
        return Ratio((hit & counts).astype(float), counts.astype(float), cluster)

    true = study(400_000).value
    covered = 0
    for _ in range(n_studies):
        one = study(n_clusters)
        low, high = interval(by_cluster(one) if resampled else one, n_resamples=1000)
        covered += low <= true <= high
    assert 0.93 <= covered / n_studies <= 0.97


def test_other_functions_of_sums():
    metric = SimpleNamespace(
        terms=np.array(
            [[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1], [0, 0, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
        ),
        cluster=np.arange(6),
        keys=tuple("abcdef"),
        function=lambda sums: (sums[..., 0] / sums[..., 2] + sums[..., 1] / sums[..., 3]) / 2,
    )
    # 4 of 5 and 3 of 3: the mean of 0.8 and 1.
    assert by_cluster(metric).value == pytest.approx(0.9)
    assert paired_difference(metric, metric, n_resamples=200).value == 0


def test_a_run_with_itself():
    metric = share([1, 0, 1, 1] * 10, [i // 2 for i in range(40)])
    found = paired_difference(metric, metric)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)
    assert needed_factor(found) == math.inf


def test_pairing_is_by_key_and_not_by_place():
    hits = [1] * 15 + [0] * 15
    metric, reversed_ = share(hits, range(30)), share(hits[::-1], range(29, -1, -1))
    assert paired_difference(metric, reversed_).p == 1
    assert paired_difference(metric, reversed_).high == 0


def test_pairing_sharpens():
    # Both get the same 60 of 100 right, but for 8 that only the first gets right.
    second = [1] * 52 + [0] * 48
    first = [1] * 60 + [0] * 40
    found = paired_difference(share(first, range(100)), share(second, range(100)))
    assert found.value == pytest.approx(0.08)
    # Paired: sqrt(0.08 * 0.92 / 100) = 0.0271; apart it would be sqrt(2 * 0.25 / 100) = 0.07.
    assert found.standard_error == pytest.approx(0.0271, rel=0.05)
    assert found.low > 0
    assert (found.n_clusters, found.n_differing) == (100, 8)
    # Exact: 2 * 0.5 ** 8 = 0.0078.
    assert mcnemar(8, 0) == pytest.approx(0.0078125)
    assert found.p == pytest.approx(0.0078, abs=0.004)


def test_a_difference_of_means_is_the_mean_of_differences():
    """Of clusters in the order of their names, in which both are resampled, whatever the runs' order is."""
    names = ["d", "b", "a", "e", "c", "g", "f"]
    first = dict(zip(names, [1, 0.5, 0.25, 1, 0, 0.75, 1], strict=True))
    second = dict(zip(names[::-1], [0.5, 0, 0, 0.25, 1, 0.5, 0], strict=True))
    one, other = (ratio(((value, 1) for value in run.values()), run) for run in (first, second))
    found = paired_difference(one, other, n_resamples=5, seed=3)
    apart = bootstrap(ratio(((first[key] - second[key], 1) for key in "abcdefg"), "abcdefg"), 5, seed=3)
    assert found.standard_error == pytest.approx(statistics.stdev(apart))


def test_the_interval_leaves_out_0_where_the_t_test_does():
    """Of runs that are unlike in nothing but their means the t test decides, and it is the interval's own."""
    generator = np.random.default_rng(0)
    before = generator.normal(100, 1, 12)
    for step in (0.2, 0.5, 0.8, 1.1):
        after = before + generator.normal(step, 1, 12)
        one, other = (ratio(((value, 1) for value in run), range(12)) for run in (after, before))
        found = paired_difference(one, other)
        assert found.low + found.high == pytest.approx(2 * found.value)
        assert found.p >= 0.05 or found.low * found.high > 0


def test_all_wrong_and_all_right_are_no_draw():
    clusters = range(12)
    found = paired_difference(share([0] * 12, clusters), share([1] * 12, clusters), n_resamples=999)
    # Only where all twelve change sides, or none does, is it as large: 2 of 4096.
    assert found.value == -1
    assert found.p < 0.01


def test_clusters_widen_the_difference():
    first, second = [1, 1, 1, 0] * 15, [1, 0, 1, 0] * 15
    alone = paired_difference(share(first, range(60)), share(second, range(60)))
    grouped = [i // 15 for i in range(60)]
    few = paired_difference(share(first, grouped), share(second, grouped))
    assert alone.p < 0.01
    # Four clusters can change sides in sixteen ways, two of them as extreme: 1 / 8.
    assert few.p == pytest.approx(0.125, abs=0.015)


def test_gated_metric_with_few_questions_has_no_verdict():
    """One run passes two questions through the gate, the other all: the share of two says nothing."""
    all_right = ratio([(1, 1)] * 60, range(60))
    few = ratio([(i == 0, i < 2) for i in range(60)], range(60))
    found = paired_difference(all_right, few)
    assert found.value == 0.5
    assert math.isnan(found.low)
    assert math.isnan(found.p)


def test_undefined_in_one_run():
    nothing = paired_difference(ratio([], []), ratio([], []))
    assert nothing.n_clusters == nothing.n_differing == 0
    assert math.isnan(nothing.p)
    found = paired_difference(ratio([(1, 1)] * 9, range(9)), ratio([(0, 0)] * 9, range(9)))
    assert math.isnan(found.value)
    assert math.isnan(found.p)


def test_metrics_that_cannot_be_paired():
    metric = share([1, 0], "ab")
    with pytest.raises(ValueError, match="no keys"):
        paired_difference(metric, Ratio(metric.numerator, metric.denominator, metric.cluster))
    other = SimpleNamespace(
        terms=np.ones((2, 3)), cluster=np.arange(2), keys=("a", "b"), function=lambda sums: sums[..., 0]
    )
    with pytest.raises(ValueError, match="different functions"):
        paired_difference(metric, other)


@pytest.mark.parametrize(
    ("b", "c", "p"), [(0, 0, 1), (1, 0, 1), (5, 5, 1), (1, 5, 0.21875), (0, 10, 2 / 1024), (0, 3000, 0)]
)
def test_mcnemar_by_hand(b, c, p):
    # (1, 5): 2 * (1 + 6) / 64
    assert mcnemar(b, c) == mcnemar(c, b) == pytest.approx(p)


@given(st.lists(st.floats(0, 1), max_size=20))
@settings(max_examples=50)
def test_holm(p_values):
    adjusted = holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    assert sorted(range(len(p_values)), key=lambda i: (p_values[i], adjusted[i])) == sorted(
        range(len(p_values)), key=lambda i: (adjusted[i], p_values[i])
    )
    assert all(0 <= a <= 1 for a in adjusted)


def test_holm_leaves_out_the_undefined():
    assert holm([0.01, math.nan, 0.5])[0] == 0.02
    assert math.isnan(holm([0.01, math.nan])[1])


def test_questions_needed():
    # Twice the difference takes a quarter: (1.96 + 0.8416) ** 2 = 7.849 at value = error.
    found = SimpleNamespace(value=0.02, standard_error=0.02)
    assert needed_factor(found) == pytest.approx(7.849, abs=0.001)
    assert needed_factor(SimpleNamespace(value=0.04, standard_error=0.02)) == pytest.approx(
        7.849 / 4, abs=0.001
    )


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 6), (30, 100), (2_400, 5_000)])
def test_coin(k, n):
    assert heads_at_most(k, n) == pytest.approx(bdtr(k, n, 0.5), rel=1e-9)
