"""Frames of a video with their times, and whether it can be decoded to its end.

Each function with a path raises `MediaError` if the file is missing, damaged, or not a video.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from tempbench_lmms.data.bounds import whole_number
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding
from tempbench_lmms.media.decoding import Video

CACHE_VARIABLE = "TEMPBENCH_FRAME_CACHE_MB"
_CACHE_MB = 512


@dataclass(frozen=True)
class Facts:
    """A video's properties: according to its container and stream, or as decoded."""

    duration: float  # seconds
    n_frames: int  # number of frames; counted by decoding if the packets do not tell
    fps: float  # mean frames a second
    width: int  # pixels, as shown
    height: int  # pixels, as shown
    container: str  # FFmpeg's name of the container, whatever the file's suffix
    codec: str  # FFmpeg's name
    fast: bool  # whether frames are sought; otherwise the file is decoded from its start each time


@dataclass(frozen=True)
class Frames:
    """Some frames of a video in order."""

    images: tuple[Image.Image, ...]  # RGB
    times: tuple[float, ...]  # the time of each, in seconds from the video's start


@dataclass
class _Entry:
    """The cached data of one file. The decoding thread holds the lock; others wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: decoding.Index | None = None
    pictures: dict[int, decoding.Picture] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        held = sum(picture.nbytes for picture in self.pictures.values())
        return held + (self.index.pts.nbytes if self.index else 0) + 1_000


_entries: dict[tuple[str, int, int], _Entry] = {}  # the most recently used file is the last one
_entries_lock = threading.Lock()


def _entry(path: Path) -> _Entry:
    """Returns a file's entry; a replaced file gets a new one."""
    try:
        stat = path.stat()
    except OSError:
        raise MediaError(f"{path.name}: the video is missing") from None
    key = str(path.resolve()), stat.st_mtime_ns, stat.st_size
    with _entries_lock:
        entry = _entries[key] = _entries.pop(key, _Entry())
        return entry


def _trim() -> None:
    """Drops the least recently used files until the rest fits."""
    limit = whole_number(CACHE_VARIABLE, _CACHE_MB, least=0) * 1_000_000
    with _entries_lock:
        sizes = {key: one.n_bytes for key, one in _entries.items()}
        total = sum(sizes.values())
        for key, size in sizes.items():
            if total > limit:
                del _entries[key]
                total -= size


def forget() -> None:
    """Drops all decoded frames."""
    global _entries_lock
    _entries_lock = threading.Lock()
    _entries.clear()


# A forked process has no threads, but their locks, which nobody would release.
os.register_at_fork(after_in_child=forget)


def uniform_places(n_frames: int, n: int) -> list[int]:
    """Returns the places of n frames spread evenly over a video, first and last included.

    Source: TOMATO's `generate_lib/utils.py`: `linspace(0, n_frames - 1, n)`, truncated; the first frame for
    n = 1. Places repeat where the video has fewer than n frames.

    >>> uniform_places(10, 4), uniform_places(2, 4), uniform_places(10, 1)
    ([0, 3, 6, 9], [0, 0, 0, 1], [0])
    """
    return [int(place) for place in np.linspace(0, n_frames - 1, n, dtype=int)]


def segment_places(n_frames: int, n: int) -> list[int]:
    """Returns the places of n frames, each from about the middle of one of n equal segments of a video.

    Source: TOMATO's `generate_lib/internvl.py` (`get_index`), which rounds each segment's start.

    >>> segment_places(300, 4)
    [37, 112, 187, 261]
    """
    size = (n_frames - 1) / n
    return [int(size / 2 + np.round(size * i)) for i in range(n)]


def half_places(n_frames: int, n: int) -> list[int]:
    """Returns the places of n frames, each midway between two of n + 1 evenly spaced segment ends.

    Source: Video-CCAM's `eval/utils.py` (`uniform_indices`); all frames where the video has no more than n.

    >>> half_places(300, 4), half_places(3, 4)
    ([37, 112, 187, 262], [0, 1, 2])
    """
    if n_frames <= n:
        return list(range(n_frames))
    ends = np.linspace(0, n_frames, n + 1, dtype=int)
    return [int(place) for place in (ends[:-1] + ends[1:]) // 2]


PLACES: dict[str, Callable[[int, int], list[int]]] = {
    "uniform": uniform_places,
    "segments": segment_places,
    "halves": half_places,
    "every": lambda n_frames, step: [*range(0, n_frames, step)],
}
"""How n frames are taken from a video."""


class Taken(NamedTuple):
    """A number of frames, and how they are taken from a video."""

    n: int  # how many; how far apart where `how` is `every`
    how: str  # A name in `PLACES`

    def places(self, n_frames: int) -> list[int]:
        """Returns the places of the frames in a video of `n_frames`."""
        return PLACES[self.how](n_frames, self.n)


def _taken(n: "int | Taken") -> Taken:
    return n if isinstance(n, Taken) else Taken(n, "uniform")


def probe(path: Path) -> Facts:
    """Returns the properties of a video, decoding at most its first frame if possible."""
    index = decoding.index_of(path)
    with decoding.Video(path) as video:
        first = next(video.frames(), None)
        if first is None:
            raise MediaError(f"{path.name}: no frame can be decoded; replace the video")
        width, height = video.size_of(first)
        rate, n = float(video.stream.average_rate or 0), index.n_frames
        duration = video.duration or (n / rate if rate else index.time(n - 1))
        fps = rate or n / max(duration, 1e-9)
        return Facts(duration, n, fps, width, height, video.container, video.codec, index.seekable)


def frame_times(path: Path, n: int) -> tuple[float, ...]:
    """Returns the times of the n frames of `sample_frames` in seconds, without decoding them.

    A file is decoded only if its packets do not have the times.
    """
    entry = _entry(path)
    with entry.lock:
        index = entry.index = entry.index or decoding.index_of(path)
    return tuple(index.time(place) for place in uniform_places(index.n_frames, n))


def sample_frames(path: Path, n: int | Taken, together: Sequence[int] = ()) -> Frames:
    """Returns n frames spread evenly over a video.

    Args:
        path: The file.
        n: How many, at the places of `uniform_places`; or how many and how they are chosen.
        together: Other numbers of frames that will be requested from this video: they are decoded together
            and cached, so that all cost one decode. The cache holds `$TEMPBENCH_FRAME_CACHE_MB` (default
            512).
    """
    wanted = _taken(n)
    entry = _entry(path)
    with entry.lock:
        if not entry.index or not {*wanted.places(entry.index.n_frames)} <= {*entry.pictures}:

            def choose(n_frames: int) -> Iterable[int]:
                return {place for one in (n, *together) for place in _taken(one).places(n_frames)}

            entry.index, pictures = decoding.read(path, choose, entry.index)
            # A new dict instead of an update: `_trim` reads the old one without this entry's lock.
            entry.pictures = {**entry.pictures, **pictures}
        assert entry.index is not None
        index = entry.index
        places = wanted.places(index.n_frames)
        images = [Image.fromarray(entry.pictures[place]) for place in places]
    _trim()
    return Frames(tuple(images), tuple(index.time(place) for place in places))


BUDGETS = (1, 4, 8, 12, 16)
"""The numbers of frames for which a check compares sought frames with a full decode."""


def check_video(path: Path, beat: Callable[[int], None] = lambda n: None) -> Facts:
    """Returns the properties of a video after decoding every frame, and comparing them with sought ones.

    A header that promises more than a complete file holds is not an error: only decoded frames count.

    Args:
        path: The file.
        beat: Called with the number of frames decoded so far; with 0 before everything is decoded.

    Raises:
        MediaError: The file is missing or damaged, ends within a frame, or has no video.
    """
    with Video(path) as video:
        listed = video.index()
        fast, sought = listed.seekable, {}
        if fast:
            places = {place for n in BUDGETS for place in uniform_places(listed.n_frames, n)}
            index, pictures = decoding.read(path, lambda n_frames: places, listed)
            fast = index.seekable
            sought = {place: _digest(picture) for place, picture in pictures.items()}
            beat(0)
        times: list[int | None] = []
        first = None
        for place, frame in enumerate(video.frames()):
            beat(place + 1)
            times.append(frame.pts)
            first = first or frame
            if place in sought and sought.pop(place) != _digest(video.picture(frame)):
                sought[place] = b""
                break
        if sought:
            raise MediaError(
                f"{path.name}: frame {min(sought)} differs between seeking and decoding everything; convert "
                "the video with `ffmpeg -i OLD -c:v libx264 -crf 12 NEW.mp4`"
            )
        index = video.counted(times)
        if video.cut is not None:
            raise MediaError(f"{path.name}: the video ends within a frame ({video.cut}); download it again")
        width, height = video.size_of(first)
        rate = float(video.stream.average_rate or 25)
        return Facts(
            duration=index.length or 1 / rate,
            n_frames=index.n_frames,
            fps=index.n_frames / index.length if index.length else rate,
            width=width,
            height=height,
            container=video.container,
            codec=video.codec,
            fast=fast,
        )


def _digest(picture: decoding.Picture) -> bytes:
    return hashlib.blake2b(picture.tobytes(), digest_size=16).digest()
