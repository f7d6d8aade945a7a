"""What `tasks`, `show` and `read` print of questions, and the page of `show`."""

import base64
import functools
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots, tables, terminal
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError
from tempbench_lmms.harness.tasks import (
    content,
    docs_with,
    is_prepared,
    kwargs_of,
    load_leaf,
    load_task,
    not_valid,
    task_files,
)
from tempbench_lmms.harness.variants import asked, asks
from tempbench_lmms.media.images import is_picture, png
from tempbench_lmms.record import PARTS, VALUES

RULES = {
    "whole": "the reply, or its part after the reasoning, is an answer by itself",
    "json": "a field of a JSON object",
    "box": "a box or an answer tag",
    "last line": "the last line or sentence is an answer by itself",
    "answer": 'a statement like "the answer is ..."',
    "first line": "the first line or sentence is an answer by itself",
    "conclusion": 'a conclusion like "so ..." or "I choose ..."',
    "words": "the words of exactly one option",
    "only one": "the only option that the reply names",
    "form": "the form that the prompt asks for",
}
REASONS = {
    "empty": "the reply is empty",
    "cut_off": "the reply ends in its reasoning or within a sentence",
    "refused": "the reply says that it can't answer",
    "several": "the reply has several answers and does not choose",
    "nothing": "no answer is in the reply",
}
# The errors of a hook whose row is not what the task expects.
_FAULTS = (KeyError, TypeError, IndexError, ValueError, AttributeError)
# Variants follow their task and read the same table or the sample's.
_read = functools.lru_cache(maxsize=4)(tables.read_rows)


@dataclass(frozen=True)
class View:
    """A document as a chat model receives it."""

    task: str
    position: tuple[int, int]
    content: tuple[Any, ...]
    target: str
    seconds: float | None = None


def _view(config: dict[str, Any], docs: list[tables.Row], number: int) -> View:
    doc = docs[number]
    parts = content(config, doc, number)
    try:
        return View(config["task"], (number, len(docs)), parts, doc["target"], doc.get("duration"))
    except _FAULTS as error:
        raise not_valid(config, number, error) from None


def seen(task: str, number: int, **how: Any) -> View:
    """Returns document `number` of a task.

    Raises:
        TempbenchError: The task or document does not exist, its data is not prepared, or a picture is
            damaged.
    """
    config = load_leaf(task)
    return _view(config, docs_with(number, config, **how), number)


def as_text(view: View) -> str:
    """Returns the document for a terminal, with sizes in place of pictures."""
    lines = [f"{view.task}, document {view.position[0]} of {view.position[1]}", ""]
    for part in view.content:
        if is_picture(part):
            lines.append(f"[picture, {part.width}x{part.height}]")
        else:
            lines.append(f"[video, {part.name}]" if isinstance(part, Path) else part)
    return "\n".join([*lines, "", f"right answer: {view.target}"])


def as_html(task: str, number: int, count: int, n_frames: int) -> str:
    """Returns documents as one self-contained page, each with links to its neighbours.

    Raises:
        TempbenchError: The first document cannot be shown. The page reports problems of the others.
    """
    from tempbench_lmms.report.page import rendered

    config = load_leaf(task)
    docs = docs_with(number, config)
    shown: list[dict[str, Any]] = []
    for place in range(number, min(number + count, len(docs))):
        try:
            view = _view(config, docs, place)
            known = {"parts": list(_parts(view, n_frames)), "target": view.target, "problem": ""}
        except TempbenchError as error:
            if place == number:
                raise
            known = {"parts": [], "target": "", "problem": str(error)}
        shown.append({"number": place, **known})
    return rendered(
        "show.html",
        title=f"{task}, what a model sees",
        task=task,
        shown=shown,
        total=len(docs),
        count=count,
    )


def _parts(view: View, n_frames: int) -> Iterator[dict[str, Any]]:
    n, numbers = sum(map(is_picture, view.content)), itertools.count(1)
    for are_pictures, group in itertools.groupby(view.content, is_picture):
        if not are_pictures:
            for part in group:
                text = {"text": part, "pictures": [], "is_video": False}
                yield _video(part, n_frames) if isinstance(part, Path) else text
            continue
        row = [
            (
                f"data:image/png;base64,{base64.b64encode(png(part)).decode()}",
                f"picture {next(numbers)} of {n}, {part.width}×{part.height}",
            )
            for part in group
        ]
        yield {"text": "", "pictures": row, "is_video": False}


def _video(path: Path, n_frames: int) -> dict[str, Any]:
    """Returns some frames of a video; a model may use other frames."""
    from tempbench_lmms.media import video
    from tempbench_lmms.report.questions import thumbnail

    about = video.probe(path)
    frames = video.sample_frames(path, min(n_frames, about.n_frames))
    facts = (
        f"video {path.name}: {about.duration:.2f} s, {about.width}×{about.height}, "
        f"{about.n_frames} frames, {about.fps:.4g} a second"
    )
    pictures = [
        (thumbnail(image), f"frame {number} of {len(frames.images)}, at {time:.2f} s")
        for number, (image, time) in enumerate(zip(frames.images, frames.times, strict=True), start=1)
    ]
    return {"text": facts, "pictures": pictures, "is_video": True}


def names(benchmark: str | None, with_all: bool) -> list[str]:
    """Returns the tasks to list; without `with_all`, neither variants nor tasks on the sample."""
    return [
        name
        for name, file in task_files().items()
        if benchmark in (None, file.parent.name) and (with_all or name in asked())
    ]


def listed(name: str) -> tuple[str, str, str]:
    """Returns a task's number of questions, what its first question shows, and what it asks.

    If the data is missing, the sample's first question shows what a question looks like.
    """
    config = load_task(name)
    words = asks(name)
    if "group" in config:
        return "", "", words or f"{len(config['task'])} tasks"
    words = words or ", ".join(f"{key} {value}" for key, value in (kwargs_of(config) or {}).items())
    there = is_prepared(config)
    try:
        view = seen(name if there else f"{name}_{roots.MINI}", 0, read=_read)
    except TempbenchError:  # `tempbench verify` reports the problem
        return "damaged", "text", words
    kinds = Counter(
        "picture" if is_picture(one) else "video" for one in view.content if not isinstance(one, str)
    )
    parts = [terminal.counted(n, noun) for noun, n in sorted(kinds.items())]
    if kinds["video"] and view.seconds and there:
        parts.append(f"{view.seconds:.0f} s")
    return f"{view.position[1]:,}" if there else "not prepared", ", ".join(parts) or "text", words


def read_reply(task: str, reply: str, number: int | None = None) -> str:
    """Returns how a run of a task reads a reply, for a terminal.

    Args:
        task: The task's name.
        reply: The reply.
        number: The document that it answers. By default, the first one defines the expected kind of answer;
            if the data is not prepared, that of the bundled sample.

    Raises:
        TempbenchError: The task or document does not exist, or its data is not prepared.
    """
    config, place = load_leaf(task), number or 0
    try:
        docs = docs_with(place, config)
    except DataNotPreparedError:
        if number is not None or task.endswith(f"_{roots.MINI}"):
            raise
        task, config = f"{task}_{roots.MINI}", load_leaf(f"{task}_{roots.MINI}")
        docs = docs_with(place, config)
    doc, reply = docs[place], reply.strip()  # as the harness does
    lines = [f"as a reply to {task}, document {place} of {len(docs)}"]
    try:
        record = config["process_results"](doc, [reply])["record"]
        if number is not None:
            question = config["doc_to_text"](doc, kwargs_of(config)).strip()
            lines = [lines[0].removeprefix("as a reply to "), "", question, ""]
        target = doc["target"]
    except _FAULTS as error:
        raise not_valid(config, place, error) from None
    if record["failed"]:
        return "\n".join([*lines, "not a reply: the harness's notice of a failed request"])
    lines += _reading(record, reply)
    if number is not None:
        counts = "- (the answers of this split are not public)"
        if "correct" in record:
            counts = "as right" if record["correct"] else "as wrong"
            counts += f"; IoU {record['iou']:.4g}" if "iou" in record else ""
        lines += [f"right:    {target}", f"counts:   {counts}"]
    return "\n".join(lines)


def _reading(record: dict[str, Any], reply: str) -> Iterator[str]:
    read = ", ".join(f"{name} {record[name]}" for name in VALUES if record.get(name) not in (None, []))
    if not record["parsed"] and record.get("prediction") is not None:  # MATEO scores it as "other"
        read = ""
    yield f"read:     {read or 'nothing'}"
    for part in PARTS if f"{PARTS[0]}how" in record else ("",):
        how, reason, where = (record.get(f"{part}{name}") for name in ("how", "reason", "where"))
        what = part.replace("_", " ")
        if how:
            yield f"{what}rule:     {how} ({RULES[how]})"
        if where:
            yield f"{what}where:    characters {where[0]} to {where[1]}: {reply[slice(*where)].strip()!r}"
        if reason:
            yield f"{what}reason:   {reason} ({REASONS[reason]})"
