"""Scores replies without the harness, and what trivial answers get."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row, parse_json
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
    replies: dict[str, str] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TempbenchError(f"{file} cannot be read ({error}); give JSON lines") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            told = parse_json(line)
            if "record" in told:  # the harness's log
                told = {"question_id": told["record"]["id"], "reply": _logged(told)}
            key, reply = told["question_id"], told["reply"]
        except (ValueError, KeyError, TypeError, IndexError):
            key = reply = None
        if not isinstance(key, str) or not isinstance(reply, str):
            raise TempbenchError(f"{file}: line {number} has no question_id and reply as text; correct it")
        if key in replies:
            raise TempbenchError(f"{file}: line {number} answers {key} again; leave one answer")
        replies[key] = reply
    if not replies:
        raise TempbenchError(f"{file} is empty; give a line for each question")
    return replies


def _logged(sample: Mapping[str, Any]) -> str:
    # One reply is logged as it is, several as a list.
    replies = sample["filtered_resps"]
    return replies if isinstance(replies, str) else adapter.reply_of(replies)


def scores(replies: Mapping[str, str], rows: Sequence[Row], setting: str) -> dict[str, Any]:
    """Returns every metric of a setting, its standard error, and the breakdowns.

    Questions without a reply are not scored; a pair that lacks one is counted in `n_cut`.

    Args:
        replies: Replies by `question_id`.
        rows: The data set.
        setting: One of `prompts.SETTINGS`.

    Returns:
        `metrics` and `stderr` by name, None where undefined; `details`.

    Raises:
        TempbenchError: There is no such setting, or a reply is to no question of the data set.
    """
    if setting not in prompts.FORMS:
        raise TempbenchError(f"MATEO has no setting {setting!r}; choose one of {', '.join(prompts.SETTINGS)}")
    form = prompts.FORMS[setting]
    asked = {row["question_id"]: row for row in rows}
    if unknown := sorted(set(replies) - set(asked)):
        raise TempbenchError(
            f"{len(unknown)} replies are to no question of the data set, first {unknown[0]!r}; "
            "score them with the data they were obtained on"
        )
    records = [
        scoring.record(asked[key], reply, form, adapter.request_failed(reply))
        for key, reply in sorted(replies.items())
    ]
    names = scoring.METRICS if form == "reflection" else scoring.TASK_METRICS
    results = {name: scoring.METRICS[name](records) for name in names}
    return {
        "setting": setting,
        "metrics": {name: _finite(_number(result)) for name, result in results.items()},
        "stderr": {
            name: _finite(standard_error(result))
            for name, result in results.items()
            if isinstance(result, Ratio)
        },
        "details": scoring.details(records),
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
