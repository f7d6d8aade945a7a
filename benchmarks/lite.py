"""What a tenth of the groups says of the whole: `python benchmarks/lite.py [RUN ...] [--tasks ...]`.

Of each run given, which has the whole of a task: its headline metrics, their standard errors, and the same of
the groups that `_lite` draws. Other draws of as many groups show how far a tenth is from the whole: the
spread of lite - whole, which is the error of the tenth about the whole's own number.

With --correlations, instead: how the results of each two runs go together from group to group, which
`tempbench plan` assumes.

Without runs, a simulated model answers the bundled sample (`runs.planning.simulated`), and its groups are
repeated until there are as many as --groups.
"""

import argparse
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import timing

from tempbench_lmms import benchmarks
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import planning, sampling
from tempbench_lmms.metrics.resampling import Clusters, Sums, by_cluster, paired_difference
from tempbench_lmms.runs.logs import TaskLog, metrics_of, read_runs
from tempbench_lmms.runs.planning import Assumed, groups_of, simulated


class _Metric:
    """A metric of some groups, in the form that `planning.spread` takes."""

    def __init__(self, whole: Clusters, kept: Sequence[int]) -> None:
        self.terms, self.function = whole.sums[kept], whole.function
        self.cluster = np.arange(len(kept))


def part(whole: Clusters, strata: Mapping[str, str], version: str, least: int) -> planning.Spread:
    """Returns a metric over the groups of one draw."""
    kept = sampling.drawn(strata, version, least=least)
    return planning.spread(_Metric(whole, [i for i, key in enumerate(whole.keys) if str(key) in kept]))


class Compared(NamedTuple):
    """A metric of all groups beside that of a tenth, and what other draws of as many groups find."""

    full: planning.Spread
    lite: planning.Spread
    error: float
    bias: float
    about: float


def compared(whole: Clusters, strata: Mapping[str, str], n_draws: int) -> Compared | None:
    """Returns how a tenth compares with the whole; None where the spread is unknown."""
    full = planning.spread(_Metric(whole, range(len(whole.sums))))
    draws = [part(whole, strata, f"draw {i}", sampling.LEAST) for i in range(n_draws)]
    values = np.array([one.value for one in draws])
    errors = np.array([one.error for one in draws])
    if not full.error > 0 or np.isnan(errors).mean() > 0.05:
        return None
    about = float(np.nanstd(values - full.value, ddof=1))
    lite = part(whole, strata, sampling.LITE, sampling.LEAST)
    return Compared(full, lite, float(np.nanmean(errors)), float(np.nanmean(values)) - full.value, about)


def line(name: str, whole: Clusters, strata: Mapping[str, str], n_draws: int) -> str | None:
    """Returns a metric's row of the table; None where its spread is unknown."""
    found = compared(whole, strata, n_draws)
    if found is None:
        return None
    full, lite = found.full, found.lite
    return (
        f"| {name} | {full.value:.3f} | {full.error:.4f} | {lite.value:.3f} | {lite.error:.4f} | "
        f"{found.error:.4f} | {found.bias:+.4f} | {found.about:.4f} |"
    )


def head(title: str) -> Iterator[str]:
    """Yields the table's heading."""
    yield f"\n{title}\n"
    yield "| metric | all | its error | `lite` | its error | error over draws | bias | spread about all |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"


def strata_of(task: str) -> dict[str, str]:
    """Returns the stratum of each group of a task."""
    groups = benchmarks.groups(task_files()[task].parent.name)
    docs = docs_of(load_task(task), media=False)
    columns = {
        name: [doc[name] for doc in docs] for name in (*groups.columns, *groups.strata) if name in docs[0]
    }
    return groups.stratum(columns)


def headlines(log: TaskLog) -> Iterator[tuple[str, Clusters]]:
    """Yields the headline metrics that are functions of sums."""
    for metric in metrics_of(log):
        found = metric() if metric.headline else None
        if isinstance(found, Sums):
            yield metric.name, by_cluster(found)


def of_run(log: TaskLog, n_draws: int) -> Iterator[str]:
    """Yields the table of a run."""
    strata = strata_of(log.task)
    n = len(sampling.drawn(strata))
    yield from head(f"{log.task}, {log.model}: {n} of {len(strata)} groups")
    for name, whole in headlines(log):
        if {*map(str, whole.keys)} <= strata.keys() and (row := line(name, whole, strata, n_draws)):
            yield row


def correlations(one: TaskLog, other: TaskLog) -> Iterator[str]:
    """Yields the correlation of two runs in each headline metric, from the error of their difference."""
    others = {metric.name: metric for metric in metrics_of(other)}
    for metric in metrics_of(one):
        pair = metric(), others[metric.name]() if metric.name in others else None
        if not metric.headline or not all(isinstance(found, Sums) for found in pair):
            continue
        first, second = (planning.spread(found).error for found in pair)
        apart = paired_difference(*pair, n_resamples=1000).standard_error
        if first > 0 and second > 0:
            found = (first**2 + second**2 - apart**2) / (2 * first * second)
            yield f"| {one.model}, {other.model} | {metric.name} | {found:.2f} |"


def repeated(task: str, n_groups: int) -> Iterator[tuple[str, Clusters, dict[str, str]]]:
    """Yields the metrics of a simulated model on the sample's groups, repeated, and the groups' strata."""
    docs = docs_of(load_task(task), media=False)
    logs = simulated(task, list(zip(docs, groups_of(task, docs), strict=True)), Assumed())
    generator = np.random.default_rng(0)
    strata = strata_of(task)
    metrics: dict[str, list[Clusters]] = {}
    for log in logs:
        for name, whole in headlines(log):
            metrics.setdefault(name, []).append(whole)
    for name, runs in metrics.items():
        if not {str(key) for run in runs for key in run.keys} <= strata.keys():
            continue
        keys = [str(key) for run in runs for key in run.keys]
        drawn = generator.integers(0, len(keys), n_groups)
        names = tuple(f"{keys[i]} {place}" for place, i in enumerate(drawn))
        sums = np.concatenate([run.sums for run in runs])[drawn]
        own = {new: strata[keys[i]] for new, i in zip(names, drawn, strict=True)}
        yield name, Clusters(sums, runs[0].function, names), own


def of_sample(task: str, n_groups: int, n_draws: int) -> Iterator[str]:
    """Yields the table of a simulated model on the sample's groups, repeated."""
    yield from head(f"{task}, simulated: a tenth of {n_groups} groups")
    for name, whole, strata in repeated(task, n_groups):
        if row := line(name, whole, strata, n_draws):
            yield row


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields the error of a tenth of the groups over that of all, of a simulated model."""
    for name, whole, strata in repeated("tempvs_mt1_two_mini", 600):
        if found := compared(whole, strata, 20 if quick else 200):
            yield timing.Row(
                f"{name}: error of a tenth over that of all", [found.error / found.full.error], ""
            )


def main() -> None:
    """Prints the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("runs", nargs="*", type=Path, help="runs of whole tasks")
    options.add_argument("--tasks", nargs="*", default=[], help="tasks of the bundled sample to simulate")
    options.add_argument("--groups", type=int, default=600)
    options.add_argument("--draws", type=int, default=200)
    options.add_argument("--correlations", action="store_true", help="of each two runs, instead")
    given = options.parse_args()
    if given.correlations:
        for pair in itertools.combinations(read_runs(given.runs), 2):
            for text in correlations(*pair):
                print(text, flush=True)
        return
    for log in read_runs(given.runs) if given.runs else ():
        for text in of_run(log, given.draws):
            print(text, flush=True)
    for task in given.tasks:
        for text in of_sample(task, given.groups, given.draws):
            print(text, flush=True)


if __name__ == "__main__":
    main()
