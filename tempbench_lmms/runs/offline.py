"""Scores replies from elsewhere, without a log.

A benchmark's module `imports` may have: `READERS` of its official files; `questions(path, table)`, which
returns the rows of a table from the official files if the data is not prepared; and `official(source)`, which
returns what the official scorer prints.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data.checks import in_words
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import check_complete
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import asked, docs_of, load_leaf, load_task
from tempbench_lmms.record import evaluate, evaluate_error
from tempbench_lmms.runs import formats
from tempbench_lmms.runs.importing import IN_MEMORY, Reader, Source, collected
from tempbench_lmms.runs.run_card import finite
from tempbench_lmms.runs.task_log import scored, with_arguments

_OUR_FORMS = re.compile(rb'"(?:question_id|record)"\s*:')
_HEAD = 1 << 16


@dataclass(frozen=True)
class Scores:
    """The scores of replies."""

    metrics: dict[str, tuple[float, float]] = field(default_factory=dict)  # value, standard error
    details: dict[str, Any] = field(default_factory=dict)
    official: Mapping[str, Any] = field(default_factory=dict)  # as the official scorer names it
    notes: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns JSON values; undefined ones are None."""
        errors = {name: error for name, (_, error) in self.metrics.items()}
        return {
            "official": self.official,
            "metrics": finite({name: value for name, (value, _) in self.metrics.items()}),
            "stderr": {name: error for name, error in errors.items() if error and math.isfinite(error)},
            "details": self.details,
        }


def score(
    benchmark: str,
    predictions: Path | Mapping[str, str | None],
    task: str = "",
    data: Path | Sequence[Row] | None = None,
    format: str = "",
    model: str = "",
    mini: bool = False,
    partial: bool = False,
) -> Scores:
    """Returns the scores of replies to a task of a benchmark.

    Args:
        benchmark: The benchmark.
        predictions: The file or folder of replies, or replies by the question's id.
        task: The task that was asked; if empty, the benchmark's own.
        data: The official files of questions, or rows as the benchmark's table has them; None for the
            prepared data.
        format: The format's name; if empty, derived from the file.
        model: The model's name, which some official rules need.
        mini: Whether to use the bundled sample.
        partial: Whether questions may lack a reply.

    Raises:
        TempbenchError: Something cannot be read, answers no question of the task, or answers one twice; or a
            question lacks a reply.
    """
    name = task or benchmarks.card(benchmark).full[0]
    config = load_leaf(f"{name}_mini" if mini and not name.endswith("_mini") else name)
    own = benchmarks.optional(benchmark, "imports")
    reader, path = _reader(own, predictions, format)
    is_official = own is not None and reader in own.READERS.values()
    rules = getattr(own, "official", None) if is_official else None
    source = Source(path, name, (), config, model)
    try:
        source.docs = docs = _docs(benchmark, config, own, data)
    except DataNotPreparedError as error:
        if not rules or not (official := rules(source)):
            more = ", or name the official files with --data" if hasattr(own, "questions") else ""
            raise TempbenchError(f"{error}{more}") from None
        return Scores(official=official, notes=(*source.remarks, f"no metrics of ours: {_UNKNOWN}"))
    official = rules(source) if rules else {}
    replies = {id_: answer.reply for id_, answer in collected(reader(source), source).items()}
    ids = [str(doc["question_id"]) for doc in docs]
    notes = [*dict.fromkeys(source.remarks), *check_complete(replies, ids, partial)]
    with _whole_rows(benchmark, data):
        metrics, details = _scored(config, docs, replies, source.model)
    return Scores(metrics, details, official, notes)


_UNKNOWN = "the questions are not prepared; prepare the data, or name the official files with --data"


@contextlib.contextmanager
def _whole_rows(benchmark: str, data: Path | Sequence[Row] | None) -> Iterator[None]:
    """Names a column that the user's own rows lack."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if data is None or isinstance(data, Path):
            raise
        columns = docs_of(load_task(f"{benchmarks.card(benchmark).full[0]}_mini"))[0]
        more = ", ".join(sorted(set(columns) - {name for row in data for name in row}))
        advice = f"the benchmark's own also have the columns {more}" if more else "check what they hold"
        raise TempbenchError(
            f"{benchmark} cannot be scored with these rows ({in_words(error)}); {advice}"
        ) from None


def _docs(benchmark: str, config: dict[str, Any], own: Any, data: Path | Sequence[Row] | None) -> list[Row]:
    if data is None:
        return docs_of(config)
    if not isinstance(data, Path):
        with _whole_rows(benchmark, data):
            return asked(config, list(data))
    if not hasattr(own, "questions"):
        raise TempbenchError(f"{benchmark} is scored with its prepared data; leave out --data")
    table = str(config["dataset_kwargs"]["data_files"][config["test_split"]]).split("/")[-2]
    return asked(config, own.questions(data, table))


def _reader(own: Any, predictions: Path | Mapping[str, str | None], format: str) -> tuple[Reader, Path]:
    """Returns what reads the replies, and where they are."""
    if not isinstance(predictions, Path):
        return formats.of_mapping(predictions), IN_MEMORY
    if not predictions.exists():
        raise TempbenchError(f"{predictions} does not exist; check the path")
    known: dict[str, Reader] = {**formats.READERS, **(own.READERS if own else {})}
    if format and format not in known:
        raise TempbenchError(f"no format {format!r}; choose one of {', '.join(known)}")
    if format:
        return known[format], predictions
    if own and not _is_ours(predictions):
        return next(iter(own.READERS.values())), predictions
    return formats.replies, predictions


def _is_ours(path: Path) -> bool:
    """Returns whether a file has our own format: replies by question, or a sample log."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _OUR_FORMS.search(file.read(_HEAD)) is not None


def _scored(
    config: Mapping[str, Any], docs: Sequence[Row], replies: Mapping[str, str], model: str
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    asked = ((doc, replies.get(str(doc["question_id"]))) for doc in docs)
    samples = [scored(config, doc, reply) for doc, reply in asked if reply is not None]
    arguments = SimpleNamespace(model=model, model_args="")
    metrics = {}
    for row in adapter.rows_of(config):
        metric = with_arguments(row.metric, arguments)
        records = [sample.record for sample in samples if row.name in sample.metrics]
        error = evaluate_error(metric, records) if row.has_error else math.nan
        metrics[row.name] = evaluate(metric, records), error
    (table,) = (entry["aggregation"] for entry in config["metric_list"] if entry["metric"] == "details")
    details = table([adapter.Item(sample.record) for sample in samples if "details" in sample.metrics])
    return metrics, {name: one for name, one in details.items() if name != "run"}
