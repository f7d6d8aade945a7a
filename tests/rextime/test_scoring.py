"""The official scorer's numbers, and ours by hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics.spans import official_iou
from tempbench_lmms.record import answers, evaluate
from tempbench_lmms.rextime import official, scoring
from tempbench_lmms.rextime.rows import load_records, row

# Worked by hand in the notes on the official scorer. IoUs: 5/10; the better window [6, 10] gives 4/5, and the
# second prediction does not count; reversed: 0; no length: 0 officially.
TRUTHS = [
    {"qid": "q1", "relevant_windows": [[10, 20]], "ans": "A"},
    {"qid": "q2", "relevant_windows": [[0, 4], [6, 10]], "ans": "B"},
    {"qid": "q3", "relevant_windows": [[5, 15]], "ans": "C"},
    {"qid": "q4", "relevant_windows": [[3, 3]], "ans": "D"},
]
PREDICTIONS = [
    {"qid": "q1", "pred_relevant_windows": [[10, 15]], "ans": "A"},
    {"qid": "q2", "pred_relevant_windows": [[5, 10, 0.9], [0, 4]], "ans": "B"},
    {"qid": "q3", "pred_relevant_windows": [[20, 10]], "ans": "C"},
    {"qid": "q4", "pred_relevant_windows": [[3, 3]], "ans": "D"},
]


FENCED = """A summary.
```json{
    "relevant_span": [10, 15], // seconds
    "answer": "A"
}``` and ```json{"answer": "B"}```"""


@pytest.mark.parametrize(
    ("reply", "read", "right", "iou"),
    [
        (FENCED, 1, 1, 0.5),
        (FENCED.replace('"A"', '"a"'), 1, 0, 0.5),  # the scorer wants the letter exactly
        (FENCED.replace("```json", "```"), 0, 0, 0.0),  # no fence of JSON: it stops
        ('{"relevant_span": [10, 15], "answer": "A"}', 0, 0, 0.0),
        (FENCED.replace("[10, 15]", "[10, 20, 99]"), 1, 1, 1.0),  # two numbers count
        (FENCED.replace("[10, 15]", "[15, 10]"), 1, 1, 0.0),
        (FENCED.replace("[10, 15]", '["10", "20"]'), 1, 1, 1.0),
        (FENCED.replace("[10, 15]", "10"), 0, 0, 0.0),  # here the scorer stops
        (FENCED.replace("[10, 15]", "[]"), 0, 0, 0.0),
        (FENCED.replace('"answer"', '"option"'), 0, 0, 0.0),
        ('```json\n{"url": "http://x", "relevant_span": [10, 20], "answer": "A"}\n```', 0, 0, 0.0),
        ('```json\n["answer", "A"]\n```', 0, 0, 0.0),
        ('```json{"relevant_span": [10, 20], "answer": "A"}', 1, 1, 1.0),  # the end of the fence may lack
        ("", 0, 0, 0.0),
    ],
)
def test_the_released_request_s_own_reader(reply, read, right, iou):
    doc = {"windows": [[10, 20]], "answer": "A"}
    found = scoring.of_official_reader(doc, reply)
    assert found == {"read_by_official": read, "right_by_official": right, "iou_by_official": iou}
    failed = scoring.of_official_reader(doc, reply, failed=True)
    assert failed == {"read_by_official": 0, "right_by_official": 0, "iou_by_official": 0.0}


def test_the_official_reader_has_metrics_of_its_own_where_the_request_is_official():
    own = {name for name in scoring.METRICS.of(scoring.OFFICIAL) if name.endswith("_official_reader")}
    assert len(own) == 4
    assert set(scoring.METRICS.of(scoring.OFFICIAL)) - set(scoring.METRICS.of(scoring.BOTH)) == own
    values = [(1, 1, 1.0), (1, 0, 0.6), (0, 0, 0.0), (1, 1, 0.4), (1, 1, 0.5)]
    names = ("read_by_official", "right_by_official", "iou_by_official")
    records = [dict(zip(names, one, strict=True)) | {"id": n, "video": n} for n, one in enumerate(values)]
    found = {name: evaluate(scoring.METRICS[name], records) for name in own}
    assert found == {
        "vqa_official_reader": 3 / 5,
        "miou_official_reader": 50.0,  # (1 + 0.6 + 0.4 + 0.5) / 5
        "vqa_miou_at_50_official_reader": 2 / 5,
        "parse_rate_official_reader": 4 / 5,
    }


def test_worked_example():
    found = official.score(PREDICTIONS, TRUTHS)
    assert found["brief"] == {
        "VQA": 1.0,
        "MR-full-R1@0.3": 50.0,
        "MR-full-R1@0.5": 50.0,
        "MR-full-mIoU": 32.5,  # (0.5 + 0.8 + 0 + 0) / 4
        "VQA,mIoU@0.5": 0.5,
    }
    recall = found["full"]["MR-R1"]
    assert list(recall) == [f"{i / 100:g}" for i in range(30, 100, 5)]
    assert (recall["0.55"], recall["0.8"], recall["0.85"]) == (25.0, 25.0, 0.0)
    assert found["full"]["VQA,mIoU"] == {"VQA,mIoU@0.3": 0.5, "VQA,mIoU@0.5": 0.5, "VQA,mIoU@0.7": 0.25}


def test_worked_example_with_a_question_missing():
    found = official.score(PREDICTIONS[:3], TRUTHS)
    # (0.5 + 0.8 + 0) / 3 and 2 of 3
    assert found["brief"]["MR-full-mIoU"] == 43.33
    assert found["brief"]["MR-full-R1@0.5"] == 66.67
    assert found["brief"]["VQA,mIoU@0.5"] == pytest.approx(2 / 3)
    others = [{**PREDICTIONS[0], "qid": f"x{n}"} for n in range(9, 0, -1)]
    with pytest.raises(official.TempbenchError, match="no prediction belongs"):
        official.score(others, TRUTHS)


def test_mode_is_that_of_the_first_prediction():
    answers = [{"qid": line["qid"], "ans": line["ans"]} for line in PREDICTIONS]
    assert official.score(answers, TRUTHS) == {"brief": {"VQA": 1.0}, "VQA": 1.0}
    windows = [{k: v for k, v in line.items() if k != "ans"} for line in PREDICTIONS]
    found = official.score(windows, TRUTHS)
    assert set(found) == {"brief", "full"}
    assert set(found["full"]) == {"MR-mIoU", "MR-R1"}
    assert set(official.score([answers[0], *PREDICTIONS[1:]], TRUTHS)) == {"brief", "VQA"}


def test_last_of_repeated_predictions_counts():
    again = {"qid": "q1", "pred_relevant_windows": [[10, 20]], "ans": "B"}
    found = official.score([*PREDICTIONS, again], TRUTHS)
    assert found["VQA"] == 0.75
    assert found["full"]["MR-mIoU"] == 45.0


@pytest.mark.parametrize(
    "windows", [[], None, [[None, 2]], [[1]], "1-2", [[0, math.nan]], [[0, 10**400]], [[-math.inf, 3]]]
)
def test_missing_window_is_named(windows):
    with pytest.raises(official.TempbenchError, match="q1: pred_relevant_windows"):
        official.score([{"qid": "q1", "pred_relevant_windows": windows}, *PREDICTIONS[1:]], TRUTHS)


def test_golden_submission(shared):
    truths = load_records(shared / "real" / "rextime" / "rextime_val.jsonl")
    predictions = load_records(shared / "golden" / "rextime_submission.jsonl")
    expected = json.loads((shared / "golden" / "rextime_expected.json").read_text())
    assert official.score(predictions, truths) == expected
    assert json.dumps(official.score(predictions, truths)) == json.dumps(expected)


@pytest.fixture(scope="module")
def real(shared):
    return [row(record) for record in load_records(shared / "real" / "rextime" / "rextime_val.jsonl")]


def test_oracle_is_perfect_in_the_strict_metrics(real):
    # Two true windows have no length: found exactly they score 1 here and 0 officially.
    records = [scoring.record(doc, doc["target"]) for doc in real]
    assert evaluate(scoring.METRICS["miou"], records) == 1.0
    assert evaluate(scoring.METRICS["miou_official"], records) == 99.78
    assert evaluate(scoring.METRICS["acc_at_iou_70"], records) == 1.0
    assert sum(record["iou_official"] == 0 for record in records) == 2


def test_metrics_by_hand(docs):
    # Four documents: right letter and span; right letter, IoU 1/2; wrong letter, exact span; unread.
    chosen = docs[:4]
    start, end = chosen[1]["windows"][0]
    wrong = next(letter for letter in "ABCD" if letter != chosen[2]["answer"])
    replies = [
        chosen[0]["target"],
        json.dumps({"answer": chosen[1]["answer"], "span": [start, start + (end - start) / 2]}),
        json.dumps({"answer": wrong, "span": chosen[2]["windows"][0]}),
        "I cannot tell.",
    ]
    records = [scoring.record(doc, reply) for doc, reply in zip(chosen, replies, strict=True)]
    metrics = scoring.METRICS.of(scoring.BOTH)
    value = {name: evaluate(metric, records) for name, metric in metrics.items()}
    assert value["acc"] == value["vqa_official"] == 0.5
    assert value["miou"] == pytest.approx(2.5 / 4)
    assert value["miou_official"] == 62.5
    assert value["r1_at_50"] == 0.75
    assert value["r1_at_55"] == 0.5
    assert value["r1_at_50_official"] == 75.0
    assert value["acc_at_iou_50"] == value["vqa_miou_at_50_official"] == 0.5
    assert value["acc_at_iou_70"] == value["vqa_miou_at_70_official"] == 0.25
    assert value["parse_rate"] == value["answer_parse_rate"] == value["span_parse_rate"] == 0.75
    assert value["n_questions"] == 4
    # Categories of the sample: sequential, cause_effect, means_end, sequential.
    assert value["acc_sequential"] == 0.5
    assert value["acc_cause_effect"] == 1.0
    assert value["miou_means_end"] == 1.0
    assert value["acc_means_end"] == 0.0
    assert value["acc_under_60s"] == 0.5
    assert math.isnan(value["acc_over_120s"])


DOC = {
    "question_id": "q",
    "video_id": "v",
    "source": "activitynet",
    "category": "sequential",
    "duration": 60.0,
    "question": "What?",
    "options": ["one", "two", "three", "four"],
    "answer": "B",
    "windows": [[10, 20]],
}


def said(answer, span):
    return json.dumps({"answer": answer, "span": span})


@pytest.mark.parametrize(
    ("ask", "answer", "span", "correct", "parsed"),
    [
        ("both", "B", [0, 5], 1, 1),  # the letter decides
        ("both", "A", [10, 20], 0, 1),
        ("both", "B", None, 1, 0),
        ("both", None, [10, 20], 0, 0),
        ("answer", "B", None, 1, 1),
        ("answer", None, [10, 20], 0, 0),
        ("span", None, [10, 15], 1, 1),  # an IoU of one half
        ("span", "B", [10, 14.9], 0, 1),
        ("span", "B", None, 0, 0),
    ],
)
def test_what_is_right_and_read_depends_on_what_was_asked(ask, answer, span, correct, parsed):
    found = scoring.record(DOC, said(answer, span), ask=ask)
    assert (found["correct"], found["parsed"]) == (correct, parsed)


def test_without_a_known_answer_nothing_is_right():
    assert scoring.record(DOC | {"answer": ""}, "")["correct"] == 0


def test_groups_and_position_bias():
    # The lower bound of a group of durations belongs to it; what has no category is in no group.
    records = [
        scoring.record(DOC, said("B", [10, 20])),
        scoring.record(DOC | {"duration": 59.9, "category": "?"}, said("A", None)),
        scoring.record(DOC | {"duration": 120.0, "source": "qvhighlights"}, ""),
        scoring.record(DOC | {"duration": 119.9, "answer": None}, said("B", None)),
    ]
    names = ("acc_under_60s", "acc_60_to_120s", "acc_over_120s", "acc_activitynet", "acc_qvhighlights")
    assert [evaluate(scoring.METRICS[name], records) for name in names] == [0, 1 / 2, 0, 1 / 3, 0]
    assert scoring.METRICS["n_other_category"](records) == 1
    found = answers(records)
    assert found == {
        "answers": {"A": 1 / 4, "B": 2 / 4, "unparsed": 1 / 4},
        "right_answers": {"B": 3 / 4, "unknown": 1 / 4},
    }
    assert list(found["answers"]) == ["A", "B", "unparsed"]


@pytest.mark.parametrize(
    ("raw", "category"),
    [
        ("sequential", "sequential"),
        ("Cause-Effect", "cause_effect"),
        ("means_end", "means_end"),
        ("means-to-an-end", "means_end"),
        ("", "other"),
    ],
)
def test_categories_in_any_spelling(raw, category):
    assert scoring.category_of(raw) == category


def by_arrays(predicted, truths):
    """The official scorer's steps, in arrays: the union decides, the hull divides."""
    (start, end), true = np.array(predicted, dtype=float), np.array(truths, dtype=float)
    shared = np.clip(np.minimum(end, true[:, 1]) - np.maximum(start, true[:, 0]), 0, None)
    with np.errstate(invalid="ignore"):
        chosen = np.argmax(shared / (end - start + true[:, 1] - true[:, 0] - shared))
    hull = np.maximum(end, true[chosen, 1]) - np.minimum(start, true[chosen, 0])
    return shared[chosen] / hull if hull else 0.0


moments = st.one_of(st.integers(0, 6), st.floats(0, 20, allow_subnormal=False))
any_interval = st.tuples(moments, moments)


@given(any_interval, st.lists(any_interval, min_size=1, max_size=4))
def test_official_iou_is_that_of_the_official_steps(predicted, truths):
    assert official_iou(predicted, truths) == by_arrays(predicted, truths)


def test_what_is_no_number_stays_none():
    # A file may hold NaN; the official scorer's mean is NaN then.
    assert math.isnan(official_iou((math.nan, 5), [(1, 2), (3, 9)]))
