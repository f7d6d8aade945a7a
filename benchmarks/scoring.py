"""Scoring of each benchmark at the paper's size and at 100 times it: time and memory.

Documents are those of the bundled sample, repeated under new names until there are as many as in the paper;
replies are drawn from the possible answers, in several wordings, with some that cannot be read. Scored is by
the functions that the task's YAML names: every reply is parsed into a record, and every metric computed from
the records. Each measurement is a process of its own. BERTScore is measured by `bertscore.py`.

TempVS has 38,127 questions; at 100 times its size it is measured on the test MT2 (event) alone, where
`--whole` does not ask for all: 3.8 million records take 10 GB.
"""

import argparse
import json
import random
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import timing

from tempbench_lmms import benchmarks

ONE_TEST = ("tempvs_mt2_event_mini", 1_803 + 5 * 2_085)

_NAMES = ("question_id", "base_id", "sequence_id", "video_id", "video", "pair_id", "plan_id")
_WORDINGS = ("{}", "{}.", "The answer is: {}", "**{}**", "Let me look at the pictures.\n\nFinal answer: {}")


def documents(task: str, n: int) -> list[dict[str, Any]]:
    """Returns n documents of a task's kind."""
    from tempbench_lmms.harness.tasks import docs_of, load_task

    sample = docs_of(load_task(task))
    docs: list[dict[str, Any]] = []
    while len(docs) < n:
        copy = f"~{len(docs) // len(sample)}"
        for row in sample[: n - len(docs)]:
            renamed = {name: row[name] + copy for name in _NAMES if name in row}
            for name in ("grounding", "places"):
                if name in row:
                    renamed[name] = [one + copy for one in row[name]]
            docs.append(row | renamed)
    return docs


def measure(task: str, n: int, errors: bool) -> dict[str, float]:
    """Scores n replies and returns seconds and the megabytes that this took at most.

    Args:
        task: A task on the bundled sample.
        n: Number of questions.
        errors: Compute what the harness prints: from sorted records, and standard errors beside the values.
    """
    from tempbench_lmms.harness.adapter import Item
    from tempbench_lmms.harness.tasks import load_task
    from tempbench_lmms.record import evaluate

    config = load_task(task)
    docs = documents(task, n)
    generator = random.Random(0)
    replies = [
        generator.choice(_WORDINGS).format(generator.choice(doc["choices"]))
        if generator.random() < 0.95
        else "I cannot tell."
        for doc in docs
    ]
    process = config["process_results"]
    aggregations = {
        row["metric"]: row["aggregation"]
        for row in config["metric_list"]
        if "bertscore" not in row["metric"] and not row["metric"].startswith("details")
    }

    def score() -> None:
        items: dict[str, list[Item]] = {name: [] for name in aggregations}
        for doc, reply in zip(docs, replies, strict=True):
            for name, value in process(doc, [reply]).items():
                if name in items:
                    items[name].append(value)
        for name, aggregate in aggregations.items():
            if errors:
                aggregate(items[name])
            elif row := aggregate.row:
                evaluate(row.metric, [item.record for item in items[name]])

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = timing.seconds(score)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": taken, "megabytes": peak / 1024}


def measured(task: str, n: int, errors: bool = False) -> dict[str, float]:
    """Returns what `measure` does, from a process of its own."""
    (found,) = timing.apart(__file__, task, str(n), *(["--errors"] if errors else []))
    return found


def rows_of(name: str, quick: bool, whole: bool) -> Iterator[timing.Row]:
    """Yields the rows of one benchmark."""
    repeats = 1 if quick else 3
    task, n = benchmarks.card(name).full
    task += "_mini"
    once = [measured(task, n)["seconds"] for _ in range(repeats)]
    per_reply = [1e6 * seconds / n for seconds in once]
    yield timing.Row(f"{name}: {n:,} replies to all metrics", once, "s")
    yield timing.Row(f"{name}: the same, a reply", per_reply, "us")
    with_errors = measured(task, n, errors=True)["seconds"]
    yield timing.Row(f"{name}: with standard errors, as in a run", [with_errors], "s")
    if name == "tempvs" and not whole:
        task, n = ONE_TEST
        per_reply = [1e6 * measured(task, n)["seconds"] / n for _ in range(repeats)]
        name = f"{name}, {task.removesuffix('_mini')} alone"
    many = n * (10 if quick else 100)
    large = measured(task, many)
    of_many = 1e6 * large["seconds"] / many
    yield timing.Row(f"{name}: {many:,} replies to all metrics", [large["seconds"]], "s")
    yield timing.Row(
        f"{name}: time a reply, of {many:,} over that of {n:,}", [of_many / one for one in per_reply], "x"
    )
    yield timing.Row(
        f"{name}: memory of a scored reply, at {many:,}", [large["megabytes"] * 1024 / many], "kB"
    )


def rows(quick: bool, whole: bool = False) -> Iterator[timing.Row]:
    # Two at a time, for two cores: what is measured is the processor's time.
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda name: list(rows_of(name, quick, whole)), benchmarks.names()):
            yield from found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="10 times instead of 100, once each")
    options.add_argument("--whole", action="store_true", help="100 times the whole of TempVS: 10 GB")
    options.add_argument("--measure", nargs=2, metavar=("TASK", "N"), help=argparse.SUPPRESS)
    options.add_argument("--errors", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure[0], int(given.measure[1]), given.errors)))
        return
    for line in timing.table(rows(given.quick, given.whole)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
