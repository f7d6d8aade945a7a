"""The logs of a run that has just ended: are they complete, and which requests failed?"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.task_log import Sample, TaskLog

_SHOWN = 20
_LONGEST_REASON = 200


def whole(results: Path, ids: Mapping[str, Sequence[str]]) -> list[TaskLog]:
    """Returns the logs beside a results file, after checking that they are complete.

    Args:
        results: The file.
        ids: The expected questions of each task, in order, as far as known.

    Raises:
        TempbenchError: A file is missing or cut short (the harness only warns if it cannot write), or a log
            has a question twice or another question in its place.
    """
    found: dict[str, TaskLog] = {}
    problem = ""
    try:
        found = {log.task: log for log in read_runs([results], partial=True)}
    except TempbenchError as error:
        problem = str(error)
    for task in {**ids, **found} if not problem else ():
        log, expected = found.get(task), ids.get(task)
        if log is not None and log.problems:
            problem = log.problems[0]
        elif log is None or not log.samples:
            problem = f"{task} has no log"
        elif expected is not None and (
            strangers := {(one.doc_id, one.id) for one in log.samples} - {*enumerate(expected)}
        ):
            problem = f"{log.log_file.name}: {len(strangers)} lines have other questions than the task"
    if problem:
        raise TempbenchError(
            f"{results} and its logs are incomplete ({problem}); free space if the disk is full, and give "
            "the same command again: the answers are stored"
        )
    return [*found.values()]


def bound(text: str) -> Callable[[int], int]:
    """Returns the function from the number of questions to how many may fail, for `5` or `1%`.

    >>> bound("1%")(250), bound("5")(250)
    (2, 5)

    Raises:
        TempbenchError: It is neither a number nor a share.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)", text.strip())
    if not found or (not found[2] and "." in found[1]) or (found[2] and float(found[1]) > 100):
        raise TempbenchError(f"--max-failures {text[:40]!r} is neither a number nor a share; write 5 or 1%")
    number = float(found[1])
    return (lambda total: int(total * number / 100)) if found[2] else (lambda total: int(number))


def as_lines(failed: Sequence[tuple[TaskLog, Sample]]) -> list[str]:
    """Returns the lines of a run's summary about its failed requests, one per request for the first ones."""
    shown = [
        f"failed: question {one_line(one.id)} of {log.task}: {_reason(one)}" for log, one in failed[:_SHOWN]
    ]
    if len(failed) > _SHOWN:
        shown.append(f"failed: {len(failed) - _SHOWN:,} more; the logs have them with `failed` 1")
    return shown


def _reason(sample: Sample) -> str:
    words = re.sub(r"^\s*\[LMMS_EVAL_[A-Z_]+[:\s]*", "", sample.reply)
    return one_line(words.rstrip().removesuffix("]") or sample.reply)[:_LONGEST_REASON]
