"""The failed requests of a run: how many are borne, which they are, and why they failed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import task_files

DEFAULT = "1%"
_SHOWN = 20
_LONGEST_REASON = 200


@dataclass(frozen=True)
class Failed:
    """A question whose request failed.

    Attributes:
        task: Its task.
        question: Its id.
        reason: Why, as the runner or this package says.
    """

    task: str
    question: str
    reason: str

    def __str__(self) -> str:
        return f"question {self.question} of {self.task}: {self.reason}"


def bound(text: str) -> Callable[[int], int]:
    """Returns how many of so many questions may fail, from `5` or `1%`.

    >>> bound("1%")(250), bound("5")(250)
    (2, 5)

    Raises:
        TempbenchError: It is neither.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)", text.strip())
    if not found or (not found[2] and "." in found[1]) or (found[2] and float(found[1]) > 100):
        raise TempbenchError(f"--max-failures {text[:40]!r} is no number and no share; write 5 or 1%")
    number = float(found[1])
    return (lambda total: int(total * number / 100)) if found[2] else (lambda total: int(number))


def of(results: Path) -> list[Failed]:
    """Returns the failed requests in the logs of a results file, which are whole."""
    stamp = results.name.removesuffix("_results.json")
    found = []
    for task in sorted(task_files()):
        log = results.with_name(f"{stamp}_samples_{task}.jsonl")
        if not log.is_file():
            continue
        with log.open(encoding="utf-8") as lines:
            for row in map(parse_json, lines):
                reply = adapter.reply_of([row.get("filtered_resps", "")])
                if adapter.request_failed(reply):
                    found.append(Failed(task, _question(row), _reason(reply)))
    return found


def _question(row: dict[str, Any]) -> str:
    """Returns a question's id; with `--predict_only` a log has its number in the task alone."""
    return one_line(str(row["record"]["id"] if "record" in row else row["doc_id"]))


def _reason(reply: str) -> str:
    words = re.sub(r"^\s*\[LMMS_EVAL_[A-Z_]+[:\s]*", "", reply)
    return one_line(words.rstrip().removesuffix("]") or reply)[:_LONGEST_REASON]


def lines(failed: Sequence[Failed]) -> list[str]:
    """Returns what a run's summary says of them: a line each, of the first ones."""
    shown = [f"failed: {one}" for one in failed[:_SHOWN]]
    if len(failed) > _SHOWN:
        shown.append(f"failed: {len(failed) - _SHOWN:,} more; the logs have them with `failed` 1")
    return shown
