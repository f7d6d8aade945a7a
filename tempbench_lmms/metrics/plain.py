"""Metrics as functions of plain sequences, without records and intervals: `tb.metrics`."""

from collections.abc import Hashable, Mapping, Sequence

from tempbench_lmms.metrics.ordering import kendall_tau, pair_counts
from tempbench_lmms.metrics.ratio import Ratio, is_bounded, ratio, wilson
from tempbench_lmms.metrics.ratio import standard_error as error_of
from tempbench_lmms.metrics.spans import Interval, best_iop, best_iou
from tempbench_lmms.metrics.together import all_right

Intervals = Sequence[Interval]
Predicted = Sequence[Interval | None]
"""One interval per question; None where none was read."""


def temporal_iou(predicted: Interval | None, truths: Intervals) -> float:
    """Returns the largest intersection over union with a true interval; 0 for None.

    >>> temporal_iou((10, 15), [(10, 20), (40, 50)])
    0.5
    """
    return best_iou(predicted, truths) if predicted else 0.0


def temporal_iop(predicted: Interval | None, truths: Intervals) -> float:
    """Returns the largest intersection over the prediction; 0 for None. NExT-GQA's measure.

    >>> temporal_iop((10, 20), [(15, 40)])
    0.5
    """
    return best_iop(predicted, truths) if predicted else 0.0


def mean_iou(predicted: Predicted, truths: Sequence[Intervals]) -> float:
    """Returns the mean of `temporal_iou` over questions.

    >>> mean_iou([(10, 15), None], [[(10, 20)], [(0, 4)]])
    0.25
    """
    return _mean([temporal_iou(one, own) for one, own in zip(predicted, truths, strict=True)])


def recall_at(predicted: Predicted, truths: Sequence[Intervals], threshold: float = 0.5) -> float:
    """Returns recall@1: the share of questions whose IoU is at least `threshold`.

    >>> recall_at([(10, 15), (0, 1)], [[(10, 20)], [(0, 4)]])
    0.5
    """
    return _mean([temporal_iou(one, own) >= threshold for one, own in zip(predicted, truths, strict=True)])


def iou_gated_accuracy(
    right: Sequence[bool], predicted: Predicted, truths: Sequence[Intervals], threshold: float = 0.5
) -> float:
    """Returns the share of questions with a right answer and an IoU of at least `threshold`.

    Source: ReXTime, section 4.1 (VQA, mIoU@t).

    >>> iou_gated_accuracy([True, True], [(10, 15), (0, 1)], [[(10, 20)], [(0, 4)]])
    0.5
    """
    overlaps = (temporal_iou(one, own) >= threshold for one, own in zip(predicted, truths, strict=True))
    return _mean([one and overlap for one, overlap in zip(right, overlaps, strict=True)])


def gated_accuracy(right: Sequence[bool], gates: Sequence[Sequence[bool]]) -> float:
    """Returns the accuracy on questions whose gates are all right: TempVS's "MT given GT strict".

    >>> gated_accuracy([True, False, True], [[True, True], [True], [False]])
    0.5
    """
    return _mean([one for one, own in zip(right, gates, strict=True) if all(own)])


def group_accuracy(groups: Sequence[Hashable], right: Sequence[bool], size: int = 2) -> float:
    """Returns the share of groups whose questions are all right; groups with fewer than `size` are left out.

    >>> group_accuracy(["a", "a", "b", "b"], [True, True, True, False])
    0.5
    """
    return all_right(zip(groups, right, strict=True), size).value


def swap_consistency(
    original: Sequence[str], swapped: Sequence[str], counterpart: Mapping[str, str]
) -> float:
    """Returns the share of pairs, asked in both orders, whose answers agree, right or wrong.

    Source: MATEO, section 6.

    Args:
        original: The answer to each pair.
        swapped: The answer to each pair in the other order.
        counterpart: What an answer becomes in the other order; an answer that is not in it agrees with none.

    >>> swap_consistency(["before", "after"], ["after", "after"], {"before": "after", "after": "before"})
    0.5
    """
    both = zip(original, swapped, strict=True)
    return _mean([one in counterpart and counterpart[one] == other for one, other in both])


def positive_negative_ratio(
    truths: Sequence[Sequence[int]], predicted: Sequence[Sequence[int] | None]
) -> float:
    """Returns the pairs in the right order over those in the wrong one (PNR), of all orderings together.

    An ordering of None was not read, and is left out. Random orderings get 1; NaN if no pair is wrong.
    Source: TimePerceptBench, section III.D.

    >>> positive_negative_ratio([[0, 1, 2, 3, 4]], [[0, 2, 1, 3, 4]])
    9.0
    """
    counts = [_pairs(*both) for both in zip(truths, predicted, strict=True)]
    return ratio(counts, range(len(counts))).value


def mean_kendall_tau(truths: Sequence[Sequence[int]], predicted: Sequence[Sequence[int] | None]) -> float:
    """Returns the mean of Kendall's tau over the orderings that were read, from -1 to 1.

    >>> mean_kendall_tau([[0, 1, 2]], [[2, 1, 0]])
    -1.0
    """
    read = [_pairs(one, other) for one, other in zip(truths, predicted, strict=True) if other is not None]
    return _mean([float(kendall_tau(*pairs)) for pairs in read])


def confidence_interval(
    scores: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> tuple[float, float]:
    """Returns the 95 % interval of a mean of scores from 0 to 1 (`ratio.wilson`).

    Args:
        scores: One score per question; 0 or 1 for wrong or right.
        clusters: What each question was sampled with, such as its video; each by itself where omitted.

    >>> [round(end, 2) for end in confidence_interval([1] * 20)]
    [0.72, 1.0]
    """
    found = _ratio(scores, clusters)
    if not is_bounded(found):
        raise ValueError("a score is below 0 or above 1")
    return wilson(found)


def standard_error(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> float:
    """Returns the standard error of a mean over resamples of whole clusters (see `confidence_interval`).

    >>> round(standard_error([1, 1, 0, 0], ["a", "a", "b", "b"]), 2)
    0.34
    """
    return error_of(_ratio(scores, clusters))


def _ratio(scores: Sequence[float], clusters: Sequence[Hashable] | None) -> Ratio:
    return ratio(((one, 1) for one in scores), range(len(scores)) if clusters is None else clusters)


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else float("nan")


def _pairs(truth: Sequence[int], predicted: Sequence[int] | None) -> tuple[int, int]:
    if predicted is None:
        return 0, 0
    positive, negative = pair_counts(truth, predicted)
    return int(positive[0]), int(negative[0])
