"""`import tempbench_lmms as tb`: what notebooks call gives the numbers of the commands."""

import importlib

import pytest

import tempbench_lmms as tb
from tempbench_lmms import benchmarks
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.harness.tasks import docs_of
from tests.bundled import docs, load_task


def replies(task):
    """Returns a right reply to every second question, and a wrong one to the others."""
    return {
        doc["question_id"]: doc["target"] if number % 2 else next(iter(doc["choices"]))
        for number, doc in enumerate(docs(task))
    }


def metric(benchmark, name, task):
    """Returns a metric of a benchmark over the records of those replies, and the records."""
    config = load_task(task)
    said = replies(task)
    records = [config["process_results"](doc, [said[doc["question_id"]]])["record"] for doc in docs(task)]
    scoring = importlib.import_module(f"tempbench_lmms.{benchmark}.scoring")
    return scoring.METRICS[name](records).value, records


def test_there_are_at_most_ten_names():
    assert len(tb.__all__) <= 10
    assert all(getattr(tb, name).__doc__ for name in tb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        tb.scores  # noqa: B018


@pytest.mark.parametrize("name", benchmarks.names())
def test_rows_of_ones_own_score_like_the_data(name):
    task = f"{benchmarks.card(name).full[0]}_mini"
    said = replies(task)
    rows = []
    docs_of(load_task(task), lambda folder: rows.extend(read_rows(folder)) or rows)
    known = tb.score(name, said, task=task)
    assert known.metrics
    assert repr(tb.score(name, said, rows, task=task)) == repr(known)


def test_rows_that_lack_a_column_are_told():
    with pytest.raises(tb.TempbenchError, match=r"no duration.*rextime/rows.py"):
        tb.score("rextime", {"a": "B"}, [{"question_id": "a", "options": [], "question": ""}])
    with pytest.raises(tb.TempbenchError, match="holds no reply to rextime"):
        tb.score("rextime", {}, [{"question_id": "a"}])


def test_a_failed_request_is_no_reply():
    said = dict.fromkeys(replies("timeblind_mini"))
    assert tb.score("timeblind", said, mini=True).metrics["n_failed"][0] == len(said)


def test_functions_of_sequences_give_the_benchmarks_numbers():
    value, records = metric("rextime", "acc_at_iou_50", "rextime_mini")
    right = [one["answer"] == one["gold"] for one in records]
    spans = [one["spans"][0] if one["spans"] else None for one in records]
    truths = [one["windows"] for one in records]
    assert tb.metrics.iou_gated_accuracy(right, spans, truths) == pytest.approx(value)
    assert tb.metrics.mean_iou(spans, truths) == pytest.approx(metric("rextime", "miou", "rextime_mini")[0])
    value, records = metric("timeblind", "i_acc", "timeblind_mini")
    instances, right = zip(*((one["instance"], one["correct"]) for one in records), strict=True)
    assert tb.metrics.group_accuracy(instances, right, 4) == pytest.approx(value)
