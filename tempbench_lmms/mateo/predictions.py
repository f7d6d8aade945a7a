"""Scores replies without the harness, and what trivial answers get."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.replies import check_complete, read_replies
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.mateo import prompts, scoring
from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.metrics.ratio import Ratio, standard_error
from tempbench_lmms.metrics.statistic import Statistic


def read(file: Path) -> dict[str, str]:
    """Returns replies by question from JSON lines.

    Args:
        file: Lines with `question_id` and `reply`, or a sample log of the harness.

    Raises:
        TempbenchError: The file is missing, or a line is not such an object or repeats a question.
    """
    return read_replies(file, _question_and_reply)


def _question_and_reply(line: Any) -> tuple[Any, Any]:
    if "record" in line:  # the harness's log
        return line["record"]["id"], _logged(line)
    return line["question_id"], line["reply"]


def _logged(sample: Mapping[str, Any]) -> str:
    # One reply is logged as it is, several as a list.
    replies = sample["filtered_resps"]
    return replies if isinstance(replies, str) else adapter.reply_of(replies)


def scores(
    replies: Mapping[str, str], rows: Sequence[Row], setting: str, partial: bool = False
) -> dict[str, Any]:
    """Returns every metric of a setting, its standard error, and the breakdowns.

    Args:
        replies: Replies by `question_id`.
        rows: The data set.
        setting: One of `prompts.SETTINGS`.
        partial: Whether questions may lack a reply: they are not scored, and a pair with one reply missing
            is counted in `n_cut`.

    Returns:
        `metrics` and `stderr` by name, None where undefined; `details`; `remarks` (lines for people).

    Raises:
        TempbenchError: There is no such setting, a reply is to no question of the data set, or one is
            missing.
    """
    if setting not in prompts.FORMS:
        raise TempbenchError(f"unknown setting {setting!r}; choose one of {', '.join(prompts.SETTINGS)}")
    form = prompts.FORMS[setting]
    asked = {row["question_id"]: row for row in rows}
    remarks = check_complete(replies, asked, partial)
    records = [
        scoring.record(asked[key], reply, form, adapter.request_failed(reply))
        for key, reply in sorted(replies.items())
    ]
    results = {name: metric(records) for name, metric in scoring.METRICS.of(form).items()}
    return {
        "setting": setting,
        "metrics": {name: _finite(_number(result)) for name, result in results.items()},
        "stderr": {
            name: _finite(standard_error(result))
            for name, result in results.items()
            if isinstance(result, Ratio)
        },
        "details": scoring.details(records),
        "remarks": remarks,
    }


def _number(result: Ratio | Statistic | int) -> float:
    return result if isinstance(result, int) else result.value


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def trivial(rows: Sequence[Row]) -> dict[str, dict[str, float | None]]:
    """Returns what answers without a look at the question get on a data set.

    Returns:
        For each class, the metrics of always answering it; `uniform`: the expected values of drawing one of
        the three classes for each question.
    """
    names = (
        "accuracy",
        "accuracy_dependent",
        "accuracy_independent",
        "f1_before",
        "f1_independent",
        "f1_after",
        "n_pairs",
        "n_dependent",
        "n_independent",
    )
    table: dict[str, dict[str, float | None]] = {}
    for label in CLASSES:
        records = [scoring.record(row, prompts.full_reply(label), "triple") for row in rows]
        table[f"always {label}"] = {name: _finite(_number(scoring.METRICS[name](records))) for name in names}
    # Two questions a pair, each right with probability 1/3.
    table["uniform"] = dict.fromkeys(names[:3], 1 / 9)
    return table
