"""`tempbench import`: turns replies from elsewhere into a log that every other command accepts.

A format is a `Reader`: it turns a file or folder into `Answer`s and does nothing else. The task's own scoring
makes records of them (`task_log.scored`), so the same replies get the same scores wherever they come from.
The run card leaves out what the files do not say (prompts, settings, versions, date).
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tempbench_lmms.data import bounds, outputs, provenance
from tempbench_lmms.data.outputs import RESULTS, STATE
from tempbench_lmms.data.tables import Row, listing_of, write_json, write_text
from tempbench_lmms.data.user_files import check_complete, storable, text_or_none
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import Item, failure
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_leaf, root_of
from tempbench_lmms.runs.run_card import IMPORTED
from tempbench_lmms.runs.task_log import Sample, TaskLog, recompute, scored

NOTE = "the replies come from elsewhere; prompts, media and settings are unknown"
IN_MEMORY = Path("replies")
"""What messages call replies that are not in a file."""
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

    def ids(self) -> dict[str, str]:
        """Returns the questions' ids by every name that identifies exactly one question of the task.

        A question that a task asks in several ways has one id for each; if the task asks it only once, the
        question's own name works too.
        """
        names = _unique(
            (str(doc.get("base_id", doc["question_id"])), str(doc["question_id"])) for doc in self.docs
        )
        return names | {str(doc["question_id"]): str(doc["question_id"]) for doc in self.docs}

    def ids_by_text(self) -> dict[str, set[str]]:
        """Returns the ids of questions by their text and by their prompt, both with single spaces."""
        prompt = self.prompts()
        found: dict[str, set[str]] = {}
        for doc in self.docs:
            for text in {plain(prompt(doc)), plain(str(doc.get("question") or ""))} - {""}:
                found.setdefault(text, set()).add(str(doc["question_id"]))
        return found

    def prompts(self) -> Callable[[Row], str]:
        """Returns the function that builds a question's prompt as the task does."""
        kwargs = kwargs_of(self.config)
        return lambda doc: str(self.config["doc_to_text"](doc, kwargs))


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


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for name, id_ in pairs:
        found.setdefault(name, set()).add(id_)
    return {name: next(iter(ids)) for name, ids in found.items() if len(ids) == 1}


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
    above = [one for one in (output, *output.resolve().parents) if (one / STATE).exists()]
    if taken := [*above, *folder.glob("*")]:  # no command reads both
        raise TempbenchError(f"{taken[0]} belongs to a run already; choose another --output")
    answers = collected(reader(source), source)
    replies = {id_: answer.reply for id_, answer in answers.items()}
    places = {id_: f"{source.path}, {answer.where}" for id_, answer in answers.items()}
    asked = [str(doc["question_id"]) for doc in source.docs]
    source.remarks += check_complete(replies, asked, partial, places=places)
    made = {
        "format": name,
        "from": source.path.name,
        **({} if source.path is IN_MEMORY else {"listing": listing_of(source.path)}),
        "at": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        "note": NOTE,
    }
    return write_log(source, replies, folder, {IMPORTED: made})


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
    is_imported = IMPORTED in header
    kept = _KEPT if is_imported else (*_KEPT, "lmms_eval_specific_kwargs")
    log = TaskLog(
        task=source.task,
        benchmark=root_of(dict(source.config))[0],
        model=model,
        arguments=SimpleNamespace(model=model, model_args=""),
        values={},
        config={key: source.config[key] for key in kept if key in source.config},
        samples=tuple(samples),
        file=folder / f"{datetime.now(timezone.utc):%Y%m%d_%H%M%S}{RESULTS}",
        problems=(),
        header=dict(header),
    )
    values = recompute(log)
    if is_imported and (made := values.get("details", {}).get(provenance.KEY)):
        ours = "tempbench-lmms"  # only this package computed the scores
        values["details"][provenance.KEY] = {**made, "packages": {ours: made["packages"][ours]}}
    return replace(log, values=values)


def write_log(source: Source, replies: Mapping[str, str], folder: Path, header: Mapping[str, Any]) -> TaskLog:
    """Writes the log that `log_of` returns; an earlier log stays beside it."""
    log = log_of(source, replies, folder, header)
    lines = [json.dumps(_line(sample), ensure_ascii=False, default=str) for sample in log.samples]
    numbers = {f"{key},none": value for key, value in log.values.items()}
    results = {
        "results": {log.task: {"alias": log.task} | numbers},
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
    write_text("".join(f"{line}\n" for line in lines), log.log_file)
    write_json(results, log.file)
    return log


def _line(sample: Sample) -> dict[str, Any]:
    return {
        "doc_id": sample.doc_id,
        "target": sample.target,
        "filtered_resps": sample.reply,
        "input": sample.prompt,
        "record": sample.record,
        "score": float(sample.record.get("correct", 0)),
        **dict.fromkeys(sorted(sample.metrics), str(Item({}))),
    }
