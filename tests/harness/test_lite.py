"""The `_lite` tasks: whole groups, as the metrics know them, of what the task's own function makes."""

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.harness.tasks import docs_of, load_task, task_files
from tempbench_lmms.metrics import sampling
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.planning import groups_of
from tempbench_lmms.runs.task_log import metrics_of
from tests.runs.test_logs import write_run

LITE = [
    name for name in task_files() if name.endswith("_lite_mini") and name.removesuffix("_lite_mini")
    in benchmarks.names() and "group" not in load_task(name)
]  # fmt: skip


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_groups_are_the_clusters_of_the_metrics(benchmark, tmp_path):
    """Else a part of whole groups would cut clusters, and plans would count the wrong ones."""
    task = f"{benchmarks.card(benchmark).full[0]}_mini"
    docs = docs_of(load_task(task))
    groups = groups_of(task, docs)
    write_run(tmp_path, "chance", task)
    (log,) = read_runs([tmp_path])
    first = [metric for metric in metrics_of(log) if metric.headline and not metric.needs_encoder][:4]
    found = [one for one in (metric() for metric in first) if isinstance(one, Ratio)]
    assert found
    for one in found:
        assert {*map(str, one.keys)} <= {*groups}


@pytest.mark.parametrize("task", LITE)
def test_whole_groups_are_asked(task):
    """The tenth has each of its groups whole, as the task's own function makes them, and nothing else."""
    base = docs_of(load_task(task.replace("_lite", "")))
    drawn = docs_of(load_task(task))
    whole = {*groups_of(task, drawn)}
    assert [doc["question_id"] for doc in drawn] == [
        doc["question_id"] for doc, group in zip(base, groups_of(task, base), strict=True) if group in whole
    ]
    assert load_task(task)["metadata"]["draw"] == sampling.LITE
    assert "draw" not in load_task(task.replace("_lite", ""))["metadata"]


def test_the_tasks_own_function_is_called():
    blind = docs_of(load_task("tempvs_mt3_image_only_lite_mini"))
    assert {doc["role"] for doc in blind} == {"main"}
    assert 0 < len(blind) < len(docs_of(load_task("tempvs_mt3_image_only_mini")))


def test_tables_of_one_benchmark_draw_the_same_groups():
    def drawn(task):
        return {*groups_of(f"{task}_mini", docs_of(load_task(f"{task}_mini")))}

    of_suite, of_test = drawn("timepercept_suite_lite"), drawn("timepercept_tpl_lite")
    assert of_suite & drawn("timepercept_tpl") == of_suite & of_test != set()


def test_a_task_whose_metrics_compare_groups_is_not_drawn_from():
    assert "coherence_caption_lite_mini" not in task_files()
    assert load_task("coherence_lite_mini")["task"] == ["coherence_qa_lite_mini"]
