"""What is promised of finished runs holds for a run of every benchmark: numbers again, report, import."""

import json
import math

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.harness.tasks import load_task, root_of
from tempbench_lmms.runs import importing, logs
from tests.bundled import ONE_OF_EACH, docs
from tests.command import tempbench
from tests.runs.test_logs import write_run

pytestmark = pytest.mark.slow

TASKS = sorted(ONE_OF_EACH)
# Of these one question is like another; other large tasks have those of one test after those of another.
ALIKE = ("coherence", "mateo", "tempcompass_pairs")
N = 64
OF_BENCHMARKS = {root_of(load_task(task))[0]: task for task in TASKS if "suite" not in task}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    for task in TASKS:
        write_run(made / task, "chance", task, n=N if task.startswith(ALIKE) else None)
    return made


def log_of(path):
    (log,) = logs.read_runs([path])
    return log


@pytest.mark.parametrize("task", TASKS)
def test_scored_and_read_again(folder, task):
    log = log_of(folder / task)
    for reparse in (False, True):
        found = logs.rescore(log, reparse=reparse)
        assert found.now == log.values
        assert found.differing == []
        assert not found.changes


@pytest.mark.parametrize("task", TASKS)
def test_replies_from_elsewhere_have_the_run_s_numbers(folder, task, tmp_path):
    log = log_of(folder / task)
    lines = [
        {"question_id": doc["question_id"], "reply": sample.reply}
        for doc, sample in zip(docs(task), sorted(log.samples, key=lambda one: one.doc_id), strict=False)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    source = importing.source_of(tmp_path / "replies.jsonl", task)
    importing.run(importing.READERS["replies"], "replies", source, tmp_path / "imported", partial=True)
    theirs = log_of(tmp_path / "imported")
    scored = importing.score(root_of(load_task(task))[0], tmp_path / "replies.jsonl", task=task, partial=True)
    for name, value in log.values.items():
        if name not in ("details", "alias"):
            assert theirs.values[name] == value, name
            found = scored.metrics[name][0] if name in scored.metrics else value
            assert found == pytest.approx(value) or (value == "-" and math.isnan(found)), name
    assert len(scored.metrics) > 3


def test_a_report_has_all_of_them(tmp_path):
    runs = [tmp_path / task for task in OF_BENCHMARKS.values()]
    for run in runs:
        write_run(run, "chance", run.name, n=3)
    done = tempbench("report", *runs, "-o", tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert OF_BENCHMARKS.keys() == {*benchmarks.names()}
    assert not [task for task in OF_BENCHMARKS.values() if task not in page]
