"""Checks whether a video can be decoded to its end, and returns its properties."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding
from tempbench_lmms.media.decoding import Video
from tempbench_lmms.media.video import VideoInfo, frame_times, uniform_places

__all__ = ["Facts", "check_video", "frame_times"]

BUDGETS = (1, 4, 8, 12, 16)
"""The numbers of frames for which a thorough check compares sought frames with a full decode."""


@dataclass(frozen=True)
class Facts(VideoInfo):
    """The properties of a video; durations and frames as decoded.

    Attributes:
        declared_duration: Seconds according to the file; 0 if unknown.
        declared_frames: Number according to the file; 0 if unknown.
        container: FFmpeg's name of the container, whatever the file's suffix.
        codec: FFmpeg's name.
        fast: Whether frames are sought; otherwise the file is decoded from its start each time.
        thorough: Whether every frame was decoded.
    """

    declared_duration: float
    declared_frames: int
    container: str
    codec: str
    fast: bool
    thorough: bool


def check_video(path: Path, thorough: bool = False, beat: Callable[[int], None] = lambda n: None) -> Facts:
    """Returns the properties of a video after decoding a frame at its start and those near its end.

    An interrupted download often has a complete header, so only the end reveals it. A header that promises
    more than a complete file holds is not an error: only decoded frames count.

    Args:
        path: The file.
        thorough: Decode every frame, and compare them with those of `sample_frames`. It is slow, but only
            this finds damage in the middle.
        beat: Called with the number of frames decoded so far; with 0 before everything is decoded.

    Raises:
        MediaError: The file is missing, empty or damaged, ends within a frame, or has no video.
    """
    # `Path.is_file` raises an error for impossible file names.
    if os.path.isfile(path) and not path.stat().st_size:
        raise MediaError(f"{path.name}: the file is empty; replace it")
    with Video(path) as video:
        listed = video.index()
        whole = thorough or not listed.seekable
        declared = video.duration
        look = _compared if whole else _ends
        index, fast, first = look(video, listed, beat)
        if video.cut is not None:
            raise MediaError(f"{path.name}: the video ends within a frame ({video.cut}); download it again")
        width, height = video.first_size() if first is None else video.size_of(first)
        return Facts(
            duration=index.length or 1 / float(video.stream.average_rate or 25),
            n_frames=index.n_frames,
            fps=index.n_frames / index.length if index.length else float(video.stream.average_rate or 25),
            width=width,
            height=height,
            declared_duration=declared,
            declared_frames=int(video.stream.frames or 0),
            container=video.container,
            codec=video.codec,
            fast=fast,
            thorough=whole,
        )


_Looked = tuple[decoding.Index, bool, Any]
"""A file's frames, whether they are sought, and the first one if all were decoded, or None."""


def _ends(video: Video, listed: decoding.Index, beat: Callable[[int], None]) -> _Looked:
    """Decodes the first frame, and the last one from the key frame before the last tenth on."""
    n = listed.n_frames
    found = len(video.pictures(listed, [0]))
    beat(1)
    near = max(key for key in listed.keyframes if key <= 0.9 * n)
    found += len(video.pictures(listed, [n - 1], near))
    if found == 2:
        return listed, True, None
    # The packets were wrong; a full decode shows the truth.
    return video.counted(_beating((frame.pts for frame in video.frames()), beat)), False, None


def _compared(video: Video, listed: decoding.Index, beat: Callable[[int], None]) -> _Looked:
    """Decodes everything, and compares it with the sought frames."""
    sought: dict[int, bytes] = {}
    fast = listed.seekable
    if fast:
        places = {place for n in BUDGETS for place in uniform_places(listed.n_frames, n)}
        index, pictures = decoding.read(video.path, lambda n_frames: places, listed)
        fast = index.seekable
        sought = {place: _digest(picture) for place, picture in pictures.items()}
        beat(0)
    times: list[int | None] = []
    first = None
    for place, frame in enumerate(_beating(video.frames(), beat)):
        times.append(frame.pts)
        first = first or frame
        if place in sought and sought.pop(place) != _digest(video.picture(frame)):
            sought[place] = b""
            break
    if sought:
        raise MediaError(
            f"{video.path.name}: frame {min(sought)} differs between seeking and decoding everything; "
            "convert the video with `ffmpeg -i OLD -c:v libx264 -crf 12 NEW.mp4`"
        )
    return video.counted(times), fast, first


def _digest(picture: decoding.Picture) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16).digest()


def _beating(things: Iterable[Any], beat: Callable[[int], None]) -> Iterator[Any]:
    for number, thing in enumerate(things, start=1):
        beat(number)
        yield thing
