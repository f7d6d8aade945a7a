"""Scores replies from a file, without the harness."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from tempbench_lmms.data.replies import check_complete, read_replies
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.harness import adapter
from tempbench_lmms.record import UNDEFINED, Metric, Record, evaluate, evaluate_error
from tempbench_lmms.timepercept import scoring
from tempbench_lmms.timepercept.card import CONTROLS, RANKINGS, TESTS


def score_file(file: Path, root: Path, partial: bool = False) -> dict[str, Any]:
    """Returns the metrics of every test that the replies cover, as JSON values.

    Args:
        file: JSON lines with `question_id` and `reply`, or a sample log of the harness.
        root: The data's folder.
        partial: Whether questions of such a test may lack a reply; they are not scored then.

    Returns:
        `metrics` by test (`value`, `stderr`; null where undefined), `details` (by scene category and kind),
        `remarks` (lines for people) and `unanswered` (count).

    Raises:
        TempbenchError: The file is malformed, a reply belongs to no question, or one is missing.
    """
    replies = read_replies(file, adapter.question_and_reply)
    tables = {
        test: read_rows(root / test / "test.parquet")
        for test in (*TESTS, *CONTROLS)
        if (root / test / "test.parquet").is_file()
    }
    tested = {
        test: rows for test, rows in tables.items() if any(row["question_id"] in replies for row in rows)
    }
    asked = {row["question_id"] for rows in tested.values() for row in rows}
    ignored = check_complete(replies, asked, partial)
    records = {
        test: [
            scoring.record(row, reply, adapter.request_failed(reply))
            for row in rows
            if (reply := replies.get(row["question_id"])) is not None
        ]
        for test, rows in tested.items()
    }
    metrics = {test: _values(scoring.METRICS.of(test), found) for test, found in records.items()}
    ours = [record for test, found in records.items() if test in TESTS for record in found]
    if ours:
        metrics["suite"] = _values(scoring.SUITE_METRICS, ours)
    remarks = [
        f"{test}: orders backwards (PNR {metrics[test]['pnr']['value']:.4g} is far below 1)"
        for test in RANKINGS
        if test in metrics and metrics[test]["orders_backwards"]["value"]
    ]
    everything = [record for found in records.values() for record in found]
    return {
        "metrics": metrics,
        "details": scoring.details(everything),
        "remarks": ignored + remarks,
        "unanswered": len(asked) - len(replies),
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
