"""Shows a document as a model sees it: in the terminal, or as a page with its neighbours."""

import base64
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import content, docs_with, load_leaf, not_valid
from tempbench_lmms.media.images import is_picture, png

if TYPE_CHECKING:
    from tempbench_lmms.data.tables import Row


@dataclass(frozen=True)
class View:
    """A document as a chat model receives it."""

    task: str
    position: tuple[int, int]
    content: tuple[Any, ...]
    target: str
    seconds: float | None = None


def _documents(task: str, number: int, **how: Any) -> "tuple[dict[str, Any], list[Row]]":
    config = load_leaf(task)
    return config, docs_with(number, config, **how)


def _view(config: "dict[str, Any]", docs: "list[Row]", number: int) -> View:
    doc = docs[number]
    parts = content(config, doc, number)
    try:
        return View(config["task"], (number, len(docs)), parts, doc["target"], doc.get("duration"))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise not_valid(config, number, error) from None


def seen(task: str, number: int, **how: Any) -> View:
    """Returns document `number` of a task.

    Raises:
        TempbenchError: The task or document does not exist, its data is not prepared, or a picture is
            damaged.
    """
    config, docs = _documents(task, number, **how)
    return _view(config, docs, number)


def as_text(view: View) -> str:
    """Returns the document for a terminal, with sizes in place of pictures."""
    lines = [f"{view.task}, document {view.position[0]} of {view.position[1]}", ""]
    for part in view.content:
        if is_picture(part):
            lines.append(f"[picture, {part.width}x{part.height}]")
        elif isinstance(part, Path):
            lines.append(f"[video, {part.name}]")
        else:
            lines.append(part)
    return "\n".join([*lines, "", f"right answer: {view.target}"])


def as_html(task: str, number: int, count: int, n_frames: int) -> str:
    """Returns documents as one self-contained page, each with links to its neighbours.

    Raises:
        TempbenchError: The first document cannot be shown. The page reports problems of the others.
    """
    from tempbench_lmms.report.page import rendered

    config, docs = _documents(task, number)
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
    """Yields the parts of the page: text, rows of labelled pictures, and frames of videos."""
    n, done = sum(map(is_picture, view.content)), 0
    for are_pictures, group in itertools.groupby(view.content, is_picture):
        row = []
        for part in group:
            if not are_pictures:
                is_video = isinstance(part, Path)
                yield (
                    _video(part, n_frames) if is_video else {"text": part, "pictures": [], "is_video": False}
                )
                continue
            done += 1
            words = [f"picture {done} of {n}", f"{part.width}×{part.height}"]
            data = base64.b64encode(png(part)).decode()
            row.append((f"data:image/png;base64,{data}", ", ".join(words)))
        if row:
            yield {"text": "", "pictures": row, "is_video": False}


def _video(path: Path, n_frames: int) -> dict[str, Any]:
    """Returns some frames of a video; a model may use other frames."""
    from tempbench_lmms.media.video import probe, sample_frames
    from tempbench_lmms.report.questions import thumbnail

    about = probe(path)
    frames = sample_frames(path, min(n_frames, about.n_frames))
    facts = (
        f"video {path.name}: {about.duration:.2f} s, {about.width}×{about.height}, "
        f"{about.n_frames} frames, {about.fps:.4g} a second"
    )
    pictures = [
        (thumbnail(image), f"frame {number} of {len(frames.images)}, at {time:.2f} s")
        for number, (image, time) in enumerate(zip(frames.images, frames.times, strict=True), start=1)
    ]
    return {"text": facts, "pictures": pictures, "is_video": True}
