"""How far respondents who answered the same questions agree: people, models, or both."""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.kappa import cohen_kappa, fleiss_kappa, same_share
from tempbench_lmms.record import Record, shown
from tempbench_lmms.record_reading import VALUES
from tempbench_lmms.runs.run_card import finite
from tempbench_lmms.runs.task_log import TaskLog

_NOMINAL = tuple(name for name in VALUES if name not in ("spans", "caption"))
"""The fields of a record whose values are the same or not; two spans or captions are more or less alike."""


@dataclass(frozen=True)
class Agreement:
    """The agreement on one task.

    Attributes:
        task: The task.
        respondents: Who answered.
        n: Number of questions that all answered and an answer was read in every reply.
        n_left_out: Number of questions that some answered but not all, or not readably.
        same: The share of pairs of respondents with the same answer, over these questions.
        name: "Cohen" for two respondents, "Fleiss" for more.
        kappa: The kappa; NaN where it is undefined.
        pairs: Cohen's kappa of every two, by their places in `respondents`; for more than two of them.
    """

    task: str
    respondents: tuple[str, ...]
    n: int
    n_left_out: int
    same: float
    name: str
    kappa: float
    pairs: tuple[tuple[int, int, float], ...]


def agreements(logs: Sequence[TaskLog]) -> list[Agreement]:
    """Returns the agreement on every task that two or more of the logs have.

    Raises:
        TempbenchError: No two have a task in common, or a respondent answered a task twice.
    """
    tasks: dict[str, list[TaskLog]] = {}
    for log in logs:
        tasks.setdefault(log.task, []).append(log)
    found = [_of_task(task, own) for task, own in tasks.items() if len(own) > 1]
    if not found:
        raise TempbenchError(f"no task here has two respondents: {', '.join(tasks)}; give logs of one task")
    return found


def _of_task(task: str, logs: Sequence[TaskLog]) -> Agreement:
    names = [log.model for log in logs]
    if again := next((name for name in names if names.count(name) > 1), None):
        files = [str(log.file) for log in logs if log.model == again]
        raise TempbenchError(f"{again} answered {task} twice ({', '.join(files[:2])}); give one of them")
    answers = [
        {one.id: answer for one in log.samples if (answer := _answer(one.record)) is not None} for log in logs
    ]
    if not any(answers):
        raise TempbenchError(
            f"{task}: its answers are spans or captions, which have no kappa; see `tempbench compare`"
        )
    asked = {sample.id for log in logs for sample in log.samples}
    ids = sorted(set.intersection(*map(set, answers)))
    columns = [[own[id_] for id_ in ids] for own in answers]
    rows = list(zip(*columns, strict=True))
    pairs = [
        (i, j, cohen_kappa(columns[i], columns[j])) for i, j in itertools.combinations(range(len(logs)), 2)
    ]
    is_pair = len(logs) == 2
    return Agreement(
        task=task,
        respondents=tuple(names),
        n=len(ids),
        n_left_out=len(asked) - len(ids),
        same=same_share(rows),
        name="Cohen" if is_pair else "Fleiss",
        kappa=pairs[0][2] if is_pair else fleiss_kappa(rows),
        pairs=() if is_pair else tuple(pairs),
    )


def _answer(record: Record) -> Hashable:
    """Returns what was read of a reply; None where nothing was."""
    found = next((record[name] for name in _NOMINAL if record.get(name) is not None), None)
    return None if not record["parsed"] else tuple(found) if isinstance(found, list) else found


def as_text(found: Agreement) -> str:
    """Returns an agreement as lines for a terminal."""
    left_out = f" ({found.n_left_out:,} left out: not answered by all, or not readable)"
    return "\n".join(
        [
            f"{found.task}: {', '.join(found.respondents)}",
            f"  {found.n:,} questions that all answered{left_out * bool(found.n_left_out)}",
            f"  the same answer  {shown(found.same, 3)}",
            f"  {found.name}'s kappa  {shown(found.kappa, 3)}",
            *(
                f"    Cohen's kappa of {found.respondents[i]} and {found.respondents[j]}  {shown(kappa, 3)}"
                for i, j, kappa in found.pairs
            ),
        ]
    )


def as_json(found: Agreement) -> Any:
    """Returns an agreement as JSON values; None where undefined."""
    names = found.respondents
    pairs = [{"respondents": [names[i], names[j]], "cohen": kappa} for i, j, kappa in found.pairs]
    return finite(asdict(found) | {"pairs": pairs})
