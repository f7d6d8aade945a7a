"""How many groups tell two runs apart where every group is looked at: `python benchmarks/until_decided.py`.

Pairs of runs over groups of questions: a group has its own share of right answers (beta-binomial, mean 0.6,
correlation 0.2), and of every two replies to a question half are the same draw. The betting test
(`metrics.betting`) is looked at after each group; beside it a t test, which must not be, and the same t test
once, after all groups.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import timing
from numpy.typing import NDArray
from scipy.special import stdtr

from tempbench_lmms.metrics.betting import log_capital

DIFFERENCES = (0.0, 0.02, 0.05, 0.1)
SIZES = ((200, 8), (2000, 1), (2000, 8))
_LEVEL, _WITHIN, _MEAN, _SAME = 0.05, 0.2, 0.6, 0.5
_FEWEST = 10  # groups before the t test is looked at
_AT_ONCE = 250


def runs(
    generator: np.random.Generator, n_pairs: int, n_groups: int, size: int, difference: float
) -> NDArray[np.float64]:
    """Returns the mean differences of groups, (n_pairs, n_groups)."""
    total = 1 / _WITHIN - 1
    shares = generator.beta(total * _MEAN, total * (1 - _MEAN), (n_pairs, n_groups, 1))
    first = generator.random((n_pairs, n_groups, size))
    same = generator.random(first.shape) < _SAME
    second = np.where(same, first, generator.random(first.shape))
    # What the better run knows more of is anything that the other one misses.
    a, b = first < shares, second < shares
    more = difference / (1 - _MEAN)
    a |= ~a & (generator.random(first.shape) < more)
    return (a.astype(np.float64) - b).mean(axis=2)


def _t_tests(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the p value after each group."""
    n = np.arange(1, differences.shape[1] + 1)
    sums, squares = differences.cumsum(axis=1), (differences**2).cumsum(axis=1)
    with np.errstate(all="ignore"):
        variance = (squares - sums**2 / n) / (n - 1)
        p: NDArray[np.float64] = 2 * stdtr(n - 1, -np.abs(sums) / np.sqrt(n * variance))
    p[:, : _FEWEST - 1] = 1
    return np.nan_to_num(p, nan=1.0)


def shares(n_pairs: int, n_groups: int, size: int, difference: float, seed: int = 0) -> dict[str, float]:
    """Returns the shares of the pairs that are decided, and of the groups that this took."""
    generator = np.random.default_rng(seed)
    ends, peeked, once, wrong = [], 0, 0, 0
    for start in range(0, n_pairs, _AT_ONCE):
        found = runs(generator, min(_AT_ONCE, n_pairs - start), n_groups, size, difference)
        crossed = log_capital(found) >= -np.log(_LEVEL)
        first = np.where(crossed.any(axis=1), crossed.argmax(axis=1), n_groups)
        ends.append(first)
        sums = found.cumsum(axis=1)
        wrong += sum(sums[i, n] < 0 for i, n in enumerate(first) if n < n_groups)
        p = _t_tests(found)
        peeked += int((p < _LEVEL).any(axis=1).sum())
        once += int((p[:, -1] < _LEVEL).sum())
    end = np.concatenate(ends)
    return {
        "decided": float((end < n_groups).mean()),
        "wrong side": wrong / n_pairs,
        "asked": float(np.minimum(end + 1, n_groups).mean() / n_groups),
        "t test, each group": peeked / n_pairs,
        "t test, once": once / n_pairs,
    }


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields false decisions, and what is asked of all questions."""
    n_pairs = 250 if quick else 2000
    for n_groups, size in SIZES[:1] if quick else SIZES:
        for difference in DIFFERENCES:
            found = shares(n_pairs, n_groups, size, difference)
            what = f"{n_groups} groups of {size}, true difference {difference:g}"
            at_most = 100 * _LEVEL if not difference else None
            yield timing.Row(f"{what}: decided", [100 * found["decided"]], "%", at_most=at_most)
            yield timing.Row(f"{what}: questions asked", [100 * found["asked"]], "%")


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=2000)
    given = options.parse_args()
    print("| groups | of | true difference | decided | other side | asked | t test, peeking | t test, once |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_groups, size in SIZES:
        for difference in DIFFERENCES:
            found = shares(given.pairs, n_groups, size, difference)
            shown = " | ".join(f"{100 * value:.1f} %" for value in found.values())
            print(f"| {n_groups:,} | {size} | {difference:g} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
