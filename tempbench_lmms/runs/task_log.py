"""One task of one run: its results, its answered questions, and its metrics as functions of records."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.any_task.task import AnyTask
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data.outputs import REPEAT, RESULTS, STATE
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.record import Metric, Record, Row, at_limit


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
    return functools.partial(function, args=arguments) if _takes_arguments(function) else function


@functools.cache
def _takes_arguments(function: Callable[..., Any]) -> bool:
    return "args" in inspect.signature(function).parameters


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
