"""Unfinished runs: how much is answered, which command continues the run, and its answers so far."""

import contextlib
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.data.redaction import HIDDEN
from tempbench_lmms.data.tables import parse_json, read_json
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import stopping
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.runs import arguments, ending, importing
from tempbench_lmms.runs.task_log import TaskLog

_TAGS = '[["<think>", "</think>"], ["<analysis>", "</analysis>"]]'
"""The harness's default for `--reasoning_tags`."""


def said(folder: Path, advice: str = "") -> str:
    """Returns how far the unfinished run in a folder is, and what to type; empty if there is none."""
    states = sorted(folder.rglob(STATE))
    if not states:
        is_begun = (folder / "cache").is_dir()
        return f"{folder}: the run is unfinished; {ending.advice(folder)}" if is_begun else ""
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


def logs_of(folder: Path) -> list[TaskLog]:
    """Returns our tasks of the unfinished runs below a folder, with their answers so far."""
    begun = (state for state in sorted(folder.rglob(STATE)) if not any(state.parent.rglob(f"*{RESULTS}")))
    return [log for state in begun for log in _logs(state)]


def _logs(state: Path) -> list[TaskLog]:
    identity = state_of(state.parent)["identity"]
    tags = arguments.value(identity["arguments"], "reasoning_tags") or _TAGS
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


def state_of(folder: Path) -> dict[str, Any]:
    """Returns the state in a run's folder; empty if the run has not begun.

    Raises:
        TempbenchError: The file is damaged.
    """
    path = folder / STATE
    if not path.is_file():
        return {}
    try:
        state: dict[str, Any] = read_json(path)
        own, wanted = state["identity"], {"model": str, "model_args": str, "arguments": list, "tasks": str}
        if not all(isinstance(own[name], kind) for name, kind in wanted.items()):
            raise TypeError
        dict(own["data"])
        dict(state["questions"])
    except (ValueError, KeyError, TypeError):
        raise TempbenchError(f"{path} is damaged; remove it to continue with the stored answers") from None
    return state


def _n_asked(identity: Mapping[str, Any]) -> int:
    asked = arguments.part(identity["arguments"])
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
    for _, task, number, text in sorted(ending.stored(folder, "created_at, task_name, doc_id, response")):
        with contextlib.suppress(ValueError):
            out[task, number] = parse_json(text)
    return out
