"""Shared hooks of benchmarks with one video per question, or with pictures.

A task's kwargs select what is shown of a video: the file, frames with their times, or nothing. Frames can be
taken at a rate or from segments, and shuffled as a control.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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
Visual = Callable[..., list[Any]]
Messages = Callable[..., list[dict[str, Any]]]


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


_unopened: ContextVar[bool] = ContextVar("unopened", default=False)


@contextlib.contextmanager
def unopened() -> Iterator[None]:
    """Makes prompts without opening their videos: frame n is placed at n seconds."""
    token = _unopened.set(True)
    try:
        yield
    finally:
        _unopened.reset(token)


def times(url: str, given: Setting) -> tuple[float, ...]:
    """Returns the times of the shown frames in seconds."""
    if _unopened.get():
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


def of_video(
    text: Callable[[Doc, Setting, Sequence[float]], str],
    label: Label | None = None,
    timed: bool = False,
    system: str = "",
) -> tuple[Visual, Callable[..., str], Messages]:
    """Returns `doc_to_visual`, `doc_to_text` and `doc_to_messages` of a task whose column `video` has a URL.

    Args:
        text: Returns the prompt of a document; its frames' times are given if it states them.
        label: Of a frame, in the conversation of a chat model.
        timed: Whether a prompt states the times of frames that have no label.
        system: A system prompt, behind which the question stands before its media, as OpenAI's examples have
            it; a runner of the simple kind is given it before the question.
    """

    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        """Returns the video's path, its frames in order, or nothing."""
        given = setting(lmms_eval_specific_kwargs)
        if given.media == "video":
            return [str(resolve(doc["video"]))]
        return [image for image, _ in frames(doc["video"], given)] if given.media == "frames" else []

    def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
        """Returns the prompt for a runner that takes all media before the text."""
        given = setting(lmms_eval_specific_kwargs)
        stated = times(doc["video"], given) if timed and given.media == "frames" else ()
        return system + text(doc, given, stated)

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        """Returns the conversation for a chat model: the video or its frames, then the question."""
        given = setting(lmms_eval_specific_kwargs)
        question = {"type": "text", "text": text(doc, given, ())}
        media: list[dict[str, Any]] = []
        if given.media == "video":
            media.append({"type": "video", "url": str(resolve(doc["video"]))})
        shown = frames(doc["video"], given) if given.media == "frames" else []
        for number, (image, time) in enumerate(shown, start=1):
            if label:
                media.append({"type": "text", "text": label(number, time)})
            media.append({"type": "image", "url": image})
        if not system:
            return [{"role": "user", "content": [*media, question]}]
        first = {"role": "system", "content": [{"type": "text", "text": system}]}
        return [first, {"role": "user", "content": [question, *media]}]

    return doc_to_visual, doc_to_text, doc_to_messages


def of_pictures(
    text: Callable[[Doc, Kwargs], str], labels: Callable[[Doc], Sequence[str]] = lambda doc: ()
) -> tuple[Visual, Messages]:
    """Returns `doc_to_visual` and `doc_to_messages` of a task whose column `images` has URLs.

    Args:
        text: Returns what follows the pictures in a conversation.
        labels: Returns the text before each picture.
    """

    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        """Returns the pictures for a runner that takes pictures first and text after them."""
        from tempbench_lmms.media.images import load_image

        return [load_image(url) for url in doc["images"]]

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        """Returns the conversation for a chat model: the pictures, then the question."""
        names = labels(doc)
        parts: list[dict[str, Any]] = []
        for number, image in enumerate(doc_to_visual(doc)):
            if names:
                parts.append({"type": "text", "text": names[number]})
            parts.append({"type": "image", "url": image})
        parts.append({"type": "text", "text": text(doc, lmms_eval_specific_kwargs)})
        return [{"role": "user", "content": parts}]

    return doc_to_visual, doc_to_messages
