"""The questions of the runs as data for the page: prompts, media, replies and readings."""

import base64
import functools
import io
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tempbench_lmms.media import sandbox
from tempbench_lmms.record import HOW, REASON, Record, manner
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.problems import verdict
from tempbench_lmms.runs.task_log import Sample

_SIDE = 420  # pixels of a picture's longer side
_STRIP = 1200  # the same of a strip of pictures
_PICTURES = 8  # of one question
_FRAMES = 4  # of one video
_FACET_VALUES = 12
_FACET_LENGTH = 40
_NO_FACETS = {"id", "gold", "answer", "prediction", "reply", "reference", "first", *HOW, *REASON}
_LONGEST = 6000  # characters of a text
_WORDS = 160  # characters of a question in the list
_PIECE = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

VERDICTS = {"right": "r", "wrong": "w", "unparsed": "u", "failed": "f", "answered": "a"}
"""The letter of each verdict; a space if a run did not ask a question."""


@dataclass
class AskedTask:
    """One task with the answers of all its runs."""

    name: str  # the task's name
    runs: list[int]  # its runs' numbers on the page
    tasks: list[TaskNumbers]  # the task of each of them
    ids: list[str]  # the questions, in the order of the first run that asked them
    answers: list[dict[str, Sample]]  # by run, the samples by question

    @property
    def verdicts(self) -> list[str]:
        """A letter a question for each run."""
        return [
            "".join(VERDICTS[verdict(answers[one].record)] if one in answers else " " for one in self.ids)
            for answers in self.answers
        ]

    @property
    def order(self) -> list[int]:
        """The questions in random order, those with a wrong answer first."""
        letters = list(map(set, zip(*self.verdicts, strict=True)))
        shuffled = random.Random(0).sample(range(len(letters)), len(letters))
        return sorted(shuffled, key=lambda place: letters[place] <= {" ", VERDICTS["right"]})


def asked_of(tasks: Sequence[TaskNumbers]) -> list[AskedTask]:
    """Returns each task with a log once, with the answers of its runs side by side."""
    runs = list(dict.fromkeys(task.run for task in tasks))
    out: dict[str, AskedTask] = {}
    for task in (task for task in tasks if task.log.samples):
        one = out.setdefault(task.log.task, AskedTask(task.log.task, [], [], [], []))
        samples = sorted(task.log.samples, key=lambda sample: sample.doc_id)
        one.runs.append(runs.index(task.run))
        one.tasks.append(task)
        if other := task.log.other:
            samples = [replace(sample, record=other.marked(sample.record)) for sample in samples]
        one.answers.append({str(sample.record["id"]): sample for sample in samples})
        one.ids = list(dict.fromkeys([*one.ids, *one.answers[-1]]))
    return list(out.values())


@dataclass(frozen=True)
class Data:
    """The data of the page's question browser."""

    # every question of every task with its verdicts, how it was read and its facets; JSON values
    index: dict[str, Any]
    texts: list[dict[str, Any]]  # the texts of some questions
    pictures: list[str]  # data URIs, without duplicates
    n_logged: int  # total number of answers
    n_pictured: int  # questions with pictures


def data_of(
    tasks: Sequence[TaskNumbers],
    n_questions: int,
    n_pictured: int = 500,
    megabytes: float = 30,
) -> Data:
    """Returns the data of the question browser.

    Every answer is in the index. Texts and pictures cover as many questions as the size allows: the tasks
    take turns, and questions with a wrong answer come first.

    Args:
        tasks: The tasks of the runs.
        n_questions: At most so many questions have texts.
        n_pictured: At most so many of them have pictures.
        megabytes: Of the texts at most, and of the pictures.
    """
    asked = asked_of(tasks)
    room = megabytes * 1e6
    told: list[tuple[int, int]] = []
    entries: list[dict[str, Any]] = []
    # The tasks take turns.
    turns = itertools.zip_longest(*([(n, place) for place in one.order] for n, one in enumerate(asked)))
    chosen = filter(None, itertools.chain.from_iterable(turns))
    for number, place in itertools.islice(chosen, n_questions):
        entry = _entry(asked[number], place)
        room -= len(json.dumps(entry))
        if room < 0:
            break
        told.append((number, place))
        entries.append(entry)
    pictures = _pictured(asked, told, entries, n_pictured, megabytes * 1e6)
    _name(told, entries)
    return Data(
        index={
            "runs": list(dict.fromkeys(task.run for task in tasks)),
            "tasks": [_index(one) for one in asked],
            "told": told,
        },
        texts=entries,
        pictures=pictures,
        n_logged=sum(len(answers) for one in asked for answers in one.answers),
        n_pictured=sum(bool(entry.get("pictures")) for entry in entries),
    )


def _pictured(
    asked: Sequence[AskedTask],
    told: Sequence[tuple[int, int]],
    entries: Sequence[dict[str, Any]],
    most: int,
    room: float,
) -> list[str]:
    """Adds pictures to questions until the size limit, and returns the pictures."""
    _config_and_docs.cache_clear()
    numbers: dict[str, int] = {}
    for (number, place), entry in zip(told, entries, strict=True):
        if most <= 0 or room < 0:
            entry["out"] = 1
            continue
        one = asked[number]
        shown, entry["note"] = _pictures_of(one.tasks[0], entry["doc"], one.ids[place])
        room -= sum(len(uri) for uri, _ in shown if uri not in numbers)
        entry["pictures"] = [[numbers.setdefault(uri, len(numbers)), label] for uri, label in shown]
        most -= bool(shown)
    return list(numbers)


def _name(told: Sequence[tuple[int, int]], entries: Sequence[dict[str, Any]]) -> None:
    """Gives each question the words of its prompt that few others of its task have, the rarest first."""
    pieces = [{one: _NUMBER.sub("0", one) for one in _PIECE.split(entry["prompt"])} for entry in entries]
    places = [number for number, _ in told]
    n_asked = Counter(places)
    known = Counter((number, one) for number, own in zip(places, pieces, strict=True) for one in own.values())
    for number, entry, own in zip(places, entries, pieces, strict=True):
        counts = {one: known[number, form] for one, form in own.items()}
        rare = (one for one, n in counts.items() if n <= max(1, n_asked[number] / 3))
        entry["words"] = " ".join(sorted(rare, key=counts.__getitem__))[:_WORDS]


def _index(one: AskedTask) -> dict[str, Any]:
    """Returns every question of a task: its id, and for each run its verdict and how it was read."""
    words: dict[str, int] = {"": 0}
    hows = []
    first: dict[str, Record] = {}
    for task, answers in zip(one.tasks, one.answers, strict=True):
        read = (manner(task.log.with_limit(answers[name])) if name in answers else "" for name in one.ids)
        hows.append([words.setdefault(word, len(words)) for word in read])
        known = task.log.other.documents if task.log.other else {}
        first = {name: {**known.get(name, {}), **one.record} for name, one in answers.items()} | first
    return {
        "task": one.name,
        "runs": one.runs,
        "ids": one.ids,
        "verdicts": one.verdicts,
        "hows": hows,
        "words": list(words),
        "facets": facets([first[name] for name in one.ids]),
    }


def facets(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """Returns the fields that are useful as filters: those with few distinct short words, or lists of them.

    Returns:
        For each field its `values`, and for each record the `codes` of its values: their numbers.
    """
    out: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(name for record in records for name in record):
        found = [own if isinstance(own := record.get(name, []), list) else [own] for record in records]
        known = {one if isinstance(one, str) else "" for own in found for one in own}
        are_words = all(isinstance(one, str) and len(one) <= _FACET_LENGTH for own in found for one in own)
        if name not in _NO_FACETS and are_words and 1 < len(known) <= _FACET_VALUES:
            values = sorted(known)
            out[name] = {"values": values, "codes": [[*map(values.index, own)] for own in found]}
    return out


def _entry(one: AskedTask, place: int) -> dict[str, Any]:
    name = one.ids[place]
    entry: dict[str, Any] = {"answers": []}
    for run, task, samples in zip(one.runs, one.tasks, one.answers, strict=True):
        if (sample := samples.get(name)) is None:
            continue
        where = f"{task.log.beside('samples').name}.jsonl, doc_id {sample.doc_id}"
        own = {field: _cut(getattr(sample, field), where) for field in ("prompt", "target", "reply")}
        entry = {"doc": sample.doc_id, "prompt": own["prompt"], "target": own["target"]} | entry
        if own["prompt"] == entry["prompt"]:
            del own["prompt"]
        record = {field: _cut(value, where) for field, value in task.log.with_limit(sample).items()}
        entry["answers"].append({"run": run, "record": record, **own})
    return entry


def _cut(value: Any, where: str) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if len(text) <= _LONGEST:
        return value
    return f"{text[:_LONGEST]} ... (cut; {len(text):,} characters, whole in {where})"


@functools.lru_cache(maxsize=16)
def _config_and_docs(task: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    config = load_task(task)
    return config, docs_of(config)


def _pictures_of(task: TaskNumbers, doc_id: int, question: str) -> tuple[list[tuple[str, str]], str]:
    try:
        if other := task.log.other:
            visuals = other.visuals(doc_id)
            for one in visuals:
                if isinstance(one, str):
                    sandbox.check_video(Path(one))  # nothing else has checked it
            return _drawn(visuals)
        config, docs = _config_and_docs(task.log.task)
        if doc_id >= len(docs) or str(docs[doc_id]["question_id"]) != question:
            return [], "no pictures: the data on this machine is not the run's"
        return _drawn(config["doc_to_visual"](docs[doc_id], kwargs_of(config)))
    except (TempbenchError, ValueError) as error:
        return [], f"no pictures: {error}"


def _drawn(visuals: Sequence[Any]) -> tuple[list[tuple[str, str]], str]:
    """Returns some pictures, and frames of videos, with their labels; and how many were left out."""
    from tempbench_lmms.media.video import sample_frames

    images: list[tuple[Any, str]] = []
    for number, one in enumerate(visuals, start=1):
        if hasattr(one, "convert"):
            images.append((one, f"picture {number} of {len(visuals)}"))
        else:
            found = sample_frames(Path(str(one)), _FRAMES)
            images += zip(found.images, (f"{time:.1f} s" for time in found.times), strict=True)
    step = max(1, len(images) / _PICTURES)
    kept = [images[int(place * step)] for place in range(min(len(images), _PICTURES))]
    notes = [f"{len(kept)} of {len(images)} pictures"] if len(kept) < len(images) else []
    if any(not hasattr(one, "convert") for one in visuals):
        notes.append(f"{_FRAMES} frames of each video")
    return [(thumbnail(image), label) for image, label in kept], ", ".join(notes)


def thumbnail(image: Any) -> str:
    """Returns the data URI of a small JPEG of a picture."""
    small = image.convert("RGB")
    side = _STRIP if small.width > 2 * small.height else _SIDE
    small.thumbnail((side, side))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=78)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"
