"""Scores official result files without the harness."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import releases, tables
from tempbench_lmms.data.replies import check_complete, json_values, text_or_none
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import evaluate, evaluate_error, shown
from tempbench_lmms.timeblind import official, rows, scoring
from tempbench_lmms.timeblind.card import TAGS

DATA, TAGS_FILE = "data.jsonl", "tags.json"
_INSTEAD = f"name the Hub's download of BaiqiL/TimeBlind, or its {DATA}, with --data"


@dataclass(frozen=True)
class Scored:
    """The scores of a result file.

    Attributes:
        official: The official scorer's output.
        official_tags: The same by tag; empty where no tag is known.
        metrics: Ours: name to value and standard error; NaN where undefined.
        notes: What the user should know, a line each.
    """

    official: dict[str, float | int]
    official_tags: dict[str, dict[str, float | int]]
    metrics: dict[str, tuple[float, float]]
    notes: list[str]

    def as_json(self) -> dict[str, Any]:
        """Returns JSON values; undefined ones are None."""
        ours = {name: None if math.isnan(value) else value for name, (value, _) in self.metrics.items()}
        return {"official": self.official, "official_tags": self.official_tags, "metrics": ours}

    def shown(self) -> dict[str, tuple[str, str]]:
        """Returns our metrics as people read them."""
        return {
            name: (shown(value), "" if math.isnan(error) else shown(error))
            for name, (value, error) in self.metrics.items()
        }

    def official_shown(self) -> dict[str, list[str]]:
        """Returns the official numbers, of all questions and by tag, as people read them."""
        every = {"all": self.official, **self.official_tags}
        return {name: [shown(value) for value in values.values()] for name, values in every.items()}


def score_file(
    predictions: Path,
    data: Path | None = None,
    tags: Path | None = None,
    mini: bool = False,
    partial: bool = False,
) -> Scored:
    """Scores a result file.

    Args:
        predictions: A list of objects with `index` and `model_output`, or one object a line.
        data: The official `data.jsonl`, or a folder with it; the prepared data where omitted.
        tags: The official `tags.json`, with `data`.
        mini: Take the bundled sample.
        partial: Whether questions may be missing.

    Raises:
        TempbenchError: A file cannot be read, or belongs to other questions.
    """
    docs = _docs(data, tags, mini)
    found = read_predictions(predictions)
    notes = []
    by_index = {one["index"]: one for one in found}
    if len(by_index) < len(found):
        notes.append(f"{len(found) - len(by_index)} repeated indices; the last prediction of each counts")
    notes += check_complete([str(index) for index in by_index], [str(index) for index in docs], partial)
    check_same(predictions, found, docs)
    forms = {index: doc["options"] for index, doc in docs.items()}
    records = [
        scoring.record(docs[index], one["model_output"] or "", failed=one["model_output"] is None)
        for index, one in by_index.items()
    ]
    records.sort(key=lambda record: str(record["id"]))
    return Scored(
        official.score(found, forms),
        official.score_tags(found, forms, _by_tag(docs)),
        {
            name: (evaluate(one, records), evaluate_error(one, records))
            for name, one in scoring.METRICS.items()
        },
        notes,
    )


def check_same(
    file: Path, predictions: Sequence[Mapping[str, Any]], docs: Mapping[int, Mapping[str, Any]]
) -> None:
    """Compares the questions and videos that predictions state, where they do, with those of their indices.

    A stated question may have more around it, as the request for the form of the answer.

    Raises:
        TempbenchError: One is of another question or of another video.
    """
    for number, one in enumerate(predictions, start=1):
        doc = docs.get(one["index"])
        if doc is None:
            continue
        question, video = one.get("question"), one.get("video_path")
        if isinstance(question, str) and _plain(doc["question"]) not in _plain(question):
            wrong, theirs, ours = "question", question, doc["question"]
        elif isinstance(video, str) and rows.video_name(video) != rows.video_name(doc["video"]):
            wrong, theirs, ours = "video_path", video, rows.video_name(doc["video"])
        else:
            continue
        raise TempbenchError(
            f"{file}: prediction {number} has index {one['index']}, but its {wrong} is "
            f"{one_line(theirs)[:80]!r}, and that of the index is {one_line(ours)[:80]!r}; correct the "
            "indices, or score it with the data that the model was asked"
        )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _by_tag(docs: Mapping[int, Mapping[str, Any]]) -> dict[str, list[int]]:
    return {tag: [index for index, doc in docs.items() if doc["tag"] == tag] for tag in TAGS}


def _docs(data: Path | None, tags: Path | None, mini: bool) -> dict[int, tables.Row]:
    """Returns the questions by index."""
    from tempbench_lmms.data.roots import mini_root, prepared_root

    if data is None:
        if tags is not None:
            raise TempbenchError("--tags goes with --data; the prepared data has its tags")
        root = mini_root("timeblind") if mini else prepared_root("timeblind", _INSTEAD)
        found = tables.read_rows(root / "test")
    else:
        found = read_release(*files_of(data, tags))
    return {row["index"]: row for row in found}


def files_of(source: Path, tags: Path | None = None) -> tuple[Path, Path | None]:
    """Returns the questions' file of a download of the Hub, and the tags' where it is there, too.

    Args:
        source: The download, or the file.
        tags: The tags' file, where the user names one.

    Raises:
        TempbenchError: The folder has no questions.
    """
    if not source.is_dir():
        return source, tags
    data = _below(source, DATA)
    if data is None:
        raise TempbenchError(f"no {DATA} in {source}; give the folder with the Hub's download")
    return data, tags or _below(source, TAGS_FILE)


def _below(source: Path, name: str) -> Path | None:
    def here(folder: Path) -> Path | None:
        return releases.file(folder, name) or releases.file(folder / "TimeBlind", name)

    return releases.find(source, here, name)


def read_release(data: Path, tags: Path | None = None) -> list[tables.Row]:
    """Returns the rows of the official files.

    Raises:
        TempbenchError: A file cannot be read, a record is not as in the release, or an index stands twice.
    """
    tag = rows.tag_of(_json(tags)) if tags else {}
    found = []
    seen: set[int] = set()
    for where, record in json_values(data, "give the official data.jsonl"):
        if not isinstance(record, dict):
            raise TempbenchError(f"{data}: {where} is no object; use the official data.jsonl")
        try:
            row = rows.row(record, tag.get(record.get("index", -1)))
        except TempbenchError as error:
            raise TempbenchError(f"{data}: {where}: {error}") from None
        if row["index"] in seen:
            raise TempbenchError(f"{data}: {where} has index {row['index']} again; leave one")
        seen.add(row["index"])
        found.append(row)
    if not found:
        raise TempbenchError(f"{data} holds no question; give the official data.jsonl")
    return found


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = tables.read_json(path)
    except (OSError, ValueError) as error:
        raise TempbenchError(
            f"{path} cannot be read ({tables.first_line(error)}); give the official tags.json"
        ) from None
    if not isinstance(found, dict):
        raise TempbenchError(f"{path} is no JSON object; give the official tags.json")
    return found


def read_predictions(path: Path) -> Sequence[dict[str, Any]]:
    """Returns a result file's objects; a `model_output` that is null is a failed request.

    Raises:
        TempbenchError: The file cannot be read, or an object has no index or no output.
    """
    found = []
    for where, one in json_values(path, "give the official result file"):
        if (
            not isinstance(one, dict)
            or not isinstance(one.get("index"), int)
            or isinstance(one["index"], bool)
        ):
            raise TempbenchError(f"{path}: {where} is no object with a whole number as index; correct it")
        if "model_output" not in one:
            raise TempbenchError(f"{path}: {where} has no model_output; correct it")
        try:
            text_or_none(one["model_output"], "model_output")
        except TempbenchError as error:
            raise TempbenchError(f"{path}: {where}: {error}") from None
        found.append(one)
    if not found:
        raise TempbenchError(f"{path} holds no prediction; give the official result file")
    return found
