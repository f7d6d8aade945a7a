"""How long scoring the whole of TempVS takes: `python benchmarks/tempvs_scoring.py [--scale 100]`.

Random answers to as many questions as the paper's Table 2 counts, with their groundings: parsing and all six
tests, official and ours. The yardstick in the same run is the official scorer's core loop as it works, a
look-up of the grounding rows in a pandas frame for every main row, on the two-event test alone.
"""

import argparse
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from tempbench_lmms.adapter import evaluate
from tempbench_lmms.tempvs import official, predictions, scoring

N = {
    "paired_event_discrimination": 7560,
    "triple_event_discrimination": 2126,
    "ordering_texts_opt_event": 1803,
    "ordering_texts_opt_story": 1618,
    "ordering_images_opt_event": 2085,
    "ordering_images_opt_story": 2085,
}
REPLIES = ("Option {}", "The answer is {}.", "({})", "{}", "I am not sure", "A dog runs, so Option {}")


def rows_of(task: str, n: int, generator: random.Random) -> official.Predictions:
    """Returns random answered rows of one task, all as one source."""
    letters = "AB" if official.kind_of(task) == "mt1" else "ABCDE"
    sequences = [f"s{i}" for i in range(max(n // (4 if letters == "AB" else 1), 1))]
    main = []
    for i in range(n):
        row: dict[str, Any] = {
            "img_seq_id": sequences[i % len(sequences)],
            "gt_option": generator.choice(letters),
            "preds": generator.choice(REPLIES).format(generator.choice(letters)),
            "event_pre": "Fred ran.",
        }
        if letters == "AB":
            size = 2 if "paired" in task else 3
            row["event_" + ("pair" if size == 2 else "triple") + "_tuple"] = tuple(range(size))
        main.append(row)
    grounding = [
        {"img_seq_id": name, "gt_option": f"image {k + 1}", "preds": f"Image {generator.randint(1, 5)}"}
        for name in sequences
        for k in range(5)
    ]
    return official.Predictions(main, grounding)


def pandas_yardstick(data: official.Predictions) -> int:
    """Counts grounded rows as the official scorer does: a filter over the frame for every row and event."""
    import pandas

    grounding = pandas.DataFrame(list(data.grounding))
    grounding["pass"] = official.passes(list(data.grounding), "single_grounding_paired", "GPT4o")
    grounded = 0
    for row in data.main:
        passes = []
        for event in row["event_pair_tuple"]:
            match = grounding[
                (grounding["img_seq_id"] == row["img_seq_id"])
                & (grounding["gt_option"].str.endswith(str(event + 1)))
            ]
            passes.append(bool(match.iloc[0]["pass"]))
        grounded += all(passes)
    return grounded


def timed(function: Callable[[], Any], repeats: int = 3) -> tuple[float, float]:
    """Returns the shortest time of a few runs in seconds, and how much longer the longest took."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times), max(times) / min(times) - 1


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scale", type=int, default=1, help="times the paper's number of questions")
    scale = options.parse_args().scale
    generator = random.Random(0)
    data = {task: {"vist": rows_of(task, n * scale, generator)} for task, n in N.items()}
    n_rows = sum(len(d["vist"].main) + len(d["vist"].grounding) for d in data.values())

    def official_all() -> None:
        for task, sources in data.items():
            official.score(task, sources, "GPT4o")

    def strict_all() -> None:
        for task, sources in data.items():
            predictions.strict(task, sources, blind_filter=False)

    def harness_all() -> None:
        for records in parsed.values():
            for metric in scoring.TEST_METRICS.values():
                evaluate(metric, records)

    parsed = {
        task: [
            predictions._record(row, task, "vist", i) | {"grounding": [], "n_events": 0}
            for i, row in enumerate(sources["vist"].main)
        ]
        for task, sources in data.items()
    }
    two_events = data["paired_event_discrimination"]["vist"]
    small = official.Predictions(two_events.main[:500], two_events.grounding)
    yardstick, noise = timed(lambda: pandas_yardstick(small), 2)
    yardstick *= len(two_events.main) / 500
    print(f"{n_rows:,} rows; noise of the yardstick {noise:.0%}")
    print(f"{'pandas look-ups, two-event test alone':45}{yardstick:9.3f} s")
    for name, function in (
        ("official numbers, six tests, with parsing", official_all),
        ("our numbers, six tests, with parsing", strict_all),
        ("our metrics over parsed records", harness_all),
    ):
        seconds, noise = timed(function)
        print(f"{name:45}{seconds:9.3f} s  {yardstick / seconds:8.0f} x faster  (noise {noise:.0%})")
    tracemalloc.start()
    strict_all()
    print(f"{'peak memory of our numbers':45}{tracemalloc.get_traced_memory()[1] / 1e6:9.1f} MB")


if __name__ == "__main__":
    main()
