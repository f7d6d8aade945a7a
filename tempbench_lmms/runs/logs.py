"""Reads the harness's files of finished runs: results files and sample logs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any

from tempbench_lmms.any_task import records
from tempbench_lmms.any_task.records import ITEMS
from tempbench_lmms.any_task.task import AnyTask, printed
from tempbench_lmms.data import manifests
from tempbench_lmms.data.checks import in_words
from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.data.tables import parse_json, read_json, sha256_of
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.record import HOW, REASON
from tempbench_lmms.runs import unfinished
from tempbench_lmms.runs.task_log import Sample, TaskLog, as_one, edited, sample_log

_TABLES = ("results", "configs", "groups", "group_subtasks", "higher_is_better", "efficiency")


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
        logs += (begun := unfinished.logs_of(path) if partial else [])
        advice = "" if partial else "; add --partial to use what is there"
        finished = _newest(path) if begun else _counting(path, advice)
        for file, tasks in finished.items():
            logs += _read(file, partial, tasks, group_by)
    if not logs:
        raise TempbenchError("none of the results files has a task; give a run's --output_path")
    return logs


def check_results(path: Path) -> None:
    """Checks that a path is a results file, or that some lie below it.

    Raises:
        TempbenchError: There is none.
    """
    _counting(path)


def _counting(path: Path, advice: str = "") -> dict[Path, frozenset[str] | None]:
    """Returns the results files that count, each with the tasks for which it is the newest; None for all."""
    if path.is_file():
        return {path: None}
    found = _newest(path)
    if not found:
        none = f"no results file (*{RESULTS}) in {path}; give the run's --output_path"
        raise TempbenchError(unfinished.said(path, advice) or none)
    return found


def _newest(folder: Path) -> dict[Path, frozenset[str] | None]:
    # If the clock was set back, the last results of a run have an earlier date than its first.
    finished = {one.parent: one for state in folder.rglob(STATE) if (one := finished_results(state))}
    newest: dict[Path, frozenset[str] | None] = {}
    for place in sorted({file.parent for file in folder.rglob(f"*{RESULTS}")}):
        files = [finished[place]] if place in finished else sorted(place.glob(f"*{RESULTS}"), reverse=True)
        seen: frozenset[str] = frozenset()
        for file in files:  # their names begin with the time
            tasks = frozenset(_tasks_in(file))
            if file == files[0] or tasks - seen:
                newest[file] = tasks - seen or None  # None: to be read, and refused, as a whole
            seen |= tasks
    return newest


def _tasks_in(file: Path) -> Iterable[str]:
    try:
        return dict(read_json(file)["configs"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def state_of(results: Path) -> dict[str, Any]:
    """Returns what `tempbench run` stored about the run of a results file; empty if nothing."""
    for folder in (results.parent, results.parent.parent):
        try:
            state = parse_json((folder / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return state if isinstance(state, dict) else {}
    return {}


def finished_results(file: Path) -> Path | None:
    """Returns the results file of a finished `tempbench run`; None if there is none or it is missing."""
    recorded = state_of(file).get("finished")
    if not isinstance(recorded, str):
        return None
    # The folder may have been moved as a whole.
    return next((path for path in file.parent.rglob(Path(recorded).name) if path.is_file()), None)


def sums(results: Path) -> dict[str, str]:
    """Returns the checksums of a results file and its logs, by name."""
    stamp = results.name.removesuffix(RESULTS)
    return manifests.sums(results.parent, [results, *sorted(results.parent.glob(f"{stamp}_samples_*.jsonl"))])


def _changed(results: Path, log: Path, kept: Any) -> list[str]:
    """Returns which of a run's files changed after the run, according to its stored checksums."""
    known = {file: kept.get(file.name) for file in (results, log)} if isinstance(kept, dict) else {}
    return [
        f"{file} was changed after the run, as its checksum shows"
        for file, checksum in known.items()
        if checksum is not None and file.is_file() and sha256_of([file]) != checksum
    ]


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


def _read(file: Path, partial: bool, only: frozenset[str] | None, group_by: str) -> list[TaskLog]:
    try:
        results = read_json(file)
        tables, configs = dict(results["results"]), dict(results["configs"])
        settings = dict(results.get("config") or {})
        found = [task for task in tables if task in configs]
        values = {task: _by_name(dict(tables[task])) for task in found}
        configs = {task: _config(configs[task]) for task in found}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TempbenchError(f"{file} is not a results file of the harness ({in_words(error)})") from None
    if found and (settings.get("resolved_cli_args") or {}).get("predict_only"):
        raise TempbenchError(
            f"{file}: the run was made with --predict_only, which computes no scores; run it again without it"
        )
    state = state_of(file)
    name = state.get("name")
    logs = []
    for task in found if only is None else [task for task in found if task in only]:
        samples, problems = _with_problems(file, task, results, configs[task], state, partial)
        log = TaskLog(
            task=task,
            benchmark=task_files()[task].parent.name if task in task_files() else "",
            model=str(results.get("model_name") or settings.get("model") or "model"),
            arguments=SimpleNamespace(model=settings.get("model"), model_args=settings.get("model_args")),
            values=values[task],
            config=configs[task],
            samples=samples,
            file=file,
            problems=problems,
            header={key: value for key, value in results.items() if key not in _TABLES},
            name=name if isinstance(name, str) else "",
        )
        logs.append(log if log.benchmark else _of_any_task(log, results, group_by))
    return logs


def _of_any_task(log: TaskLog, results: Any, group_by: str) -> TaskLog:
    """Returns the log of a task from outside this package, with the metrics that the rules find."""
    higher = dict((results.get("higher_is_better") or {}).get(log.task) or {})
    records = [sample.record for sample in log.samples]
    other = AnyTask(
        log.task, log.values, higher, records, log.config, group_by, _groups_of(log.task, results)
    )
    return replace(
        log,
        other=other,
        values=log.values | {name: one.value for name, one in other.metrics.items()},
        samples=tuple(replace(one, metrics=other.given(one.record)) for one in log.samples),
    )


def _groups_of(task: str, results: Any) -> dict[str, float]:
    """Returns the numbers that the harness printed for the groups of tasks that a task belongs to."""
    tables, members = results.get("groups") or {}, results.get("group_subtasks") or {}
    return {
        f"{group}: {name}": one.value
        for group, table in tables.items()
        if task in (members.get(group) or ())
        for name, one in printed(_by_name(table)).items()
        if "_stderr" not in name
    }


def _config(own: Any) -> dict[str, Any]:
    """Returns a task's configuration, with a list of `metadata` tables merged into one."""
    config = dict(own)
    if isinstance(parts := config.get("metadata"), list):
        config["metadata"] = {key: value for part in parts for key, value in dict(part).items()}
    return config


def _by_name(table: dict[str, Any]) -> dict[str, Any]:
    """Returns numbers by metric, without the name of the filter where a metric has only one."""
    counts = Counter(key.partition(",")[0] for key in table)
    return {(name if counts[name := key.partition(",")[0]] == 1 else key): table[key] for key in table}


def _with_problems(
    file: Path, task: str, results: Any, config: dict[str, Any], state: dict[str, Any], partial: bool
) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    """Returns the valid lines of a task's log, and what is wrong with the others."""
    log = sample_log(file, task)
    samples, problems = _samples(log, task, config)
    with edited(file):
        expected = ((results.get("n-samples") or {}).get(task) or {}).get("effective")
        then = config.get("metadata") or {}
        now = load_task(task)["metadata"] if task in task_files() else {}
        versions = {key: (then.get(key), now[key]) for key in ("version", "prompts") if key in now}
    n = len(samples)
    if log.is_file() and not problems and expected not in (None, n):
        problems.append(f"{log.name}: {n} lines for the run's {expected} questions")
    problems += _changed(file, log, state.get(manifests.TABLES))
    problems += [
        f"{task}: the run has {key} {old} of the task, this package {new}"
        for key, (old, new) in versions.items()
        if old != new
    ]
    if problems and not partial:
        more = f" (and {counted(len(problems) - 1, 'more problem')})" if problems[1:] else ""
        raise TempbenchError(f"{problems[0]}{more}; add --partial to use its {counted(n, 'readable line')}")
    return tuple(samples), tuple(problems)


def _samples(path: Path, task: str, config: dict[str, Any]) -> tuple[list[Sample], list[str]]:
    """Returns the valid lines of a log, and one line for each problem with the others."""
    if not path.is_file():
        return [], []
    samples: list[Sample] = []
    damage: dict[str, list[str]] = {}
    is_ours = task in task_files()
    metrics = {*adapter.names_in(load_task(task))} if is_ours else set()
    try:
        then = adapter.names_in(config)
    except (KeyError, TypeError):
        then = ()  # which only lines that need it have
    seen: set[Any] = set()
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                sample = _sample(parse_json(line), then, is_ours)
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                damage.setdefault("cut off or not a log line", []).append(f"{number} ({in_words(error)})")
                continue
            if sample.record["id"] in seen or sample.doc_id in seen:
                damage.setdefault("repeat a question or its doc_id", []).append(f"{number} ({sample.id})")
            elif is_ours and not {name.removesuffix("_stderr") for name in sample.metrics} <= metrics:
                damage.setdefault("of another task", []).append(str(number))
            else:
                seen |= {sample.record["id"], sample.doc_id}
                samples.append(sample)
    return samples, [
        f"{path.name}: {counted(len(found), 'line')} {what}, first line {found[0]}"
        for what, found in damage.items()
    ]


def _sample(row: Any, metrics: tuple[str, ...], is_ours: bool) -> Sample:
    """Returns a line of a log."""
    if is_ours:
        record = _sound(row["record"])
        given = adapter.given_to(row, metrics)
    else:
        record = records.record_of(row, {*metrics})
        given = frozenset(record[ITEMS])
    counts, whole = row.get("token_counts"), row.get("resps")
    last = counts[-1] if isinstance(counts, list) and counts and isinstance(counts[-1], dict) else None
    n_tokens, n_given = ((last or {}).get(f"{kind}_tokens") for kind in ("output", "input"))
    # The harness unwraps single replies from their lists, and leaves out equal ones.
    first = whole[0] if isinstance(whole, list) and whole else whole
    return Sample(
        record=record,
        metrics=given,
        prompt=str(row.get("input", "")),
        reply=adapter.reply_of([row.get("filtered_resps", "")]),
        doc_id=int(row["doc_id"]),
        target=str(row.get("target", "")),
        n_tokens=n_tokens if isinstance(n_tokens, int) else None,
        n_given=n_given if isinstance(n_given, int) else None,
        whole=first if isinstance(first, str) else None,
    )


def _sound(record: dict[str, Any]) -> dict[str, Any]:
    """Returns a record with fields of the right types."""
    wrong = [name for name in ("parsed", "failed") if not isinstance(record[name], int)]
    wrong += [name for name in (*HOW, *REASON) if not isinstance(record.get(name), (str, NoneType))]
    if wrong:
        raise TypeError(f"{wrong[0]} is {one_line(repr(record[wrong[0]]))[:80]}")
    hash(record["id"])  # a list is not an id
    return record
