"""The questions of the runs, as data for the browser in the page: what was asked, shown, replied and read."""

import base64
import copy
import hashlib
import io
import itertools
import json
from collections import UserDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tempbench_lmms.record import Record
from tempbench_lmms.record_reading import HOW, REASON, manner
from tempbench_lmms.report.numbers import TaskNumbers, verdict
from tempbench_lmms.runs.task_log import Sample

_SIDE = 420  # pixels of a picture's longer side
_STRIP = 1200  # the same of a strip of pictures
_PICTURES = 8  # of one question
_FRAMES = 4  # of one video
_FACET_VALUES = 12
_FACET_LENGTH = 40
_NO_FACETS = {"id", "gold", "answer", "prediction", "reply", "reference", "first", *HOW, *REASON}

VERDICTS = {"right": "r", "wrong": "w", "unparsed": "u", "failed": "f"}
"""The letter of each verdict; a space where a run did not ask a question."""

MEGABYTES = 30
"""Of the questions' texts and pictures in a page, at most: a browser opens it, and it can be sent by mail."""
_OF_TEXTS = 0.5  # of these, at most
_LEAST = 200  # characters that stay of a text
CHUNK = 50
"""Questions, and pictures, that the page reads together: what nobody looks at is never read."""


def spread(n: int, most: int) -> list[int]:
    """Returns at most `most` of the indices 0 .. n - 1, spread evenly."""
    return list(range(n)) if n <= most else [i * n // most for i in range(most)]


@dataclass
class AskedTask:
    """One task with the answers of all its runs.

    Attributes:
        name: The task's name.
        runs: Its runs' numbers on the page.
        tasks: The task of each of them.
        ids: The questions, in the order of the first run that asked them.
        answers: By run, the samples by question.
    """

    name: str
    runs: list[int]
    tasks: list[TaskNumbers]
    ids: list[str]
    answers: list[dict[str, Sample]]

    @cached_property
    def verdicts(self) -> list[str]:
        """A letter a question for each run."""
        return [
            "".join(VERDICTS[verdict(answers[one].record)] if one in answers else " " for one in self.ids)
            for answers in self.answers
        ]

    @cached_property
    def order(self) -> list[int]:
        """The questions, those that a run did not answer rightly first, each part spread over the task."""
        rights = {" ", VERDICTS["right"]}
        right = [all(one in rights for one in letters) for letters in zip(*self.verdicts, strict=True)]
        return [place for wanted in (False, True) for place in _far_apart(right, wanted)]


def _far_apart(flags: Sequence[bool], wanted: bool) -> list[int]:
    """Returns the places of a flag so that any first part of them is spread over all of them."""
    places = [place for place, flag in enumerate(flags) if flag is wanted]
    bits = max(1, (len(places) - 1).bit_length())
    return [places[i] for n in range(1 << bits) if (i := int(f"{n:0{bits}b}"[::-1], 2)) < len(places)]


def asked_of(tasks: Sequence[TaskNumbers]) -> list[AskedTask]:
    """Returns the tasks that have a log, each once, with the answers of its runs side by side."""
    runs = list(dict.fromkeys(task.run for task in tasks))
    out: dict[str, AskedTask] = {}
    for task in tasks:
        if not task.log.samples:
            continue
        one = out.setdefault(task.log.task, AskedTask(task.log.task, [], [], [], []))
        samples = sorted(task.log.samples, key=lambda sample: sample.doc_id)
        one.runs.append(runs.index(task.run))
        one.tasks.append(task)
        one.answers.append({str(sample.record["id"]): sample for sample in samples})
        one.ids = list(dict.fromkeys([*one.ids, *one.answers[-1]]))
    return list(out.values())


@dataclass(frozen=True)
class Data:
    """What the browser of questions shows.

    Attributes:
        index: Every question of every task with its verdicts, how it was read and its facets; JSON values.
        texts: Of some questions, in chunks of `CHUNK`.
        pictures: Data URIs, each once, likewise.
        n_logged: Answers in all.
        n_told: Questions with texts.
        n_pictured: Questions with pictures.
        n_cut: Questions with a cut text.
    """

    index: dict[str, Any]
    texts: list[list[dict[str, Any]]]
    pictures: list[list[str]]
    n_logged: int
    n_told: int
    n_pictured: int
    n_cut: int


def data_of(
    tasks: Sequence[TaskNumbers],
    n_questions: int,
    n_pictured: int | None = None,
    megabytes: float = MEGABYTES,
) -> Data:
    """Returns what the browser shows.

    Every answer is in the index. Texts and pictures are of as many questions as the size allows: of the
    tasks in turn, questions that a run answered wrongly first.

    Args:
        tasks: The tasks of the runs.
        n_questions: At most so many questions have texts.
        n_pictured: At most so many of them have pictures; None for as many as fit.
        megabytes: Of texts and pictures together, at most. The longest texts are cut, and say where they are
            whole.
    """
    asked = asked_of(tasks)
    room = megabytes * 1e6
    for_texts = room * (_OF_TEXTS if n_pictured != 0 else 1)
    told, entries, least = [], [], 0
    for number, place in _in_turn(asked, n_questions):
        entry = _entry(asked[number], place)
        least += sum(min(_size(text), _LEAST) for part in _parts(entry) for _, _, text in _texts(part))
        if least > for_texts:
            break
        told.append((number, place))
        entries.append(entry)
    n_cut, taken = _cut(entries, int(for_texts))
    pictures, shown = _pictured(asked, told, entries, n_pictured, room - taken)
    return Data(
        index={
            "runs": list(dict.fromkeys(task.run for task in tasks)),
            "tasks": [_index(one) for one in asked],
            "told": told,
            "chunk": CHUNK,
        },
        texts=_chunks(entries),
        pictures=_chunks(pictures),
        n_logged=sum(len(answers) for one in asked for answers in one.answers),
        n_told=len(entries),
        n_pictured=shown,
        n_cut=n_cut,
    )


def _chunks(values: Sequence[Any]) -> list[list[Any]]:
    return [list(values[start : start + CHUNK]) for start in range(0, len(values), CHUNK)]


def _in_turn(asked: Sequence[AskedTask], most: int) -> list[tuple[int, int]]:
    """Returns (task, question), the tasks in turn, `most` at most."""
    turns = itertools.zip_longest(*([(n, place) for place in one.order] for n, one in enumerate(asked)))
    return list(itertools.islice((one for turn in turns for one in turn if one is not None), most))


def _index(one: AskedTask) -> dict[str, Any]:
    """Returns every question of a task: its id, and for each run its verdict and how it was read."""
    words: dict[str, int] = {"": 0}
    hows = []
    first: dict[str, Record] = {}
    for task, answers in zip(one.tasks, one.answers, strict=True):
        read = (manner(task.log.with_limit(answers[name])) if name in answers else "" for name in one.ids)
        hows.append([words.setdefault(word, len(words)) for word in read])
        first = {name: sample.record for name, sample in answers.items()} | first
    records = [first[name] for name in one.ids]
    return {
        "task": one.name,
        "runs": one.runs,
        "ids": one.ids,
        "verdicts": one.verdicts,
        "hows": hows,
        "words": list(words),
        "facets": {name: _coded(records, name, values) for name, values in facets(records).items()},
    }


def _coded(records: Sequence[Record], name: str, values: list[str]) -> dict[str, Any]:
    """Returns a field of all records: which values each code stands for, and a code a record."""
    sets: dict[tuple[str, ...], int] = {}
    found = (own if isinstance(own := record.get(name), list) else [str(own)] for record in records)
    codes = [sets.setdefault(tuple(own), len(sets)) for own in found]
    return {"values": values, "sets": [list(one) for one in sets], "codes": codes}


def _entry(one: AskedTask, place: int) -> dict[str, Any]:
    """Returns the texts of a question and of its answers."""
    name = one.ids[place]
    answers: list[dict[str, Any]] = []
    for run, task, samples in zip(one.runs, one.tasks, one.answers, strict=True):
        if name in samples:
            sample = samples[name]
            answer = {"run": run, "prompt": sample.prompt, "reply": sample.reply, "target": sample.target}
            where = f"{task.log.beside('samples').name}.jsonl, doc_id {sample.doc_id}"
            answers.append(answer | {"record": task.log.with_limit(sample), "whole": where})
    entry = {field: answers[0][field] for field in ("prompt", "target", "whole")} | {"answers": answers}
    entry["doc"] = next(samples[name].doc_id for samples in one.answers if name in samples)
    for answer in answers:
        for field in ("prompt", "target"):  # of the other runs only where they differ
            if answer[field] == entry[field]:
                del answer[field]
    entry["record"] = _shared(answers)
    return entry


def _shared(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns what all answers' records say alike, the question's own fields, and takes it out of them."""
    records = [answer["record"] for answer in answers]
    missing = object()
    same = {
        field: value
        for field, value in records[0].items()
        if all(one.get(field, missing) == value for one in records[1:])
    }
    for answer, record in zip(answers, records, strict=True):
        answer["record"] = {field: value for field, value in record.items() if field not in same}
    return same


def _pictured(
    asked: Sequence[AskedTask],
    told: Sequence[tuple[int, int]],
    entries: Sequence[dict[str, Any]],
    most: int | None,
    room: float,
) -> tuple[list[str], int]:
    """Gives questions their pictures until the room is full.

    Returns:
        The pictures, each once, and how many questions have some.
    """
    numbers: dict[str, tuple[int, str]] = {}
    visuals: dict[int, _Visuals] = {}
    n_shown = 0
    full = False
    for (number, place), entry in zip(told, entries, strict=True):
        if full or (most is not None and n_shown >= most):
            entry["out"] = 1
            continue
        if number not in visuals:
            visuals[number] = _Visuals(asked[number].tasks[0])
        shown, entry["note"] = visuals[number].of(entry["doc"], asked[number].ids[place])
        new = {one.key: one for one in shown if one.key not in numbers}
        room -= sum(len(one.uri) for one in new.values())
        if room < 0:
            full, entry["out"], entry["note"] = True, 1, ""
            continue
        for one in new.values():
            numbers[one.key] = (len(numbers), one.uri)
        entry["pictures"] = [[numbers[one.key][0], one.label] for one in shown]
        n_shown += bool(shown)
    return [uri for _, uri in numbers.values()], n_shown


def _parts(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns a question and its answers, each with texts and a record."""
    return [entry, *entry["answers"]]


def _texts(part: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yields where each text stands, and the text: those of a question or answer, and of its record."""
    yield from ((part, name, part[name] or "") for name in ("prompt", "reply", "target") if name in part)
    for name, value in part["record"].items():
        yield part["record"], name, value if isinstance(value, str) else json.dumps(value, default=str)


def _cut(entries: Sequence[dict[str, Any]], room: int) -> tuple[int, int]:
    """Cuts the longest texts of questions so that all of them together are within a size.

    What has a cut text keeps in `whole` where the text stands; the others lose the entry.

    Returns:
        How many questions have a cut text, and how many bytes all texts take now.
    """
    parts = [[(part, list(_texts(part))) for part in _parts(entry)] for entry in entries]
    sizes = [_size(text) for own in parts for _, texts in own for _, _, text in texts]
    most, n_cut, taken = fitting(sizes, room), 0, sum(sizes)
    for own in parts:
        for part, texts in own:
            long = [(holder, name, text) for holder, name, text in texts if _size(text) > most]
            for holder, name, text in long:
                # A sign takes more than a byte where it is escaped: what is left is of this share.
                kept = text[: max(_LEAST, most * len(text) // _size(text))]
                holder[name] = f"{kept} ... (cut; {len(text):,} characters)"
                taken += _size(holder[name]) - _size(text)
            if not long:
                del part["whole"]
        n_cut += any("whole" in part for part, _ in own)
    return n_cut, taken


def _size(text: str) -> int:
    """Returns how many bytes a text takes in the page, or a few more."""
    return len(json.dumps(text)) + 5 * sum(map(text.count, "<>&"))


def fitting(sizes: Sequence[int], most: int) -> int:
    """Returns the largest size to which all sizes can be cut for their sum to be at most `most`."""
    left, ordered = most, sorted(sizes)
    for index, size in enumerate(ordered):
        share = max(left, 0) // (len(ordered) - index)
        if size > share:
            return share
        left -= size
    return max(ordered, default=0)


def facets(records: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Returns the fields of records that are worth a filter, those of a few different words, with these."""
    found: dict[str, set[str]] = {}
    dropped = set(_NO_FACETS)
    for record in records:
        for name, value in record.items():
            values = value if isinstance(value, list) and name == "tests" else [value]
            if name in dropped:
                continue
            if not all(isinstance(one, str) and len(one) <= _FACET_LENGTH for one in values):
                dropped.add(name)
                continue
            found.setdefault(name, set()).update(values)
            if len(found[name]) > _FACET_VALUES:
                dropped.add(name)
    return {name: sorted(values) for name, values in found.items() if name not in dropped and len(values) > 1}


class Shown(NamedTuple):
    """A picture of a question.

    Attributes:
        key: Its digest.
        uri: The picture itself.
        label: What it is: its number, and of a frame its time.
    """

    key: str
    uri: str
    label: str


class _Noted(UserDict[str, Any]):
    """A document that notes in `read` which fields are read: what a hook shows depends on these alone."""

    def __init__(self, doc: Mapping[str, Any]) -> None:
        self.read: set[str] = set()
        super().__init__(doc)

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self.read.update(self.data)
        return super().__iter__()

    # What makes another document of it has looked at every field.
    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return copy.deepcopy(dict(self), memo)


class _Visuals:
    """The pictures of a task's questions, through its own hooks; drawn once for all that show the same."""

    def __init__(self, task: TaskNumbers) -> None:
        self.drawn: dict[tuple[str, ...], dict[str, tuple[list[Shown], str]]] = {}
        self.config: dict[str, Any] = {}
        self.docs: list[dict[str, Any]] = []
        self.problem = ""
        try:
            self.config = load_task(task.log.task)
            self.docs = docs_of(self.config)
        except TempbenchError as error:
            self.problem = str(error)

    def of(self, doc_id: int, question: str) -> tuple[list[Shown], str]:
        """Returns the pictures of a question, and the remarks about them."""
        if self.problem:
            return [], f"no pictures: {self.problem}"
        if doc_id >= len(self.docs) or str(self.docs[doc_id]["question_id"]) != question:
            return [], "no pictures: the data on this machine is not the run's"
        for names, drawn in self.drawn.items():
            if (found := drawn.get(_values(self.docs[doc_id], names))) is not None:
                return found
        doc = _Noted(self.docs[doc_id])
        try:
            found = self._drawn(doc)
        except TempbenchError as error:
            return [], f"no pictures: {error}"
        names = tuple(sorted(doc.read))
        self.drawn.setdefault(names, {})[_values(self.docs[doc_id], names)] = found
        return found

    def _drawn(self, doc: _Noted) -> tuple[list[Shown], str]:
        kwargs = kwargs_of(self.config)
        visuals = self.config["doc_to_visual"](doc, kwargs)
        images = self._images(visuals)
        kept = [images[i] for i in spread(len(images), _PICTURES)]
        notes = [f"{len(kept)} of {len(images)} pictures"] if len(kept) < len(images) else []
        if any(not hasattr(one, "convert") for one in visuals):
            notes.append(f"{_FRAMES} frames of each video")
        return [Shown(*thumbnail(image), label) for image, label in kept], ", ".join(notes)

    def _images(self, visuals: Sequence[Any]) -> list[tuple[Any, str]]:
        from tempbench_lmms.media.video import sample_frames

        images: list[tuple[Any, str]] = []
        for number, one in enumerate(visuals, start=1):
            if hasattr(one, "convert"):
                images.append((one, f"picture {number} of {len(visuals)}"))
                continue
            frames = sample_frames(Path(str(one)), _FRAMES)
            images += [
                (image, f"{time:.1f} s") for image, time in zip(frames.images, frames.times, strict=True)
            ]
        return images


def _values(doc: Mapping[str, Any], names: Sequence[str]) -> str:
    return repr({name: doc[name] for name in names if name in doc})


def thumbnail(image: Any) -> tuple[str, str]:
    """Returns the digest and the data URI of a small JPEG of a picture."""
    small = image.convert("RGB")
    side = _STRIP if small.width > 2 * small.height else _SIDE
    small.thumbnail((side, side))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=78)
    data = buffer.getvalue()
    return hashlib.sha256(data).hexdigest(), f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
