"""`tempbench import`: turns replies from elsewhere into a log that every other command accepts.

A format is a `Reader`: it turns a file or folder into `Answer`s and does nothing else. The task's own scoring
makes records of them (`task_log.scored`), so the same replies get the same scores wherever they come from.
The run card leaves out what the files do not say (prompts, settings, versions, date).
"""

import contextlib
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data import bounds, checks, outputs, provenance
from tempbench_lmms.data.tables import Row, listing_of, write_json, write_text
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.data.user_files import (
    CELL,
    check_complete,
    json_values,
    question_and_reply,
    read_table,
    storable,
    text_or_none,
)
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.adapter import Item, failure
from tempbench_lmms.harness.tasks import asked, docs_of, kwargs_of, load_leaf, root_of
from tempbench_lmms.record import evaluate, evaluate_error
from tempbench_lmms.runs.run_card import IMPORTED, finite
from tempbench_lmms.runs.task_log import TaskLog, recompute, scored, with_arguments

NOTE = "the replies come from elsewhere; prompts, media and settings are unknown"
IN_MEMORY = Path("replies")  # what messages call replies that are not in a file
_KEPT = ("dataset_path", "dataset_kwargs", "test_split", "num_fewshot", "metadata")


@dataclass(frozen=True)
class Answer:
    """One reply of a file."""

    id: str  # the file's own name if the task has no such question
    reply: str  # unchanged, or a notice (`harness.adapter.failure`)
    where: str  # the place in the file, for messages


@dataclass
class Source:
    """A reader's input, and its other findings."""

    path: Path
    task: str
    docs: Sequence[Row]  # the questions
    config: Mapping[str, Any]
    model: str = ""  # a reader that finds it in the file sets it
    remarks: list[str] = field(default_factory=list)  # what was left out or chosen

    @property
    def asked(self) -> list[str]:
        """The ids of the questions, in order."""
        return [str(doc["question_id"]) for doc in self.docs]

    def ids(self) -> dict[str, str]:
        """Returns the questions' ids by every name that identifies exactly one question of the task.

        A question that a task asks in several ways has one id for each; if the task asks it only once, the
        question's own name works too.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for doc in self.docs:
            found[str(doc.get("base_id", doc["question_id"]))].add(str(doc["question_id"]))
        unique = {name: min(ids) for name, ids in found.items() if len(ids) == 1}
        return unique | {id_: id_ for id_ in self.asked}

    def ids_by_text(self) -> dict[str, set[str]]:
        """Returns the ids of questions by their text and by their prompt, both with single spaces."""
        prompt = self.prompts()
        found: dict[str, set[str]] = defaultdict(set)
        for doc in self.docs:
            for text in {plain(prompt(doc)), plain(str(doc.get("question") or ""))} - {""}:
                found[text].add(str(doc["question_id"]))
        return found

    def prompts(self) -> Callable[[Row], str]:
        """Returns the function that builds a question's prompt as the task does."""
        return lambda doc: str(self.config["doc_to_text"](doc, kwargs_of(self.config)))


Reader = Callable[[Source], Iterable[Answer]]


def reply_of(value: Any, name: str, where: str) -> str:
    """Returns a reply unchanged, or the notice of a failed request if the file has null.

    Raises:
        TempbenchError: The reply is not a text; the message names the place.
    """
    try:
        reply = text_or_none(value, name)
    except TempbenchError as error:
        raise TempbenchError(f"{where}: {error}") from None
    return failure(f"the file has no {name}") if reply is None else reply


def plain(text: str) -> str:
    """Returns a text with single spaces."""
    return " ".join(text.split())


def source_of(path: Path | None, task: str, model: str = "") -> Source:
    """Returns a reader's input; without a path its answers come from memory.

    Raises:
        TempbenchError: The task is unknown or a group, its data is missing, or the file does not exist.
    """
    config = load_leaf(task)
    if path and not path.exists():
        raise TempbenchError(f"{path} does not exist; check the path")
    return Source(path or IN_MEMORY, task, docs_of(config), config, model)


def run(reader: Reader, name: str, source: Source, output: Path, partial: bool = False) -> TaskLog:
    """Reads replies and writes the log of their task; remarks are in `source.remarks`.

    Args:
        reader: Reads the format.
        name: The format's name, for the run card.
        source: What to read.
        output: The folder for the logs; each task gets its own folder in it.
        partial: Whether questions may lack a reply; these are then not in the log.

    Raises:
        TempbenchError: Something cannot be read, answers no question of the task, or answers one twice; or a
            question has no reply.
    """
    folder = output / source.task
    outputs.check_folder(folder)
    above = [one for one in (output, *output.resolve().parents) if (one / outputs.STATE).exists()]
    if taken := [*above, *folder.glob("*")]:  # no command reads both
        raise TempbenchError(f"{taken[0]} belongs to a run already; choose another --output")
    answers = collected(reader(source), source)
    replies = {id_: answer.reply for id_, answer in answers.items()}
    places = {id_: f"{source.path}, {answer.where}" for id_, answer in answers.items()}
    source.remarks += check_complete(replies, source.asked, partial, places=places)
    return write_log(
        source,
        replies,
        folder,
        {
            IMPORTED: {
                "format": name,
                "from": source.path.name,
                **({} if source.path is IN_MEMORY else {"listing": listing_of(source.path)}),
                "at": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
                "note": NOTE,
            }
        },
    )


def collected(answers: Iterable[Answer], source: Source) -> dict[str, Answer]:
    """Returns the answers by question, with replies in a form that every file can hold.

    Raises:
        TempbenchError: There is none, a question has two, or together they are too large.
    """
    found: dict[str, Answer] = {}
    most, size = bounds.max_bytes(), 0
    for answer in answers:
        if answer.id in found:
            raise TempbenchError(
                f"{source.path}, {answer.where}: answers {answer.id} again; leave one answer"
            )
        found[answer.id] = replace(answer, reply=storable(answer.reply))
        # A spreadsheet stores a text once even if many cells have it.
        size += len(answer.reply)
        if size > most:
            raise bounds.too_large(source.path, " of replies")
    if not found:
        raise TempbenchError(f"{source.path} holds no reply to {source.task}; check the format and the task")
    return found


def log_of(source: Source, replies: Mapping[str, str], folder: Path, header: Mapping[str, Any]) -> TaskLog:
    """Returns replies by question as the log of a run; questions without a reply are left out.

    Args:
        source: The task and its questions.
        replies: The replies.
        folder: The folder where the log belongs.
        header: What the results file says about the run as a whole. If the run was imported, the log has no
            settings, and of the installed packages only this one.
    """
    prompt = source.prompts()
    samples = [
        scored(source.config, doc, replies[id_], number, prompt(doc))
        for number, doc in enumerate(source.docs)
        if (id_ := str(doc["question_id"])) in replies
    ]
    model = source.model or source.path.stem
    kept = _KEPT if IMPORTED in header else (*_KEPT, "lmms_eval_specific_kwargs")
    log = TaskLog(
        task=source.task,
        benchmark=root_of(dict(source.config))[0],
        model=model,
        arguments=SimpleNamespace(model=model, model_args=""),
        values={},
        config={key: source.config[key] for key in kept if key in source.config},
        samples=tuple(samples),
        file=folder / f"{datetime.now(timezone.utc):%Y%m%d_%H%M%S}{outputs.RESULTS}",
        problems=(),
        header=dict(header),
    )
    values = recompute(log)
    if IMPORTED in header and (made := values.get("details", {}).get(provenance.KEY)):
        ours = "tempbench-lmms"  # only this package computed the scores
        values["details"][provenance.KEY] = {**made, "packages": {ours: made["packages"][ours]}}
    return replace(log, values=values)


def write_log(source: Source, replies: Mapping[str, str], folder: Path, header: Mapping[str, Any]) -> TaskLog:
    """Writes the log that `log_of` returns; an earlier log stays beside it."""
    log = log_of(source, replies, folder, header)
    lines = (
        {
            "doc_id": sample.doc_id,
            "target": sample.target,
            "filtered_resps": sample.reply,
            "input": sample.prompt,
            "record": sample.record,
            "score": float(sample.record.get("correct", 0)),
            **dict.fromkeys(sorted(sample.metrics), str(Item({}))),
        }
        for sample in log.samples
    )
    results = {
        "results": {
            log.task: {"alias": log.task, **{f"{key},none": value for key, value in log.values.items()}}
        },
        "group_subtasks": {log.task: []},
        "configs": {log.task: {"task": log.task} | log.config},
        "versions": {log.task: (log.config.get("metadata") or {}).get("version")},
        "n-samples": {log.task: {"original": len(source.docs), "effective": len(log.samples)}},
        "config": {"model": log.model, "model_args": "", "resolved_cli_args": {"log_samples": True}},
        "model_name": log.model,
        **log.header,
    }
    folder.mkdir(parents=True, exist_ok=True)
    # The results file comes last: without it, a log does not count.
    text = "".join(f"{json.dumps(line, ensure_ascii=False, default=str)}\n" for line in lines)
    write_text(text, log.log_file)
    write_json(results, log.file)
    return log


_FAILED = "Failed to obtain answer"  # what VLMEvalKit writes when a request failed
_IDS = ("question_id", "id", "index")  # the columns of a table that may hold a question's id


def replies(source: Source) -> Iterator[Answer]:
    """Reads JSON Lines: `question_id` and `reply`, and `condition` where a task asks in several ways.

    A sample log of the harness is read too, and a JSON list of such objects. If all lines have the same
    `model`, that is the model's name.
    """
    ids, models = source.ids(), set()
    for where, line in json_values(source.path, "give JSON lines"):
        key, reply = question_and_reply(source.path, where, line, adapter.question_and_reply)
        name = f"{key}/{line['condition']}" if "condition" in line else key
        models.add(str(line.get("model") or ""))
        yield Answer(ids.get(name, name), reply, where)
    if len(models) == 1:
        source.model = source.model or models.pop()


def of_mapping(replies: Mapping[str, str | None]) -> Reader:
    """Returns the reader of replies by the question's id; None for a request that failed."""

    def read(source: Source) -> Iterator[Answer]:
        ids = source.ids()
        for key, reply in replies.items():
            yield Answer(ids.get(str(key), str(key)), reply_of(reply, "reply", str(key)), repr(key))

    return read


def vlmevalkit(source: Source) -> Iterator[Answer]:
    """Reads a table with the columns `index` and `prediction`, as .xlsx, .tsv, .csv, .json or .jsonl.

    A row belongs to the question whose id is in `question_id`, `id` or `index`, or else to the one whose text
    or prompt is in `question`. A row with the id of one question and the text of another is refused, because
    one of the two columns was sorted or shifted.
    """
    ids, texts, n_full = source.ids(), source.ids_by_text(), 0
    for where, row in read_table(source.path, "prediction", (*_IDS, "question")):
        names = [name for column in _IDS for name in _names(row.get(column))]
        asked = texts.get(plain(str(row.get("question") or "")), set())
        found = next((ids[name] for name in names if name in ids), "")
        if found and asked and found not in asked:
            raise TempbenchError(
                f"{source.path}: {where} has the id of question {found} but the text of question "
                f"{min(asked)}; one of these columns was sorted or shifted: correct it"
            )
        found = found or (next(iter(asked)) if len(asked) == 1 else "")
        reply = _reply(source, where, row["prediction"])
        n_full += len(reply) == CELL and source.path.suffix.lower() == ".xlsx"
        yield Answer(found or (names or [where])[0], reply, where)
    if n_full:
        n = counted(n_full, "reply", "replies")
        source.remarks.append(f"{n} of {CELL:,} characters, the most that a cell can hold: probably cut off")


def _names(value: Any) -> list[str]:
    """Returns an id without surrounding space, and as an integer if pandas turned it into a float."""
    text = "" if value is None or value != value else str(value)
    whole = re.fullmatch(r"\s*([0-9]+)\.0+\s*", text)
    names = (text, text.strip(), whole[1] if whole else "")
    return [name for name in dict.fromkeys(names) if name.strip()]


def _reply(source: Source, where: str, value: Any) -> str:
    if value is None or value != value:
        return ""  # pandas writes an empty reply as an empty cell
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # and turns integers into floats in a column with empty cells
    if not isinstance(value, (str, int, float)):
        raise TempbenchError(
            f"{source.path}: {where}: prediction is of type {type(value).__name__}, not a text; put the text "
            "itself there"
        )
    text = str(value)
    return adapter.failure("VLMEvalKit got no answer") if text.startswith(_FAILED) else text


READERS: dict[str, Reader] = {"replies": replies, "vlmevalkit": vlmevalkit}
"""The general formats, by the name that `tempbench import` takes."""


_OUR_FORMS = re.compile(rb'"(?:question_id|record)"\s*:')
_HEAD = 1 << 16
_UNKNOWN = (
    "no metrics of ours: the questions are not prepared; prepare the data, or name the official files with "
    "--data"
)


@dataclass(frozen=True)
class Scores:
    """The scores of replies."""

    metrics: dict[str, tuple[float, float]] = field(default_factory=dict)  # value, standard error
    details: dict[str, Any] = field(default_factory=dict)
    official: Mapping[str, Any] = field(default_factory=dict)  # as the official scorer names it
    notes: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns JSON values; undefined ones are None."""
        return {
            "official": self.official,
            "metrics": finite({name: value for name, (value, _) in self.metrics.items()}),
            "stderr": {name: one for name, (_, one) in self.metrics.items() if one and math.isfinite(one)},
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
    rules = getattr(own, "official", None) if own and reader in own.READERS.values() else None
    source = Source(path, name, (), config, model)
    try:
        source.docs = _docs(benchmark, config, own, data)
    except DataNotPreparedError as error:
        if not rules or not (official := rules(source)):
            more = ", or name the official files with --data" if hasattr(own, "questions") else ""
            raise TempbenchError(f"{error}{more}") from None
        return Scores(official=official, notes=(*source.remarks, _UNKNOWN))
    official = rules(source) if rules else {}
    replies = {id_: answer.reply for id_, answer in collected(reader(source), source).items()}
    notes = [*dict.fromkeys(source.remarks), *check_complete(replies, source.asked, partial)]
    with _whole_rows(benchmark, data):
        metrics, details = _scored(source, replies)
    return Scores(metrics, details, official, notes)


@contextlib.contextmanager
def _whole_rows(benchmark: str, data: Path | Sequence[Row] | None) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if data is None or isinstance(data, Path):
            raise
        raise TempbenchError(
            f"{benchmark} cannot be scored with these rows ({checks.in_words(error)}); give the columns of "
            f"the benchmark's table, as `tempbench_lmms/{benchmark}/rows.py` lists them"
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
    if not isinstance(predictions, Path):
        return of_mapping(predictions), IN_MEMORY
    if not predictions.exists():
        raise TempbenchError(f"{predictions} does not exist; check the path")
    known: dict[str, Reader] = {**READERS, **(own.READERS if own else {})}
    if format and format not in known:
        raise TempbenchError(f"no format {format!r}; choose one of {', '.join(known)}")
    if format:
        return known[format], predictions
    if own and predictions.is_file():
        with predictions.open("rb") as file:
            own = None if _OUR_FORMS.search(file.read(_HEAD)) else own
    return next(iter(own.READERS.values())) if own else replies, predictions


def _scored(
    source: Source, replies: Mapping[str, str]
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    config, arguments = source.config, SimpleNamespace(model=source.model, model_args="")
    samples = [
        scored(config, doc, replies[id_])
        for id_, doc in zip(source.asked, source.docs, strict=True)
        if id_ in replies
    ]
    metrics = {}
    for row in adapter.rows_of(config):
        metric = with_arguments(row.metric, arguments)
        records = [sample.record for sample in samples if row.name in sample.metrics]
        error = evaluate_error(metric, records) if row.has_error else math.nan
        metrics[row.name] = evaluate(metric, records), error
    (table,) = (entry["aggregation"] for entry in config["metric_list"] if entry["metric"] == "details")
    details = table([Item(sample.record) for sample in samples if "details" in sample.metrics])
    return metrics, {name: one for name, one in details.items() if name != "run"}
