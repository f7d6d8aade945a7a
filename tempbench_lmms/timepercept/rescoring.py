"""Scores replies from a file, without the harness."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from tempbench_lmms.data.tables import read_replies, read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import UNDEFINED, Metric, Record, evaluate, evaluate_error
from tempbench_lmms.timepercept import scoring
from tempbench_lmms.timepercept.card import CONTROLS, RANKINGS, TESTS


def score_file(file: Path, root: Path) -> dict[str, Any]:
    """Returns the metrics of every test that the replies cover, as JSON values.

    A question of such a test without a reply counts as unanswered.

    Returns:
        `metrics` by test (`value`, `stderr`; null where undefined), `details` (by scene category and kind),
        `remarks` (lines for people) and `unanswered` (count).

    Raises:
        TempbenchError: The file is malformed, or a reply belongs to no question.
    """
    replies = read_replies(file)
    tables = {
        test: read_rows(root / test / "test.parquet")
        for test in (*TESTS, *CONTROLS)
        if (root / test / "test.parquet").is_file()
    }
    known = {row["question_id"] for rows in tables.values() for row in rows}
    if strangers := sorted(set(replies) - known):
        raise TempbenchError(
            f"{file}: {len(strangers)} replies to questions that are not in {root}, first "
            f"{strangers[0]!r}; score them with the data that the model was asked"
        )
    records = {
        test: [scoring.record(row, replies.get(row["question_id"], "")) for row in rows]
        for test, rows in tables.items()
        if any(row["question_id"] in replies for row in rows)
    }
    if not records:
        raise TempbenchError(f"{file} holds no reply; nothing to score")
    metrics = {test: _values(scoring.METRICS.of(test), found) for test, found in records.items()}
    ours = [record for test, found in records.items() if test in TESTS for record in found]
    if ours:
        metrics["suite"] = _values(scoring.SUITE_METRICS, ours)
    unanswered = sum(row["question_id"] not in replies for test in records for row in tables[test])
    remarks = [
        f"{test}: orders backwards (PNR {metrics[test]['pnr']['value']:.4g} is far below 1)"
        for test in RANKINGS
        if test in metrics and metrics[test]["orders_backwards"]["value"]
    ]
    if unanswered:
        remarks.append(f"{unanswered} questions have no reply in {file}; they count as wrong")
    everything = [record for found in records.values() for record in found]
    return {
        "metrics": metrics,
        "details": scoring.details(everything),
        "remarks": remarks,
        "unanswered": unanswered,
    }


def _values(metrics: Mapping[str, Metric], records: Sequence[Record]) -> dict[str, Any]:
    return {
        name: {
            "value": _finite(evaluate(metric, records)),
            "stderr": _finite(evaluate_error(metric, records)),
        }
        for name, metric in metrics.items()
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_tables(result: Mapping[str, Any]) -> list[Table]:
    """Returns what `score_file` found as tables for a terminal."""
    metrics = Table("test", "metric", "value", "stderr", box=None)
    for test, found in result["metrics"].items():
        for name, cell in found.items():
            metrics.add_row(test, name, _shown(cell["value"]), _shown(cell["stderr"], blank=""))
    tables = [metrics]
    if by_category := result["details"]["by_category"]:
        categories = Table("scene category", "answered rightly", "questions", box=None)
        for name, cell in by_category.items():
            categories.add_row(name, _shown(cell["share"]), str(cell["n"]))
        tables.append(categories)
    return tables


def _shown(value: float | None, blank: str = UNDEFINED) -> str:
    return blank if value is None else f"{value:.4g}"
