"""What our reader finds in the replies to somebody else's multiple-choice task; the log does not change."""

from collections.abc import Sequence
from dataclasses import dataclass

from tempbench_lmms.any_task import opinion
from tempbench_lmms.any_task.opinion import Answer
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs.task_log import TaskLog

_SHOWN = 5
_ENOUGH = 5


@dataclass(frozen=True)
class Opinion:
    """The task's scores and our reader's of one task of one run.

    Attributes:
        log: The log.
        metric: The metric whose score of each question is looked at.
        answers: The replies to questions with options.
    """

    log: TaskLog
    metric: str
    answers: tuple[Answer, ...]


def of(log: TaskLog) -> Opinion:
    """Returns a second opinion on a log of a task from outside this package.

    Raises:
        TempbenchError: The documents are not here or have no options, or no metric scores single questions.
    """
    docs = log.other.documents if log.other else {}
    if not any(map(opinion.options_of, docs.values())):
        why = "its documents have no options" if docs else "the task or its data is not on this machine"
        raise TempbenchError(f"no second opinion, because {why}")
    scores, metric = (log.other.scores, next(iter(log.other.metrics), "")) if log.other else ({}, "")
    found = [
        opinion.answer(one.id, one.reply, one.prompt, docs.get(one.id, {}), one.target, scores[one.id])
        for one in log.samples
        if one.id in scores and not one.record["failed"]
    ]
    if answers := [one for one in found if one is not None]:
        return Opinion(log, metric, tuple(answers))
    raise TempbenchError("no second opinion, because no metric scores single questions")


def warnings(log: TaskLog) -> list[str]:
    """Returns a line if a task's own extraction takes replies that say no letter for right answers."""
    try:
        answers = of(log).answers if log.other else ()
    except TempbenchError:
        return []
    silent = [one for one in answers if one.letter is None]
    if len(silent) < _ENOUGH or not (n_right := _right(silent)):
        return []
    default = opinion.default_letter(answers)
    taken = f" (it takes them for {default})" if default else ""
    return [f"the task scores {n_right} of {len(silent)} replies that say no letter as right{taken}"]


def as_text(found: Opinion, everything: bool = False) -> str:
    """Returns a second opinion for a terminal."""
    answers, log = found.answers, found.log
    silent = [one for one in answers if one.letter is None]
    default, differing = opinion.default_letter(answers), [one for one in answers if one.differs]
    task, ours = (100 * n / len(answers) for n in (_right(answers), sum(one.is_right for one in answers)))
    lines = [
        f"{log.task}, {log.model}: {task:.1f} % right by the task ({found.metric}), {ours:.1f} % by our "
        f"reader, of {counted(len(answers), 'question')} with options"
    ]
    if silent:
        taken = f"the task takes them for {default}" if default else f"{_right(silent):,} count as right"
        lines.append(f"  {counted(len(silent), 'reply', 'replies')} with no letter for our reader: {taken}")
    if differing:
        lines.append(f"  {counted(len(differing), 'reply', 'replies')} scored differently; the log stays")
    for one in differing if everything else differing[:_SHOWN]:
        read, score = one.letter or "nothing", "right" if one.score > 0 else "wrong"
        lines.append(
            f"    question {one.id}: {score} by the task; the answer is {one.right}, our reader reads "
            f"{read}: {one_line(one.reply)[:80]!r}"
        )
    return "\n".join(lines)


def show(logs: Sequence[TaskLog], everything: bool) -> None:
    """Prints a second opinion on each task that is none of ours.

    Raises:
        TempbenchError: All tasks are ours.
    """
    others = [log for log in logs if log.other]
    if not others:
        raise TempbenchError("our reader has read these replies; name a second one with --reader")
    for log in others:
        try:
            print(as_text(of(log), everything))
        except TempbenchError as error:
            print(f"{log.task}, {log.model}: {error}")


def _right(answers: Sequence[Answer]) -> int:
    return sum(one.score > 0 for one in answers)
