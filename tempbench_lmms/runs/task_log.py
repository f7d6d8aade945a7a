"""One task of one run: its results, its answered questions, and its metrics as functions of records."""

import contextlib
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.any_task.records import ITEMS, record_of
from tempbench_lmms.any_task.task import AnyTask, printed
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data import manifests
from tempbench_lmms.data.checks import in_words
from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.data.tables import parse_json, read_json, sha256_of
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.record import HOW, REASON, Metric, Record, Row, at_limit

_TABLES = ("results", "configs", "groups", "group_subtasks", "higher_is_better", "efficiency")


@dataclass(frozen=True)
class Sample:
    """One answered question of a log."""

    record: Record  # from `process_results`
    metrics: frozenset[str]  # the names of those that it enters
    prompt: str  # the text of the question
    reply: str  # as the harness strips it, in a form that every file can hold (`data.user_files`)
    doc_id: int  # the question's number in the task
    target: str  # a right reply
    n_tokens: int | None = None  # length of the reply, if the runner reports it
    n_given: int | None = None  # length of the prompt with its media, likewise
    whole: str | None = None  # the reply before the harness stripped it; None if equal

    @property
    def id(self) -> str:
        """The question's id."""
        return str(self.record["id"])

    @property
    def as_it_came(self) -> str:
        """The whole reply."""
        return self.reply if self.whole is None else self.whole

    def is_full(self, limit: int | None) -> bool:
        """Returns whether the reply is known to have reached the token limit."""
        return limit is not None and self.n_tokens is not None and self.n_tokens >= limit


@dataclass(frozen=True)
class TaskLog:
    """One task of one run."""

    task: str
    benchmark: str  # empty for a task that is not ours
    model: str  # as the harness writes its name
    arguments: SimpleNamespace  # `model` and `model_args`, which aggregations read
    values: dict[str, Any]  # the metrics as printed, "-" where undefined
    config: dict[str, Any]  # the task's, in the results file
    samples: tuple[Sample, ...]  # empty if the run stored none
    file: Path  # the results file
    problems: tuple[str, ...]  # of the log, one line each
    header: dict[str, Any] = field(default_factory=dict)  # versions, settings, seeds and date of the run
    name: str = ""  # the user's for the run
    repeats: tuple["TaskLog", ...] = ()  # all, this one first, if they count as one run
    other: AnyTask | None = None  # what the rules for any task found

    @property
    def section(self) -> str:
        """The benchmark, or the task itself if it is from outside this package."""
        return self.benchmark or self.task

    @property
    def card(self) -> BenchmarkCard:
        """The card of the benchmark, or of the task."""
        return self.other.card if self.other else benchmarks.card(self.benchmark)

    @property
    def rows(self) -> list[Row]:
        """The task's metrics that are functions of records."""
        return self.other.rows if self.other else adapter.rows_of(load_task(self.task))

    @property
    def each(self) -> tuple["TaskLog", ...]:
        """Its repeats; only itself if it has none."""
        return self.repeats or (self,)

    def beside(self, name: str) -> Path:
        """Returns the file of this run named `name` and its task, such as `samples_TASK`."""
        return self.file.with_name(f"{self.file.name.removesuffix(RESULTS)}_{name}_{self.task}")

    @property
    def repeat(self) -> tuple[Path, int] | None:
        """The folder of all repeats and this one's number, for `tempbench run --repeats`."""
        for folder in (self.file.parent, self.file.parent.parent):
            number = folder.name.removeprefix(REPEAT)
            if folder.name.startswith(REPEAT) and number.isdecimal() and (folder / STATE).is_file():
                return folder.parent, int(number)
        return None

    @property
    def is_unfinished(self) -> bool:
        """Whether the run is still in progress, or was interrupted."""
        return self.file.name == STATE

    @property
    def log_file(self) -> Path:
        """The path of its sample log, which may not exist."""
        return sample_log(self.file, self.task)

    @property
    def settings(self) -> dict[str, Any]:
        """The harness's settings in the results file."""
        return self.header.get("config") or {}

    @property
    def options(self) -> dict[str, Any]:
        """The harness's command line, which newer versions store."""
        return self.settings.get("resolved_cli_args") or {}

    @property
    def no_samples(self) -> str:
        """A message about missing samples: why, and what to do."""
        if self.log_file.is_file():
            return f"{self.log_file}: no line of it can be used; run it again"
        if self.options.get("log_samples"):
            return f"{self.file}: the log of {self.task} is missing; put it back beside the results"
        return f"{self.file} has no sample log of {self.task}; run the harness with --log_samples"

    @property
    def token_limit(self) -> int | None:
        """The largest number of tokens of a reply, if known."""
        limit = (self.config.get("generation_kwargs") or {}).get("max_new_tokens")
        return limit if isinstance(limit, int) else None

    def with_limit(self, sample: Sample) -> Record:
        """Returns a sample's record, with the reason `cut_off` if its reply ended at the token limit.

        The run itself cannot know: the harness gives its hooks only the reply, and writes the number of
        tokens into the log if the runner counts them.
        """
        return at_limit(sample.record) if sample.is_full(self.token_limit) else sample.record

    @property
    def details(self) -> dict[str, Any]:
        """The nested tables of the run; empty if it has none."""
        found = self.values.get("details")
        return found if isinstance(found, dict) else {}

    @property
    def records(self) -> list[Record]:
        """The records, sorted by id."""
        return sorted((sample.record for sample in self.samples), key=lambda record: str(record["id"]))


def as_one(logs: Sequence[TaskLog]) -> TaskLog:
    """Returns the first repeat of a task, with all repeats attached."""
    return replace(logs[0], repeats=tuple(logs) if len(logs) > 1 else ())


def sample_log(results: Path, task: str) -> Path:
    """Returns the path of a task's sample log, given its results file."""
    return results.with_name(f"{results.name.removesuffix(RESULTS)}_samples_{task}.jsonl")


@contextlib.contextmanager
def edited(file: Path | str) -> Iterator[None]:
    """Turns errors from unexpected values of a log into one line: it was edited, or another version wrote it.

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


def scored(
    config: Mapping[str, Any], doc: Mapping[str, Any], reply: str, number: int = 0, prompt: str = ""
) -> Sample:
    """Returns the sample that the task's own scoring makes from a reply; nothing else makes records."""
    out = config["process_results"](doc, [reply])
    given = frozenset(name for name, value in out.items() if isinstance(value, Item))
    return Sample(out["record"], given, prompt, reply, number, str(doc.get("target", "")))


def recompute(log: TaskLog, samples: Sequence[Sample] | None = None) -> dict[str, Any]:
    """Computes a task's metrics again from its log, as the harness would print them."""
    samples = log.samples if samples is None else samples
    values: dict[str, Any] = {}
    for entry in load_task(log.task)["metric_list"]:
        name: str = entry["metric"]
        # The harness aggregates a metric only if some document entered it.
        if items := [Item(sample.record) for sample in samples if name in sample.metrics]:
            with edited(log.file), adapter.strictly():
                values[name] = with_arguments(entry["aggregation"], log.arguments)(items)
    return values


def with_arguments(function: Callable[..., Any], arguments: SimpleNamespace) -> Callable[..., Any]:
    """Binds the harness's command line to a function's parameter `args`, as the harness does."""
    takes_them = "args" in inspect.signature(function).parameters
    return functools.partial(function, args=arguments) if takes_them else function


@dataclass(frozen=True)
class MetricOfRun:
    """A metric of a task with the records that enter it, sorted by id."""

    name: str
    metric: Metric
    records: tuple[Record, ...]
    higher_is_better: bool
    headline: bool = False
    needs_encoder: bool = False

    def __call__(self, records: Sequence[Record] | None = None) -> Any:
        """Computes the metric over its own or other records: a `Ratio`, a count, or the like."""
        return self.metric(self.records if records is None else records)


def metrics_of_all(logs: Sequence[TaskLog]) -> dict[str, list[MetricOfRun]]:
    """Returns the metrics that all repeats of a task have, by name."""
    found: dict[str, list[MetricOfRun]] = {}
    for metric in (metric for log in logs for metric in metrics_of(log)):
        found.setdefault(metric.name, []).append(metric)
    return {name: own for name, own in found.items() if len(own) == len(logs)}


def metrics_of(log: TaskLog) -> list[MetricOfRun]:
    """Returns a task's metrics as functions of records, for more than their values.

    Standard errors, nested tables, and metrics that no question enters are left out.
    """
    out = []
    ordered = sorted(log.samples, key=lambda sample: sample.id)
    known: dict[frozenset[frozenset[str]], tuple[Record, ...]] = {}
    kinds = {sample.metrics for sample in ordered}
    for row in log.rows:
        wanted = frozenset(kind for kind in kinds if row.name in kind)
        if wanted not in known:  # many metrics share one tuple
            known[wanted] = tuple(sample.record for sample in ordered if sample.metrics in wanted)
        if records := known[wanted]:
            metric, higher = with_arguments(row.metric, log.arguments), row.better != "lower"
            out.append(MetricOfRun(row.name, metric, records, higher, row.headline, row.needs_encoder))
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


def state_beside(results: Path) -> dict[str, Any]:
    """Returns what `tempbench run` stored about the run of a results file; empty if nothing."""
    for folder in (results.parent, results.parent.parent):
        with contextlib.suppress(TempbenchError):
            if state := state_of(folder):
                return state
    return {}


def read_results(file: Path, partial: bool, only: frozenset[str] | None, group_by: str) -> list[TaskLog]:
    """Returns the tasks of a results file, or only these; arguments as for `logs.read_runs`."""
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
    state = state_beside(file)
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


def _config(own: Any) -> dict[str, Any]:
    """Returns a task's configuration, with a list of `metadata` tables merged into one."""
    config = dict(own)
    if isinstance(parts := config.get("metadata"), list):
        config["metadata"] = {key: value for part in parts for key, value in dict(part).items()}
    return config


def _of_any_task(log: TaskLog, results: Any, group_by: str) -> TaskLog:
    """Returns the log of a task from outside this package, with the metrics that the rules find."""
    higher = dict((results.get("higher_is_better") or {}).get(log.task) or {})
    records = [sample.record for sample in log.samples]
    tables, members = results.get("groups") or {}, results.get("group_subtasks") or {}
    of_groups = {
        f"{group}: {name}": one.value
        for group, table in tables.items()
        if log.task in (members.get(group) or ())
        for name, one in printed(_by_name(table)).items()
        if "_stderr" not in name
    }
    other = AnyTask(log.task, log.values, higher, records, log.config, group_by, of_groups)
    return replace(
        log,
        other=other,
        values=log.values | {name: one.value for name, one in other.metrics.items()},
        samples=tuple(replace(one, metrics=other.given(one.record)) for one in log.samples),
    )


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
    sums = state.get(manifests.TABLES)
    kept = sums if isinstance(sums, dict) else {}
    for path in (file, log):
        checksum = kept.get(path.name)
        if checksum is not None and path.is_file() and sha256_of([path]) != checksum:
            problems.append(f"{path} was changed after the run, as its checksum shows")
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
    if is_ours:
        record = _sound(row["record"])
        given = adapter.given_to(row, metrics)
    else:
        record = record_of(row, {*metrics})
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
