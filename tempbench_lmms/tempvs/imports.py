"""Reads the official TempVS predictions, and scores them as the official scorer does."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import releases
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import read_table
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.runs.importing import Answer, Reader, Source, reply_of
from tempbench_lmms.tempvs.card import GROUNDING_OF, SOURCES
from tempbench_lmms.tempvs.official import (
    GROUNDING_TASK,
    TEST_OF,
    TEXT_MODELS,
    Predictions,
    score,
)

_OFFICIAL = {test: task for task, test in TEST_OF.items()}
_OFFICIAL |= {GROUNDING_OF[test]: GROUNDING_TASK[task] for task, test in TEST_OF.items()}
"""The official names of our main tests and grounding sets."""


def load_rows(folder: Path, name: str) -> list[Row] | None:
    """Returns the rows of an annotation or prediction file, `name.json` or `name.jsonl`, or None.

    Raises:
        TempbenchError: The file cannot be read, or is a pickle, which could run any code.
    """
    path = releases.file(folder, *(f"{name}{ending}" for ending in (".json", ".jsonl", ".pkl")))
    if path is None:
        return None
    if path.suffix.lower() == ".pkl":
        raise TempbenchError(
            f"{path} is a pickle, which runs any code in it when it is read; get the JSON file or, if you "
            "trust its origin, make it with pandas: read_pickle(...).to_json(..., orient='records')"
        )
    return [row for _, row in read_table(path, "img_seq_id")]


def answered(
    folder: Path, source: str, task: str, columns: Sequence[str] = ("gt_option", "img_seq_id", "preds")
) -> list[Row] | None:
    """Returns a model's answered rows of one source and task, or None.

    Officially `*_preds_8bit` is of models with 72 billion parameters or more.

    Raises:
        TempbenchError: The file cannot be read, or lacks a column; or there are two, of two runs.
    """
    names = [f"{source}_{task}_preds_{size}" for size in ("full", "8bit")]
    found = [rows for name in names if (rows := load_rows(folder, name)) is not None]
    if len(found) > 1:
        raise TempbenchError(f"{folder} has {' and '.join(names)}, which are two runs; keep one of them")
    for number, row in enumerate(found[0] if found else ()):
        where = f"{folder}: {source}_{task}, row {number}"
        if missing := [name for name in columns if name not in row]:
            raise TempbenchError(
                f"{where}: {', '.join(missing)} missing; write annotation rows with a column preds"
            )
        reply_of(row["preds"], "preds", where)
    return found[0] if found else None


def tempvs(source: Source) -> Iterator[Answer]:
    """Reads a model's folder of `{source}_{task}_preds_{full|8bit}.json`, annotation rows with `preds`.

    If two files ask the same grounding question, as those of a suite do, the first one's reply counts.
    """
    if not source.path.is_dir():
        raise TempbenchError(f"{source.path} is not a folder; give predictions/SETTING/MODEL")
    source.model = source.model or source.path.resolve().name
    questions = _Questions(source.docs)
    told: dict[str, tuple[str, str]] = {}
    repeated = 0
    for test in [name for name in _OFFICIAL if name in questions.tests]:
        for story in SOURCES:
            rows = answered(source.path, story, _OFFICIAL[test], ("img_seq_id", "preds"))
            for number, row in enumerate(rows or ()):
                where = f"{story}_{_OFFICIAL[test]}, row {number}"
                id_, reply = questions.id_of(row, story, test), reply_of(row["preds"], "preds", where)
                asked_by, first = told.setdefault(id_, (test, reply))
                if asked_by != test and id_ in questions.shared:
                    repeated += first != reply
                    continue
                yield Answer(id_, reply, where)
    if repeated:
        source.remarks.append(
            f"{repeated} grounding questions have another reply in a second file; the first one's counts"
        )


def official(source: Source) -> dict[str, Any]:
    """Returns the official scorer's columns for each task that the folder PREDICTIONS/SETTING/MODEL has.

    The answers of the text-only models, by which it filters, are those in PREDICTIONS/blind.
    """
    folder, out = source.path.resolve(), {}
    for task, gate in GROUNDING_TASK.items():
        sources: dict[str, Predictions] = {}
        for name in SOURCES:
            main = answered(folder, name, task)
            if main is None:
                continue
            gates = answered(folder, name, gate)
            if gates is None:
                source.remarks.append(f"{task}, {name}: no predictions for {gate}: nothing is grounded")
            texts = TEXT_MODELS if "images" not in task else ()
            found = [answered(folder.parent.parent / "blind" / one, name, task) for one in texts]
            if None in found:
                source.remarks.append(
                    f"{task}, {name}: a text-only model's predictions lack: nothing is filtered"
                )
            blind = [rows or [] for rows in found] if None not in found else []
            sources[name] = Predictions(main, gates or [], blind)
        if sources:
            out[task] = score(task, sources, source.model or folder.name)
    if not out:
        raise TempbenchError(
            f"no predictions in {source.path}; give PREDICTIONS/SETTING/MODEL, with files like "
            "flintstones_paired_event_discrimination_preds_full.json (_8bit for models of 72b and more)"
        )
    return out


class _Questions:
    """Finds the task's question that an official row is."""

    def __init__(self, docs: Sequence[Row]) -> None:
        self.tests = {test for doc in docs for test in doc["tests"]}
        self.shared = {str(doc["question_id"]) for doc in docs if len(doc["tests"]) > 1}
        self._ids = {str(doc["question_id"]) for doc in docs}
        # A grounding question that several sets ask has the id of the first.
        self._gates = grouped(
            ((doc["source"], doc["sequence_id"], test, doc["text"], doc["answer"]), str(doc["question_id"]))
            for doc in docs
            for test in doc["tests"]
            if doc["role"] == "grounding"
        )

    def id_of(self, row: Row, story: str, test: str) -> str:
        """Returns a row's id in the task; the official id if the task has no such question."""
        own = str(row.get("question_id", ""))
        for name in (f"{story}/{test}/{own}", own):
            if name in self._ids:
                return name
        if test.startswith("gt"):
            text = row.get("text_to_test" if test == "gt_caption" else "event_to_test")
            number = str(row.get("gt_option", "")).rpartition(" ")[2]
            found = self._gates.get((story, str(row["img_seq_id"]), test, str(text), number), [])
            if len(found) == 1:
                return found[0]
        return own or f"{story}/{row['img_seq_id']}"


READERS: dict[str, Reader] = {"tempvs": tempvs}
