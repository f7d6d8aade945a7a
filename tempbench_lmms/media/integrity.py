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
from tempbench_lmms.media.video import VideoInfo, uniform_places

BUDGETS = (1, 4, 8, 12, 16)
"""The numbers of frames for which a check compares sought frames with a full decode."""


@dataclass(frozen=True)
class Facts(VideoInfo):
    """The properties of a video; duration and frames as decoded."""

    container: str  # FFmpeg's name of the container, whatever the file's suffix
    codec: str  # FFmpeg's name
    fast: bool  # whether frames are sought; otherwise the file is decoded from its start each time


def check_video(path: Path, beat: Callable[[int], None] = lambda n: None) -> Facts:
    """Returns the properties of a video after decoding every frame, and comparing them with sought ones.

    A header that promises more than a complete file holds is not an error: only decoded frames count.

    Args:
        path: The file.
        beat: Called with the number of frames decoded so far; with 0 before everything is decoded.

    Raises:
        MediaError: The file is missing, empty or damaged, ends within a frame, or has no video.
    """
    # `Path.is_file` raises an error for impossible file names.
    if os.path.isfile(path) and not path.stat().st_size:
        raise MediaError(f"{path.name}: the file is empty; replace it")
    with Video(path) as video:
        index, fast, first = _compared(video, beat)
        if video.cut is not None:
            raise MediaError(f"{path.name}: the video ends within a frame ({video.cut}); download it again")
        width, height = video.size_of(first)
        return Facts(
            duration=index.length or 1 / float(video.stream.average_rate or 25),
            n_frames=index.n_frames,
            fps=index.n_frames / index.length if index.length else float(video.stream.average_rate or 25),
            width=width,
            height=height,
            container=video.container,
            codec=video.codec,
            fast=fast,
        )


def _compared(video: Video, beat: Callable[[int], None]) -> tuple[decoding.Index, bool, Any]:
    """Decodes everything, and compares it with the sought frames.

    Returns:
        The frames, whether they are sought, and the first one.
    """
    listed = video.index()
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
