"""The data set's own measures, and what answers get that look at nothing.

Source: paper, section 4.4, Table 5 and Figure 4 (categories, durations, words in a question), whose numbers
are not printed. A span of the question is needed for QA-mIoU and certificate length; the released validation
split does not have them, so that both are undefined there.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from tempbench_lmms.metrics.interval import Interval, best_iou, span_length
from tempbench_lmms.rextime import official
from tempbench_lmms.rextime.card import CARD

Doc = Mapping[str, Any]

_DURATION_BINS = (0, 30, 60, 90, 120, 150, 180, 210, 240)
_WINDOW_BINS = (0, 5, 10, 20, 30, 60, 90, 120, 150)
_WORD_BINS = (0, 5, 10, 15, 20, 25, 30)

BASELINES: dict[str, Callable[[float], Interval]] = {
    "whole video": lambda duration: (0.0, duration),
    "middle half": lambda duration: (0.25 * duration, 0.75 * duration),
    "nothing": lambda duration: (0.0, 0.0),
}


def qa_miou(docs: Sequence[Doc]) -> float | None:
    """Returns the mean IoU of question span and answer span; None where no question span is known.

    The lower, the more a question asks to reason across time.
    """
    known = [doc for doc in docs if doc.get("question_span") and doc["windows"]]
    ious = [best_iou(tuple(doc["question_span"]), [tuple(w) for w in doc["windows"]]) for doc in known]
    return sum(ious) / len(ious) if ious else None


def certificate_length(docs: Sequence[Doc]) -> float | None:
    """Returns the mean length, in seconds, from the first to the last moment of question and answer."""
    lengths = [
        span_length(tuple(doc["question_span"]), *(tuple(window) for window in doc["windows"]))
        for doc in docs
        if doc.get("question_span") and doc["windows"]
    ]
    return sum(lengths) / len(lengths) if lengths else None


def histogram(values: Sequence[float], bounds: Sequence[float]) -> dict[str, int]:
    """Returns how many values lie in each bin, the lower bound included; the last bin is open."""
    counts = dict.fromkeys(_names(bounds), 0)
    for value in values:
        index = max((i for i, bound in enumerate(bounds) if value >= bound), default=0)
        counts[_names(bounds)[index]] += 1
    return counts


def _names(bounds: Sequence[float]) -> list[str]:
    closed = [f"{low:g} to {high:g}" for low, high in pairwise(bounds)]
    return [*closed, f"{bounds[-1]:g} and more"]


def baselines(docs: Sequence[Doc]) -> dict[str, dict[str, Any]]:
    """Returns the official scorer's numbers for answers that look at nothing, by their name."""
    truths = [
        {"qid": doc["question_id"], "relevant_windows": doc["windows"], "ans": doc["answer"]} for doc in docs
    ]
    out = {}
    for name, window in BASELINES.items():
        for letter in "ABCD" if name == "whole video" else "A":
            predictions = [
                {
                    "qid": doc["question_id"],
                    "pred_relevant_windows": [list(window(doc["duration"]))],
                    "ans": letter,
                }
                for doc in docs
            ]
            found = official.score(predictions, truths)
            out[f"{name}, always {letter}"] = {
                "mIoU": found["full"]["MR-mIoU"],
                "R1@0.3": found["full"]["MR-R1"]["0.3"],
                "R1@0.5": found["full"]["MR-R1"]["0.5"],
                "VQA": found["VQA"],
                **found["full"]["VQA,mIoU"],
            }
    return out


def measure(docs: Sequence[Doc]) -> dict[str, Any]:
    """Returns the measures of a split with answers."""
    windows = [(tuple(window), doc["duration"]) for doc in docs for window in doc["windows"]]
    lengths = [window[1] - window[0] for window, _ in windows]
    durations = [doc["duration"] for doc in docs]
    answers = Counter(doc["answer"] for doc in docs)
    words = [len(doc["question"].split()) for doc in docs]
    categories = dict(sorted(Counter(doc["category"] or "not released" for doc in docs).items()))
    return {
        "questions": len(docs),
        "videos": len({doc["video_id"] for doc in docs}),
        "by source": dict(sorted(Counter(doc["source"] for doc in docs).items())),
        "by category": categories,
        "share of category": {name: count / len(docs) for name, count in categories.items()},
        "answers": dict(sorted(answers.items())),
        "most frequent answer": max(answers.values(), default=0) / len(docs) if docs else None,
        "QA-mIoU": qa_miou(docs),
        "certificate length (s)": certificate_length(docs),
        "questions with a question span": sum(bool(doc.get("question_span")) for doc in docs),
        "video duration (s)": _summary(durations) | {"histogram": histogram(durations, _DURATION_BINS)},
        "window length (s)": _summary(lengths) | {"histogram": histogram(lengths, _WINDOW_BINS)},
        "mean share of the video": _mean([(w[1] - w[0]) / duration for w, duration in windows]),
        "windows of no length": sum(length == 0 for length in lengths),
        "windows past the end": sum(window[1] > duration for window, duration in windows),
        "words in a question": _summary(words) | {"histogram": histogram(words, _WORD_BINS)},
        "questions of more than 15 words": sum(count > 15 for count in words),
        "baselines": baselines(docs) if windows else {},
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _summary(values: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(values)
    n = len(ordered)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else None
    return {
        "mean": _mean(values),
        "median": median,
        "least": ordered[0] if n else None,
        "most": ordered[-1] if n else None,
    }


def as_text(measured: Mapping[str, Any]) -> str:
    """Returns the measures for a terminal."""
    lines = []
    for name, value in measured.items():
        if name == "baselines":
            continue
        if isinstance(value, dict) and "histogram" in value:
            shown = ", ".join(f"{key} {_number(part)}" for key, part in value.items() if key != "histogram")
            lines.append(f"{name}: {shown}")
            most = max(value["histogram"].values(), default=0) or 1
            lines += [
                f"  {label:>12} {count:>5} {'#' * round(40 * count / most)}"
                for label, count in value["histogram"].items()
            ]
        elif isinstance(value, dict):
            lines.append(f"{name}: " + ", ".join(f"{key} {_number(part)}" for key, part in value.items()))
        else:
            lines.append(f"{name}: {_number(value)}")
    if measured["baselines"]:
        lines += ["", "What the official scorer gives to answers that look at nothing:"]
        names = list(next(iter(measured["baselines"].values())))
        lines.append(f"  {'':24}" + "".join(f"{name:>14}" for name in names))
        for label, row in measured["baselines"].items():
            lines.append(f"  {label:24}" + "".join(f"{_number(row[name]):>14}" for name in names))
    return "\n".join([*lines, "", *_beside_table_5(measured)])


def _beside_table_5(measured: Mapping[str, Any]) -> list[str]:
    """Returns the paper's Table 5 with one more row, of the split that was measured."""
    table = next(one for one in CARD.tables if one.name == "Table 5")
    heads = ["questions", *(column.rpartition(" / ")[2] for column in table.columns)]
    iou = measured["QA-mIoU"]
    rows = {
        row: ["", *(cell.printed if (cell := table.cells.get((row, one))) else "" for one in table.columns)]
        for row in table.rows
    }
    rows["this split"] = [
        str(measured["questions"]),
        *("" for _ in table.columns[:-2]),
        _number(measured["certificate length (s)"]),
        _number(iou if iou is None else 100 * iou),
    ]
    shown = [("", heads), *rows.items()]
    return [
        "Table 5 of the paper, and this split:",
        *(f"  {label:24}" + "".join(f"{cell:>14}" for cell in cells) for label, cells in shown),
    ]


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
