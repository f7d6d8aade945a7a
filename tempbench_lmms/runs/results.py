"""The logs of a run that has just ended: whether they are whole, and which requests failed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.data import prepared
from tempbench_lmms.data.run_files import RESULTS
from tempbench_lmms.data.tables import parse_json, read_json
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.runs.task_log import sample_log

DEFAULT_BOUND = "1%"
_SHOWN = 20
_LONGEST_REASON = 200


@dataclass(frozen=True)
class Reply:
    """A reply in a log: its task, its question's id, and its text."""

    task: str
    question: str
    text: str

    @property
    def failed(self) -> bool:
        """Whether the request failed."""
        return adapter.request_failed(self.text)

    def __str__(self) -> str:
        words = re.sub(r"^\s*\[LMMS_EVAL_[A-Z_]+[:\s]*", "", self.text)
        reason = one_line(words.rstrip().removesuffix("]") or self.text)[:_LONGEST_REASON]
        return f"question {one_line(self.question)} of {self.task}: {reason}"


def replies_in(results: Path, ids: Mapping[str, Sequence[str]] | None = None) -> list[Reply]:
    """Returns the replies in the logs of our tasks beside a results file.

    Args:
        results: The file.
        ids: The questions of each task in their order, which the logs are compared with.

    Raises:
        TempbenchError: A file is cut short (the harness warns and goes on where it cannot write), or a
            question stands there twice, or another one in its place.
    """
    found: list[Reply] = []
    try:
        counts = read_json(results)["n-samples"]
        for task in ids if ids is not None else counts.keys() & task_files().keys():
            with sample_log(results, task).open(encoding="utf-8") as lines:
                rows = [parse_json(line) for line in lines]
            # With `--predict_only` a log has no records, but its questions' numbers.
            own = [
                Reply(
                    task,
                    str(row["record"]["id"] if "record" in row else ids[task][row["doc_id"]] if ids else ""),
                    adapter.reply_of([row.get("filtered_resps", "")]),
                )
                for row in rows
            ]
            if len(own) != counts[task]["effective"]:
                raise ValueError
            if ids:
                _check_questions(
                    sample_log(results, task),
                    [(row["doc_id"], one.question) for row, one in zip(rows, own, strict=True)],
                    ids[task],
                )
            found += own
    except (OSError, ValueError, LookupError, TypeError):
        raise TempbenchError(
            f"{results} and its logs were not written whole; make room if the disk is full, and give the "
            "same command again: the answers are kept"
        ) from None
    return found


def _check_questions(log: Path, found: Sequence[tuple[int, str]], expected: Sequence[str]) -> None:
    if wrong := len(found) - len({*found} & {*enumerate(expected)}):
        raise TempbenchError(
            f"{log} has {len(found)} lines about {len({id_ for _, id_ in found})} questions, {wrong} of "
            "them repeated or others than the task's, so this is no finished run; give the same command "
            "again, the answers are kept"
        )


def sums(results: Path) -> dict[str, str]:
    """Returns the checksums of a results file and its logs, by name."""
    stamp = results.name.removesuffix(RESULTS)
    return prepared.sums(results.parent, [results, *sorted(results.parent.glob(f"{stamp}_samples_*.jsonl"))])


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


def as_lines(failed: Sequence[Reply]) -> list[str]:
    """Returns what a run's summary says of its failed requests: a line each, of the first ones."""
    shown = [f"failed: {one}" for one in failed[:_SHOWN]]
    if len(failed) > _SHOWN:
        shown.append(f"failed: {len(failed) - _SHOWN:,} more; the logs have them with `failed` 1")
    return shown
