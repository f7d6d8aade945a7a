"""What the hooks of benchmarks share whose questions are each about one video.

A task's kwargs say what is shown: the video as a file, frames with their times, or nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.data import remote
from tempbench_lmms.errors import TempbenchError

_FRAMES = 16

Wanted = tuple[Path, int, tuple[int, ...]]
"""A video, the number of its frames that are shown, and the other numbers that it is asked with."""


class Setting(NamedTuple):
    """A task's kwargs: `media` (`video`, `frames` or `none`), what is asked for, how many frames, and how."""

    media: str
    ask: str
    frames: int
    style: str


def setting(kwargs: Mapping[str, Any] | None) -> Setting:
    """Returns what a task's kwargs say.

    Raises:
        TempbenchError: The number of frames is none.
    """
    given = kwargs or {}
    try:
        n = int(given.get("frames", _FRAMES))
    except (TypeError, ValueError):
        n = 0
    if n < 1:
        raise TempbenchError(f"frames is {given.get('frames')!r}; give a whole number of at least 1")
    media, ask, style = (
        str(given.get(name, default))
        for name, default in (("media", "video"), ("ask", "both"), ("style", "direct"))
    )
    return Setting(media, ask, n, style)


def times(path: Path, given: Setting) -> tuple[float, ...]:
    """Returns when each frame that is shown stands in the video, in seconds; nothing without frames."""
    if given.media != "frames":
        return ()
    from tempbench_lmms.media.integrity import frame_times

    return frame_times(path, given.frames)


def frames_of(path: Path, given: Setting) -> Wanted | None:
    """Returns the video and the number of frames where a question shows frames (`adapter.shows_frames`)."""
    return (path, given.frames, ()) if given.media == "frames" else None


def frames(path: Path, given: Setting) -> list[tuple[Any, float]]:
    """Returns the frames as pictures, each with its time in seconds."""
    from tempbench_lmms.media.video import sample_frames

    found = sample_frames(path, given.frames)
    return list(zip(found.images, found.times, strict=True))


def file(path: Path) -> str:
    """Returns the path for somebody who opens a video by its own means; it is fetched where need be."""
    remote.bring(path)
    return str(path)


def shown(path: Path, given: Setting) -> list[Any]:
    """Returns the video's path, its frames, or nothing."""
    if given.media == "video":
        return [file(path)]
    return [image for image, _ in frames(path, given)] if given.media == "frames" else []


def content(path: Path, given: Setting, label: Callable[[int, float], str]) -> list[dict[str, Any]]:
    """Returns what a chat model is shown before the text: the video, or each frame after its label.

    Args:
        path: Of the video.
        given: What is shown.
        label: Makes the text before a frame from its number (from 1) and its time in seconds.
    """
    if given.media == "video":
        return [{"type": "video", "url": file(path)}]
    found: list[dict[str, Any]] = []
    pictures: Sequence[tuple[Any, float]] = frames(path, given) if given.media == "frames" else ()
    for number, (image, time) in enumerate(pictures, start=1):
        found.append({"type": "text", "text": label(number, time)})
        found.append({"type": "image", "url": image})
    return found
