"""Functions for notebooks and other harnesses: `import tempbench_lmms as tb`.

The base installation has all of them. Names, parameters and what is described here are stable from version
0.2 on: a change is announced in `CHANGELOG.md` one version before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.parsing import expected, reader
from tempbench_lmms.parsing.expected import Reading
from tempbench_lmms.runs import comparison, importing, logs, repeats
from tempbench_lmms.runs.comparison import Comparison
from tempbench_lmms.runs.importing import Scores
from tempbench_lmms.runs.task_log import TaskLog, edited

__all__ = ["TempbenchError", "compare", "expected", "load_runs", "read", "save_run", "score"]

Replies = Mapping[str, str | None]  # by the question's id; None for a request that failed


def read(
    reply: str,
    options: Sequence[str] = (),
    *,
    kind: expected.Expected | None = None,
    prompt: str | None = None,
) -> Reading[Any]:
    """Reads the answer of a reply; the value is None if no single answer can be read, never a guess.

    Args:
        reply: The model's reply, reasoning included.
        options: The texts of the options A, B, ...
        kind: The kind of answer, if it is not an option: one of `tb.expected`, e.g. `TimeSpan` or `Order`.
        prompt: The prompt; its words in the reply do not count as an answer.

    Returns:
        Its `value`; `how` it was read and `where` in the reply; or the `reason` why there is no value.

    Raises:
        TempbenchError: Neither options nor a kind is given, or more than 26 options.

    >>> import tempbench_lmms as tb
    >>> tb.read("It is not the dog, so B.", options=["the dog", "the cat"]).value
    'B'
    >>> tb.read("The dog or the cat.", options=["the dog", "the cat"]).reason
    'several'
    >>> tb.read("From 0:05 to 0:12.", kind=tb.expected.TimeSpan()).value
    (5.0, 12.0)
    """
    if kind is None:
        if not 1 <= len(options) <= len(ascii_uppercase):
            raise TempbenchError(f"{len(options)} options; give 1 to 26 of them, or a kind")
        kind = expected.Choice(ascii_uppercase[: len(options)], tuple(options))
    return reader.read(reply, kind, prompt)


def score(
    benchmark: str,
    predictions: str | Path | Replies,
    gold: str | Path | Sequence[Row] | None = None,
    *,
    task: str = "",
    model: str = "",
    mini: bool = False,
    partial: bool = False,
) -> Scores:
    """Scores replies to one task of a benchmark, as `tempbench score` does.

    Args:
        benchmark: Its name, such as `rextime`.
        predictions: Replies by the question's id; or a file of them, or of the benchmark's official form.
        gold: The questions: rows with the columns of the benchmark's table, or the official files; the
            prepared data where omitted.
        task: The task that was asked; the benchmark's own where omitted.
        model: The model's name, which some official rules ask for.
        mini: The questions are those of the bundled sample.
        partial: Questions may lack a reply; they are left out.

    Returns:
        `metrics`: value and standard error by name; `details`, `official` and `notes`.

    Raises:
        TempbenchError: The data is not there, a column is lacking, or replies and questions do not match.

    >>> import tempbench_lmms as tb
    >>> question = {
    ...     "question_id": "q1", "video_id": "v1", "source": "activitynet", "category": "sequential",
    ...     "duration": 30.0, "question": "What comes first?", "options": ["a", "b", "c", "d"],
    ...     "answer": "B", "windows": [[10.0, 20.0]],
    ... }
    >>> found = tb.score("rextime", {"q1": "B, from 10 to 15 seconds"}, gold=[question])
    >>> found.metrics["acc"][0], found.metrics["miou"][0]
    (1.0, 0.5)
    """
    replies = Path(predictions) if isinstance(predictions, str) else predictions
    data = Path(gold) if isinstance(gold, str) else gold
    return importing.score(benchmark, replies, task, data, model=model, mini=mini, partial=partial)


def save_run(
    folder: str | Path, task: str, predictions: Replies, *, model: str, partial: bool = False
) -> TaskLog:
    """Writes replies from your own harness as a run that `compare`, `load_runs` and every command take.

    Args:
        folder: The folder of the run.
        task: The task that was asked; its data must be prepared unless it ends in `_mini`.
        predictions: Replies by the question's id.
        model: The model's name.
        partial: Questions may lack a reply.

    Raises:
        TempbenchError: There is no such task, its data is not there, or replies and questions do not match.

    >>> import tempfile, tempbench_lmms as tb
    >>> folder = tempfile.mkdtemp()
    >>> log = tb.save_run(folder, "arrow_of_time_mini", {"ball_0": "A"}, model="mine", partial=True)
    >>> log.model, len(log.samples)
    ('mine', 1)
    """
    return importing.run(
        importing.of_mapping(predictions),
        "save_run",
        importing.source_of(None, task, model),
        Path(folder),
        partial,
    )


def load_runs(*paths: str | Path, partial: bool = False) -> list[TaskLog]:
    """Reads the tasks of finished runs, one log per task.

    Args:
        paths: Folders of runs, or results files.
        partial: Use what can be read of damaged or unfinished runs.

    Returns:
        Logs with `task`, `model`, the printed metrics in `values`, and `samples` with `prompt`, `reply` and
        `record`.

    Raises:
        TempbenchError: There is no run, or a log is damaged.

    >>> import tempfile, tempbench_lmms as tb
    >>> folder = tempfile.mkdtemp()
    >>> log = tb.save_run(folder, "arrow_of_time_mini", {"ball_0": "A"}, model="mine", partial=True)
    >>> [(log.task, log.model, log.samples[0].reply) for log in tb.load_runs(folder)]
    [('arrow_of_time_mini', 'mine', 'A')]
    """
    return logs.read_runs(map(Path, paths), partial)


@dataclass(frozen=True)
class Compared:
    """Two runs compared on the same questions; `print` shows the text of `tempbench compare`."""

    metrics: list[Comparison]  # with intervals, p values and verdicts
    remarks: list[str]  # what else differs, and warnings
    pairs: list[tuple[TaskLog, TaskLog]]  # the two logs of each task

    def __str__(self) -> str:
        return comparison.as_text(
            self.pairs, self.remarks, self.metrics, comparison.chosen(self.metrics, False, ())
        )


def compare(
    a: str | Path,
    b: str | Path,
    *,
    anyway: bool = False,
    partial: bool = False,
    reparse: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    group_by: str = "",
) -> Compared:
    """Says whether run A is better than run B, metric by metric.

    Args:
        a: The folder of a run, or its results file.
        b: The run to compare it with.
        anyway: Compare even if data, prompts or versions differ.
        partial: Use what can be read of damaged logs.
        reparse: Read the logged replies of both again.
        resamples: Number of resamples.
        seed: Seed of the resamples.
        group_by: The field that groups the questions, for tasks from outside this package.

    Raises:
        TempbenchError: The runs cannot be compared; with what differs.

    >>> import pathlib, tempfile, tempbench_lmms as tb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> clips = [f"{name}_{n}" for name in ("ball", "milk", "smoke", "stack") for n in range(3)]
    >>> forward = dict.fromkeys((*clips, *(f"{clip}_rev" for clip in clips)), "F")
    >>> right = forward | {f"{clip}_rev": "B" for clip in clips}
    >>> for model, replies in (("right", right), ("forward", forward)):
    ...     log = tb.save_run(folder / model, "arrow_of_time_mini", replies, model=model)
    >>> found = tb.compare(folder / "right", folder / "forward")
    >>> first = found.metrics[0]
    >>> first.metric, first.verdict, first.difference.value
    ('accuracy', 'better', 0.5)
    """
    with edited(f"{a}, {b}"):
        pairs, remarks = comparison.paired_runs(Path(a), Path(b), anyway, partial, reparse, group_by)
        remarks += [
            f"{log.task}, {side}: {line}"
            for pair in pairs
            for side, log in zip("AB", pair, strict=True)
            for line in repeats.shared_seeds(log.repeats)
        ]
        return Compared(comparison.compare_tasks(pairs, resamples, seed), remarks, pairs)
