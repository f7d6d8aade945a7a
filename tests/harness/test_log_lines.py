"""The lines of sample logs: what they leave out comes back when they are read."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.harness import adapter as log_lines
from tempbench_lmms.harness import patches
from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.runs import logs, task_log
from tests.runs.test_logs import TASK, write_run


class Tracker:
    """Writes lines as the harness does, which changes what it is given."""

    def save_results_samples(self, task_name, samples):
        self.lines = []
        for sample in samples:
            sample.pop("arguments")
            self.lines.append(json.loads(json.dumps(sample, default=str)))


def leaves(name):
    config = load_task(name)
    return [one for member in config["task"] for one in leaves(member)] if "group" in config else [name]


def samples_of(task):
    """Returns two questions of a task as the harness has them when it writes them."""
    config = load_task(task)
    docs = docs_of(config)[:: max(1, len(docs_of(config)) - 1)][:2]
    samples = [{"doc_id": i, "arguments": ["?"], "resps": [["A"]]} for i in range(len(docs))]
    for sample, doc in zip(samples, docs, strict=True):
        sample |= config["process_results"](doc, ["A"])
    return samples


@pytest.fixture
def tracker():
    module = SimpleNamespace(EvaluationTracker=type("Own", (Tracker,), {}))
    patches.write_short_lines(module)
    return module.EvaluationTracker()


@pytest.mark.parametrize("key", [log_lines.GIVEN, log_lines.LEFT_OUT])
@pytest.mark.parametrize("value", ["acc", None, {"acc": 1}, 1])
def test_a_line_that_names_metrics_in_no_list_is_none(key, value):
    with pytest.raises(TypeError, match=f"{key} is not a list"):
        log_lines.given_to({key: value}, ("acc", "ap"))


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_each_record_comes_back_with_its_metrics(tracker, benchmark):
    for task in leaves(f"{benchmark}_mini"):
        samples = samples_of(task)
        metrics = log_lines.names_in(load_task(task))
        given = [{name for name in metrics if isinstance(one.get(name), Item)} for one in samples]
        before = [dict(one) for one in samples]
        tracker.save_results_samples(task_name=task, samples=samples)
        assert [log_lines.given_to(line, metrics) for line in tracker.lines] == given
        assert all(given)
        for line, sample, one in zip(tracker.lines, samples, before, strict=True):
            assert line["record"] == json.loads(json.dumps(one["record"], default=str))
            assert not {*line} & {*metrics}
            assert sample == one  # whoever is shown the samples afterwards finds the metrics there


def test_lines_of_others_and_of_predictions_alone_are_left_alone(tracker):
    tracker.save_results_samples("mme", [{"arguments": [], "record": {"id": 1}, "score": 0.5}])
    assert tracker.lines == [{"record": {"id": 1}, "score": 0.5}]


def shortened(path):
    """Brings a log into the present form."""
    word = str(Item({}))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    short = [
        {name: value for name, value in row.items() if value != word} | {log_lines.LEFT_OUT: []}
        for row in rows
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in short))


def test_a_run_reads_the_same_in_either_form(tmp_path):
    path = write_run(tmp_path)
    (long,) = logs.read_runs([tmp_path])
    text, size = path.read_text(), path.stat().st_size
    shortened(path)
    (log,) = logs.read_runs([tmp_path], partial=True)
    assert log.samples == ()
    assert "metric_list" in log.problems[0]
    (results,) = tmp_path.glob("*_results.json")
    found = json.loads(results.read_text())
    long_lines, short_lines = text, path.read_text()
    for odd in (["acc"], [{}], 3):
        found["configs"][TASK]["metric_list"] = odd
        results.write_text(json.dumps(found))
        (log,) = logs.read_runs([tmp_path], partial=True)
        assert log.samples == ()
        assert "223 lines" in log.problems[0]
        assert "it has no metric_list" in log.problems[0]
        path.write_text(long_lines)
        assert logs.read_runs([tmp_path])[0].samples == long.samples
        path.write_text(short_lines)
    names = [{"metric": name} for name in log_lines.names_in(load_task(TASK))]
    found["configs"][TASK]["metric_list"] = names
    results.write_text(json.dumps(found))
    (log,) = logs.read_runs([tmp_path])
    listed = {*log_lines.names_in(load_task(TASK))}
    assert log.samples == tuple(replace(one, metrics=one.metrics & listed) for one in long.samples)
    assert task_log.recompute(log) == log.values == long.values
    assert path.stat().st_size < size / 2
