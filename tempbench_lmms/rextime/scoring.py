"""The metrics of ReXTime: moment localisation, accuracy, and accuracy gated by IoU.

Source: paper, section 4.1. All shares are over all questions that were asked: an unreadable reply is wrong.
The headline metrics take the IoU as it is defined, so that an instant found exactly scores 1; the `_official`
ones reproduce the official scorer, rounding and mixed units included (`official.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.interval import best_iou, official_iou
from tempbench_lmms.metrics.ratio import Ratio, ratio
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

BOTH, VQA, MOMENT, BLIND, TEST, OFFICIAL = "both", "vqa", "moment", "blind", "test", "official"
"""The kinds of task: the letter and the span, only the letter, only the span, the letter without the video,
the test split, whose answers are not public, so that nothing that it has is a score, and the released
request, which asks for the letter and the span."""
_TWO = (BOTH, OFFICIAL)
_LETTER, _SPAN, _SCORED = (*_TWO, VQA, BLIND), (*_TWO, MOMENT), (*_TWO, VQA, MOMENT, BLIND)
_WITH_VIDEO = (*_TWO, VQA, MOMENT, TEST)
METRICS = Metrics(BOTH, VQA, MOMENT, BLIND, TEST, OFFICIAL)
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
    """Returns the record of one answered question; one whose request failed has no reply to read."""
    if failed:
        return of_prediction(doc, None, [], failed, ask) | record_reading.fields_of_parts(None, None, ask)
    prompt = record_reading.prompt_of(reply, lambda: prompts.wording(doc, ask))
    found = read(reply, doc["options"], doc["duration"], prompt=prompt)
    letter, span = found["letter"], found["span"]
    spans = spans_of(span.value, reply, doc["duration"])
    out = of_prediction(doc, letter.value, spans, failed, ask)
    out |= record_reading.fields_of_parts(letter, span, ask)
    return out


def official_record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of a reply to the released request, with what its own reader makes of it."""
    return record(doc, reply, failed) | of_official_reader(doc, reply, failed)


def of_official_reader(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the fields of a record that say what the released request's own reader makes of a reply.

    Where it stops with an error, or the scorer stops at what it has read, they count as no answer.

    Args:
        doc: A row of the data set.
        reply: The model's reply, reasoning included.
        failed: Whether the request failed.
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


def of_prediction(
    doc: Mapping[str, Any],
    answer: str | None,
    spans: Sequence[tuple[float, float]],
    failed: bool = False,
    ask: str = "both",
) -> Record:
    """Returns the record of a question whose answer and spans are known already."""
    span = spans[0] if spans else None
    truths = [(window[0], window[1]) for window in doc["windows"]]
    iou = best_iou(span, truths) if span else 0.0
    correct = answer == doc["answer"] if ask != "span" else iou >= 0.5
    return {
        "id": doc["question_id"],
        "video": doc["video_id"],
        "source": doc["source"],
        "category": doc["category"],
        "duration": doc["duration"],
        "gold": doc["answer"],
        "windows": [list(window) for window in truths],
        "answer": answer,
        "spans": [list(found) for found in spans],
        "iou": iou,
        "iou_official": official_iou(span or NO_SPAN, truths),
        "correct": int(bool(doc["answer"]) and correct),
        "answer_parsed": int(answer is not None),
        "span_parsed": int(span is not None),
        "parsed": int((ask == "span" or answer is not None) and (ask == "answer" or span is not None)),
        "failed": int(failed),
        "n_missing_media": doc.get("n_missing_media", 0),
        "n_questions": doc.get("n_questions", 0),
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


def n_missing_media(records: Sequence[Record]) -> int:
    """Number of questions left out because their video is missing or damaged, which was asked for."""
    return max((record["n_missing_media"] for record in records), default=0)


def completeness(records: Sequence[Record]) -> Ratio:
    """Share of the task's questions whose video is there; every other score is over these only."""
    whole = max((record["n_questions"] for record in records), default=0)
    return ratio([(whole - n_missing_media(records), whole)] if records else [], ["all"] if records else [])


def _printed(shares: Sequence[float]) -> Ratio:
    """Returns the mean as the official scorer prints it; of a rounded number there is no standard error."""
    return ratio([(official.percent(shares), 1)] if shares else [], ["all"] if shares else [])


def miou_official(records: Sequence[Record]) -> Ratio:
    """The official MR-mIoU: percent, rounded to two decimals."""
    return _printed([record["iou_official"] for record in records])


def recall_official_at(threshold: float) -> Metric:
    """Returns the official MR-R1 at a threshold: percent, rounded to two decimals."""
    return lambda records: _printed([record["iou_official"] >= threshold for record in records])


def vqa_official_reader(records: Sequence[Record]) -> Ratio:
    """The official VQA of the letters that the released request's own reader reads: a fraction, unrounded.

    Source: `demo/request.py`. A reply at which that program stops with an error is wrong.
    """
    return _mean(_with_reader(records), lambda record: record["right_by_official"])


def miou_official_reader(records: Sequence[Record]) -> Ratio:
    """The official MR-mIoU of the spans that the released request's own reader reads, in percent."""
    return _printed([record["iou_by_official"] for record in _with_reader(records)])


def vqa_miou_at_50_official_reader(records: Sequence[Record]) -> Ratio:
    """The official "VQA,mIoU@0.5" by the released request's own reader: a fraction, unrounded."""
    return _mean(
        _with_reader(records), lambda record: record["right_by_official"] and record["iou_by_official"] >= 0.5
    )


def parse_rate_official_reader(records: Sequence[Record]) -> Ratio:
    """Share of questions at whose reply neither the released request's reader nor the scorer stops."""
    return _mean(_with_reader(records), lambda record: record["read_by_official"])


def _with_reader(records: Sequence[Record]) -> list[Record]:
    """Returns the records that say what the official reader made of the reply."""
    return [record for record in records if "read_by_official" in record]


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
METRICS.add("vqa_official_reader", vqa_official_reader, tasks=(OFFICIAL,))
METRICS.add("miou_official_reader", miou_official_reader, tasks=(OFFICIAL,), has_error=False)
METRICS.add("vqa_miou_at_50_official_reader", vqa_miou_at_50_official_reader, tasks=(OFFICIAL,))
METRICS.add("parse_rate_official_reader", parse_rate_official_reader, tasks=(OFFICIAL,))
METRICS.count(headline=True)(n_questions)
METRICS.count(better="lower", headline=True)(n_failed)
METRICS.count(better="lower", tasks=(*_SPAN, TEST))(n_reversed)
METRICS.add("n_other_category", n_other_category, better="lower", tasks=_SCORED, has_error=False)
METRICS.add("n_missing_media", n_missing_media, better="lower", tasks=_WITH_VIDEO, has_error=False)
METRICS.add("completeness", completeness, headline=True, tasks=_WITH_VIDEO, has_error=False)


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns the position bias: the share of each letter among the answers, and among the right answers."""
    return answers(records, unknown="unknown")
