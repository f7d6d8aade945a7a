"""Shared hooks of benchmarks with one video per question, or with pictures.

A task's kwargs select what is shown of a video: the file, frames with their times, or nothing. Frames can be
taken at a rate or from segments, and shuffled as a control.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from tempbench_lmms.data import questions
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError

MEDIA = ("video", "frames", "none")

Doc = Mapping[str, Any]
Kwargs = Mapping[str, Any] | None
Label = Callable[[int, float], str]
"""Makes the text before a frame from its number (from 1) and its time in seconds."""
Part = dict[str, Any]
"""A part of a message: `{"type": "text", "text": ...}`, or an `image` or a `video` with its `url`."""
Hooks = tuple[Callable[..., list[Any]], Callable[..., str], Callable[..., list[dict[str, Any]]]]


class Setting(NamedTuple):
    """A task's kwargs."""

    media: str  # one of `MEDIA`
    ask: str  # what is asked for
    frames: int  # how many frames are shown
    style: str  # how it is asked
    places: str = "uniform"  # how frames are chosen: a name in `media.video.PLACES`
    rate: float = 0  # frames per second, instead of their number; 0 if the number counts
    shuffled: bool = False  # whether to shuffle the frames


def setting(kwargs: Kwargs) -> Setting:
    """Returns the setting in a task's kwargs.

    Raises:
        TempbenchError: The medium or the number of frames is not valid.
    """
    given = kwargs or {}
    media, frames = str(given.get("media", "video")), str(given.get("frames", 16)).removesuffix(".0")
    if media not in MEDIA:
        raise TempbenchError(f"media is {media!r}; choose from {', '.join(MEDIA)}")
    if not frames.isdecimal() or not int(frames):
        raise TempbenchError(f"frames is {frames!r}; give a whole number of at least 1")
    return Setting(
        media,
        str(given.get("ask", "both")),
        int(frames),
        str(given.get("style", "direct")),
        str(given.get("places", "uniform")),
        float(given.get("rate", 0)),
        bool(given.get("shuffled", False)),
    )


UNOPENED = ContextVar("unopened", default=False)
"""Whether prompts are made without opening their videos: frame n is placed at n seconds."""


def times(url: str, given: Setting) -> tuple[float, ...]:
    """Returns the times of the shown frames in seconds."""
    if UNOPENED.get():
        return tuple(map(float, range(given.frames)))
    from tempbench_lmms.media.video import frame_times

    return frame_times(resolve(url), given.frames)


def frames(url: str, given: Setting) -> list[tuple[Any, float]]:
    """Returns the frames as pictures in the order shown, each with the time of its place in seconds."""
    from tempbench_lmms.media.video import Taken, probe, sample_frames

    path = resolve(url)
    # Every nth frame, as the official code of AoT-PsyPhyBENCH (`read_video_frames`) takes them.
    step = max(1, round(probe(path).fps / given.rate)) if given.rate else 0
    found = sample_frames(path, Taken(step, "every") if step else Taken(given.frames, given.places))
    n = len(found.images)
    order = questions.shuffled(n, url) if given.shuffled else range(n)
    return [(found.images[place], time) for place, time in zip(order, found.times, strict=True)]


def only(column: str, value: Any) -> Callable[[Any], Any]:
    """Returns a task's `process_docs`, which keeps the questions with a value in a column."""
    return lambda dataset: dataset.select(
        [number for number, one in enumerate(dataset[column]) if one == value]
    )


def said(text: str) -> Part:
    """Returns a text as a part of a message."""
    return {"type": "text", "text": text}


def labelled(shown: Iterable[tuple[str, Any]]) -> list[Part]:
    """Returns pictures as parts of a message, each behind its label unless that is empty."""
    parts = ([said(label), {"type": "image", "url": one}][not label :] for label, one in shown)
    return list(itertools.chain.from_iterable(parts))


def pictures(urls: Sequence[str], labels: Iterable[str] = ()) -> list[Part]:
    """Returns the pictures at URLs as parts of a message."""
    from tempbench_lmms.media.images import load_image

    return labelled(zip(labels or itertools.repeat(""), map(load_image, urls), strict=False))


def of_content(
    text: Callable[[Doc, Kwargs], str],
    content: Callable[[Doc, Kwargs], list[Part]],
    system: Callable[[Kwargs], str] = lambda kwargs: "",
) -> Hooks:
    """Returns `doc_to_visual`, `doc_to_text` and `doc_to_messages` of a task.

    Args:
        text: Returns the prompt for a runner that takes all media before the text.
        content: Returns the user's message for a chat model; a simple runner gets its media in their order.
        system: Returns the system prompt for a chat model; empty for none.
    """

    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        urls = (part["url"] for part in content(doc, lmms_eval_specific_kwargs) if part["type"] != "text")
        return [one for url in urls for one in (url if isinstance(url, list) else [url])]

    def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
        return text(doc, lmms_eval_specific_kwargs)

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        first, own = system(lmms_eval_specific_kwargs), content(doc, lmms_eval_specific_kwargs)
        before = [{"role": "system", "content": [said(first)]}] if first else []
        return [*before, {"role": "user", "content": own}]

    return doc_to_visual, doc_to_text, doc_to_messages


def video(doc: Doc, given: Setting, label: Label | None = None) -> list[Part]:
    """Returns a document's video as parts of a message: the file, its frames, or nothing."""
    if given.media == "video":
        return [{"type": "video", "url": str(resolve(doc["video"]))}]
    shown = frames(doc["video"], given) if given.media == "frames" else []
    return labelled(
        (label(number, time) if label else "", image) for number, (image, time) in enumerate(shown, start=1)
    )


def of_video(
    text: Callable[[Doc, Setting, Sequence[float]], str],
    label: Label | None = None,
    timed: bool = False,
    system: str = "",
) -> Hooks:
    """Returns `doc_to_visual`, `doc_to_text` and `doc_to_messages` of a task whose column `video` has a URL.

    Args:
        text: Returns the prompt of a document; its frames' times are given if it states them.
        label: Of a frame, in the conversation of a chat model.
        timed: Whether a prompt states the times of frames that have no label.
        system: A system prompt, behind which the question stands before its media, as OpenAI's examples have
            it; a runner of the simple kind is given it before the question.
    """

    def plain(doc: Doc, kwargs: Kwargs) -> str:
        given = setting(kwargs)
        stated = times(doc["video"], given) if timed and given.media == "frames" else ()
        return system + text(doc, given, stated)

    def content(doc: Doc, kwargs: Kwargs) -> list[Part]:
        given = setting(kwargs)
        media, question = video(doc, given, label), said(text(doc, given, ()))
        return [question, *media] if system else [*media, question]

    return of_content(plain, content, lambda kwargs: system)
