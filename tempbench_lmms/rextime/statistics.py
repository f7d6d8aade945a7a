"""The data set's own measures, and what answers get that look at nothing.

Source: paper, section 4.4, Table 5 and Figure 4 (categories, durations, words in a question). QA-mIoU and
certificate length need a span of the question, which the released validation split does not have.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.metrics.interval import Interval, best_iou, span_length
from tempbench_lmms.rextime import official

Doc = Mapping[str, Any]

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


def measure(root: Path) -> dict[str, Any]:
    """Returns the measures of each split with answers that is there."""
    return {
        split: of(read_rows(root / split)) for split in ("validation", "train") if (root / split).is_dir()
    }


def of(docs: Sequence[Doc]) -> dict[str, Any]:
    """Returns the measures of questions with answers."""
    windows = [(tuple(window), doc["duration"]) for doc in docs for window in doc["windows"]]
    words = [len(doc["question"].split()) for doc in docs]
    return {
        "questions": len(docs),
        "videos": len({doc["video_id"] for doc in docs}),
        **{
            f"by {field}": dict(sorted(Counter(doc[field] or "not released" for doc in docs).items()))
            for field in ("source", "category", "answer")
        },
        "QA-mIoU": qa_miou(docs),
        "certificate length (s)": certificate_length(docs),
        "questions with a question span": sum(bool(doc.get("question_span")) for doc in docs),
        "spread": {
            "video duration (s)": _summary([doc["duration"] for doc in docs]),
            "window length (s)": _summary([window[1] - window[0] for window, _ in windows]),
            "words in a question": _summary(words),
        },
        "mean share of the video": _mean([(w[1] - w[0]) / duration for w, duration in windows]),
        "windows of no length": sum(window[1] == window[0] for window, _ in windows),
        "windows past the end": sum(window[1] > duration for window, duration in windows),
        "questions of more than 15 words": sum(count > 15 for count in words),
        "official numbers of who looks at nothing": baselines(docs) if windows else {},
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _summary(values: Sequence[float]) -> dict[str, Any]:
    ends = {"median": median(values), "least": min(values), "most": max(values)} if values else {}
    return {"mean": _mean(values), **ends}
