"""How many groups tell two runs apart where every group is looked at: `python benchmarks/until_decided.py`.

Pairs of runs over groups of questions: a group has its own share of right answers (beta-binomial, mean 0.6,
correlation 0.2), and of every two replies to a question half are the same draw. The betting test
(`metrics.betting`) is looked at after each group; beside it a t test, which must not be, and the same t test
once, after all groups.

With --gated the share is of what each run lets through: of a group with a share s of right answers 0.8 s or
0.4 s of the questions pass, so that runs of one ratio may count twice as many questions as the other, most of
them easy ones. Beside it a z test of the two ratios by linearization, once, after all groups.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import timing
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from tempbench_lmms.metrics.betting import Differences, alike, differences, log_capital

Floats = NDArray[np.float64]

DIFFERENCES = (0.0, 0.02, 0.05, 0.1)
GATES = ((0.8, 0.8), (0.8, 0.4), (0.4, 0.8))
SIZES = ((200, 8), (2000, 1), (2000, 8))
_LEVEL, _WITHIN, _MEAN, _SAME = 0.05, 0.2, 0.6, 0.5
_FEWEST = 10  # groups before the t test is looked at
_AT_ONCE = 250


def _shares(generator: np.random.Generator, n_pairs: int, n_groups: int) -> Floats:
    total = 1 / _WITHIN - 1
    found: Floats = generator.beta(total * _MEAN, total * (1 - _MEAN), (n_pairs, n_groups, 1))
    return found


def _draws(generator: np.random.Generator, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    first: Floats = generator.random(shape)
    same = generator.random(shape) < _SAME
    return first, np.where(same, first, generator.random(shape))


def runs(generator: np.random.Generator, n_pairs: int, n_groups: int, size: int, difference: float) -> Floats:
    """Returns the mean differences of groups, (n_pairs, n_groups)."""
    shares = _shares(generator, n_pairs, n_groups)
    first, second = _draws(generator, (n_pairs, n_groups, size))
    # What the better run knows more of is anything that the other one misses.
    a, b = first < shares, second < shares
    more = difference / (1 - _MEAN)
    a |= ~a & (generator.random(first.shape) < more)
    return (a.astype(np.float64) - b).mean(axis=2)


def gated_runs(
    generator: np.random.Generator,
    n_pairs: int,
    n_groups: int,
    size: int,
    difference: float,
    passes: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Returns of both runs the numerators and denominators of groups, (n_pairs, n_groups, 2)."""
    shares = _shares(generator, n_pairs, n_groups)
    shape = (n_pairs, n_groups, size)
    (first, second), gates = _draws(generator, shape), _draws(generator, shape)
    a, b = first < shares, second < shares
    # E[s^2] / E[s] of what passes is right.
    mean = _MEAN + (1 - _MEAN) * _WITHIN
    a |= generator.random(shape) < difference / (1 - mean)
    counts = [gate < rate * shares for gate, rate in zip(gates, passes, strict=True)]
    found = [
        np.stack([(right & counted).mean(axis=2), counted.mean(axis=2)], axis=-1)
        for right, counted in zip((a, b), counts, strict=True)
    ]
    return found[0], found[1]


def _t_tests(found: Floats) -> Floats:
    """Returns the p value after each group."""
    n = np.arange(1, found.shape[1] + 1)
    sums, squares = found.cumsum(axis=1), (found**2).cumsum(axis=1)
    with np.errstate(all="ignore"):
        variance = (squares - sums**2 / n) / (n - 1)
        p: Floats = 2 * stdtr(n - 1, -np.abs(sums) / np.sqrt(n * variance))
    p[:, : _FEWEST - 1] = 1
    return np.nan_to_num(p, nan=1.0)


def shares(n_pairs: int, n_groups: int, size: int, difference: float, seed: int = 0) -> dict[str, float]:
    """Returns the shares of the pairs that are decided, and of the groups that this took."""
    generator = np.random.default_rng(seed)
    ends: list[NDArray[np.int64]] = []
    peeked, once, wrong = 0, 0, 0
    for n in _portions(n_pairs):
        found = runs(generator, n, n_groups, size, difference)
        wrong += _decided(found, _LEVEL, ends)
        p = _t_tests(found)
        peeked += int((p < _LEVEL).any(axis=1).sum())
        once += int((p[:, -1] < _LEVEL).sum())
    return _summary(np.concatenate(ends), wrong, n_groups) | {
        "t test, each group": peeked / n_pairs,
        "t test, once": once / n_pairs,
    }


def gated_shares(
    n_pairs: int, n_groups: int, size: int, difference: float, passes: tuple[float, float], seed: int = 0
) -> dict[str, float]:
    """Returns the same where replies decide what counts."""
    generator = np.random.default_rng(seed)
    ends: list[NDArray[np.int64]] = []
    once, wrong = 0, 0
    for n in _portions(n_pairs):
        first, second = gated_runs(generator, n, n_groups, size, difference, passes)
        common = [alike(terms, _LEVEL) for terms in second]
        ratios = np.array([one.ratios for one in common]).T[:, :, None]
        before = np.stack([one.before(n_groups) for one in common], axis=1)
        wrong += _decided(differences(first, second, list(ratios), before), common[0].level, ends)
        once += int((_z_tests(first, second) < _LEVEL).sum())
    return _summary(np.concatenate(ends), wrong, n_groups) | {"z test, once": once / n_pairs}


def _portions(n_pairs: int) -> Iterator[int]:
    for start in range(0, n_pairs, _AT_ONCE):
        yield min(_AT_ONCE, n_pairs - start)


def _decided(found: Floats | Differences, level: float, ends: list[NDArray[np.int64]]) -> int:
    """Adds after how many groups each pair is decided; returns how many are for the other side."""
    crossed = log_capital(found) >= -np.log(level)
    n_groups = crossed.shape[1]
    first = np.where(crossed.any(axis=1), crossed.argmax(axis=1), n_groups)
    ends.append(first)
    sums = (found.ends[0] if isinstance(found, Differences) else found).cumsum(axis=1)
    return sum(bool(sums[i, n] < 0) for i, n in enumerate(first) if n < n_groups)


def _summary(end: NDArray[np.int64], wrong: int, n_groups: int) -> dict[str, float]:
    return {
        "decided": float((end < n_groups).mean()),
        "wrong side": wrong / len(end),
        "asked": float(np.minimum(end + 1, n_groups).mean() / n_groups),
    }


def _z_tests(first: Floats, second: Floats) -> Floats:
    """Returns the p values of the differences of the ratios over all groups."""
    rest: list[Floats] = []
    ratios = []
    for terms in (first, second):
        value, weight = terms[..., 0], terms[..., 1]
        ratios.append(value.sum(axis=1) / weight.sum(axis=1))
        rest.append((value - ratios[-1][:, None] * weight) / weight.sum(axis=1)[:, None])
    error = np.sqrt(((rest[0] - rest[1]) ** 2).sum(axis=1))
    p: Floats = 2 * ndtr(-np.abs(ratios[0] - ratios[1]) / error)
    return p


def _gated_cases(sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, float, tuple[float, float]]]:
    for n_groups, size in sizes:
        for passes in GATES:
            for difference in DIFFERENCES if passes[0] >= passes[1] else DIFFERENCES[:1]:
                yield n_groups, size, difference, passes


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields false decisions, and what is asked of all questions."""
    n_pairs = 250 if quick else 2000
    for n_groups, size in SIZES[:1] if quick else SIZES:
        for difference in DIFFERENCES:
            found = shares(n_pairs, n_groups, size, difference)
            yield from _rows_of(f"{n_groups} groups of {size}", difference, found)
    # Of the smallest size alone: --gated takes ten minutes of processor time for all.
    for n_groups, size, difference, passes in _gated_cases(SIZES[:1]):
        found = gated_shares(n_pairs, n_groups, size, difference, passes)
        gates = "{:g} s and {:g} s".format(*passes)
        yield from _rows_of(f"{n_groups} groups of {size}, of which {gates} count", difference, found)


def _rows_of(what: str, difference: float, found: Mapping[str, float]) -> Iterator[timing.Row]:
    what += f", true difference {difference:g}"
    at_most = 100 * _LEVEL if not difference else None
    yield timing.Row(f"{what}: decided", [100 * found["decided"]], "%", at_most=at_most)
    yield timing.Row(f"{what}: questions asked", [100 * found["asked"]], "%")


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=2000)
    options.add_argument("--gated", action="store_true", help="shares of what the replies let through")
    given = options.parse_args()
    if given.gated:
        print(
            "| groups | of | pass, A and B | true difference | decided | other side | asked | z test, once |"
        )
        print("|---:|---:|---:|---:|---:|---:|---:|---:|")
        for n_groups, size, difference, passes in _gated_cases(SIZES):
            found = gated_shares(given.pairs, n_groups, size, difference, passes)
            gates = "{:g} s, {:g} s".format(*passes)
            print(f"| {n_groups:,} | {size} | {gates} | {difference:g} | {_shown(found)} |", flush=True)
        return
    print("| groups | of | true difference | decided | other side | asked | t test, peeking | t test, once |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_groups, size in SIZES:
        for difference in DIFFERENCES:
            found = shares(given.pairs, n_groups, size, difference)
            print(f"| {n_groups:,} | {size} | {difference:g} | {_shown(found)} |", flush=True)


def _shown(found: Mapping[str, float]) -> str:
    return " | ".join(f"{100 * value:.1f} %" for value in found.values())


if __name__ == "__main__":
    main()
