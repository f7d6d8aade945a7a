"""The official ReXTime scorer's output, reproduced to the last digit, and the official reading of a reply.

Source: `evaluation/rextime_eval.py` and `demo/request.py`, see README.md. Only the first two
numbers of the first predicted window count; percentages are rounded to two decimals by formatting; the
accuracies are fractions, unrounded; the mode is chosen by the first prediction.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tempbench_lmms.data.questions import span_of
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.spans import official_iou

THRESHOLDS = tuple(float(f"{value:.2f}") for value in np.linspace(0.3, 0.95, 14))
GATES = (0.3, 0.5, 0.7)

Prediction = Mapping[str, Any]
"""`qid`, and `pred_relevant_windows` (windows of start, end and perhaps a score) or `ans` or both."""


def percent(shares: Sequence[float]) -> float:
    """Returns the mean of `shares` in percent, rounded as the official scorer does.

    >>> percent([1.0, 0.0, 0.0])
    33.33
    """
    return float(f"{np.mean(np.asarray(shares, dtype=np.float64)) * 100:.2f}")


def first_window(prediction: Prediction) -> tuple[float, float]:
    """Returns the window that counts.

    Raises:
        TempbenchError: There is none, at which the official scorer stops, or a number isn't finite.
    """
    try:
        start, end = span_of(prediction["pred_relevant_windows"][0][:2])
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        raise TempbenchError(
            f"{prediction.get('qid')}: pred_relevant_windows holds no window of two finite numbers; write "
            "[[0.0, 0.0]] for an answer without a span"
        ) from None
    return start, end


def prediction_of(reply: str) -> dict[str, Any] | None:
    r"""Returns what the released request reads from a reply; None if it stops with an error.

    It reads the JSON between the first fence that is marked as JSON and the next fence, each line up to its
    first `//`, so that an address in it ends its line.

    >>> prediction_of('A dog. ```json{"relevant_span": [1, 2], // seconds\n"answer": "B"}```')
    {'pred_relevant_windows': [[1, 2]], 'ans': 'B'}
    >>> prediction_of('{"relevant_span": [1, 2], "answer": "B"}')
    """
    _, fence, rest = reply.partition("```json")
    lines = rest.strip().partition("```")[0].strip().splitlines()
    try:
        found = parse_json("\n".join(line.partition("//")[0].strip() for line in lines))
        return {"pred_relevant_windows": [found["relevant_span"]], "ans": found["answer"]} if fence else None
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def mode_of(prediction: Prediction) -> tuple[bool, bool]:
    """Returns whether a prediction has windows and whether an answer; raises `TempbenchError` for neither."""
    found = "pred_relevant_windows" in prediction, "ans" in prediction
    if not any(found):
        raise TempbenchError(
            f"{prediction.get('qid')}: pred_relevant_windows and ans are both missing; add one of them"
        )
    return found


def score(predictions: Sequence[Prediction], truths: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the official scorer's output, over the questions of both; officially they are the same.

    Args:
        predictions: One a question; of several with one qid the last counts.
        truths: `qid`, `relevant_windows`, `ans`, as in `rextime_val.jsonl`.

    Returns:
        `brief`, `VQA` and `full`, as officially: IoU and recall in percent, accuracies as fractions.

    Raises:
        TempbenchError: No question is in both, or a prediction cannot be scored.
    """
    by_id = {str(prediction["qid"]): prediction for prediction in predictions}
    pairs = [(by_id[str(truth["qid"])], truth) for truth in truths if str(truth["qid"]) in by_id]
    if not pairs:
        raise TempbenchError("no prediction belongs to the ground truth; check that both are of one split")
    has_windows, has_answers = mode_of(predictions[0])
    brief: dict[str, Any] = {}
    full: dict[str, Any] = {}
    out: dict[str, Any] = {"brief": brief}
    right = np.array([prediction.get("ans") == truth["ans"] for prediction, truth in pairs])
    if has_answers:
        brief["VQA"] = out["VQA"] = float(right.sum() / len(right))
    if has_windows:
        ious = np.array(
            [official_iou(first_window(prediction), truth["relevant_windows"]) for prediction, truth in pairs]
        )
        full["MR-mIoU"] = percent(ious)  # type: ignore[arg-type]
        full["MR-R1"] = {str(t): percent(ious >= t) for t in THRESHOLDS}  # type: ignore[arg-type]
        brief |= {f"MR-full-R1@{threshold}": full["MR-R1"][threshold] for threshold in ("0.3", "0.5")}
        brief["MR-full-mIoU"] = full["MR-mIoU"]
        if has_answers:
            full["VQA,mIoU"] = {
                f"VQA,mIoU@{gate}": float((right & (ious >= gate)).sum() / len(right)) for gate in GATES
            }
            brief["VQA,mIoU@0.5"] = full["VQA,mIoU"]["VQA,mIoU@0.5"]
        out["full"] = full
    return out
