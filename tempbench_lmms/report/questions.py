"""The questions of the runs, as data for the browser in the page: what was asked, shown, replied and read."""

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.record_reading import HOW, REASON, manner
from tempbench_lmms.report.numbers import TaskNumbers, verdict
from tempbench_lmms.runs.logs import Sample

_SIDE = 360  # pixels of a picture's longer side
_STRIP = 1000  # the same of a strip of pictures
_PICTURES = 8  # of one question
_FRAMES = 4  # of one video
_FACET_VALUES = 12
_FACET_LENGTH = 40
_SAYS_HOW = {*HOW, *REASON}  # one of the two is None
_NO_FACETS = {"id", "gold", "answer", "prediction", "reply", "reference", "first"}


MEGABYTES = 25
"""Of the questions' texts in a page, at most: a browser opens it, and it can be sent by mail."""
_LEAST = 200  # characters that stay of a text

_TEXTS = ("prompt", "reply", "target", "id", "read")


def spread(n: int, most: int) -> list[int]:
    """Returns at most `most` of the indices 0 .. n - 1, spread evenly."""
    return list(range(n)) if n <= most else [i * n // most for i in range(most)]


def data_of(
    tasks: Sequence[TaskNumbers], n_questions: int, n_pictured: int, megabytes: float = MEGABYTES
) -> dict[str, Any]:
    """Returns what the browser shows: JSON values.

    Args:
        tasks: The tasks.
        n_questions: At most so many questions in all, evenly from the tasks.
        n_pictured: At most so many of them with pictures.
        megabytes: Of their texts, at most; the longest are cut, and say where they are whole.

    Returns:
        `tasks`, `questions`, `pictures` (data URIs, each once), and how many questions there are in all.
    """
    logged = [task for task in tasks if task.log.samples]
    pictures: dict[str, tuple[int, str]] = {}
    out: dict[str, Any] = {"tasks": [], "questions": [], "pictures": [], "n_logged": 0, "n_pictured": 0}
    n_of = allot([len(task.log.samples) for task in logged], n_questions)
    n_pictured_of = allot(n_of, n_pictured)
    for number, task in enumerate(logged):
        samples = sorted(task.log.samples, key=lambda sample: sample.doc_id)
        out["n_logged"] += len(samples)
        chosen = [samples[i] for i in spread(len(samples), n_of[number])]
        pictured = {chosen[i].doc_id for i in spread(len(chosen), n_pictured_of[number])}
        visuals = _Visuals(task) if pictured else None
        out["tasks"].append(
            {
                "run": task.run,
                "task": task.log.task,
                "n": len(samples),
                "facets": facets([task.log.with_limit(sample) for sample in chosen]),
            }
        )
        for sample in chosen:
            entry = {"t": number} | _entry(task, sample)
            if visuals is not None and sample.doc_id in pictured:
                shown, entry["note"] = visuals.of(sample)
                entry["pictures"] = [pictures.setdefault(key, (len(pictures), uri))[0] for key, uri in shown]
                out["n_pictured"] += bool(shown)
            out["questions"].append(entry)
    out["n_cut"] = cut(out["questions"], megabytes)
    out["pictures"] = [uri for _, uri in pictures.values()]
    return out


def _entry(task: TaskNumbers, sample: Sample) -> dict[str, Any]:
    """Returns a question as the browser shows it, without its pictures."""
    record = task.log.with_limit(sample)
    return {
        "id": str(sample.record["id"]),
        "verdict": verdict(record),
        "read": manner(record),
        "prompt": sample.prompt,
        "reply": sample.reply,
        "target": sample.target,
        "record": record,
        "whole": f"{task.log.beside('samples').name}.jsonl, doc_id {sample.doc_id}",
    }


def cut(entries: Sequence[dict[str, Any]], megabytes: float) -> int:
    """Cuts the longest texts of questions so that all of them together are within a size.

    A question with a cut text keeps in `whole` where the text stands; the others lose the entry.

    Returns:
        How many questions have a cut text.
    """
    fields = [_fields(entry) for entry in entries]
    most = fitting([size for found in fields for _, _, size in found], int(megabytes * 1e6))
    n_cut = 0
    for entry, found in zip(entries, fields, strict=True):
        long = [(place, text) for place, text, size in found if size > most]
        entry["record"] = dict(entry["record"])
        for place, text in long:
            # A sign takes more than a byte where it is escaped: what is left is of this share of the size.
            kept = text[: max(_LEAST, most * len(text) // _size(text))]
            target = entry["record"] if place not in _TEXTS else entry
            target[place.removeprefix(".")] = f"{kept} ... (cut; {len(text):,} characters)"
        n_cut += bool(long)
        if not long:
            del entry["whole"]
    return n_cut


def _fields(entry: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Returns the texts of a question: its own, and those of its record with a dot before their names."""
    found = [(name, str(entry[name] or "")) for name in _TEXTS]
    for name, value in entry["record"].items():
        found.append((f".{name}", value if isinstance(value, str) else json.dumps(value, default=str)))
    return [(name, text, _size(text)) for name, text in found]


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


def allot(sizes: Sequence[int], most: int) -> list[int]:
    """Returns how many of each size are taken: `most` in all at most, as evenly as the sizes allow."""
    out = [0] * len(sizes)
    for index, number in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        out[number] = min(sizes[number], (most - sum(out)) // (len(sizes) - index))
    return out


def facets(records: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Returns the fields of records that are worth a filter, those of a few different words, with these."""
    found: dict[str, set[str]] = {}
    dropped = set(_NO_FACETS)
    for record in records:
        for name, value in record.items():
            values = value if isinstance(value, list) and name == "tests" else [value]
            if name in dropped or (value is None and name in _SAYS_HOW):
                continue
            if not all(isinstance(one, str) and len(one) <= _FACET_LENGTH for one in values):
                dropped.add(name)
                continue
            found.setdefault(name, set()).update(values)
            if len(found[name]) > _FACET_VALUES:
                dropped.add(name)
    return {name: sorted(values) for name, values in found.items() if name not in dropped and len(values) > 1}


class _Visuals:
    """The pictures of a task's questions, through its own hooks."""

    def __init__(self, task: TaskNumbers) -> None:
        self.config: dict[str, Any] = {}
        self.docs: list[dict[str, Any]] = []
        self.problem = ""
        try:
            self.config = load_task(task.log.task)
            self.docs = docs_of(self.config)
        except TempbenchError as error:
            self.problem = str(error)

    def of(self, sample: Sample) -> tuple[list[tuple[str, str]], str]:
        """Returns (digest, data URI) of each picture of a question, and the remarks about them."""
        if self.problem:
            return [], f"no pictures: {self.problem}"
        if sample.doc_id >= len(self.docs) or self.docs[sample.doc_id]["question_id"] != sample.record["id"]:
            return [], "no pictures: the data on this machine is not the run's"
        kwargs = (self.config.get("lmms_eval_specific_kwargs") or {}).get("default")
        try:
            shown = self.config["doc_to_visual"](self.docs[sample.doc_id], kwargs)
            images = self._images(shown)
        except TempbenchError as error:
            return [], f"no pictures: {error}"
        kept = [images[i] for i in spread(len(images), _PICTURES)]
        notes = [f"{len(kept)} of {len(images)} pictures"] if len(kept) < len(images) else []
        if any(not hasattr(one, "convert") for one in shown):
            notes.append(f"{_FRAMES} frames of each video")
        return [thumbnail(image) for image in kept], ", ".join(notes)

    def _images(self, visuals: Sequence[Any]) -> list[Any]:
        from tempbench_lmms.media.video import sample_frames

        images: list[Any] = []
        for one in visuals:
            images += [one] if hasattr(one, "convert") else sample_frames(Path(str(one)), _FRAMES).images
        return images


def thumbnail(image: Any) -> tuple[str, str]:
    """Returns the digest and the data URI of a small JPEG of a picture."""
    small = image.convert("RGB")
    side = _STRIP if small.width > 2 * small.height else _SIDE
    small.thumbnail((side, side))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=78)
    data = buffer.getvalue()
    return hashlib.sha256(data).hexdigest(), f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
