"""What every benchmark keeps of how a reply was read, and that the prompt's own words are no answer."""

import functools
import inspect
import json
from dataclasses import replace

import pytest

from benchmarks import parsing as parsers
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import kwargs_of, load_task
from tempbench_lmms.parsing.expected import REASONS, RULES, none
from tempbench_lmms.record import READINGS, UNREAD, at_limit, evaluate, fields, manner
from tests.bundled import MINI, asking, covering, docs, scoring
from tests.parsing.replies import dev

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] A"
REPLIES = (
    "",
    "A",
    "Image 2",
    "The answer is B.\nSo B it is.",
    "It is either A or B, image 1 or image 2, before or after.",
    "I'm sorry, but I can't help with that.",
    "<think>It could be A",
    '{"answer": "C", "span": [1, 2]}',
    "from 1 s to 2 s",
    "Let me look at every one of the images again and then say in which of them the",
    "zxq ∅",
    FAILED,
)


@functools.cache
def records_of(task):
    process = load_task(task)["process_results"]
    return [process(doc, [reply])["record"] for doc, reply in zip(docs(task), REPLIES, strict=False)]


def value(task, name, records):
    (row,) = (row for row in adapter.rows_of(load_task(task)) if row.name == name)
    return evaluate(row.metric, records)


@pytest.mark.parametrize("task", covering(scoring))
def test_a_record_says_how_or_why_not(task):
    records = records_of(task)
    for record in records:
        if record["failed"]:
            assert (record["how"], record["reason"], record["where"]) == (None, None, None)
        elif record["parsed"]:
            assert record["how"] in RULES
            assert record["reason"] is None
        else:
            assert record["reason"] in REASONS
            assert record["how"] is None or record["number"] is not None  # a count that is no option
    assert json.loads(json.dumps(records)) == records


@pytest.mark.parametrize("task", covering(scoring))
def test_shares_add_up(task):
    records = records_of(task)
    names = [row.name for row in adapter.rows_of(load_task(task))]
    shares = [name for name in names if UNREAD in name and name != "unread_rate"]
    assert shares
    unread = sum(value(task, name, records) for name in shares)
    failed = sum(record["failed"] for record in records) / len(records)
    parsed = sum(record["parsed"] for record in records) / len(records)
    assert unread > 0
    assert unread + failed + parsed == pytest.approx(1)
    (entry,) = (one for one in load_task(task)["metric_list"] if one["metric"] == "details")
    readings = entry["aggregation"](records)[READINGS]
    assert sum(readings["reason"].values()) == pytest.approx(unread)
    # A count that is none of the options has a rule and a reason.
    assert sum(readings.get("how", {}).values()) >= parsed - 1e-9


def test_both_answers_of_a_reply_say_how():
    """A letter without a span is unread as a whole, for the span's reason."""
    process, doc = load_task("rextime_mini")["process_results"], docs("rextime_mini")[0]
    record = process(doc, ["I am sure that the answer is B."])["record"]
    assert (record["how"], record["reason"]) == (None, "nothing")
    assert (record["answer_how"], record["answer_reason"]) == ("answer", None)
    assert (record["span_how"], record["span_reason"]) == (None, "nothing")
    assert manner(record) == "answer answer; span unread: nothing"
    record = process(doc, ['{"answer": "B", "span": [1, 2]}'])["record"]
    assert (record["how"], record["answer_how"], record["span_how"]) == ("json", "json", "json")
    record = load_task("rextime_vqa_mini")["process_results"](doc, ["I am sure that the answer is B."])[
        "record"
    ]
    assert record["how"] == "answer"
    assert "span_how" not in record


READERS = {
    name: parser
    for name, parser in parsers.parsers().items()
    if name.partition("-")[0].endswith(".parser.read") and "at_limit" in inspect.signature(parser).parameters
}


def _each(read):
    return read.values() if isinstance(read, dict) else [read]


@pytest.mark.slow
@pytest.mark.parametrize("nth", [27, pytest.param(9, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_an_end_at_the_token_limit_can_be_told_later(name, nth):
    """What the reader says with `at_limit` follows from what it says without: the log is enough."""
    replies = [*REPLIES, *{row.reply for row in dev()[:: 4 * nth]}]
    n_cut = 0
    for reply in replies:
        both = READERS[name](reply, at_limit=True), READERS[name](reply)
        # Of several answers there is a reading each.
        for now, later in zip(*map(_each, both), strict=True):
            record = at_limit(fields(later))
            assert (record["how"], record["reason"]) == (now.how, now.reason), reply
            n_cut += record["reason"] == "cut_off"
    assert n_cut > 1


def test_only_what_has_no_answer_is_cut_off_by_the_limit():
    for reason in REASONS:
        found = at_limit(fields(none(reason)))["reason"]
        assert found == ("cut_off" if reason in ("empty", "nothing") else reason)
    counted = fields(replace(none("nothing"), how="whole"))
    assert at_limit(counted) == counted


ECHOED = [name for name in MINI if not name.startswith("coherence_caption")]


@pytest.mark.parametrize("task", covering(asking, ECHOED))
def test_a_prompt_that_is_repeated_is_no_answer(task):
    config = load_task(task)
    kwargs = kwargs_of(config)
    for doc in docs(task)[::7][:8]:
        prompt = config["doc_to_text"](doc, kwargs).strip()
        if kwargs.get("setting") in ("icl", "cot", "reflection"):
            continue  # an example's answer has the form of an answer
        if "</answer>" not in prompt:  # what it says of tags cuts it into parts
            assert not config["process_results"](doc, [prompt])["record"]["parsed"], prompt
        told = config["process_results"](doc, [f"{prompt}\n\n{doc['target']}"])["record"]
        assert told.get("correct", 1), prompt
