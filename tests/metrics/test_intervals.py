"""The distributions, beside scipy's."""

import math

import pytest
from scipy.special import bdtr, stdtr, stdtrit

from tempbench_lmms.metrics.intervals import heads_at_most, t_cdf, t_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3.7, 11, 99.5, 399, 16_000])
def test_t(degrees):
    for p in (0.01, 0.2, 0.5, 0.8, 0.975, 0.9999):
        assert t_quantile(degrees, p) == pytest.approx(stdtrit(degrees, p), rel=1e-8, abs=1e-12)
    for t in (-30, -2.5, -0.01, 0, 0.3, 4):
        assert t_cdf(degrees, t) == pytest.approx(stdtr(degrees, t), rel=1e-8)


def test_no_degrees_of_freedom_is_undefined():
    assert math.isnan(t_quantile(0, 0.975))


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 6), (30, 100), (2_400, 5_000)])
def test_coin(k, n):
    assert heads_at_most(k, n) == pytest.approx(bdtr(k, n, 0.5), rel=1e-9)
