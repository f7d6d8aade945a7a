"""What a model sees of one document."""

import base64
import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.shown import content, kwargs_of, not_valid
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media.pictures import is_picture, png


@dataclass(frozen=True)
class View:
    """One document as a chat model gets it.

    Attributes:
        task: The task's name.
        position: The document's number and how many there are.
        content: The parts in order: text, a picture, or a video's path.
        prompt: The text that a model of the harness's simple kind gets.
        target: A right reply.
        seconds: Length of its video, where its row says it.
    """

    task: str
    position: tuple[int, int]
    content: tuple[Any, ...]
    prompt: str
    target: str
    seconds: float | None = None


def seen(task: str, number: int, media: bool = True) -> View:
    """Returns document `number` of a task.

    Args:
        task: The task.
        number: From 0.
        media: Whether a task that looks at all its media first does so.

    Raises:
        TempbenchError: There is no such task or document, its data is not prepared, or a picture is damaged.
    """
    config = load_task(task)
    if "group" in config:
        raise TempbenchError(f"{task} is a group; show one of its tasks: {', '.join(config['task'])}")
    docs = docs_of(config, media)
    if not 0 <= number < len(docs):
        raise TempbenchError(f"{task} has no document {number}; choose one from 0 to {len(docs) - 1}")
    doc = docs[number]
    parts = content(config, doc, number)
    try:
        prompt, seconds = config["doc_to_text"](doc, kwargs_of(config)), doc.get("duration")
        return View(task, (number, len(docs)), parts, prompt, doc["target"], seconds)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise not_valid(config, number, error) from None


def as_text(view: View) -> str:
    """Returns the document for a terminal; pictures as their sizes."""
    lines = [f"{view.task}, document {view.position[0]} of {view.position[1]}", ""]
    for part in view.content:
        if is_picture(part):
            lines.append(f"[picture, {part.width}x{part.height}]")
        elif isinstance(part, Path):
            lines.append(f"[video, {part.name}]")
        else:
            lines.append(part)
    return "\n".join([*lines, "", f"right answer: {view.target}"])


def as_html(view: View) -> str:
    """Returns the document as a self-contained page. Text is escaped: it comes from data sets."""
    parts = []
    for part in view.content:
        if is_picture(part):
            data = base64.b64encode(png(part)).decode()
            parts.append(f'<img alt="" src="data:image/png;base64,{data}">')
        elif isinstance(part, Path):
            parts.append(f"<p>[video, {html.escape(part.name)}]</p>")
        else:
            parts.append(f"<pre>{html.escape(part)}</pre>")
    title = html.escape(f"{view.task}, document {view.position[0]} of {view.position[1]}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font:16px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "img{max-width:100%}pre{white-space:pre-wrap}</style>"
        f"<h1>{title}</h1>{''.join(parts)}<p><b>Right answer:</b> {html.escape(view.target)}</p></html>"
    )
