"""The metrics of ReXTime: moment localisation, accuracy, and accuracy gated by IoU.

Source: paper, section 4.1. All shares are over all questions that were asked: an unreadable reply is wrong.
The headline metrics take the IoU as it is defined, so that an instant found exactly scores 1; the `_official`
ones reproduce the official scorer, rounding and mixed units included (`official.py`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms.metrics.interval import best_iou, official_iou
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.record import Metric, Record
from tempbench_lmms.rextime import official
from tempbench_lmms.rextime.card import CATEGORIES, SOURCES
from tempbench_lmms.rextime.parser import NO_SPAN, parse

DURATIONS = {"under_60s": (0.0, 60.0), "60_to_120s": (60.0, 120.0), "over_120s": (120.0, float("inf"))}
"""Groups of video durations in seconds, the lower bound included."""


def category_of(raw: str) -> str:
    """Returns one of `CATEGORIES`, or "other".

    How the release spells its categories is not documented, so the word that tells them apart is looked for.
    """
    text = raw.lower()
    for word, category in (("sequen", "sequential"), ("mean", "means_end"), ("cause", "cause_effect")):
        if word in text:
            return category
    return "other"


def record(doc: Mapping[str, Any], reply: str, failed: bool = False, ask: str = "both") -> Record:
    """Returns what is known of one answered question.

    Args:
        doc: A row of the data set.
        reply: The model's reply.
        failed: The request failed, so that there is no reply to read.
        ask: What was asked for: `both`, `answer` or `span`.
    """
    answer, spans = (None, []) if failed else parse(reply, doc["options"], doc["duration"])
    return of_prediction(doc, answer, spans, failed, ask)


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


def miou(records: Sequence[Record]) -> Ratio:
    """Mean IoU of the first stated span with the true one; 0 where none could be read."""
    return _mean(records, lambda record: record["iou"])


def recall_at(threshold: float) -> Metric:
    """Returns recall@1: the share of questions whose IoU is at least `threshold`."""
    return lambda records: _mean(records, lambda record: record["iou"] >= threshold)


def acc(records: Sequence[Record]) -> Ratio:
    """Share of questions with the right letter."""
    return _mean(records, lambda record: record["answer"] == record["gold"])


def acc_at_iou(threshold: float) -> Metric:
    """Returns the share of all questions with the right letter and an IoU of at least `threshold`."""
    return lambda records: _mean(
        records, lambda record: record["answer"] == record["gold"] and record["iou"] >= threshold
    )


def parse_rate(records: Sequence[Record]) -> Ratio:
    """Share of questions of whose reply everything that was asked for could be read."""
    return _mean(records, lambda record: record["parsed"])


def answer_parse_rate(records: Sequence[Record]) -> Ratio:
    """Share of questions of whose reply a letter could be read."""
    return _mean(records, lambda record: record["answer_parsed"])


def span_parse_rate(records: Sequence[Record]) -> Ratio:
    """Share of questions of whose reply a span could be read."""
    return _mean(records, lambda record: record["span_parsed"])


def n_questions(records: Sequence[Record]) -> int:
    """Number of questions asked."""
    return len(records)


def n_failed(records: Sequence[Record]) -> int:
    """Number of questions whose request failed."""
    return sum(record["failed"] for record in records)


def n_reversed(records: Sequence[Record]) -> int:
    """Number of questions whose first stated span ends before it starts; its IoU is 0."""
    return sum(bool(record["spans"]) and record["spans"][0][1] < record["spans"][0][0] for record in records)


def n_other_category(records: Sequence[Record]) -> int:
    """Number of questions whose category is none of `CATEGORIES`; they are in no group."""
    return sum(category_of(record["category"]) == "other" for record in records)


def n_missing_media(records: Sequence[Record]) -> int:
    """Number of questions left out because their video is missing or damaged, which was asked for."""
    return max((record["n_missing_media"] for record in records), default=0)


def completeness(records: Sequence[Record]) -> Ratio:
    """Share of the task's questions whose video is there; every other score is over these alone."""
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


def vqa_official(records: Sequence[Record]) -> Ratio:
    """The official VQA: a fraction, unrounded."""
    return acc(records)


def vqa_miou_official_at(threshold: float) -> Metric:
    """Returns the official "VQA,mIoU@t": a fraction, unrounded."""
    return lambda records: _mean(
        records, lambda record: record["answer"] == record["gold"] and record["iou_official"] >= threshold
    )


def _group(records: Sequence[Record], kind: str, name: str) -> list[Record]:
    if kind == "category":
        return [record for record in records if category_of(record["category"]) == name]
    if kind == "source":
        return [record for record in records if record["source"] == name]
    low, high = DURATIONS[name]
    return [record for record in records if low <= record["duration"] < high]


def _grouped(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Returns each metric over each group of questions: `acc_sequential`, `miou_over_120s`, ..."""

    def of_group(metric: Metric, kind: str, name: str) -> Metric:
        return lambda records: metric(_group(records, kind, name))

    groups = [("category", name) for name in CATEGORIES]
    groups += [("source", name) for name in SOURCES]
    groups += [("duration", name) for name in DURATIONS]
    return {
        f"{label}_{name}": of_group(metric, kind, name)
        for kind, name in groups
        for label, metric in metrics.items()
    }


def _percent_name(threshold: float) -> str:
    return f"{round(threshold * 100)}"


ANSWER: dict[str, Metric] = {"acc": acc}
SPAN: dict[str, Metric] = {"miou": miou} | {
    f"r1_at_{_percent_name(t)}": recall_at(t) for t in official.THRESHOLDS
}
GATED: dict[str, Metric] = {f"acc_at_iou_{_percent_name(t)}": acc_at_iou(t) for t in official.GATES}
ANSWER_OFFICIAL: dict[str, Metric] = {"vqa_official": vqa_official}
SPAN_OFFICIAL: dict[str, Metric] = {"miou_official": miou_official} | {
    f"r1_at_{_percent_name(t)}_official": recall_official_at(t) for t in official.THRESHOLDS
}
GATED_OFFICIAL: dict[str, Metric] = {
    f"vqa_miou_at_{_percent_name(t)}_official": vqa_miou_official_at(t) for t in official.GATES
}
COUNTS: dict[str, Metric] = {"n_questions": n_questions, "n_failed": n_failed}
MEDIA: dict[str, Metric] = {"n_missing_media": n_missing_media, "completeness": completeness}

_SPAN_READING: dict[str, Metric] = {"n_reversed": n_reversed}
_BY_GROUP: dict[str, Metric] = {"acc": acc, "miou": miou, "acc_at_iou_50": GATED["acc_at_iou_50"]}
_OTHER: dict[str, Metric] = {"n_other_category": n_other_category}

BOTH: dict[str, Metric] = (
    ANSWER
    | SPAN
    | GATED
    | {
        "parse_rate": parse_rate,
        "answer_parse_rate": answer_parse_rate,
        "span_parse_rate": span_parse_rate,
    }
    | _grouped(_BY_GROUP)
    | ANSWER_OFFICIAL
    | SPAN_OFFICIAL
    | GATED_OFFICIAL
    | COUNTS
    | _SPAN_READING
    | _OTHER
    | MEDIA
)
"""The metrics of a task that asks for the letter and the span."""

VQA: dict[str, Metric] = (
    ANSWER | {"parse_rate": parse_rate} | _grouped({"acc": acc}) | ANSWER_OFFICIAL | COUNTS | _OTHER | MEDIA
)
"""The metrics of a task that asks for the letter alone."""

MOMENT: dict[str, Metric] = (
    SPAN
    | {"parse_rate": parse_rate}
    | _grouped({"miou": miou})
    | SPAN_OFFICIAL
    | COUNTS
    | _SPAN_READING
    | _OTHER
    | MEDIA
)
"""The metrics of a task that asks for the span alone."""

BLIND: dict[str, Metric] = {name: metric for name, metric in VQA.items() if name not in MEDIA}
"""The metrics of the task without a video: nothing can be missing."""

TEST: dict[str, Metric] = {
    "answer_parse_rate": answer_parse_rate,
    "span_parse_rate": span_parse_rate,
    "parse_rate": parse_rate,
    **COUNTS,
    **_SPAN_READING,
    **MEDIA,
}
"""What can be said of the test split, whose answers are not public: nothing that is a score."""


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns the position bias: the share of each letter among the answers, and among the right answers."""
    return {
        name: {letter: n / len(records) for letter, n in sorted(counts.items())}
        for name, counts in (
            ("answers", Counter(record["answer"] or "unparsed" for record in records)),
            ("right_answers", Counter(record.get("gold") or "unknown" for record in records)),
        )
    }


METRICS: dict[str, Metric] = BOTH | VQA | MOMENT | TEST
