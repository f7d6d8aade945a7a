import json
import math

import pytest

from tempbench_lmms.harness import adapter
from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.record import evaluate


def share(records):
    return ratio(((record["correct"], 1) for record in records), (record["id"] for record in records))


METRICS = {"acc": share, "n": len, "broken": lambda records: 1 // 0}


def items(*correct):
    return [adapter.Item({"id": str(i), "correct": value}) for i, value in enumerate(correct)]


def test_aggregations_of_a_metric_and_its_error():
    assert adapter.aggregation("aggregate_acc", METRICS)(items(1, 0, 1, 1)) == 0.75
    # Binomial: sqrt(0.75 * 0.25 / 4) = 0.2165
    error = adapter.aggregation("aggregate_acc_stderr", METRICS)(items(1, 0, 1, 1))
    assert error == pytest.approx(0.2165, rel=0.1)
    assert adapter.aggregation("aggregate_n", METRICS)(items(1, 0)) == 2


def test_undefined_is_a_dash_and_nothing_is_raised():
    assert adapter.aggregation("aggregate_acc", METRICS)([]) == "-"
    assert adapter.aggregation("aggregate_acc_stderr", METRICS)(items(1)) == "-"
    assert adapter.aggregation("aggregate_n_stderr", METRICS)(items(1)) == "-"
    assert adapter.aggregation("aggregate_broken", METRICS)(items(1)) == "-"


def test_order_of_items_does_not_matter():
    seen = []
    metrics = {"ids": lambda records: seen.append([record["id"] for record in records]) or 0}
    adapter.aggregation("aggregate_ids", metrics)(items(1, 0, 1)[::-1])
    assert seen == [["0", "1", "2"]]


def test_unknown_name_is_an_attribute_error():
    for name in ("aggregate_other", "acc", "__wrapped__"):
        with pytest.raises(AttributeError):
            adapter.aggregation(name, METRICS)


def test_the_log_holds_the_record_once():
    out = adapter.emit({"id": "q", "correct": 1}, ["a", "b"])
    assert list(out) == ["record", "score", "a", "a_stderr", "b", "b_stderr"]
    assert json.dumps(out, default=str).count('"correct"') == 1


@pytest.mark.parametrize(
    ("results", "reply"),
    [(["B"], "B"), ([["B", "A"]], "B"), ([], ""), ([[]], ""), (["[LMMS"], "[LMMS")],
)
def test_reply(results, reply):
    assert adapter.reply_of(results) == reply


def test_failure_notice_is_told_from_an_answer():
    assert adapter.request_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] A")
    assert adapter.request_failed("[LMMS_EVAL_BUDGET_EXCEEDED]")
    # A response without content, as `openai` hands it over and as `async_openai` does.
    assert adapter.request_failed(adapter.reply_of([None]))
    assert adapter.request_failed('Error: can only concatenate str (not "NoneType") to str')
    assert not adapter.request_failed("A")


def test_evaluate():
    assert evaluate(len, [{}, {}]) == 2
    assert math.isnan(evaluate(share, []))


def test_details_are_written_and_not_printed():
    out = adapter.details(lambda records: {"n": {"all": len(records)}}, items(1, 0))
    assert json.loads(json.dumps(out, indent=2)) == json.loads(json.dumps(out)) == {"n": {"all": 2}}
    assert len(out) == 0  # what the harness leaves out of its table
    assert adapter.details(lambda records: 1 // 0, items(1)) == {}
