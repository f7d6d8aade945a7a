"""Finds the runs in folders, finished and unfinished, and scores their logged replies again.

The newest results of each task count. An unfinished run has the answers so far, and says which command
continues it. `tempbench rescore`, `--reparse` and second readers differ only in the records that count
(`task_log.scored` makes one from a reply); all of them use `rescored`.
"""

import contextlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms import __version__
from tempbench_lmms.data import manifests, provenance, redaction, tables, terminal
from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import stopping
from tempbench_lmms.harness.tasks import docs_of, root_of, task_files
from tempbench_lmms.metrics import ratio
from tempbench_lmms.record import REASON, UNDEFINED, VALUES, manner
from tempbench_lmms.runs import importing, run_card, starting, supervision
from tempbench_lmms.runs.task_log import (
    Sample,
    TaskLog,
    as_one,
    edited,
    metrics_of,
    read_results,
    recompute,
    scored,
    state_beside,
    state_of,
)

# The harness's default for `--reasoning_tags`.
_TAGS = '[["<think>", "</think>"], ["<analysis>", "</analysis>"]]'


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
        begun = [log for state in sorted(path.rglob(STATE)) for log in _unfinished(state)] if partial else []
        logs += begun
        advice = "" if partial else "; add --partial to use what is there"
        finished = _newest(path) if begun else counting(path, advice)
        for file, tasks in finished.items():
            logs += read_results(file, partial, tasks, group_by)
    if not logs:
        raise TempbenchError("none of the results files has a task; give a run's --output_path")
    return logs


def read_named(runs: Iterable[str | Path], group_by: str = "") -> list[TaskLog]:
    """Returns the tasks of runs as `read_runs` does, damaged and unfinished ones too.

    A run may be given as NAME=FOLDER; a run that is given twice counts once.

    Raises:
        TempbenchError: A run cannot be read, or two runs with one name have the same task.
    """
    out: list[TaskLog] = []
    named: dict[tuple[object, ...], TaskLog] = {}
    for given in map(str, runs):
        name, is_named, path = map(str.strip, given.partition("="))
        if not is_named or Path(given).exists():
            name, path = "", given
        elif not name or not path:
            raise TempbenchError(f"{given}: name a run as NAME=FOLDER, e.g. small=logs/qwen_3b")
        found = read_runs([Path(path)], True, group_by)
        for log in (replace(log, name=name or log.name) for log in found):
            if any(one.task == log.task and one.file.samefile(log.file) for one in out):
                terminal.tell(f"{given} is given twice; {log.task} is shown once")
                continue
            other = named.setdefault((name, log.task, log.repeat), log) if name else log
            if other is not log:
                raise TempbenchError(
                    f"{given}: {other.file} is also called {name}, and both have {log.task}; give each run "
                    "its own name"
                )
            out.append(log)
    return out


def counting(path: Path, advice: str = "") -> dict[Path, frozenset[str] | None]:
    """Returns the results files that count, each with the tasks for which it is the newest; None for all.

    Raises:
        TempbenchError: The path is no results file, and none lies below it.
    """
    if path.is_file():
        return {path: None}
    if found := _newest(path):
        return found
    raise TempbenchError(
        said(path, advice) or f"no results file (*{RESULTS}) in {path}; give the run's --output_path"
    )


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
                tasks = frozenset(dict(tables.read_json(file)["configs"]))
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
    logs = results.parent.glob(f"{results.name.removesuffix(RESULTS)}_samples_*.jsonl")
    return manifests.sums(results.parent, [results, *sorted(logs)])


def by_repeat(logs: Iterable[TaskLog]) -> list[list[TaskLog]]:
    """Returns the repeats of each repeated task, by number."""
    found: dict[tuple[Any, ...], dict[int, TaskLog]] = {}
    for log in logs:
        if log.repeat is not None:
            folder, number = log.repeat
            key = (folder, log.task, log.model, log.arguments.model, log.arguments.model_args)
            found.setdefault(key, {}).setdefault(number, log)
    return [[own[number] for number in sorted(own)] for own in found.values() if len(own) > 1]


def with_repeats_as_one(logs: Sequence[TaskLog]) -> list[TaskLog]:
    """Returns logs in which the first repeat of a task stands for all its repeats."""
    merged = {id(one): as_one(own) if one is own[0] else None for own in by_repeat(logs) for one in own}
    return [found for log in logs if (found := merged.get(id(log), log))]


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
    if len(states) == 1 and not states[0].parent.name.startswith(REPEAT) and redaction.HIDDEN not in command:
        rest = f"continue it with `{command}`"
    # Only the harness knows how many questions other people's tasks have.
    is_known = all("questions" in one for run in runs for one in run["data"].values())
    number = f"{n:,} of {of:,}" if is_known else f"{n:,}"
    return f"{folder}: the run is unfinished, {number} answers are stored; {rest}{advice}"


def _unfinished(state: Path) -> list[TaskLog]:
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
    words = ["tempbench", "run", "--model", identity["model"]]
    words += ["--model-args", identity["model_args"]] if identity["model_args"] else []
    words += ["--tasks", identity["tasks"], "--output", str(folder)]
    return shlex.join([*words, *(["--", *identity["arguments"]] if identity["arguments"] else [])])


def _answers(folder: Path) -> dict[tuple[str, int], Any]:
    out: dict[tuple[str, int], Any] = {}
    rows = supervision.stored(folder, "created_at, task_name, doc_id, response")
    for _, task, number, text in sorted(rows):
        with contextlib.suppress(ValueError):
            out[task, number] = tables.parse_json(text)
    return out


# The fields of a record that change if a reply is read differently.
_READING = (*VALUES, "parsed", "failed", "correct")


@dataclass(frozen=True)
class Change:
    """A question whose reply is now read differently."""

    id: str
    reply: str
    then: dict[str, Any]  # how the run read it: some of the record's fields
    now: dict[str, Any]
    how_then: str = ""  # the rule, or why not; empty if unknown
    how_now: str = ""


@dataclass(frozen=True)
class Rescored:
    """A task's scores before and now."""

    log: TaskLog
    then: dict[str, Any]
    now: dict[str, Any]
    changes: tuple[Change, ...]
    samples: tuple[Sample, ...]  # behind the new scores
    code: str = ""  # that read the replies again; "" if none did

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % intervals of the new scores."""
        metrics = metrics_of(replace(self.log, samples=self.samples))
        return {one.name: ratio.interval(value) for one in metrics if isinstance(value := one(), ratio.Sums)}

    @property
    def differing(self) -> list[str]:
        """The metrics whose number (to the last bit) or nested table has changed."""
        return [name for name in self.now if _comparable(self.then.get(name)) != _comparable(self.now[name])]


def _comparable(value: Any) -> Any:
    # Compare what a results file can hold: JSON has no int keys and no tuples. The run's versions are not
    # scores.
    if isinstance(value, dict):
        value = {key: one for key, one in value.items() if key != provenance.KEY}
    return json.loads(json.dumps(value, default=str))


def rescored(log: TaskLog, samples: tuple[Sample, ...], before: tuple[Sample, ...] | None = None) -> Rescored:
    """Returns a task's scores over samples, beside those of the same questions before.

    Args:
        log: The task.
        samples: The samples.
        before: The samples to compare with; by default those of the log, with the run's own scores.
    """
    now = recompute(log, samples)
    then = log.values if before is None else recompute(log, before)
    return Rescored(
        log=log,
        then={name: then[name] for name in now if name in then},
        now=now,
        changes=tuple(_changes(log.samples if before is None else before, samples)),
        samples=samples,
    )


def _changes(then: Sequence[Sample], now: Sequence[Sample]) -> Iterator[Change]:
    for sample, other in zip(then, now, strict=True):
        old, new = sample.record, other.record
        names = [name for name in _READING if name in new and old.get(name) != new[name]]
        if names or any(name in old and old[name] != new.get(name) for name in REASON):
            was, is_ = ({name: record.get(name) for name in names} for record in (old, new))
            yield Change(sample.id, sample.reply, was, is_, manner(old), manner(new))


def rescore(log: TaskLog, reparse: bool = False, anyway: bool = False) -> Rescored:
    """Computes a task's metrics again, beside those of the run.

    Args:
        log: The task.
        reparse: Also read the replies again, with the installed parser and the local data; otherwise the
            log's records are used unchanged.
        anyway: Read the replies again even if the local data is not the run's.

    Raises:
        TempbenchError: There is no sample log, or the data is missing or not the run's.
    """
    if not log.samples:
        raise TempbenchError(log.no_samples)
    if not reparse:
        return rescored(log, log.samples)
    config = log.installed
    url, data = run_card.data_of(log)
    then, here = data.get("sha256"), provenance.origin_of(root_of(config)[1]) or {}
    if not anyway and then is not None and then != provenance.sum_of_table(here.get("sha256"), url):
        raise TempbenchError(
            f"{log.task}: the local data is not the data of the run (the checksums differ); prepare the "
            "run's data, or add --anyway to read the replies with the local data"
        )
    read = [with_reply(config, sample, doc, sample.reply) for sample, doc in with_docs(log)]
    found = rescored(log, tuple(replace(sample, record=log.with_limit(sample)) for sample in read))
    return replace(found, code=provenance.of_numbers(log.benchmark))


def with_reply(config: dict[str, Any], sample: Sample, doc: tables.Row, reply: str) -> Sample:
    """Returns the sample that the task's own scoring makes from a reply."""
    now = scored(config, doc, reply)
    return replace(sample, record=now.record, metrics=now.metrics)


def with_docs(log: TaskLog) -> Iterator[tuple[Sample, tables.Row]]:
    """Yields a log's samples, each with its question's row in the data.

    Raises:
        TempbenchError: The data is not on this machine, or lacks a question of the log.
    """
    docs = {str(doc["question_id"]): doc for doc in docs_of(log.installed)}
    for sample in log.samples:
        if sample.id not in docs:
            raise TempbenchError(
                f"{log.task}: question {sample.id} is not in the local data; use the run's data"
            )
        yield sample, docs[sample.id]


def of_one_run(log: TaskLog, partial: bool = False) -> TaskLog:
    """Checks that a log gives the scores of its results file; returns the log.

    Args:
        log: The task.
        partial: Note a mismatch in the log's `problems` instead of raising an error.

    Raises:
        TempbenchError: The log that the run wrote is missing, or gives other scores.
    """
    with edited(log.file):
        problem = _not_of_one_run(log)
    if problem and not partial:
        raise TempbenchError(f"{problem}; add --partial to continue with the numbers as they are")
    return replace(log, problems=(*log.problems, problem)) if problem else log


def checked(logs: Iterable[TaskLog], partial: bool = False) -> list[TaskLog]:
    """Returns logs after `of_one_run` has checked each."""
    return [of_one_run(log, partial) for log in logs]


def _not_of_one_run(log: TaskLog) -> str:
    if not log.samples:
        is_gone = log.options.get("log_samples") and not log.log_file.is_file()
        return log.no_samples if is_gone else ""
    run = log.details.get(provenance.KEY) or {}
    is_ours = run.get("packages", {}).get("tempbench-lmms") == __version__
    codes = (None, provenance.of_numbers(log.benchmark))  # imports record no code
    if not is_ours or run.get(provenance.CODE) not in codes or log.problems:
        return ""  # the metrics' definitions may have changed since, or the log is known to be damaged
    found = rescore(log)
    if differing := [name for name in found.differing if not isinstance(found.now[name], dict)]:
        return (
            f"the log of {log.file} gives other values of {log.task} ({', '.join(differing[:5])}): the "
            "results file and the log are from different runs, or one was changed"
        )
    return ""


def as_text(found: Rescored, then: str, now: str, n_changes: int = 20) -> str:
    """Returns a task's scores for a terminal."""
    rows = [("metric", then, now, "95 % interval", "")]
    for name, value in found.now.items():
        if name.endswith("_stderr") or isinstance(value, dict):
            continue
        low, high = found.intervals.get(name, (float("nan"), float("nan")))
        ends = f"{terminal.rounded(low, 4)} to {terminal.rounded(high, 4)}" if low == low else ""
        mark = "differs" if name in found.differing else ""
        rows.append((name, _shown(found.then.get(name)), _shown(value), ends, mark))
    lines = [f"{found.log.task}, {found.log.model}, {len(found.log.samples):,} questions", *columns(rows)]
    if found.changes:
        lines.append(f"  {len(found.changes):,} questions are now read differently:")
        for change in found.changes[:n_changes]:
            was, is_ = _fields(change.then, change.how_then), _fields(change.now, change.how_now)
            lines.append(f"    {change.id}: {was} -> {is_}; {change.reply[:80]!r}")
        if len(found.changes) > n_changes:
            lines.append(f"    and {len(found.changes) - n_changes:,} more; see --json")
    return "\n".join(lines)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ((cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [f"  {'  '.join(row)}".rstrip() for row in cells]


def _shown(value: Any) -> str:
    if isinstance(value, (int, float)):
        return terminal.rounded(value, 6)
    return UNDEFINED if value is None else str(value)


def _fields(values: dict[str, Any], how: str) -> str:
    found = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"{found} ({how})".strip() if how else found


def as_json(found: Rescored) -> dict[str, Any]:
    """Returns a task's scores as JSON values."""
    return {
        "task": found.log.task,
        "run": run_card.run_card(found.log),
        **({"code_now": found.code} if found.code else {}),
        "then": found.then,
        "now": found.now,
        "intervals": {
            name: [None if end != end else end for end in ends] for name, ends in found.intervals.items()
        },
        "differing": found.differing,
        "changes": [vars(change) for change in found.changes],
        "problems": list(found.log.problems),
    }
