"""What holds of every benchmark's scoring, on its bundled sample."""

import math
import random

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root
from tests.bundled import covering, docs, load_task, scoring

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] A"
TASKS = covering(scoring)


def told(name, reply_to):
    """Returns what a task's scoring says of its first questions."""
    process = load_task(name)["process_results"]
    return [process(doc, [reply_to(doc)]) for doc in docs(name)[:60]]


def metrics(name, out):
    return {
        entry["metric"]: entry["aggregation"]([one[entry["metric"]] for one in out if entry["metric"] in one])
        for entry in load_task(name)["metric_list"]
        if entry["metric"] != "details"
    }


@pytest.mark.parametrize("name", TASKS)
def test_right_failed_and_unreadable_replies(name):
    for one in told(name, lambda doc: doc["target"]):
        assert one["record"].get("correct", 1) == 1
    failed = told(name, lambda doc: FAILED)
    assert metrics(name, failed).get("n_failed", len(failed)) == len(failed)
    for one in (*failed, *told(name, lambda doc: "")):
        assert not one["record"].get("correct")
        assert not one["record"].get("parsed")


@pytest.mark.parametrize("name", TASKS)
def test_the_order_of_the_records_does_not_matter(name):
    generator = random.Random(0)
    out = told(name, lambda doc: generator.choice([doc["target"], "?"]))
    shuffled = generator.sample(out, len(out))
    assert metrics(name, shuffled) == pytest.approx(metrics(name, out), nan_ok=True)


@pytest.mark.parametrize("name", TASKS)
def test_of_nothing_everything_is_undefined(name):
    assert all(
        isinstance(value, str) or not value or math.isnan(value) for value in metrics(name, []).values()
    )


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_samples_are_small(benchmark):
    assert sum(path.stat().st_size for path in mini_root(benchmark).rglob("*.*")) < 2_000_000
