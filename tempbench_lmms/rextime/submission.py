"""The file that the ReXTime leaderboard (CodaLab 19587) took, and its check.

One JSON object a line: `qid`, `pred_relevant_windows` (a list of [start, end] or [start, end, score], of
which the first counts) and `ans`. The official scorer stops at a missing window, and a question that is left
out makes the whole file fail, so an unread reply is written as [0.0, 0.0] with the answer "": wrong, and
there. A file may hold windows alone or answers alone, as its first line does.
"""

import json
import math
import re
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import outputs
from tempbench_lmms.record import Record
from tempbench_lmms.rextime.parser import NO_SPAN
from tempbench_lmms.rextime.prompts import LETTERS

Line = dict[str, Any]

WINDOWS = "pred_relevant_windows"
ANSWER = "ans"

MEMBER = "submission.jsonl"
"""The file's name inside the zip."""

CLOSED = (
    "CodaLab has taken no submissions since the end of 2025 (codalab/codalab-competitions, issues 3624 and "
    "3625), and no successor is known: report validation"
)


@dataclass(frozen=True)
class Problem:
    """Something wrong with one line of a submission.

    Attributes:
        qid: The question.
        what: In words.
        fatal: Whether the official scorer would stop at it. What is not fatal is scored as wrong.
    """

    qid: str
    what: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.qid}: {self.what}"


def of_records(records: Sequence[Record]) -> list[Line]:
    """Returns the lines for the records of a run, sorted by question."""
    return [
        {
            "qid": record["id"],
            WINDOWS: [list(span) for span in record["spans"]] or [list(NO_SPAN)],
            ANSWER: record["answer"] or "",
        }
        for record in sorted(records, key=lambda record: str(record["id"]))
    ]


def check(lines: Sequence[Mapping[str, Any]], durations: Mapping[str, float]) -> Iterator[Problem]:
    """Yields what is wrong with a submission.

    Args:
        lines: The objects of the file.
        durations: The length of the video, in seconds, of every question of the split.
    """
    fields = fields_of(lines)
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not isinstance(line.get("qid"), str):
            yield Problem(f"line {number}", f"qid is {line.get('qid')!r}, not a text")
            continue
        qid = line["qid"]
        if qid in seen:
            yield Problem(qid, "duplicate qid")
        seen.add(qid)
        if qid not in durations:
            yield Problem(qid, "is not a question of this split")
        if WINDOWS in fields:
            yield from _window_problems(qid, line.get(WINDOWS), durations.get(qid))
        if ANSWER in fields:
            yield from _answer_problems(qid, line.get(ANSWER))
    for qid in durations:
        if qid not in seen:
            yield Problem(qid, "is missing")


def fields_of(lines: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Returns what a submission gives for each question: windows, answers or both, as its first line does.

    The official scorer decides by the first line too; one that has neither is held to both.
    """
    first = lines[0] if lines else {}
    return tuple(name for name in (WINDOWS, ANSWER) if name in first) or (WINDOWS, ANSWER)


def _answer_problems(qid: str, answer: Any) -> Iterator[Problem]:
    if answer == "":
        yield Problem(qid, "has no answer, which counts as wrong", fatal=False)
    elif not isinstance(answer, str) or len(answer) != 1 or answer not in LETTERS:
        yield Problem(qid, f"ans is {answer!r}, not one of {', '.join(LETTERS)}")


def _window_problems(qid: str, windows: Any, duration: float | None) -> Iterator[Problem]:
    if not isinstance(windows, list) or not windows:
        yield Problem(qid, f"pred_relevant_windows is {_shown(windows)}, not a list with at least one window")
        return
    for window in windows:
        numbers = isinstance(window, list) and all(
            isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            for value in window
        )
        if not numbers or not 2 <= len(window) <= 3:
            yield Problem(
                qid, f"the window {_shown(window)} is not [start, end] or [start, end, score] in numbers"
            )
            continue
        start, end = window[:2]
        if end < start:
            yield Problem(qid, f"the window {_shown(window)} ends before it starts", fatal=False)
        # True windows are rounded up to whole seconds: [120, 130] in a video of 129.96 seconds.
        if min(start, end) < 0 or (duration is not None and max(start, end) > math.ceil(duration)):
            of_length = "" if duration is None else f" of {duration:g} seconds"
            yield Problem(qid, f"the window {_shown(window)} lies outside the video{of_length}", fatal=False)


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def write(lines: Sequence[Mapping[str, Any]], file: Path) -> tuple[Path, Path]:
    """Writes the submission and the zip for upload, each in one step.

    Args:
        lines: The objects.
        file: The `.jsonl` file; the zip lies beside it under the same name.

    Returns:
        Both paths.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    archive = file.with_suffix(".zip")
    for path in (file, archive):
        with outputs.replacing(path) as partial:
            if path == archive:
                with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as bundle:
                    # A fixed time stamp, so that the same answers give the same bytes.
                    bundle.writestr(zipfile.ZipInfo(MEMBER), text, zipfile.ZIP_DEFLATED)
            else:
                partial.write_text(text, encoding="utf-8")
    return file, archive


def write_run(lines: Sequence[Mapping[str, Any]], output: str, args: Any) -> tuple[Path, Path]:
    """Writes the submission of a harness run under `<output>/submissions/`, a file for each run."""
    stamp = time.strftime("%Y%m%d_%H%M%S")
    name = f"rextime_test_{model_name(args)}_{stamp}.jsonl"
    return write(lines, Path(output) / "submissions" / name)


def model_name(args: Any) -> str:
    """Returns a name for files: the weights' name where there is one, else the runner's."""
    given = getattr(args, "model_args", "") or ""
    if isinstance(given, dict):
        given = ",".join(f"{key}={value}" for key, value in given.items())
    found = re.search(r"(?:^|,)(?:pretrained|model|model_version|model_name|model_id|path)=([^,]+)", given)
    name = (
        "_".join(found.group(1).rstrip("/").split("/")[-2:])
        if found
        else getattr(args, "model", "") or "model"
    )
    return re.sub(r"[^\w.-]+", "_", str(name))
