"""Shared hooks of benchmarks with one video per question.

A task's kwargs select what is shown: the video as a file, frames with their times, or nothing. Frames can be
taken at a rate or from segments, and shuffled as a control.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tempbench_lmms.data import option_order
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.media.video import Taken

MEDIA = ("video", "frames", "none")
_FRAMES = 16

Doc = Mapping[str, Any]
Kwargs = Mapping[str, Any] | None
Label = Callable[[int, float], str]
"""Makes the text before a frame from its number (from 1) and its time in seconds."""


class Setting(NamedTuple):
    """A task's kwargs."""

    media: str  # one of `MEDIA`
    ask: str  # what is asked for
    frames: int  # how many frames are shown
    style: str  # how it is asked
    places: str = "uniform"  # how frames are chosen: a name in `media.video.PLACES`
    rate: float = 0  # frames per second, instead of their number; 0 if the number counts
    shuffled: bool = False  # whether to shuffle the frames


def setting(kwargs: Mapping[str, Any] | None) -> Setting:
    """Returns the setting in a task's kwargs.

    Raises:
        TempbenchError: The number of frames is not valid.
    """
    given = kwargs or {}
    frames = given.get("frames", _FRAMES)
    shown = str(int(frames) if isinstance(frames, float) and frames.is_integer() else frames)
    try:
        n = int(shown)
    except ValueError:
        n = 0
    if n < 1:
        raise TempbenchError(f"frames is {shown!r}; give a whole number of at least 1")
    return Setting(
        str(given.get("media", "video")),
        str(given.get("ask", "both")),
        n,
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
    """Returns the times of the shown frames in seconds; empty without frames."""
    if given.media != "frames":
        return ()
    if _unopened.get():
        return tuple(map(float, range(given.frames)))
    from tempbench_lmms.media.video import frame_times

    return frame_times(resolve(url), given.frames)


def taken(path: Path, given: Setting) -> "Taken":
    """Returns the numbers of the shown frames of a video."""
    from tempbench_lmms.media.video import Taken, probe

    if given.rate:
        # Every nth frame, as the official code of AoT-PsyPhyBENCH (`read_video_frames`) takes them.
        return Taken(max(1, round(probe(path).fps / given.rate)), "every")
    return Taken(given.frames, given.places)


def frames(url: str, given: Setting) -> list[tuple[Any, float]]:
    """Returns the frames as pictures in the order shown, each with the time of its place in seconds."""
    from tempbench_lmms.media.video import sample_frames

    path = resolve(url)
    found = sample_frames(path, taken(path, given))
    n = len(found.images)
    order = option_order.shuffled(n, url) if given.shuffled else range(n)
    return [(found.images[place], time) for place, time in zip(order, found.times, strict=True)]


def file(url: str) -> str:
    """Returns the path of a video, for runners that open it themselves."""
    return str(resolve(url))


def shown(url: str, given: Setting) -> list[Any]:
    """Returns the video's path, its frames, or nothing."""
    if given.media == "video":
        return [file(url)]
    return [image for image, _ in frames(url, given)] if given.media == "frames" else []


def content(url: str, given: Setting, label: Label | None = None) -> list[dict[str, Any]]:
    """Returns the content before the text for a chat model: the video, or each frame with its label."""
    if given.media == "video":
        return [{"type": "video", "url": file(url)}]
    found: list[dict[str, Any]] = []
    pictures: Sequence[tuple[Any, float]] = frames(url, given) if given.media == "frames" else ()
    for number, (image, time) in enumerate(pictures, start=1):
        if label:
            found.append({"type": "text", "text": label(number, time)})
        found.append({"type": "image", "url": image})
    return found


class Hooks(NamedTuple):
    """The hooks that a task's YAML names, under the harness's names."""

    doc_to_visual: Callable[..., list[Any]]
    doc_to_text: Callable[..., str]
    doc_to_messages: Callable[..., list[dict[str, Any]]]


def hooks(
    text: Callable[[Doc, Setting, Sequence[float]], str],
    label: Label | None = None,
    timed: bool = False,
    system: str = "",
) -> Hooks:
    """Returns the hooks of a task whose column `video` has the video's URL.

    Args:
        text: Returns the prompt of a document; its frames' times are given if it states them.
        label: Of a frame, in the conversation of a chat model.
        timed: Whether a prompt states the times of frames that have no label.
        system: A system prompt, behind which the question stands before its media, as OpenAI's examples have
            it; a runner of the simple kind is given it before the question.
    """

    def known(kwargs: Kwargs) -> Setting:
        found = setting(kwargs)
        if found.media not in MEDIA:
            raise TempbenchError(f"media is {found.media!r}; choose from {', '.join(MEDIA)}")
        return found

    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        """Returns the video's path, its frames in order, or nothing."""
        return shown(doc["video"], known(lmms_eval_specific_kwargs))

    def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
        """Returns the prompt for a runner that takes all media before the text."""
        given = known(lmms_eval_specific_kwargs)
        stated = times(doc["video"], given) if timed and given.media == "frames" else ()
        return system + text(doc, given, stated)

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        """Returns the conversation for a chat model: the video or its frames, then the question."""
        given = known(lmms_eval_specific_kwargs)
        question = {"type": "text", "text": text(doc, given, ())}
        media = content(doc["video"], given, label)
        if not system:
            return [{"role": "user", "content": [*media, question]}]
        first = {"role": "system", "content": [{"type": "text", "text": system}]}
        return [first, {"role": "user", "content": [question, *media]}]

    return Hooks(doc_to_visual, doc_to_text, doc_to_messages)
