"""Overlap of spans of time."""

import math
from collections.abc import Sequence

Interval = tuple[float, float]
"""Start and end in seconds. An interval whose end lies before its start is reversed and overlaps nothing."""


def iou(one: Interval, other: Interval) -> float:
    """Returns the intersection over union of two intervals, from 0 to 1.

    Two equal instants are the same moment: 1. A reversed interval gives 0.

    >>> iou((10, 15), (10, 20)), iou((3, 3), (3, 3)), iou((20, 10), (5, 15))
    (0.5, 1.0, 0.0)
    """
    if one[1] < one[0] or other[1] < other[0]:
        return 0.0
    hull = max(one[1], other[1]) - min(one[0], other[0])
    if hull == 0:
        return 1.0
    # Where they overlap the hull is the union; where they do not the intersection is 0.
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0])) / hull


def best_iou(predicted: Interval, truths: Sequence[Interval]) -> float:
    """Returns the largest `iou` of a prediction with any true interval; 0 if there is none."""
    return max((iou(predicted, truth) for truth in truths), default=0.0)


def iop(predicted: Interval, truth: Interval) -> float:
    """Returns the intersection over the prediction, from 0 to 1: how much of it lies within the truth.

    An instant lies within the truth or outside of it: 1 or 0. A reversed interval gives 0.

    >>> iop((10, 20), (15, 40)), iop((3, 3), (3, 5)), iop((20, 10), (5, 30))
    (0.5, 1.0, 0.0)
    """
    if predicted[1] < predicted[0]:
        return 0.0
    if predicted[1] == predicted[0]:
        return float(truth[0] <= predicted[0] <= truth[1])
    return max(0.0, min(predicted[1], truth[1]) - max(predicted[0], truth[0])) / (predicted[1] - predicted[0])


def best_iop(predicted: Interval, truths: Sequence[Interval]) -> float:
    """Returns the largest `iop` of a prediction with any true interval; 0 if there is none."""
    return max((iop(predicted, truth) for truth in truths), default=0.0)


def official_iou(predicted: Interval, truths: Sequence[Interval]) -> float:
    """Returns what the scorer of QVHighlights and ReXTime takes for the IoU.

    It chooses the true interval with the largest intersection over union, where 0 / 0 counts as the largest
    and the first one wins a tie, and then divides the intersection with it by their hull, where 0 / 0 is 0.
    So two equal instants score 0. Source: `evaluation/rextime_eval.py`, `compute_mr_r1`.

    >>> official_iou((5, 10), [(0, 4), (6, 10)]), official_iou((3, 3), [(3, 3)])
    (0.8, 0.0)
    """
    start, end = predicted
    largest, found = -math.inf, 0.0
    for true_start, true_end in truths:
        # Comparisons are several times as fast as `min` and `max`. A NaN that a file holds stays one: what is
        # compared with it is never smaller nor larger.
        left = true_start if true_start > start else start
        right = true_end if true_end < end else end
        intersection = 0.0 if right < left else right - left
        union = (end - start) + (true_end - true_start) - intersection
        share = intersection / union if union else math.inf
        if not share <= largest:
            first = true_start if true_start < start else start
            last = true_end if true_end > end else end
            largest, found = share, intersection / (last - first) if last != first else 0.0
    return found
