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
from tempbench_lmms.data import checks, manifests, outputs, terminal
from tempbench_lmms.data.tables import parse_json, read_json, sha256_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
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
    def clusters(self) -> dict[str, str]:
        """The cluster of each answered question, by its id: what intervals resample."""
        if self.other:
            return self.other.clusters
        field = self.card.cluster.field
        return {sample.id: str(sample.record[field]) for sample in self.samples}

    @property
    def rows(self) -> list[Row]:
        """The task's metrics that are functions of records."""
        return self.other.rows if self.other else adapter.rows_of(self.installed)

    @property
    def installed(self) -> dict[str, Any]:
        """The configuration of the installed task, whose functions are not in `config`; ours only."""
        return load_task(self.task)

    @property
    def each(self) -> tuple["TaskLog", ...]:
        """Its repeats; only itself if it has none."""
        return self.repeats or (self,)

    def beside(self, name: str) -> Path:
        """Returns the file of this run named `name` and its task, such as `samples_TASK`."""
        return self.file.with_name(f"{self.file.name.removesuffix(outputs.RESULTS)}_{name}_{self.task}")

    @property
    def repeat(self) -> tuple[Path, int] | None:
        """The folder of all repeats and this one's number, for `tempbench run --repeats`."""
        for folder in (self.file.parent, self.file.parent.parent):
            number = folder.name.removeprefix(outputs.REPEAT)
            if (
                folder.name.startswith(outputs.REPEAT)
                and number.isdecimal()
                and (folder / outputs.STATE).is_file()
            ):
                return folder.parent, int(number)
        return None

    @property
    def is_unfinished(self) -> bool:
        """Whether the run is still in progress, or was interrupted."""
        return self.file.name == outputs.STATE

    @property
    def log_file(self) -> Path:
        """The path of its sample log, which may not exist."""
        return self.beside("samples").with_name(f"{self.beside('samples').name}.jsonl")

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
        return (
            f"{self.file} has no sample log of {self.task} that can be used; put {self.log_file.name} beside "
            "it, or run again with --log_samples"
        )

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
    def limited(self) -> list[Record]:
        """The records as `with_limit` returns them."""
        return [self.with_limit(sample) for sample in self.samples]

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
            f"{file}: the log was edited, or another version wrote it "
            f"({terminal.one_line(repr(error))[:200]}); run it again, or see `tempbench rescore --reparse`"
        ) from None


def scored(
    config: Mapping[str, Any], doc: Mapping[str, Any], reply: str, number: int = 0, prompt: str = ""
) -> Sample:
    """Returns the sample that the task's own scoring makes from a reply; nothing else makes records."""
    out = config["process_results"](doc, [reply])
    given = frozenset(name for name, value in out.items() if isinstance(value, adapter.Item))
    return Sample(out["record"], given, prompt, reply, number, str(doc.get("target", "")))


def recompute(log: TaskLog, samples: Sequence[Sample] | None = None) -> dict[str, Any]:
    """Computes a task's metrics again from its log, as the harness would print them."""
    samples = log.samples if samples is None else samples
    values: dict[str, Any] = {}
    for entry in log.installed["metric_list"]:
        name: str = entry["metric"]
        # The harness aggregates a metric only if some document entered it.
        if items := [adapter.Item(sample.record) for sample in samples if name in sample.metrics]:
            with edited(log.file), adapter.true_within(adapter.STRICT):
                values[name] = with_arguments(entry["aggregation"], log.arguments)(items)
    return values


def with_arguments(function: Callable[..., Any], arguments: SimpleNamespace) -> Callable[..., Any]:
    """Binds the harness's command line to a function's parameter `args`, as the harness does."""
    if "args" in inspect.signature(function).parameters:
        return functools.partial(function, args=arguments)
    return function


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
    for row in log.rows:
        if records := tuple(sample.record for sample in ordered if row.name in sample.metrics):
            metric, higher = with_arguments(row.metric, log.arguments), row.better != "lower"
            out.append(MetricOfRun(row.name, metric, records, higher, row.headline, row.needs_encoder))
    return out


def state_of(folder: Path) -> dict[str, Any]:
    """Returns the state in a run's folder; empty if the run has not begun.

    Raises:
        TempbenchError: The file is damaged.
    """
    path = folder / outputs.STATE
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
        raise TempbenchError(
            f"{file} is not a results file of the harness ({checks.in_words(error)})"
        ) from None
    if found and (settings.get("resolved_cli_args") or {}).get("predict_only"):
        raise TempbenchError(
            f"{file}: the run was made with --predict_only, which computes no scores; run it again without it"
        )
    state = state_beside(file)
    name = state.get("name")
    logs = []
    for task in found if only is None else [task for task in found if task in only]:
        log = TaskLog(
            task=task,
            benchmark=task_files()[task].parent.name if task in task_files() else "",
            model=str(results.get("model_name") or settings.get("model") or "model"),
            arguments=SimpleNamespace(model=settings.get("model"), model_args=settings.get("model_args")),
            values=values[task],
            config=configs[task],
            samples=(),
            file=file,
            problems=(),
            header={key: value for key, value in results.items() if key not in _TABLES},
            name=name if isinstance(name, str) else "",
        )
        log = _with_samples(log, state, partial)
        logs.append(log if log.benchmark else _of_any_task(log, results, group_by))
    return logs


def _config(own: Any) -> dict[str, Any]:
    config = dict(own)
    if isinstance(parts := config.get("metadata"), list):
        config["metadata"] = {key: value for part in parts for key, value in dict(part).items()}
    return config


def _of_any_task(log: TaskLog, results: Any, group_by: str) -> TaskLog:
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
    # Without the name of the filter where a metric has only one.
    counts = Counter(key.partition(",")[0] for key in table)
    return {(name if counts[name := key.partition(",")[0]] == 1 else key): table[key] for key in table}


def _with_samples(log: TaskLog, state: Mapping[str, Any], partial: bool) -> TaskLog:
    file = log.log_file
    with edited(log.file):
        samples, problems = _samples(file, log)
        expected = ((log.header.get("n-samples") or {}).get(log.task) or {}).get("effective")
        then = log.config.get("metadata") or {}
        now = log.installed["metadata"] if log.benchmark else {}
        versions = {key: (then.get(key), now[key]) for key in ("version", "prompts") if key in now}
    if file.is_file() and not problems and expected not in (None, len(samples)):
        problems.append(f"{file.name}: {len(samples)} lines for the run's {expected} questions")
    sums: Any = state.get(manifests.TABLES)
    for path in (log.file, file) if isinstance(sums, dict) else ():
        if path.name in sums and path.is_file() and sha256_of([path]) != sums[path.name]:
            problems.append(f"{path} was changed after the run, as its checksum shows")
    problems += [
        f"{log.task}: the run has {key} {old} of the task, this package {new}"
        for key, (old, new) in versions.items()
        if old != new
    ]
    if problems and not partial:
        more = f" (and {terminal.counted(len(problems) - 1, 'more problem')})" if problems[1:] else ""
        usable = terminal.counted(len(samples), "readable line")
        raise TempbenchError(f"{problems[0]}{more}; add --partial to use its {usable}")
    return replace(log, samples=tuple(samples), problems=tuple(problems))


def _samples(path: Path, log: TaskLog) -> tuple[list[Sample], list[str]]:
    if not path.is_file():
        return [], []
    samples: list[Sample] = []
    damage: list[str] = []
    is_ours = bool(log.benchmark)
    metrics = {*adapter.names_in(log.installed)} if is_ours else set()
    try:
        then = adapter.names_in(log.config)
    except (KeyError, TypeError):
        then = ()  # which only lines that need it have
    seen: set[Any] = set()
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                sample = _sample(parse_json(line), then, is_ours)
                if sample.record["id"] in seen or sample.doc_id in seen:
                    raise ValueError(f"it repeats question {sample.id} or its doc_id")
                if is_ours and not {name.removesuffix("_stderr") for name in sample.metrics} <= metrics:
                    raise ValueError("it is of another task")
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                damage.append(f"{number} ({checks.in_words(error)})")
                continue
            seen |= {sample.record["id"], sample.doc_id}
            samples.append(sample)
    said = f"{path.name}: {terminal.counted(len(damage), 'line')} cannot be used, first line "
    return samples, [said + damage[0]] if damage else []


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
    wrong = [name for name in ("parsed", "failed") if not isinstance(record[name], int)]
    wrong += [name for name in (*HOW, *REASON) if not isinstance(record.get(name), (str, NoneType))]
    if wrong:
        raise TypeError(f"{wrong[0]} is {terminal.one_line(repr(record[wrong[0]]))[:80]}")
    hash(record["id"])  # a list is not an id
    return record
