"""The metrics of ReXTime: moment localisation, accuracy, and accuracy gated by IoU.

Source: paper, section 4.1. All shares are over all questions that were asked: an unreadable reply is wrong.
The headline metrics take the IoU as it is defined, so that an instant found exactly scores 1; the `_official`
ones reproduce the official scorer, rounding and mixed units included (`official.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.metrics.spans import best_iou, official_iou
from tempbench_lmms.record import (
    Metric,
    Metrics,
    Record,
    answers,
    mean,
    n_failed,
    n_questions,
    n_reversed,
)
from tempbench_lmms.rextime import official, prompts
from tempbench_lmms.rextime.card import CATEGORIES, DURATIONS, SOURCES
from tempbench_lmms.rextime.parser import NO_SPAN, read, spans_of

BOTH, VQA, MOMENT, TEST, OFFICIAL = "both", "vqa", "moment", "test", "official"
"""The kinds of task: the letter and the span, only the letter, only the span, the test split, whose answers
are not public, so that nothing that it has is a score, and the released request, which asks for both."""
_TWO = (BOTH, OFFICIAL)
_LETTER, _SPAN, _SCORED = (*_TWO, VQA), (*_TWO, MOMENT), (*_TWO, VQA, MOMENT)
METRICS = Metrics(*_SCORED, TEST)
"""Every metric of ReXTime: rows below the functions."""


def category_of(raw: str) -> str:
    """Returns one of `CATEGORIES`, or "other".

    How the release spells its categories is not documented, so the word that distinguishes them decides.
    """
    text = raw.lower()
    for word, category in (("sequen", "sequential"), ("mean", "means_end"), ("cause", "cause_effect")):
        if word in text:
            return category
    return "other"


def record(doc: Mapping[str, Any], reply: str, failed: bool = False, ask: str = "both") -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = record_reading.prompt_of(reply, lambda: prompts.wording(doc, ask))
    found = None if failed else read(reply, doc["options"], doc["duration"], prompt=prompt)
    spans = spans_of(found["span"].value, reply, doc["duration"]) if found else []
    out = record_reading.in_time(doc, found, ask, spans)
    truths = [(start, end) for start, end in doc["windows"]]
    iou = best_iou(spans[0], truths) if spans else 0.0
    right = iou >= 0.5 if ask == "span" else out["answer"] == doc["answer"]
    return out | {
        **{name: doc[name] for name in ("source", "category", "duration")},
        "iou": iou,
        "iou_official": official_iou(spans[0] if spans else NO_SPAN, truths),
        "correct": int(bool(doc["answer"]) and right),
    }


def official_record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of a reply to the released request, with what its own reader makes of it."""
    return record(doc, reply, failed) | of_official_reader(doc, reply, failed)


def of_official_reader(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the fields of a record for the released request's own reading of a reply.

    If it, or the scorer after it, stops with an error, there is no answer.
    """
    prediction = None if failed else official.prediction_of(reply)
    try:
        window = official.first_window(prediction) if prediction else NO_SPAN
    except TempbenchError:
        prediction, window = None, NO_SPAN
    truths = [(start, end) for start, end in doc["windows"]]
    return {
        "read_by_official": int(prediction is not None),
        "right_by_official": int(prediction is not None and prediction["ans"] == doc["answer"]),
        "iou_by_official": official_iou(window, truths) if prediction else 0.0,
    }


def _mean(records: Sequence[Record], value: Callable[[Record], float]) -> Ratio:
    # Questions about one video are answered from the same pictures.
    return ratio(((value(record), 1) for record in records), (record["video"] for record in records))


miou = mean("iou", "video", doc="Mean IoU of the first stated span with the true one; 0 where none was read.")
parse_rate = mean(
    "parsed", "video", doc="Share of questions of whose reply everything that was asked for could be read."
)


def recall_at(threshold: float) -> Metric:
    """Returns recall@1: the share of questions whose IoU is at least `threshold`."""
    return lambda records: _mean(records, lambda record: record["iou"] >= threshold)


def acc(records: Sequence[Record]) -> Ratio:
    """Share of questions with the right letter."""
    return _mean(records, lambda record: record["answer"] == record["gold"])


def acc_at_iou(threshold: float, iou: str = "iou") -> Metric:
    """Returns the share of all questions with the right letter and an IoU of at least `threshold`.

    With `iou_official` it is the official "VQA,mIoU@t": a fraction, unrounded.
    """
    return lambda records: _mean(
        records, lambda record: record["answer"] == record["gold"] and record[iou] >= threshold
    )


def n_other_category(records: Sequence[Record]) -> int:
    """Number of questions whose category is none of `CATEGORIES`; they are in no group."""
    return sum(category_of(record["category"]) == "other" for record in records)


def _printed(shares: Sequence[float]) -> Ratio:
    """Returns the mean as the official scorer prints it; a rounded number has no standard error."""
    return ratio([(official.percent(shares), 1)] if shares else [], ["all"] if shares else [])


def miou_official(records: Sequence[Record]) -> Ratio:
    """The official MR-mIoU: percent, rounded to two decimals."""
    return _printed([record["iou_official"] for record in records])


def recall_official_at(threshold: float) -> Metric:
    """Returns the official MR-R1 at a threshold: percent, rounded to two decimals."""
    return lambda records: _printed([record["iou_official"] >= threshold for record in records])


def _with_reader(metric: Metric, doc: str) -> Metric:
    """Returns a metric over the records of the released request's own reader.

    Source: `demo/request.py`. A reply at which that program stops with an error is wrong.
    """

    def found(records: Sequence[Record]) -> Ratio:
        return metric([record for record in records if "read_by_official" in record])  # type: ignore[return-value]

    found.__doc__ = doc
    return found


def _group(records: Sequence[Record], kind: str, name: str) -> list[Record]:
    if kind == "category":
        return [record for record in records if category_of(record["category"]) == name]
    if kind == "source":
        return [record for record in records if record["source"] == name]
    low, high = DURATIONS[name]
    return [record for record in records if low <= record["duration"] < high]


def _of_group(metric: Metric, kind: str, name: str) -> Metric:
    """Returns a metric over one group of questions: `acc_sequential`, `miou_over_120s`, ..."""
    return lambda records: metric(_group(records, kind, name))


def _percent(threshold: float) -> int:
    return round(threshold * 100)


GROUPS = [
    *(("category", name) for name in CATEGORIES),
    *(("source", name) for name in SOURCES),
    *(("duration", name) for name in DURATIONS),
]

METRICS.add("acc", acc, headline=True, tasks=_LETTER)
METRICS.add("miou", miou, headline=True, tasks=_SPAN)
for _t in official.THRESHOLDS:
    METRICS.add(f"r1_at_{_percent(_t)}", recall_at(_t), headline=_t in (0.3, 0.5, 0.7), tasks=_SPAN)
for _t in official.GATES:
    METRICS.add(f"acc_at_iou_{_percent(_t)}", acc_at_iou(_t), headline=_t == 0.5, tasks=_TWO)
METRICS.add("parse_rate", parse_rate, headline=True, tasks=_SCORED)
METRICS.add("answer_parse_rate", mean("answer_parsed", "video"), headline=True, tasks=(*_TWO, TEST))
METRICS.add("span_parse_rate", mean("span_parsed", "video"), headline=True, tasks=(*_TWO, TEST))
METRICS.add("parse_rate", parse_rate, headline=True, tasks=(TEST,))  # last in the logs of the test split
record_reading.add_metrics(METRICS, "video")
for _kind, _name in GROUPS:
    METRICS.add(f"acc_{_name}", _of_group(acc, _kind, _name), tasks=_LETTER)
    METRICS.add(f"miou_{_name}", _of_group(miou, _kind, _name), tasks=_SPAN)
    METRICS.add(f"acc_at_iou_50_{_name}", _of_group(acc_at_iou(0.5), _kind, _name), tasks=_TWO)
METRICS.add("vqa_official", acc, tasks=_LETTER)
METRICS.add("miou_official", miou_official, tasks=_SPAN, has_error=False)
for _t in official.THRESHOLDS:
    METRICS.add(f"r1_at_{_percent(_t)}_official", recall_official_at(_t), tasks=_SPAN, has_error=False)
for _t in official.GATES:
    METRICS.add(f"vqa_miou_at_{_percent(_t)}_official", acc_at_iou(_t, "iou_official"), tasks=_TWO)
for _name, _metric, _has_error, _doc in (
    ("vqa", mean("right_by_official", "video"), True, "letters: a fraction, unrounded"),
    ("miou", lambda records: _printed([one["iou_by_official"] for one in records]), False, "spans: percent"),
    (
        "vqa_miou_at_50",
        lambda records: _mean(
            records, lambda one: one["right_by_official"] and one["iou_by_official"] >= 0.5
        ),
        True,
        "letters whose spans have an IoU of at least 0.5: a fraction, unrounded",
    ),
    ("parse_rate", mean("read_by_official", "video"), True, "replies that it can read, the scorer too"),
):
    _own = _with_reader(_metric, f"The official numbers by the released request's own reader, of its {_doc}.")
    METRICS.add(f"{_name}_official_reader", _own, tasks=(OFFICIAL,), has_error=_has_error)
METRICS.count(headline=True)(n_questions)
METRICS.count(better="lower", headline=True)(n_failed)
METRICS.count(better="lower", tasks=(*_SPAN, TEST))(n_reversed)
METRICS.add("n_other_category", n_other_category, better="lower", tasks=_SCORED, has_error=False)


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns the position bias: the share of each letter among the answers, and among the right answers."""
    return answers(records, unknown="unknown")
