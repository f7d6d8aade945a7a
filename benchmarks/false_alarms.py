"""How often `tempbench compare` sees a difference where there is none: `python benchmarks/false_alarms.py`.

Pairs of chance runs with different seeds on the bundled samples, by the benchmarks' own hooks, without the
harness. Before Holm a metric may be called different in 5 % of the pairs; after Holm at most 5 % of the pairs
may have any metric called different.
"""

import argparse
import time
from pathlib import Path
from types import SimpleNamespace

from tempbench_lmms.adapter import Item
from tempbench_lmms.comparison import compare_tasks
from tempbench_lmms.respondents import chance
from tempbench_lmms.runs import Sample, TaskLog
from tempbench_lmms.tasks import docs_of, load_task, task_files

TASKS = ("tempvs_mt1_two_mini", "tempvs_mt2_event_mini", "tempvs_mt3_caption_mini", "tempvs_mini")


def chance_run(task: str, seed: int) -> TaskLog:
    """Returns what the harness would log of chance on a task."""
    config = load_task(task)
    samples = []
    for number, doc in enumerate(docs_of(config)):
        reply = chance(doc, task, seed)
        out = config["process_results"](doc, [reply])
        metrics = frozenset(name for name, value in out.items() if isinstance(value, Item))
        samples.append(Sample(out["record"], metrics, "", reply, number, doc["target"]))
    arguments = SimpleNamespace(model="tempbench_chance", model_args="")
    benchmark = task_files()[task].parent.name
    return TaskLog(task, benchmark, "tempbench_chance", arguments, {}, config, tuple(samples), Path(), ())


def false_alarms(task: str, n_pairs: int, n_resamples: int) -> tuple[dict[str, tuple[int, int]], int]:
    """Returns how often each metric was called different, and of how many times, and the pairs after Holm."""
    counts: dict[str, tuple[int, int]] = {}
    after = 0
    for pair in range(n_pairs):
        runs = chance_run(task, 2 * pair), chance_run(task, 2 * pair + 1)
        found = compare_tasks([runs], n_resamples)
        after += any(one.verdict != "cannot be told" for one in found)
        for one in found:
            n_alarms, n = counts.get(one.metric, (0, 0))
            counts[one.metric] = n_alarms + one.told_alone, n + 1
    return counts, after


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", default=TASKS)
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--resamples", type=int, default=1000)
    given = options.parse_args()
    for task in given.tasks:
        start = time.perf_counter()
        counts, after = false_alarms(task, given.pairs, given.resamples)
        shares = {metric: alarms / n for metric, (alarms, n) in counts.items()}
        mean = sum(shares.values()) / len(shares)
        print(f"{task}: {given.pairs} pairs, {len(shares)} metrics, {time.perf_counter() - start:.0f} s")
        print(f"  before Holm: {mean:.1%} on average, at most {max(shares.values()):.1%} for a metric")
        for metric, share in sorted(shares.items(), key=lambda entry: -entry[1])[:5]:
            print(f"    {metric:40} {share:.1%}")
        print(f"  after Holm: {after / given.pairs:.1%} of the pairs with any metric called different")


if __name__ == "__main__":
    main()
