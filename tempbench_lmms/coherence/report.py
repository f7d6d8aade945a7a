"""Scores of answers that are at hand: values with their errors, and the curves over the frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence import captioning, encoders, plot, predictions, scoring
from tempbench_lmms.coherence.card import BUDGETS, CONTROLS
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import UNDEFINED, Metric, Record, evaluate, evaluate_error

_PLOTTED = ("accuracy", "bertscore", "numeric_distance", "parse_rate")


@dataclass(frozen=True)
class Scores:
    """What a set of answers gets.

    Attributes:
        values: By metric: its value and standard error; NaN where undefined.
        bertscore_hash: What BERTScore was made with.
        remarks: What is not scored, lines for people.
    """

    values: Mapping[str, tuple[float, float]]
    bertscore_hash: str
    remarks: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns JSON values; undefined ones are None."""
        return {
            "bertscore": self.bertscore_hash,
            "metrics": {
                name: {"value": _finite(value), "standard_error": _finite(error)}
                for name, (value, error) in self.values.items()
            },
        }

    def plot(self) -> str:
        """Returns the curves over the frames as SVG.

        Raises:
            TempbenchError: The answers are not for several numbers of frames.
        """
        series = {
            name.replace("_", " "): [(n, *self.values[f"{name}_{n}f"]) for n in BUDGETS]
            for name in _PLOTTED
            if f"{name}_{BUDGETS[0]}f" in self.values
        }
        if not series:
            raise TempbenchError(
                "a curve needs answers at 4, 8, 12 and 16 frames; score a run of coherence_qa"
            )
        return plot.curves("Scores over the number of frames", series)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def metrics_for(records: Sequence[Record]) -> dict[str, Metric]:
    """Returns the metrics that records allow: of captions, of one way of asking, or over several."""
    if any("view" in record for record in records):
        if not all("view" in record for record in records):
            raise TempbenchError(
                "captions and answers to questions are scored separately; give one kind at a time"
            )
        return dict(captioning.METRICS)
    conditions = {record["condition"] for record in records}
    found: dict[str, Metric] = {}
    if len(conditions) == 1:
        found |= scoring.METRICS.of(scoring.ONCE)
    if len(conditions & {*scoring.BUDGET_CONDITIONS}) > 1:
        found |= scoring.METRICS.of(scoring.BUDGETED)
    if len(conditions) > 1 and conditions & {*CONTROLS}:
        found |= scoring.METRICS.of(scoring.CONTROLLED)
    if len(conditions) > 1:
        for condition in sorted(conditions - {*scoring.BUDGET_CONDITIONS, *CONTROLS}):
            found |= scoring.asked_as(condition)
    return found


def scores_of(files: Sequence[Path], root: Path | None, partial: bool = False) -> Scores:
    """Scores answers at hand.

    Args:
        files: See `predictions`.
        root: The data's folder; None where it is not prepared.
        partial: Whether one's own predictions may lack questions.

    Raises:
        TempbenchError: A file cannot be read as answers.
    """
    found, remarks = predictions.read(files, root, partial)
    records = sorted(found, key=lambda record: str(record["id"]))
    values = {
        name: (evaluate(metric, records), evaluate_error(metric, records))
        for name, metric in metrics_for(records).items()
    }
    try:
        used = encoders.bertscore_hash()
    except encoders.EncoderUnavailableError:
        used = UNDEFINED
    return Scores(values, used, remarks)
