"""Whether a video can be decoded to its end, and what it then turns out to be."""

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
"""Numbers of frames for which a thorough look compares sought frames with those of a full decode."""


@dataclass(frozen=True)
class Facts(VideoInfo):
    """What a video turned out to be; durations and frames as decoded.

    Attributes:
        declared_duration: Seconds, as the file says; 0 where it does not.
        declared_frames: As the file says; 0 where it does not.
        container: FFmpeg's name of what the file is, whatever its suffix says.
        codec: FFmpeg's name.
        fast: Whether frames are sought; else the file is decoded from its start each time.
        thorough: Whether every frame was decoded.
    """

    declared_duration: float
    declared_frames: int
    container: str
    codec: str
    fast: bool
    thorough: bool


def check_video(path: Path, thorough: bool = False, beat: Callable[[int], None] = lambda n: None) -> Facts:
    """Returns what is known of a video after decoding a frame at its start and those near its end.

    A download that was cut off often has a whole header, so that only its end shows it. A header that tells
    of more than a whole file holds is none of the file's faults: what counts is what is decoded.

    Args:
        path: The file.
        thorough: Decode every frame, and compare with them those that `sample_frames` gives: as slow as that
            is, only it finds damage in the middle.
        beat: Called with the number of frames decoded so far; with 0 before everything is decoded.

    Raises:
        MediaError: The file is missing, empty or damaged, ends within a frame, or has no video.
    """
    # Of a name that no file can have, `Path.is_file` says nothing: it raises.
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
"""The frames that a file has, whether they are sought, and the first one where all were decoded, or None."""


def _ends(video: Video, listed: decoding.Index, beat: Callable[[int], None]) -> _Looked:
    """Decodes the first frame, and the last one from the key frame before the last tenth on."""
    n = listed.n_frames
    found = len(video.pictures(listed, [0]))
    beat(1)
    near = max(key for key in listed.keyframes if key <= 0.9 * n)
    found += len(video.pictures(listed, [n - 1], near))
    if found == 2:
        return listed, True, None
    # Not what its packets say; a full decode tells what it is.
    return video.counted(_beating((frame.pts for frame in video.frames()), beat)), False, None


def _compared(video: Video, listed: decoding.Index, beat: Callable[[int], None]) -> _Looked:
    """Decodes everything, and compares with it the frames that are sought."""
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
            f"{video.path.name}: frame {min(sought)} is another one when it is sought than when everything "
            "is decoded; write the video anew, with `ffmpeg -i OLD -c:v libx264 -crf 12 NEW.mp4`"
        )
    return video.counted(times), fast, first


def _digest(picture: decoding.Picture) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16).digest()


def _beating(things: Iterable[Any], beat: Callable[[int], None]) -> Iterator[Any]:
    for number, thing in enumerate(things, start=1):
        beat(number)
        yield thing
