"""How often `tempbench compare` sees a difference where there is none: `python benchmarks/false_alarms.py`.

Pairs of chance runs with different seeds on the bundled samples, by the benchmarks' own hooks, without the
harness. Before Holm a metric may be called different in 5 % of the pairs; after Holm at most 5 % of the pairs
may have any metric of the task called different. A share over so many pairs has a spread of its own (1.5
points in 200 pairs): beside it stands how likely a share at least as high is where the true one is 5 %.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import timing
from scipy.stats import binomtest

from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.respondents import chance
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.runs.comparison import compare_tasks
from tempbench_lmms.runs.logs import Sample, TaskLog
from tempbench_lmms.runs.safe_run import leaves

LEVEL = 0.05


def chance_run(task: str, seed: int) -> TaskLog:
    """Returns what the harness would log of chance on a task."""
    config = load_task(task)
    samples = []
    for number, doc in enumerate(docs_of(config)):
        reply = chance(doc, task, seed)
        out = config["process_results"](doc, [reply])
        metrics = frozenset(name for name, value in out.items() if isinstance(value, Item))
        samples.append(Sample(out["record"], metrics, "", reply, number, str(doc.get("target", ""))))
    arguments = SimpleNamespace(model="tempbench_chance", model_args="")
    benchmark = task_files()[task].parent.name
    return TaskLog(task, benchmark, "tempbench_chance", arguments, {}, config, tuple(samples), Path(), ())


def false_alarms(task: str, n_pairs: int, n_resamples: int) -> tuple[dict[str, int], int]:
    """Returns how often each metric was called different before Holm, and in how many pairs any was after."""
    before: Counter[str] = Counter()
    after = 0
    for pair in range(n_pairs):
        runs = chance_run(task, 2 * pair), chance_run(task, 2 * pair + 1)
        found = compare_tasks([runs], n_resamples)
        after += any(one.verdict != "undecided" for one in found)
        before.update({one.metric: one.differs_alone for one in found})
    return dict(before), after


def excess(alarms: int, n_pairs: int) -> float:
    """Returns how likely at least so many alarms are where a pair gives one in 5 % of the cases."""
    return float(binomtest(alarms, n_pairs, LEVEL, alternative="greater").pvalue)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields a look at one task; the command line looks at all of them."""
    n = 5 if quick else 100
    before, after = false_alarms("tempvs_mt1_two_mini", n, 1000)
    what = f"tempvs_mt1_two_mini, {n} pairs of chance runs, {len(before)} metrics"
    mean = 100 * sum(before.values()) / len(before) / n
    yield timing.Row(f"{what}: called different before Holm, mean", [mean], "%")
    yield timing.Row(f"{what}: pairs with any called different after Holm", [100 * after / n], "%")


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", default=["tempbench_mini"], help="tasks or groups")
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--resamples", type=int, default=1000)
    given = options.parse_args()
    n, everything, worst_after = given.pairs, {}, 0.0
    for task in leaves(given.tasks):
        start = time.perf_counter()
        before, after = false_alarms(task, n, given.resamples)
        mean = sum(before.values()) / len(before) / n
        print(
            f"{task}: {len(before)} metrics, before Holm {mean:.1%} on average, at most "
            f"{max(before.values()) / n:.1%}; after Holm {after / n:.1%} of the pairs "
            f"({time.perf_counter() - start:.0f} s)",
            flush=True,
        )
        everything |= {f"{task} {metric}": alarms for metric, alarms in before.items()}
        worst_after = max(worst_after, after / n)
    over = sorted((name for name in everything if everything[name] > LEVEL * n), key=everything.__getitem__)
    print(f"{len(everything)} metrics, {n} pairs: {len(over)} above {LEVEL:.0%} before Holm")
    for name in reversed(over):
        share = everything[name] / n
        print(f"  {name}: {share:.1%}, as high or higher by accident: {excess(everything[name], n):.2f}")
    print(f"after Holm at most {worst_after:.1%} of the pairs of a task")


if __name__ == "__main__":
    main()
