"""How long intervals for the whole of TempVS take: `python benchmarks/intervals.py [--resamples 10000]`.

Random answers to as many questions as the paper's Table 2 counts, over its 2,085 image sequences with five
grounding questions each: every metric of the suite with a percentile and a BCa interval. The yardstick in the
same run is the textbook loop, one resample at a time, on one metric and extrapolated.
"""

import argparse
import random
import time
import tracemalloc

import numpy as np

from tempbench_lmms.adapter import Record
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.metrics.resampling import interval
from tempbench_lmms.tempvs import scoring

N_SEQUENCES = 2085
N = {
    "mt1_two": 7560,
    "mt1_three": 2126,
    "mt2_event": 1803,
    "mt2_caption": 1618,
    "mt3_event": 2085,
    "mt3_caption": 2085,
}
LOOP = 20


def records_of(test: str, n: int, generator: random.Random) -> list[Record]:
    """Returns answered questions of one main test with their groundings."""
    records: list[Record] = []
    for i in range(min(n, N_SEQUENCES)):
        records += [
            {
                "id": f"{i}/{test}/gt/{k}",
                "role": "grounding",
                "tests": [scoring.GROUNDING_OF[test]],
                "sequence": i,
                "correct": int(generator.random() < 0.7),
                "parsed": 1,
                "failed": 0,
            }
            for k in range(5)
        ]
    n_events = {"mt1_two": 2, "mt1_three": 3}.get(test, 5)
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


def loop(metric: Ratio, n_resamples: int) -> float:
    """Returns the seconds that the textbook loop takes."""
    start = time.perf_counter()
    generator = np.random.default_rng(0)
    units = [np.flatnonzero(metric.cluster == c) for c in range(int(metric.cluster.max()) + 1)]
    for _ in range(LOOP):
        drawn = np.concatenate([units[c] for c in generator.integers(0, len(units), len(units))])
        metric.numerator[drawn].sum() / metric.denominator[drawn].sum()
    return (time.perf_counter() - start) * n_resamples / LOOP


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--resamples", type=int, default=10_000)
    n_resamples = options.parse_args().resamples
    generator = random.Random(0)
    ratios = {}
    n_records = 0
    for test, n in N.items():
        records = records_of(test, n, generator)
        n_records += len(records)
        for name, metric in scoring.TEST_METRICS.items():
            if isinstance(result := metric(records), Ratio):
                ratios[f"{test}_{name}"] = result
    print(f"{n_records:,} questions, {len(ratios)} metrics, {n_resamples:,} resamples of whole sequences")
    yardstick = loop(ratios["mt1_two_mt"], n_resamples) * len(ratios)
    print(f"{'a loop over resamples, extrapolated':45}{yardstick:9.1f} s")
    for method in ("percentile", "bca"):
        start = time.perf_counter()
        for one in ratios.values():
            interval(one, method=method, n_resamples=n_resamples)
        seconds = time.perf_counter() - start
        print(f"{method:45}{seconds:9.1f} s  {yardstick / seconds:8.0f} x faster")
    tracemalloc.start()
    interval(ratios["mt1_two_mt"], n_resamples=n_resamples)
    print(f"{'peak memory of one interval':45}{tracemalloc.get_traced_memory()[1] / 1e6:9.1f} MB")


if __name__ == "__main__":
    main()
