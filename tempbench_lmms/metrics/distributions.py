"""Student's t and the fair coin, which intervals and tests need; the base install has no scipy."""

import math
from functools import lru_cache

_TINY = 1e-300


def t_cdf(degrees: float, t: float) -> float:
    """Returns the probability that a t-distributed number is at most `t`.

    Source: the incomplete beta function, DLMF 8.17.22 (its continued fraction by Lentz's algorithm).

    >>> round(t_cdf(10, -2.228138852), 6), t_cdf(3, 0)
    (0.025, 0.5)
    """
    tail = _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2
    return tail if t < 0 else 1 - tail


@lru_cache(maxsize=1024)  # the metrics of a task have few numbers of degrees of freedom
def t_quantile(degrees: float, p: float) -> float:
    """Returns the number that a t-distributed one is below with probability `p`; NaN without degrees.

    >>> round(t_quantile(10, 0.975), 9), t_quantile(4, 0.5), round(t_quantile(1, 0.75), 12)
    (2.228138852, 0.0, 1.0)
    """
    if not degrees > 0 or not 0 < p < 1:
        return math.nan
    if p < 0.5:
        return -t_quantile(degrees, 1 - p)
    low, high = 0.0, 1.0
    while t_cdf(degrees, -high) > 1 - p:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_cdf(degrees, -middle) > 1 - p else (low, middle)
    return high if p > 0.5 else 0.0


def heads_at_most(k: int, n: int) -> float:
    """Returns the probability of at most `k` heads in `n` throws of a fair coin, from whole numbers.

    >>> heads_at_most(1, 6)
    0.109375
    """
    ways = total = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
        total += ways
    return float(total / 2**n)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Returns the regularized incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - _incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _apart(1 + numerator * d)
            c = _apart(1 + numerator / c)
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return math.exp(log_front) * value / a


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
