"""The metrics of ReXTime: moment localisation, accuracy, and accuracy gated by IoU.

Source: paper, section 4.1. All shares are over all questions that were asked: an unreadable reply is wrong.
The headline metrics take the IoU as it is defined, so that an instant found exactly scores 1; the `_official`
ones reproduce the official scorer, rounding and mixed units included (`official.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.metrics.spans import best_iou, official_iou
from tempbench_lmms.record import (
    Metric,
    Metrics,
    Record,
    mean,
    n_failed,
    n_questions,
    n_reversed,
    total,
)
from tempbench_lmms.rextime import official, prompts
from tempbench_lmms.rextime.card import CATEGORIES, CLUSTER, DURATIONS, SOURCES
from tempbench_lmms.rextime.parser import NO_SPAN, read, spans_of

BOTH, VQA, MOMENT, TEST, OFFICIAL = "both", "vqa", "moment", "test", "official"
"""The kinds of task: the letter and the span, only the letter, only the span, the test split, whose answers
are not public, so that nothing that it has is a score, and the released request, which asks for both."""
_TWO = (BOTH, OFFICIAL)
_LETTER, _SPAN, _SCORED = (*_TWO, VQA), (*_TWO, MOMENT), (*_TWO, VQA, MOMENT)
METRICS = Metrics(*_SCORED, TEST)


def category_of(raw: str) -> str:
    """Returns one of `CATEGORIES`, or "other".

    How the release spells its categories is not documented, so the word that distinguishes them decides.
    """
    words = {"sequen": "sequential", "mean": "means_end", "cause": "cause_effect"}
    return next((category for word, category in words.items() if word in raw.lower()), "other")


def record(
    doc: Mapping[str, Any], reply: str, failed: bool = False, ask: str = "both", requested: bool = False
) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read.

    With `requested`, that of a reply to the released request, with what its own reader makes of it.
    """
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc, ask))
    found = None if failed else read(reply, doc["options"], doc["duration"], prompt=prompt)
    spans = spans_of(found["span"].value, reply, doc["duration"]) if found else []
    out = common.in_time(doc, found, ask, spans, CLUSTER)
    iou = best_iou(spans[0], doc["windows"]) if spans else 0.0
    right = iou >= 0.5 if ask == "span" else out["answer"] == doc["answer"]
    return out | {
        **{name: doc[name] for name in ("source", "category", "duration")},
        "iou": iou,
        "iou_official": official_iou(spans[0] if spans else NO_SPAN, doc["windows"]),
        "correct": int(bool(doc["answer"]) and right),
        **(of_official_reader(doc, reply, failed) if requested else {}),
    }


def of_official_reader(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the fields of a record for the released request's own reading of a reply.

    If it, or the scorer after it, stops with an error, there is no answer.
    """
    prediction = None if failed else official.prediction_of(reply)
    try:
        window = official.first_window(prediction) if prediction else NO_SPAN
    except TempbenchError:
        prediction, window = None, NO_SPAN
    return {
        "read_by_official": int(prediction is not None),
        "right_by_official": int(prediction is not None and prediction["ans"] == doc["answer"]),
        "iou_by_official": official_iou(window, doc["windows"]) if prediction else 0.0,
    }


# Questions about one video are answered from the same pictures.
miou, parse_rate = mean("iou", CLUSTER), mean("parsed", CLUSTER)
acc = mean(lambda record: record["answer"] == record["gold"], CLUSTER)


def acc_at_iou(threshold: float, iou: str = "iou") -> Callable[[Sequence[Record]], Ratio]:
    """Returns the share of all questions with the right letter and an IoU of at least `threshold`.

    With `iou_official` it is the official "VQA,mIoU@t": a fraction, unrounded.
    """
    return mean(lambda record: record["answer"] == record["gold"] and record[iou] >= threshold, CLUSTER)


def _printed(share: Callable[[Record], float]) -> Metric:
    return common.printed(lambda records: official.percent([share(record) for record in records]))


def _groups(record: Record) -> set[str]:
    """Returns the names of a question's category, source and group of durations."""
    durations = [name for name, (low, high) in DURATIONS.items() if low <= record["duration"] < high]
    return {category_of(record["category"]), record["source"], *durations}


def _of_group(metric: Metric, name: str) -> Metric:
    return lambda records: metric([record for record in records if name in _groups(record)])


METRICS.add("acc", acc, "Share of questions with the right letter.", headline=True, tasks=_LETTER)
METRICS.add("miou", miou, "Mean IoU of the first stated span; 0 without one.", headline=True, tasks=_SPAN)
_BY_PERCENT = {round(t * 100): t for t in official.THRESHOLDS}
_GATES = {round(t * 100): t for t in official.GATES}
for _n, _t in _BY_PERCENT.items():
    METRICS.add(
        f"r1_at_{_n}",
        mean(partial(lambda t, record: record["iou"] >= t, _t), CLUSTER),
        headline=_n in (30, 50, 70),
        tasks=_SPAN,
    )
for _n, _t in _GATES.items():
    METRICS.add(f"acc_at_iou_{_n}", acc_at_iou(_t), headline=_n == 50, tasks=_TWO)
METRICS.add(
    "parse_rate",
    parse_rate,
    "Share of questions of whose reply everything that was asked for could be read.",
    headline=True,
    tasks=_SCORED,
)
METRICS.add("answer_parse_rate", mean("answer_parsed", CLUSTER), headline=True, tasks=(*_TWO, TEST))
METRICS.add("span_parse_rate", mean("span_parsed", CLUSTER), headline=True, tasks=(*_TWO, TEST))
METRICS.add("parse_rate", parse_rate, headline=True, tasks=(TEST,))  # last in the logs of the test split
common.add_metrics(METRICS, CLUSTER)
for _name in (*CATEGORIES, *SOURCES, *DURATIONS):
    METRICS.add(f"acc_{_name}", _of_group(acc, _name), tasks=_LETTER)
    METRICS.add(f"miou_{_name}", _of_group(miou, _name), tasks=_SPAN)
    METRICS.add(f"acc_at_iou_50_{_name}", _of_group(acc_at_iou(0.5), _name), tasks=_TWO)
METRICS.add("vqa_official", acc, tasks=_LETTER)
METRICS.add("miou_official", _printed(itemgetter("iou_official")), tasks=_SPAN, has_error=False)
for _n, _t in _BY_PERCENT.items():
    METRICS.add(
        f"r1_at_{_n}_official",
        _printed(partial(lambda t, record: record["iou_official"] >= t, _t)),
        tasks=_SPAN,
        has_error=False,
    )
for _n, _t in _GATES.items():
    METRICS.add(f"vqa_miou_at_{_n}_official", acc_at_iou(_t, "iou_official"), tasks=_TWO)
# Source: `demo/request.py`. A reply at which that program stops with an error is wrong.
for _name, _metric, _doc in (
    ("vqa", mean("right_by_official", CLUSTER), "letters: a fraction, unrounded"),
    ("miou", _printed(itemgetter("iou_by_official")), "spans: percent"),
    (
        "vqa_miou_at_50",
        mean(lambda one: one["right_by_official"] and one["iou_by_official"] >= 0.5, CLUSTER),
        "letters whose spans have an IoU of at least 0.5: a fraction, unrounded",
    ),
    ("parse_rate", mean("read_by_official", CLUSTER), "replies that it can read, the scorer too"),
):
    METRICS.add(
        f"{_name}_official_reader",
        _metric,
        f"The official numbers by the released request's own reader, of its {_doc}.",
        tasks=(OFFICIAL,),
        has_error=_name != "miou",
    )
METRICS.count(headline=True)(n_questions)
METRICS.count(better="lower", headline=True)(n_failed)
METRICS.count(better="lower", tasks=(*_SPAN, TEST))(n_reversed)
METRICS.add_count(
    "n_other_category",
    total(lambda record: category_of(record["category"]) == "other"),
    "Number of questions whose category is none of `CATEGORIES`; they are in no group.",
    better="lower",
    tasks=_SCORED,
)
