"""The official NExT-GQA scorers' output, reproduced to the last digit.

Source: `code/TempGQA/eval_ground.py` (the grounding) and `eval_next.py` (the answers). Their unexpected
behaviour:

- Questions without a predicted span are left out of every mean, so answering less can score more.
- IoU and IoP are each the best over the true segments, and need not be of the same one.
- An instant has IoU 0 with everything, and IoP 1 where it lies within a segment.
- The union is the hull of both spans. Where they do not overlap the share is negative, and counts as 0.
- An answer is right where the result file's own `answer` is its `prediction`; the annotation is not asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.nextgqa.card import THRESHOLDS, TYPES

Truths = Mapping[str, Sequence[Sequence[float]]]
"""The true segments of each question, by `VIDEO_QID`, in the order of the official file."""

METRICS = ("acc_gqa", "miop", "iop_at_30", "iop_at_50", "miou", "iou_at_30", "iou_at_50")
"""Our names of the official columns, Acc&GQA, mIoP, TIoP@0.3 and so on, in their order."""


def overlap(segment: Sequence[float], span: Sequence[float]) -> tuple[float, float]:
    """Returns IoU and IoP of a true segment and a predicted span (`get_tIoU`); both may be negative.

    >>> overlap((1, 5), (3, 7)), overlap((1, 5), (2, 2)), overlap((1, 2), (4, 6))
    ((0.3333333333333333, 0.5), (0, 1), (-0.4, -1.0))
    """
    start, end = span[0], span[-1]
    if start == end:
        return 0, int(segment[0] <= start <= segment[1])
    hull = max(segment[-1], end) - min(segment[0], start)
    common = min(segment[-1], end) - max(segment[0], start)
    return common / hull if hull > 0 else 0.0, common / (end - start) if end > start else 0.0


def best(segments: Sequence[Sequence[float]], span: Sequence[float]) -> tuple[float, float]:
    """Returns the best IoU and the best IoP over the true segments; nothing is below 0."""
    found = [overlap(segment, span) for segment in segments]
    return max([0, *(iou for iou, _ in found)]), max([0, *(iop for _, iop in found)])


def percent(found: Sequence[tuple[float, float, bool]]) -> dict[str, float]:
    """Returns the official numbers in percent, not rounded, under our names.

    Args:
        found: IoU and IoP of each question, and whether its answer is right, in the official order, on which
            floating point sums depend.

    Raises:
        TempbenchError: No question was counted, at which the official scorer stops.
    """
    if not found:
        raise TempbenchError(
            "no prediction belongs to a question; check that predictions and annotations are of one split"
        )
    sums: list[float] = [0] * len(METRICS)
    for iou, iop, right in found:
        reached = [[share, *(share >= t for t in THRESHOLDS)] for share in (iop, iou)]
        own = (right and iop >= THRESHOLDS[-1], *reached[0], *reached[1])
        sums = [one + more for one, more in zip(sums, own, strict=True)]
    # As officially: 100 * (a / b) is not (100 * a) / b.
    return {name: one / len(found) * 100 for name, one in zip(METRICS, sums, strict=True)}


def score(
    truths: Truths,
    spans: Mapping[str, Sequence[float]],
    answers: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, float]:
    """Returns the output of `eval_ground` in percent, not rounded, under our names.

    Args:
        truths: The true segments.
        spans: The predicted span of each question, in seconds.
        answers: `answer` and `prediction` of each question; without them no answer counts as right.

    Raises:
        TempbenchError: A question that is grounded has no answer, or none is counted; the official scorer
            stops at both.
    """
    found = [(key, *best(segments, spans[key])) for key, segments in truths.items() if key in spans]
    # Officially an answer is looked up only where the span is right.
    return percent(
        [
            (iou, iop, iop >= THRESHOLDS[-1] and bool(answers) and _is_right(answers or {}, key))
            for key, iou, iop in found
        ]
    )


def in_seconds(
    spans: Mapping[str, Sequence[float]], durations: Mapping[str, float]
) -> dict[str, list[float]]:
    """Returns spans that are shares of the video in seconds, as officially for Gaussian masks (`gs`)."""
    return {
        key: [float(edge) for edge in np.round(np.asarray(span) * durations[key], 1)]
        for key, span in spans.items()
        if key in durations
    }


def accuracies(types: Mapping[str, str], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Returns the output of `eval_next` in percent, not rounded.

    Args:
        types: The type of every question, by `VIDEO_QID`. Officially TP counts as TN.
        answers: `answer` and `prediction` of each.

    Returns:
        By the official headings: Why, How, Bef&Aft, When, Acc_C, Acc_T, Acc; those without a question are
        left out.

    Raises:
        TempbenchError: A question has no answer, at which the official scorer stops.
    """
    groups = grouped(
        (name, _is_right(answers, key))
        for key, kind in types.items()
        for name in (_HEADINGS[kind], f"Acc_{kind[0]}", "Acc")
    )
    order = dict.fromkeys((*_HEADINGS.values(), "Acc_C", "Acc_T", "Acc"))
    return {name: sum(groups[name]) * 100.0 / len(groups[name]) for name in order if name in groups}


_HEADINGS = dict(zip(TYPES, ("Why", "How", "Bef&Aft", "Bef&Aft", "When"), strict=True))


def _is_right(answers: Mapping[str, Mapping[str, Any]], key: str) -> bool:
    try:
        return bool(answers[key]["answer"] == answers[key]["prediction"])
    except KeyError:
        raise TempbenchError(
            f"{key} has no answer and no prediction in the answers; the official scorer stops at it: add both"
        ) from None
