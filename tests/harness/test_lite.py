"""The `_lite` tasks: whole groups, as the metrics know them, of what the task's own function makes."""

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.card import Cluster
from tempbench_lmms.harness.derived_hooks import strata_of
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import sampling
from tempbench_lmms.metrics.ratio import Sums
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.planning import clusters_of
from tempbench_lmms.runs.task_log import metrics_of
from tests.runs.test_logs import write_run

LITE = [
    name for name in task_files() if name.endswith("_lite_mini") and name.removesuffix("_lite_mini")
    in benchmarks.names() and "group" not in load_task(name)
]  # fmt: skip


def test_clusters_and_their_strata_are_the_values_of_their_rows():
    rows = [
        {"book": "a", "page": page, "kind": kind, "places": ["n", "m"]}
        for page, kind in ((2, "y"), (1, "y"), (2, "x"))
    ]
    clusters = [*map(Cluster("page", ("book", "page")).of, rows)]
    assert clusters == ["a/2", "a/1", "a/2"]
    columns = {name: [row[name] for row in rows] for name in ("kind", "places")}
    assert strata_of(clusters, columns) == {"a/2": "kind=x,kind=y,places=n+m", "a/1": "kind=y,places=n+m"}
    assert strata_of([*map(Cluster("book", ("book",), "<{}>".format).of, rows)], {}) == {"<a>": ""}


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_every_interval_resamples_the_clusters_of_the_card(benchmark, tmp_path):
    """Else a part of whole clusters would cut some, and plans would count the wrong ones."""
    task = f"{benchmarks.card(benchmark).full[0]}_mini"
    write_run(tmp_path, "chance", task)
    (log,) = read_runs([tmp_path])
    clusters = {*clusters_of(task, docs_of(load_task(task)))}
    assert {*log.clusters.values()} == clusters
    found = {one.name: one() for one in metrics_of(log) if not one.needs_encoder}
    resampled = {name: {*one.keys} for name, one in found.items() if isinstance(one, Sums)}
    # A number as the official scorer prints it has no interval (`record.printed`).
    assert {name for name, keys in resampled.items() if not keys <= clusters and keys != {"all"}} == set()
    assert any(keys == clusters for keys in resampled.values())


@pytest.mark.parametrize("task", LITE)
def test_whole_groups_are_asked(task):
    """The tenth has each of its groups whole, as the task's own function makes them, and nothing else."""
    base = docs_of(load_task(task.replace("_lite", "")))
    drawn = docs_of(load_task(task))
    whole = {*clusters_of(task, drawn)}
    assert [doc["question_id"] for doc in drawn] == [
        doc["question_id"] for doc, own in zip(base, clusters_of(task, base), strict=True) if own in whole
    ]
    assert load_task(task)["metadata"]["draw"] == sampling.LITE
    assert "draw" not in load_task(task.replace("_lite", ""))["metadata"]


def test_the_tasks_own_function_is_called():
    blind = docs_of(load_task("tempvs_mt3_image_only_lite_mini"))
    assert {doc["role"] for doc in blind} == {"main"}
    assert 0 < len(blind) < len(docs_of(load_task("tempvs_mt3_image_only_mini")))


def test_tables_of_one_benchmark_draw_the_same_groups():
    def drawn(task):
        return {*clusters_of(f"{task}_mini", docs_of(load_task(f"{task}_mini")))}

    of_suite, of_test = drawn("timepercept_suite_lite"), drawn("timepercept_tpl_lite")
    assert of_suite & drawn("timepercept_tpl") == of_suite & of_test != set()


def test_a_task_whose_metrics_compare_groups_is_not_drawn_from():
    assert "coherence_caption_lite_mini" not in task_files()
    assert load_task("coherence_lite_mini")["task"] == ["coherence_qa_lite_mini"]
