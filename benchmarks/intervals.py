"""Intervals for the whole of TempVS, by 10,000 resamples.

Random answers to as many questions as the paper's Table 2 counts, over its 2,085 image sequences with five
grounding questions each: every metric of the suite with the bootstrap's t interval. The yardstick in the same
run is the textbook loop, one resample at a time, on one metric and extrapolated.
"""

import random
from collections.abc import Iterator

import numpy as np
import timing

from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.metrics.resampling import by_cluster, interval
from tempbench_lmms.record import Record
from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import GROUNDING_OF, N_EVENTS, TABLE_2

N = {test: sum(counts.values()) for test, counts in TABLE_2.items()}
N_SEQUENCES = N["mt3_event"]
LOOP = 20


def records_of(test: str, n: int, generator: random.Random) -> list[Record]:
    """Returns answered questions of one main test with their groundings."""
    records: list[Record] = []
    for i in range(min(n, N_SEQUENCES)):
        records += [
            {
                "id": f"{i}/{test}/gt/{k}",
                "role": "grounding",
                "tests": [GROUNDING_OF[test]],
                "sequence": i,
                "correct": int(generator.random() < 0.7),
                "parsed": 1,
                "failed": 0,
            }
            for k in range(5)
        ]
    n_events = N_EVENTS.get(test, 5)
    for i in range(n):
        sequence = i % min(n, N_SEQUENCES)
        own = generator.sample(range(5), n_events)
        records.append(
            {
                "id": f"{sequence}/{test}/{i}",
                "role": "main",
                "tests": [test],
                "sequence": sequence,
                "correct": int(generator.random() < 0.5),
                "parsed": 1,
                "failed": 0,
                "grounding": [f"{sequence}/{test}/gt/{k}" for k in own],
                "n_events": n_events,
            }
        )
    return records


def loop(metric: Ratio, n_resamples: int) -> None:
    """Draws resamples one by one."""
    generator = np.random.default_rng(0)
    units = [np.flatnonzero(metric.cluster == c) for c in range(int(metric.cluster.max()) + 1)]
    for _ in range(n_resamples):
        drawn = np.concatenate([units[c] for c in generator.integers(0, len(units), len(units))])
        metric.numerator[drawn].sum() / metric.denominator[drawn].sum()


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields how many times faster our intervals are than the loop."""
    n_resamples = 1_000 if quick else 10_000
    generator = random.Random(0)
    ratios = {}
    for test, n in N.items():
        records = records_of(test, n, generator)
        for name, metric in scoring.METRICS.of(scoring.ANSWERS).items():
            if isinstance(result := metric(records), Ratio):
                ratios[f"{test}_{name}"] = result

    def resampled() -> None:
        for one in ratios.values():
            interval(by_cluster(one), n_resamples=n_resamples)

    times = timing.side_by_side({"loop": lambda: loop(ratios["mt1_two_mt"], LOOP), "t": resampled}, 3)
    looped = [one * n_resamples / LOOP * len(ratios) for one in times["loop"]]
    what = f"TempVS, intervals of {len(ratios)} metrics by {n_resamples:,} resamples"
    yield timing.Row(f"{what}: a loop / ours", timing.over(looped, times["t"]), "x")
    yield timing.Row(f"{what}: ours", times["t"], "s", at_most=10)
