import inspect
import json
import pickle

import pytest

from tempbench_lmms.harness import adapter
from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.record import Metrics


def share(records):
    return ratio(((record["correct"], 1) for record in records), (record["id"] for record in records))


def n(records):
    return len(records)


def broken(records):
    return 1 // 0


METRICS = Metrics("one")
METRICS.add("acc", share, headline=True)
METRICS.add("n", n, better="neither", has_error=False)
METRICS.add("broken", broken, better="lower")
ACC, N, BROKEN = METRICS.rows


def items(*correct):
    return [adapter.Item({"id": str(i), "correct": value}) for i, value in enumerate(correct)]


def test_aggregations_of_a_metric_and_its_error():
    assert adapter.aggregation(ACC)(items(1, 0, 1, 1)) == 0.75
    # Binomial: sqrt(0.75 * 0.25 / 4) = 0.2165
    error = adapter.aggregation(ACC, error=True)(items(1, 0, 1, 1))
    assert error == pytest.approx(0.2165, rel=0.1)
    assert adapter.aggregation(N)(items(1, 0)) == 2


def test_undefined_is_a_dash_and_nothing_is_raised():
    assert adapter.aggregation(ACC)([]) == "-"
    assert adapter.aggregation(ACC, error=True)(items(1)) == "-"
    assert adapter.aggregation(N, error=True)(items(1)) == "-"
    assert adapter.aggregation(BROKEN)(items(1)) == "-"


def test_order_of_items_does_not_matter():
    seen = []
    metrics = Metrics("one")
    metrics.add("ids", lambda records: seen.append([record["id"] for record in records]) or 0)
    adapter.aggregation(metrics.rows[0])(items(1, 0, 1)[::-1])
    assert seen == [["0", "1", "2"]]


def test_another_process_gets_the_whole_record():
    item = adapter.Item({"id": "\ud800", "order": [1, None, 0.1], "text": "é"})
    assert pickle.loads(pickle.dumps(item)).record == item.record  # noqa: S301


def test_metric_list_of_the_harness():
    def table(records):
        return {"n": len(records)}

    listed = adapter.metric_list(METRICS, table, written=lambda items: 7)
    assert [(entry["metric"], entry["higher_is_better"]) for entry in listed] == [
        ("acc", True),
        ("acc_stderr", False),
        ("n", True),
        ("broken", False),
        ("broken_stderr", False),
        ("written", True),
        ("details", True),
    ]
    assert listed[0]["aggregation"].__name__ == "aggregate_acc"
    assert listed[1]["aggregation"](items(1, 0, 1, 1)) == pytest.approx(0.2165, rel=0.1)
    assert listed[-1]["aggregation"](items(1, 0))["n"] == 2
    assert adapter.rows_of({"metric_list": listed}) == [ACC, N, BROKEN]


def test_a_metric_that_asks_for_it_gets_the_command_line_of_the_harness():
    metrics = Metrics("one")

    @metrics.count()
    def n_named(records, args=None):
        return len(records) + len(args or "")

    (row,) = metrics.rows
    aggregate = adapter.aggregation(row)
    assert "args" in inspect.signature(aggregate).parameters
    assert (aggregate(items(1)), aggregate(items(1), args="ab")) == (1, 3)
    assert adapter.aggregation(ACC)(items(1), args="ab") == 1


def test_table_of_metrics():
    metrics = Metrics("one", "other")
    metrics.measure(headline=("one",))(share)
    metrics.count(better="lower", tasks=("other",))(n)
    assert list(metrics) == ["share", "n"]
    assert list(metrics.of("one")) == ["share"]
    assert [row.headline for row in (*metrics.of("one").rows, *metrics.of("other").rows)] == [
        True,
        False,
        False,
    ]
    assert metrics["n"] is n
    assert [(row.better, row.has_error) for row in metrics.of("other").rows] == [
        ("higher", True),
        ("lower", False),
    ]
    with pytest.raises(ValueError, match="n is listed twice"):
        metrics.add("n", n)
    with pytest.raises(KeyError):
        metrics["none"]


def test_the_log_holds_the_record_once():
    out = adapter.emit({"id": "q", "correct": 1}, ["a", "b"])
    assert list(out) == ["record", "score", "a", "a_stderr", "b", "b_stderr", "details"]
    assert json.dumps(out, default=str).count('"correct"') == 1


@pytest.mark.parametrize(
    ("results", "reply"),
    [(["B"], "B"), ([["B", "A"]], "B"), ([], ""), ([[]], ""), (["[LMMS"], "[LMMS")],
)
def test_reply(results, reply):
    assert adapter.reply_of(results) == reply


def test_a_failure_notice_is_not_an_answer():
    assert adapter.request_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] A")
    assert adapter.request_failed("[LMMS_EVAL_BUDGET_EXCEEDED]")
    # A response without content, as `openai` hands it over and as `async_openai` does.
    assert adapter.request_failed(adapter.reply_of([None]))
    assert adapter.request_failed('Error: can only concatenate str (not "NoneType") to str')
    assert not adapter.request_failed("A")


def test_details_are_written_and_not_printed():
    out = adapter.details(lambda records: {"n": {"all": len(records)}}, items(1, 0))
    assert json.loads(json.dumps(out, indent=2)) == json.loads(json.dumps(out)) == {"n": {"all": 2}}
    assert len(out) == 0  # what the harness leaves out of its table
    assert adapter.details(lambda records: 1 // 0, items(1)) == {}
