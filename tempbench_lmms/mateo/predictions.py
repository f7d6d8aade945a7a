"""Scores replies without the harness, and what trivial answers get."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.replies import check_complete, read_replies
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.mateo import parser, prompts, scoring
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
    return read_replies(file, adapter.question_and_reply)


def check_setting(file: Path, setting: str) -> None:
    """Raises where a sample log, as the harness calls it, is of a task with another setting."""
    named = re.search(rf"_samples_mateo_[a-z]+_({'|'.join(prompts.SETTINGS)})(_mini)?\.jsonl$", file.name)
    if named and setting in prompts.SETTINGS and named[1] != setting:
        raise TempbenchError(f"{file.name} is of the setting {named[1]}; give --setting {named[1]}")


def _another_form(replies: Mapping[str, str], form: str) -> list[str]:
    """Returns a line where most replies have the exact form of another setting, and few that of this one."""
    shares = {
        name: sum(parser.parse_strict(reply, name) is not None for reply in replies.values()) / len(replies)
        for name in parser.FORMS
    }
    likely = max(shares, key=lambda name: shares[name])
    if shares[likely] <= 0.5 or shares[form] > shares[likely] / 2:
        return []
    fitting = ", ".join(setting for setting in prompts.SETTINGS if prompts.FORMS[setting] == likely)
    return [
        f"warning: {shares[likely]:.0%} of the replies have the form of another setting ({fitting}) and "
        f"{shares[form]:.0%} that of this one; check --setting"
    ]


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
    remarks = [*check_complete(replies, asked, partial), *_another_form(replies, form)]
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
