"""How often `tempbench compare` sees a difference where there is none: `python benchmarks/false_alarms.py`.

Pairs of chance runs with different seeds on the bundled samples, by the benchmarks' own hooks, without the
harness. Before Holm a metric may be called different in 5 % of the pairs; after Holm at most 5 % of the pairs
may have any metric of the task called different. A share over so many pairs has a spread of its own (0.5
points in 2,000 pairs): beside it stands how likely a share at least as high is where the true one is 5 %.

With --groups the sample's groups are drawn again and again, under other names, until there are so many: as
many as a release's `_lite` has.
"""

import argparse
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import timing
from scipy.stats import binomtest

from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.respondents import chance
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.record import Record
from tempbench_lmms.runs import comparison
from tempbench_lmms.runs.logs import MetricOfRun, Sample, TaskLog, metrics_of
from tempbench_lmms.runs.planning import groups_of
from tempbench_lmms.runs.safe_run import leaves

LEVEL = 0.05
LITE = "tempbench_lite_mini"
# What records call questions and their groups by: another name in another copy of a group.
_NAMES = {
    "id",
    "question",
    "video",
    "pair",
    "plan",
    "clip",
    "group",
    "sequence",
    "instance",
    "place",
    "grounding",
}
_PARTS = 20


class Asked(NamedTuple):
    """A question: its document's number, and which copy of its group it is in."""

    number: int
    copy: int


class Chance:
    """Chance on a task, as often as one likes: all but the draws is made once.

    Args:
        task: The task.
        n_groups: How many groups there are to be, drawn from those of the data; these where omitted.
    """

    def __init__(self, task: str, n_groups: int | None = None) -> None:
        self.task, self.config = task, load_task(task)
        self.docs = docs_of(self.config, media=False)
        self.questions = [Asked(number, 0) for number in range(len(self.docs))]
        if n_groups:
            members: dict[str, list[int]] = {}
            for number, group in enumerate(groups_of(task, self.docs)):
                members.setdefault(group, []).append(number)
            picks = np.random.default_rng(0).integers(0, len(members), n_groups)
            groups = list(members.values())
            self.questions = [Asked(n, copy) for copy, pick in enumerate(picks) for n in groups[pick]]
        self._scored: dict[tuple[int, str], Sample] = {}
        self._samples: dict[tuple[Asked, str], Sample] = {}

    def run(self, seed: int) -> TaskLog:
        """Returns what the harness would log."""
        samples = []
        for place, one in enumerate(self.questions):
            doc = self.docs[one.number]
            reply = chance({**doc, "question_id": f"{doc['question_id']}{_suffix(one)}"}, self.task, seed)
            if (one, reply) not in self._samples:
                self._samples[one, reply] = replace(self._sample(one, reply), doc_id=place)
            samples.append(self._samples[one, reply])
        arguments = SimpleNamespace(model="tempbench_chance", model_args="")
        benchmark, model = task_files()[self.task].parent.name, "tempbench_chance"
        return TaskLog(self.task, benchmark, model, arguments, {}, self.config, tuple(samples), Path(), ())

    def _sample(self, one: Asked, reply: str) -> Sample:
        number = one.number
        if (number, reply) not in self._scored:
            doc = self.docs[number]
            out = self.config["process_results"](doc, [reply])
            metrics = frozenset(name for name, value in out.items() if isinstance(value, Item))
            sample = Sample(out["record"], metrics, "", reply, number, str(doc.get("target", "")))
            self._scored[number, reply] = sample
        found = self._scored[number, reply]
        return replace(found, record=_renamed(found.record, _suffix(one))) if one.copy else found


def _suffix(one: Asked) -> str:
    return f"#{one.copy}" if one.copy else ""


def _renamed(record: Record, suffix: str) -> Record:
    """Returns the record of a question in another group of the same kind."""

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(one) for one in value]
        # A place may be several, and those that share one are one group.
        return "+".join(part + suffix for part in value.split("+")) if isinstance(value, str) else value

    return {key: renamed(value) if key in _NAMES else value for key, value in record.items()}


@cache
def _remembering(metric: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a metric that works out single records, which are shared by runs, once."""
    known: dict[int, tuple[Record, Any]] = {}

    def found(records: Sequence[Record]) -> Any:
        if len(records) != 1:
            return metric(records)
        (one,) = records
        if id(one) not in known:
            known[id(one)] = one, metric(records)
        return known[id(one)][1]

    return found


def _metrics(log: TaskLog) -> list[MetricOfRun]:
    # Chance's replies are worth no encoder's time.
    found = [one for one in metrics_of(log) if not one.needs_encoder]
    return [replace(one, metric=_remembering(one.metric)) for one in found]


@cache
def _asked(task: str, n_groups: int | None) -> Chance:
    return Chance(task, n_groups)


class Alarms(NamedTuple):
    """How often each metric was called different before Holm, and in how many pairs any was after."""

    before: Counter[str]
    after: int


def alarms(task: str, n_groups: int | None, n_resamples: int, pairs: range) -> Alarms:
    """Returns the false alarms in some pairs of runs."""
    asked, before, after = _asked(task, n_groups), Counter[str](), 0
    with patch.object(comparison, "metrics_of", _metrics):
        for pair in pairs:
            runs = asked.run(2 * pair), asked.run(2 * pair + 1)
            found = comparison.compare_tasks([runs], n_resamples)
            after += any(one.verdict != "undecided" for one in found)
            before.update({one.metric: one.differs_alone for one in found})
    return Alarms(before, after)


def false_alarms(pool: Any, task: str, n_pairs: int, n_resamples: int, n_groups: int | None) -> Alarms:
    """Returns the false alarms in `n_pairs` pairs, shared out to the processes of a pool."""
    cuts = [n_pairs * i // _PARTS for i in range(_PARTS + 1)]
    parts = [range(*ends) for ends in itertools.pairwise(cuts)]
    found = list(pool.map(partial(alarms, task, n_groups, n_resamples), parts))
    # A metric that no question was given to, or that is a count, is in none.
    before: Counter[str] = Counter()
    for one in found:
        before.update(one.before)
    return Alarms(before, sum(one.after for one in found))


def excess(alarms: int, n_pairs: int) -> float:
    """Returns how likely at least so many alarms are where a pair gives one in 5 % of the cases."""
    return float(binomtest(alarms, n_pairs, LEVEL, alternative="greater").pvalue)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields a look at the `_lite` tasks of all benchmarks, one of each."""
    n = 20 if quick else 2000
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for task in ["motion_only_lite_mini"] if quick else leaves([LITE]):
            before, after = false_alarms(pool, task, n, 1000, None)
            n_groups = len(set(groups_of(task, _asked(task, None).docs)))
            what = f"`{task}`, {n_groups} groups, {len(before)} metrics"
            mean = 100 * sum(before.values()) / len(before) / n
            yield timing.Row(f"{what}: called different before Holm, mean", [mean], "%")
            share = [100 * after / n]
            yield timing.Row(f"{what}: pairs with any called different after Holm", share, "%", at_most=5)


def main() -> None:
    """Prints what is found of each task, and the metrics above 5 %."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", default=["tempbench_mini"], help="tasks or groups")
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--resamples", type=int, default=1000)
    options.add_argument("--groups", type=int, help="of questions; those of the data where left out")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    given = options.parse_args()
    n, everything, worst_after = given.pairs, Counter[str](), 0.0
    with ProcessPoolExecutor(given.jobs) as pool:
        for task in leaves(given.tasks):
            start = time.perf_counter()
            before, after = false_alarms(pool, task, n, given.resamples, given.groups)
            mean = sum(before.values()) / len(before) / n
            print(
                f"{task}: {len(before)} metrics, before Holm {mean:.1%} on average, at most "
                f"{max(before.values()) / n:.1%}; after Holm {after / n:.1%} of the pairs "
                f"({time.perf_counter() - start:.0f} s)",
                flush=True,
            )
            everything.update({f"{task} {metric}": count for metric, count in before.items()})
            worst_after = max(worst_after, after / n)
    over = sorted((name for name in everything if everything[name] > LEVEL * n), key=everything.__getitem__)
    print(f"{len(everything)} metrics, {n} pairs: {len(over)} above {LEVEL:.0%} before Holm")
    for name in reversed(over):
        share = everything[name] / n
        print(f"  {name}: {share:.1%}, as high or higher by accident: {excess(everything[name], n):.2f}")
    print(f"after Holm at most {worst_after:.1%} of the pairs of a task")


if __name__ == "__main__":
    main()
