"""Finds the runs in folders: finished ones, with the newest results of each task, and unfinished ones.

An unfinished run has the answers so far, and says which command continues it.
"""

import contextlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms.data import manifests
from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.data.redaction import HIDDEN
from tempbench_lmms.data.tables import parse_json, read_json
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import stopping
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.runs import importing, starting, supervision
from tempbench_lmms.runs.task_log import TaskLog, as_one, read_results, state_beside, state_of

_TAGS = '[["<think>", "</think>"], ["<analysis>", "</analysis>"]]'
"""The harness's default for `--reasoning_tags`."""


def read_runs(paths: Iterable[Path], partial: bool = False, group_by: str = "") -> list[TaskLog]:
    """Returns the tasks in the newest results of each folder, or in the named files.

    A folder may hold the results of several runs: the newest results of each task count.

    Args:
        paths: Folders given to the harness as `--output_path`, or results files.
        partial: Use the readable part of damaged logs, and the answers of unfinished runs so far; `problems`
            says what is wrong.
        group_by: The field that groups the questions of tasks that are not ours.

    Raises:
        TempbenchError: There is no results file, it has no task, or a log is damaged.
    """
    logs: list[TaskLog] = []
    for path in paths:
        states = sorted(path.rglob(STATE)) if partial else []
        logs += (begun := [log for state in states for log in _unfinished(state)])
        advice = "" if partial else "; add --partial to use what is there"
        finished = _newest(path) if begun else counting(path, advice)
        for file, tasks in finished.items():
            logs += read_results(file, partial, tasks, group_by)
    if not logs:
        raise TempbenchError("none of the results files has a task; give a run's --output_path")
    return logs


def counting(path: Path, advice: str = "") -> dict[Path, frozenset[str] | None]:
    """Returns the results files that count, each with the tasks for which it is the newest; None for all.

    Raises:
        TempbenchError: The path is no results file, and none lies below it.
    """
    if path.is_file():
        return {path: None}
    found = _newest(path)
    if not found:
        none = f"no results file (*{RESULTS}) in {path}; give the run's --output_path"
        raise TempbenchError(said(path, advice) or none)
    return found


def _newest(folder: Path) -> dict[Path, frozenset[str] | None]:
    # If the clock was set back, the last results of a run have an earlier date than its first.
    finished = {one.parent: one for state in folder.rglob(STATE) if (one := finished_results(state))}
    newest: dict[Path, frozenset[str] | None] = {}
    for place in sorted({file.parent for file in folder.rglob(f"*{RESULTS}")}):
        files = [finished[place]] if place in finished else sorted(place.glob(f"*{RESULTS}"), reverse=True)
        seen: frozenset[str] = frozenset()
        for file in files:  # their names begin with the time
            tasks: frozenset[str] = frozenset()
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                tasks = frozenset(dict(read_json(file)["configs"]))
            if file == files[0] or tasks - seen:
                newest[file] = tasks - seen or None  # None: to be read, and refused, as a whole
            seen |= tasks
    return newest


def finished_results(file: Path) -> Path | None:
    """Returns the results file of a finished `tempbench run`; None if there is none or it is missing."""
    recorded = state_beside(file).get("finished")
    if not isinstance(recorded, str):
        return None
    # The folder may have been moved as a whole.
    return next((path for path in file.parent.rglob(Path(recorded).name) if path.is_file()), None)


def sums(results: Path) -> dict[str, str]:
    """Returns the checksums of a results file and its logs, by name."""
    stamp = results.name.removesuffix(RESULTS)
    return manifests.sums(results.parent, [results, *sorted(results.parent.glob(f"{stamp}_samples_*.jsonl"))])


def by_repeat(logs: Iterable[TaskLog]) -> list[list[TaskLog]]:
    """Returns the repeats of each repeated task, by number."""
    found: dict[tuple[Any, ...], dict[int, TaskLog]] = {}
    for log in logs:
        if log.repeat is not None:
            folder, number = log.repeat
            of_model = (log.model, log.arguments.model, log.arguments.model_args)
            found.setdefault((folder, log.task, *of_model), {}).setdefault(number, log)
    return [[own[number] for number in sorted(own)] for own in found.values() if len(own) > 1]


def with_repeats_as_one(logs: Sequence[TaskLog]) -> list[TaskLog]:
    """Returns logs in which the first repeat of a task stands for all its repeats."""
    groups = by_repeat(logs)
    firsts = {id(own[0]): as_one(own) for own in groups}
    further = {id(one) for own in groups for one in own[1:]}
    return [firsts.get(id(log), log) for log in logs if id(log) not in further]


def by_task(logs: Sequence[TaskLog], path: Path) -> dict[str, TaskLog]:
    """Returns the logs of a run by task.

    Raises:
        TempbenchError: It holds a task twice, or a task without a log.
    """
    out: dict[str, TaskLog] = {}
    for log in logs:
        if log.task in out:
            first, one = out[log.task], "one results file"
            if log.repeat is not None:
                one = f"one of the repeats, as {log.repeat[0] / REPEAT}{log.repeat[1]}"
            raise TempbenchError(f"{path} holds {log.task} twice ({first.file} and {log.file}); give {one}")
        if empty := [repeat for repeat in log.each if not repeat.samples]:
            raise TempbenchError(empty[0].no_samples)
        out[log.task] = log
    return out


def said(folder: Path, advice: str = "") -> str:
    """Returns how far the unfinished run in a folder is, and what to type; empty if there is none."""
    states = sorted(folder.rglob(STATE))
    if not states:
        is_begun = (folder / "cache").is_dir()
        return f"{folder}: the run is unfinished; {supervision.advice(folder)}" if is_begun else ""
    runs = [state_of(state.parent)["identity"] for state in states]
    n, of = sum(len(_answers(state.parent)) for state in states), sum(map(_n_asked, runs))
    rest = "give the same command again to continue"
    command = _command(runs[0], states[0].parent)
    if len(states) == 1 and not states[0].parent.name.startswith(REPEAT) and HIDDEN not in command:
        rest = f"continue it with `{command}`"
    # Only the harness knows how many questions other people's tasks have.
    is_known = all("questions" in one for run in runs for one in run["data"].values())
    number = f"{n:,} of {of:,}" if is_known else f"{n:,}"
    return f"{folder}: the run is unfinished, {number} answers are stored; {rest}{advice}"


def _unfinished(state: Path) -> list[TaskLog]:
    """Returns our tasks of the run of a state with their answers so far; none if it has results."""
    if any(state.parent.rglob(f"*{RESULTS}")):
        return []
    identity = state_of(state.parent)["identity"]
    tags = starting.value(identity["arguments"], "reasoning_tags") or _TAGS
    answers = _answers(state.parent)
    out = []
    for task in dict.fromkeys(task for task, _ in answers):
        if task not in task_files() or task not in identity["data"]:
            continue
        source = importing.source_of(state.parent, task, identity["model"])
        replies = {
            str(doc["question_id"]): stopping.text_of(answers[task, n], tags)
            for n, doc in enumerate(source.docs)
            if (task, n) in answers
        }
        header = {
            "config": {"model": identity["model"]},
            "n-samples": {task: {"original": len(source.docs), "effective": len(replies)}},
        }
        log = importing.log_of(source, replies, state.parent, header)
        given = SimpleNamespace(model=identity["model"], model_args=identity["model_args"])
        of = _n_asked({**identity, "data": {task: identity["data"][task]}})
        why = f"{task}: the run is unfinished, {len(replies):,} of {of:,} questions are answered"
        if others := identity["data"].keys() - {named for named, _ in answers}:
            why += f"; no answer yet to {', '.join(sorted(others))}"
        out.append(replace(log, file=state, arguments=given, problems=(why,)))
    return out


def _n_asked(identity: Mapping[str, Any]) -> int:
    asked = starting.part(identity["arguments"])
    return sum(len(asked(range(one.get("questions", 0)))) for one in identity["data"].values())


def _command(identity: Mapping[str, Any], folder: Path) -> str:
    """Returns the command of a run; secrets are hidden, as in the file that holds it."""
    words = ["tempbench", "run", "--model", identity["model"]]
    words += ["--model-args", identity["model_args"]] if identity["model_args"] else []
    words += ["--tasks", identity["tasks"], "--output", str(folder)]
    return shlex.join([*words, *(["--", *identity["arguments"]] if identity["arguments"] else [])])


def _answers(folder: Path) -> dict[tuple[str, int], Any]:
    """Returns the latest stored answer to each question, by task and question number."""
    out: dict[tuple[str, int], Any] = {}
    rows = supervision.stored(folder, "created_at, task_name, doc_id, response")
    for _, task, number, text in sorted(rows):
        with contextlib.suppress(ValueError):
            out[task, number] = parse_json(text)
    return out
