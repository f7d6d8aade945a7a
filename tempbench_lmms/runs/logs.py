"""Reads what the harness wrote of finished runs: results files and sample logs."""

import contextlib
import functools
import inspect
import zoneinfo
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any, NoReturn

from tempbench_lmms.data import prepared
from tempbench_lmms.data.checks import in_words
from tempbench_lmms.data.run_files import REPEAT, STATE
from tempbench_lmms.data.tables import parse_json, read_json, sha256_of
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.data.texts import original
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, log_lines
from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.record import Metric, Record
from tempbench_lmms.record_reading import HOW, REASON, at_limit

_RESULTS = "_results.json"
_ZONE = "Asia/Singapore"
"""The harness's own where `--timezone` names none."""
_TABLES = ("results", "configs", "groups", "group_subtasks", "higher_is_better", "efficiency")


@dataclass(frozen=True)
class Sample:
    """One answered question of a log.

    Attributes:
        record: What `process_results` kept of it.
        metrics: Names of the metrics that it was given to.
        prompt: The text of the question.
        reply: The model's reply, reasoning stripped as the harness strips it, in the form that every file
            can hold (`data.texts`).
        doc_id: Its number in the task.
        target: A right reply.
        n_tokens: Length of the reply in tokens, if the runner reports it.
        whole: The reply before the harness stripped it; None where that is the same.
    """

    record: Record
    metrics: frozenset[str]
    prompt: str
    reply: str
    doc_id: int
    target: str
    n_tokens: int | None = None
    whole: str | None = None

    @property
    def as_it_came(self) -> str:
        """The whole reply, with the characters that no file can hold where it had some; not for printing."""
        return original(self.reply if self.whole is None else self.whole)

    def is_full(self, limit: int | None) -> bool:
        """Whether the reply is known to have as many tokens as there may be."""
        return limit is not None and self.n_tokens is not None and self.n_tokens >= limit


@dataclass(frozen=True)
class TaskLog:
    """One task of one run.

    Attributes:
        task: The task's name.
        benchmark: The benchmark that it belongs to.
        model: The model's name, as the harness writes it.
        arguments: The harness's command line as far as aggregations read it: `model` and `model_args`.
        values: The metrics as the run printed them, "-" where undefined.
        config: The task's configuration in the results file.
        samples: The log; empty where the run kept none.
        file: The results file.
        problems: What is wrong with the log, one line each.
        header: What the results file says of the run as a whole: versions, settings, seeds, date.
        name: What the user calls the run; empty where nothing was chosen.
        repeats: The task in every repeat, this one the first, where they count as one run; else empty.
    """

    task: str
    benchmark: str
    model: str
    arguments: SimpleNamespace
    values: dict[str, Any]
    config: dict[str, Any]
    samples: tuple[Sample, ...]
    file: Path
    problems: tuple[str, ...]
    header: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    repeats: tuple["TaskLog", ...] = ()

    def beside(self, name: str) -> Path:
        """Returns the file of this run that is called `name` and its task, as `samples_TASK`."""
        return self.file.with_name(f"{self.file.name.removesuffix(_RESULTS)}_{name}_{self.task}")

    @property
    def repeat(self) -> tuple[Path, int] | None:
        """Of a repeat (`tempbench run --repeats`) the folder of all of them, and its number."""
        for folder in (self.file.parent, self.file.parent.parent):
            number = folder.name.removeprefix(REPEAT)
            if folder.name.startswith(REPEAT) and number.isdecimal() and (folder / STATE).is_file():
                return folder.parent, int(number)
        return None

    @property
    def log_file(self) -> Path:
        """Its sample log, whether there is one or not."""
        return self.beside("samples").with_suffix(".jsonl")

    @property
    def no_samples(self) -> str:
        """Why it has no samples, and what to do."""
        arguments = (self.header.get("config") or {}).get("resolved_cli_args") or {}
        if self.log_file.is_file():
            return f"{self.log_file}: no line of it can be used; run it again"
        if arguments.get("log_samples"):
            return (
                f"{self.file}: the run has written a log of {self.task}, and it is not there; put it back "
                "beside the results"
            )
        return f"{self.file} has no sample log of {self.task}; run the harness with --log_samples"

    @property
    def token_limit(self) -> int | None:
        """The number of tokens at which generation stopped, where known."""
        limit = (self.config.get("generation_kwargs") or {}).get("max_new_tokens")
        return limit if isinstance(limit, int) else None

    def with_limit(self, sample: Sample) -> Record:
        """Returns a sample's record with the reason `cut_off` where its reply ended at the token limit.

        The run itself cannot tell: the harness gives its hooks the reply alone, and writes the number of
        tokens into the log where the runner counts them.
        """
        return at_limit(sample.record) if sample.is_full(self.token_limit) else sample.record

    @property
    def details(self) -> dict[str, Any]:
        """The nested tables of the run; empty where it has none."""
        found = self.values.get("details")
        return found if isinstance(found, dict) else {}

    @property
    def records(self) -> list[Record]:
        """The records, sorted by id."""
        return sorted((sample.record for sample in self.samples), key=lambda record: str(record["id"]))


def read_runs(paths: Iterable[Path], partial: bool = False) -> list[TaskLog]:
    """Returns the tasks of this package in the newest results of each folder, or in the files named.

    A folder may hold the results of several runs: of each task the newest ones count.

    Args:
        paths: Folders given to the harness as `--output_path`, or results files.
        partial: Use what can be read of a damaged log, or what an unfinished run has answered; the problems
            are kept in `problems`.

    Raises:
        TempbenchError: There is no results file, none of our tasks in it, or a log is damaged.
    """
    logs: list[TaskLog] = []
    for path in paths:
        if partial and not path.is_file() and not _newest_of_each_folder(path):
            from tempbench_lmms.runs import unfinished  # it needs this module, and what makes requests

            if found := unfinished.logs_of(path):
                logs += found
                continue
        for file, tasks in _counting(path, "; add --partial to show what is there").items():
            logs += _read(file, partial, tasks)
    if not logs:
        raise TempbenchError("none of the results files has a task of this package; see `tempbench tasks`")
    return logs


def results_files(path: Path) -> list[Path]:
    """Returns the results files below a path with the newest results of a task, or the path itself, a file.

    Raises:
        TempbenchError: There is none.
    """
    return list(_counting(path))


def _counting(path: Path, advice: str = "") -> dict[Path, frozenset[str] | None]:
    """Returns the results files that count, each with the tasks of which it has the newest; None for all.

    Args:
        path: A folder, or a results file.
        advice: What else can be done about a run that is unfinished, for the message.
    """
    if path.is_file():
        return {path: None}
    if not (files := _newest_of_each_folder(path)):
        from tempbench_lmms.runs import unfinished

        none = f"no results file (*{_RESULTS}) in {path}; give the run's --output_path"
        raise TempbenchError(unfinished.said(path, advice) or none)
    return files


@contextlib.contextmanager
def edited(file: Path | str) -> Iterator[None]:
    """Turns what odd values of a log lead to into one line: it was edited, or is of another version.

    Args:
        file: Whose log it is, for the message.

    Raises:
        TempbenchError: A value has another type than the hooks wrote, or is missing.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise TempbenchError(
            f"{file}: the log was edited, or another version wrote it ({one_line(repr(error))[:200]}); "
            "run it again, or see `tempbench rescore --reparse`"
        ) from None


def _newest_of_each_folder(folder: Path) -> dict[Path, frozenset[str] | None]:
    found: dict[Path, list[Path]] = {}
    for file in sorted(folder.rglob(f"*{_RESULTS}")):
        found.setdefault(file.parent, []).append(file)
    newest: dict[Path, frozenset[str] | None] = {}
    # A clock that was set back dates the last results of a run before its first ones.
    finished = {one.parent: one for state in folder.rglob(STATE) if (one := finished_results(state))}
    for place, files in found.items():
        files = [finished[place]] if place in finished else files
        newest |= {files[0]: None} if len(files) == 1 else _newest_of_each_task(files)
    return newest


def _newest_of_each_task(files: Sequence[Path]) -> dict[Path, frozenset[str] | None]:
    """Returns of a folder's results files those with the newest results of a task, the last run first.

    Replies that were not scored (`--predict_only`) count for what no other file has.
    """
    seen: frozenset[str] = frozenset()
    newest: dict[Path, frozenset[str] | None] = {}
    ours = task_files().keys()
    headers = {file: _header(file) for file in files}

    def rank(file: Path) -> tuple[Any, ...]:
        return not _predicts_only(headers[file].get("config")), _began(file, headers[file]), file.name

    for file in sorted(files, key=rank, reverse=True):
        tables = headers[file].get("results")
        tasks = frozenset(tables) & ours if isinstance(tables, dict) else frozenset()
        if not newest or tasks - seen:
            newest[file] = tasks - seen or None  # None: to be read, and refused, as a whole
        seen |= tasks
    return newest


def _header(file: Path) -> dict[str, Any]:
    """Returns what a results file holds; empty where it cannot be read."""
    try:
        found = read_json(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _began(file: Path, results: dict[str, Any]) -> float:
    """Returns when a run began, in seconds since 1970, whatever `--timezone` it was given.

    The harness writes date and time of that zone into the results file and its name. Where neither is a
    date, the time of the file's last change has to do.
    """
    with contextlib.suppress(TypeError, AttributeError, ValueError, KeyError, OSError):
        arguments = (results.get("config") or {}).get("resolved_cli_args") or {}
        zone = zoneinfo.ZoneInfo(arguments.get("timezone") or _ZONE)
        written = results.get("date") or file.name.removesuffix(_RESULTS)
        return datetime.strptime(written, "%Y%m%d_%H%M%S").replace(tzinfo=zone).timestamp()
    return file.stat().st_mtime


def given_name(results: Path) -> str:
    """Returns what `tempbench run --name` called the run of a results file; empty where it did not."""
    name = _state_beside(results).get("name")
    return name if isinstance(name, str) else ""


def _state_beside(results: Path) -> dict[str, Any]:
    """Returns what `tempbench run` keeps of the run of a results file; empty where it keeps nothing."""
    for folder in (results.parent, results.parent.parent):
        try:
            state = parse_json((folder / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return state if isinstance(state, dict) else {}
    return {}


def _changed(results: Path, log: Path) -> list[str]:
    """Returns which of a run's files was changed when it was finished, as far as its checksums are kept."""
    kept = _state_beside(results).get(prepared.KEY)
    known = {file: kept.get(file.name) for file in (results, log)} if isinstance(kept, dict) else {}
    return [
        f"{file} was changed after the run, as its checksum shows"
        for file, checksum in known.items()
        if checksum is not None and file.is_file() and sha256_of([file]) != checksum
    ]


def finished_results(state: Path) -> Path | None:
    """Returns the results file of a finished `tempbench run`; None where there is none, or it is gone."""
    try:
        return results_of(parse_json(state.read_text(encoding="utf-8")), state.parent)
    except (OSError, ValueError):
        return None


def results_of(state: Any, folder: Path) -> Path | None:
    """Returns the results file that the state of a run names; None where there is none, or it is gone.

    Args:
        state: What the file `STATE` holds.
        folder: Where that file lies.
    """
    recorded = state.get("finished") if isinstance(state, dict) else None
    if not isinstance(recorded, str):
        return None
    # The folder may have been moved as a whole.
    return next((path for path in folder.rglob(Path(recorded).name) if path.is_file()), None)


def by_repeat(logs: Iterable[TaskLog]) -> list[list[TaskLog]]:
    """Returns the repeats of each task that was repeated, by their numbers."""
    found: dict[tuple[Any, ...], list[tuple[int, TaskLog]]] = {}
    for log in logs:
        if log.repeat is not None:
            folder, number = log.repeat
            of_model = (log.model, log.arguments.model, log.arguments.model_args)
            found.setdefault((folder, log.task, *of_model), []).append((number, log))
    return [
        [log for _, log in sorted(own, key=lambda one: one[0])]
        for own in found.values()
        if len({number for number, _ in own}) > 1
    ]


def with_repeats_as_one(logs: Sequence[TaskLog]) -> list[TaskLog]:
    """Returns logs in which a task's repeats are one: the first, which has all of them."""
    groups = by_repeat(logs)
    firsts = {id(own[0]): replace(own[0], repeats=tuple(own)) for own in groups}
    further = {id(one) for own in groups for one in own[1:]}
    return [firsts.get(id(log), log) for log in logs if id(log) not in further]


def by_task(logs: Sequence[TaskLog], path: Path) -> dict[str, TaskLog]:
    """Returns the logs of a run by task.

    Raises:
        TempbenchError: It holds a task twice, or one without a log.
    """
    out: dict[str, TaskLog] = {}
    for log in logs:
        if log.task in out:
            first, one = out[log.task], "one results file"
            if log.repeat is not None:
                one = f"one of the repeats, as {log.repeat[0] / REPEAT}{log.repeat[1]}"
            raise TempbenchError(f"{path} holds {log.task} twice ({first.file} and {log.file}); give {one}")
        if empty := [repeat for repeat in log.repeats or (log,) if not repeat.samples]:
            raise TempbenchError(empty[0].no_samples)
        out[log.task] = log
    return out


def _read(file: Path, partial: bool, only: frozenset[str] | None = None) -> list[TaskLog]:
    try:
        results = read_json(file)
        tables, configs = dict(results["results"]), dict(results["configs"])
        settings = dict(results.get("config") or {})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TempbenchError(f"{file} is not a results file of the harness ({in_words(error)})") from None
    ours = task_files()
    stamp = file.name.removesuffix(_RESULTS)
    name = given_name(file)
    logs = []
    for task, table in tables.items():
        if task not in ours or task not in configs or (only is not None and task not in only):
            continue
        if not isinstance(table, dict) or not isinstance(configs[task], dict):
            raise TempbenchError(f"{file} is not a results file of the harness ({task} is not a table in it)")
        log = file.with_name(f"{stamp}_samples_{task}.jsonl")
        if not partial:
            _check_scored(file, settings)
        samples, problems = _samples(log, task, configs[task])
        expected = _n_asked(results, task, file) if log.is_file() else None
        if not problems and expected is not None and expected != len(samples):
            problems.append(f"{log.name}: {len(samples)} lines for the run's {expected} questions")
        problems += [*_changed(file, log), *_of_another_version(task, configs[task])]
        if problems and not partial:
            _refuse(problems, len(samples), log, expected)
        logs.append(
            TaskLog(
                task=task,
                benchmark=ours[task].parent.name,
                model=str(results.get("model_name") or settings.get("model") or "model"),
                arguments=SimpleNamespace(
                    model=settings.get("model"),
                    model_args=settings.get("model_args"),
                ),
                values={key.removesuffix(",none"): value for key, value in table.items()},
                config=configs[task],
                samples=tuple(samples),
                file=file,
                problems=tuple(problems),
                header={key: value for key, value in results.items() if key not in _TABLES},
                name=name,
            )
        )
    return logs


def _predicts_only(settings: Any) -> bool:
    arguments = settings.get("resolved_cli_args") if isinstance(settings, dict) else None
    return isinstance(arguments, dict) and bool(arguments.get("predict_only"))


def _check_scored(file: Path, settings: dict[str, Any]) -> None:
    if _predicts_only(settings):
        raise TempbenchError(
            f"{file}: the run was made with --predict_only, which scores nothing; run it again without"
        )


def _n_asked(results: dict[str, Any], task: str, file: Path) -> Any:
    """Returns how many questions a results file says that a task was asked, unchecked; or None."""
    with edited(file):
        found = ((results.get("n-samples") or {}).get(task) or {}).get("effective")
    if found is not None and not isinstance(found, int):
        raise TempbenchError(
            f"{file}: n-samples of {task} is {one_line(repr(found))[:80]}, which is no number: the file was "
            "edited; put back what the run has written"
        )
    return found


def _refuse(problems: Sequence[str], n_sound: int, log: Path, expected: Any) -> NoReturn:
    more = f" (and {counted(len(problems) - 1, 'more problem')})" if problems[1:] else ""
    if not n_sound and log.is_file():
        raise TempbenchError(
            f"{problems[0]}{more}, and no line of it can be used; run it again, or show the numbers of the "
            "results file alone with `tempbench report --partial`"
        )
    # The other run has the questions that this log lost.
    hint = " (`compare` needs --anyway, too)" if isinstance(expected, int) and n_sound < expected else ""
    raise TempbenchError(
        f"{problems[0]}{more}; add --partial to go on with its {counted(n_sound, 'sound line')}{hint}"
    )


def _of_another_version(task: str, config: dict[str, Any]) -> list[str]:
    then, now = config.get("metadata") or {}, load_task(task)["metadata"]
    return [
        f"{task}: the run has {key} {then.get(key)} of the task, this package {now[key]}"
        for key in ("version", "prompts")
        if key in now and then.get(key) != now[key]
    ]


def _samples(path: Path, task: str, config: dict[str, Any]) -> tuple[list[Sample], list[str]]:
    samples: list[Sample] = []
    damage = _Damage(path.name)
    metrics = {*log_lines.names_in(load_task(task))}
    then = _names_then(config)
    if not path.is_file():
        return samples, []
    seen: set[Any] = set()
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = parse_json(line)
                record = row["record"]
                sample = Sample(
                    record=record,
                    metrics=log_lines.given_to(row, then),
                    prompt=str(row.get("input", "")),
                    reply=adapter.reply_of([row.get("filtered_resps", "")]),
                    doc_id=int(row["doc_id"]),
                    target=str(row.get("target", "")),
                    n_tokens=_n_tokens(row.get("token_counts")),
                    whole=_whole(row.get("resps")),
                )
                _check_record(record)
                repeated = record["id"] in seen or sample.doc_id in seen
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                if isinstance(error, KeyError) and error.args == ("metric_list",):
                    damage.note(number, _NO_LIST)
                else:
                    damage.note(number, _NO_LINE, in_words(error))
                continue
            if repeated:
                damage.note(number, _REPEATED, str(record["id"]))
                continue
            if not {name.removesuffix("_stderr") for name in sample.metrics} <= metrics:
                damage.note(number, _OF_OTHERS)
                continue
            seen |= {record["id"], sample.doc_id}
            samples.append(sample)
    return samples, damage.sentences


def _check_record(record: Record) -> None:
    """Checks the fields of a record that every benchmark has.

    Raises:
        KeyError: One is missing.
        TypeError: One has a value that no hook writes.
    """
    if not {"id", "parsed", "failed"} <= set(record):
        raise KeyError("id, parsed or failed")
    for name in ("parsed", "failed"):
        if not isinstance(record[name], int):
            raise TypeError(f"{name} is {one_line(repr(record[name]))[:80]}")
    for name in (*HOW, *REASON):
        if not isinstance(record.get(name), (str, NoneType)):
            raise TypeError(f"{name} is {one_line(repr(record[name]))[:80]}")


def _names_then(config: dict[str, Any]) -> tuple[str, ...]:
    """Returns the metrics of a run; none where its list is odd, which only the lines that need it say."""
    try:
        return log_lines.names_in(config)
    except (KeyError, TypeError):
        return ()


_NO_LIST = (
    "needs the metric_list of the results file, which has none: that was edited",
    "need the metric_list of the results file, which has none: that was edited",
)
_NO_LINE = ("is cut off or not a log line", "are cut off or not log lines")
_REPEATED = ("repeats a question or its doc_id", "repeat questions or their doc_ids")
_OF_OTHERS = ("belongs to another task", "belong to another task")


class _Damage:
    """What is wrong with a log's lines: one sentence for all lines with which the same is."""

    def __init__(self, log: str) -> None:
        self._log = log
        self._found: dict[tuple[str, str], list[tuple[int, str]]] = {}

    def note(self, number: int, kind: tuple[str, str], detail: str = "") -> None:
        """Notes a line, and what is to be known of it."""
        self._found.setdefault(kind, []).append((number, f" ({detail})" if detail else ""))

    @property
    def sentences(self) -> list[str]:
        """What is wrong, by kinds."""
        return [
            f"{self._log}: line {lines[0][0]} {one}{lines[0][1]}"
            if len(lines) == 1
            else f"{self._log}: {len(lines):,} lines {several}, first line {lines[0][0]}{lines[0][1]}"
            for (one, several), lines in self._found.items()
        ]


def _n_tokens(counts: Any) -> int | None:
    last = counts[-1] if isinstance(counts, list) and counts else None
    found = last.get("output_tokens") if isinstance(last, dict) else None
    return found if isinstance(found, int) else None


def _whole(replies: Any) -> str | None:
    # The harness takes single replies out of their lists, and leaves out what is the same.
    first = replies[0] if isinstance(replies, list) and replies else replies
    return first if isinstance(first, str) else None


def recompute(log: TaskLog, samples: Sequence[Sample] | None = None) -> dict[str, Any]:
    """Returns a task's metrics computed again from its log, as the harness would print them.

    Args:
        log: The task.
        samples: Other samples than the log's own.
    """
    samples = log.samples if samples is None else samples
    values: dict[str, Any] = {}
    for entry in load_task(log.task)["metric_list"]:
        name: str = entry["metric"]
        # The harness aggregates a metric only where a document gave it something.
        items = [Item(sample.record) for sample in samples if name in sample.metrics]
        if items:
            with edited(log.file), adapter.strictly():
                values[name] = _with_arguments(entry["aggregation"], log)(items)
    return values


def _with_arguments(function: Callable[..., Any], log: TaskLog) -> Callable[..., Any]:
    # As the harness does: its command line goes to a parameter of this name.
    if _takes_arguments(function):
        return functools.partial(function, args=log.arguments)
    return function


@functools.cache
def _takes_arguments(function: Callable[..., Any]) -> bool:
    return "args" in inspect.signature(function).parameters


@dataclass(frozen=True)
class MetricOfRun:
    """A metric of a task with the records that it is computed over.

    Attributes:
        name: Its name.
        metric: The function.
        records: The records that the run gave to it, sorted by id.
        higher_is_better: Whether it is.
        headline: Whether it is one of the metrics to look at first.
        needs_encoder: Whether a model scores the replies.
    """

    name: str
    metric: Metric
    records: tuple[Record, ...]
    higher_is_better: bool
    headline: bool = False
    needs_encoder: bool = False

    def __call__(self, records: Sequence[Record] | None = None) -> Any:
        """Returns the metric over all records, or over others: a `Ratio`, a count, or the like."""
        return self.metric(self.records if records is None else records)


def metrics_of(log: TaskLog) -> list[MetricOfRun]:
    """Returns a task's metrics as functions of records, for more than their values.

    Standard errors and nested tables are none; metrics that no question was given to are left out.
    """
    out = []
    ordered = sorted(log.samples, key=lambda sample: str(sample.record["id"]))
    # Most questions are given to the same metrics: these share the records, of which there may be very many.
    kinds = [frozenset(sample.metrics) for sample in ordered]
    distinct = set(kinds)
    known: dict[frozenset[frozenset[str]], tuple[Record, ...]] = {}
    for row in adapter.rows_of(load_task(log.task)):
        wanted = frozenset(kind for kind in distinct if row.name in kind)
        if wanted not in known:
            pairs = zip(ordered, kinds, strict=True)
            known[wanted] = tuple(sample.record for sample, kind in pairs if kind in wanted)
        if records := known[wanted]:
            metric = _with_arguments(row.metric, log)
            higher = row.better != "lower"
            out.append(MetricOfRun(row.name, metric, records, higher, row.headline, row.needs_encoder))
    return out
