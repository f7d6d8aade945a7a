"""Whether a video can be decoded to its end, and what it then turns out to be."""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding
from tempbench_lmms.media.decoding import Video
from tempbench_lmms.media.video import VideoInfo, frame_times, uniform_places

__all__ = ["Facts", "check_video", "frame_times"]

BUDGETS = (1, 4, 8, 12, 16)
"""Numbers of frames for which a thorough look compares sought frames with those of a full decode."""

_END = 0.95

_HELD = 4
"""Frames of memory that are kept from the decoder before they are made grey."""
_GREY = 0x55


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
        MediaError: The file is missing, empty or damaged, ends early, or has no video; one line with its
        name.
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
        facts = Facts(
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
    if facts.duration < declared * _END and is_cut_off(path):
        raise MediaError(
            f"{path.name}: the video ends early, after {facts.duration:.1f} of {declared:.1f} seconds; "
            "download it again"
        )
    return facts


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
    """Decodes everything, and compares with it what is decoded otherwise.

    That is, the frames that are sought; all frames that others may refer to, as decoded from each key frame
    (one that says that nothing refers to it, and is referred to, would spoil other choices of frames than
    those tried here); and everything once more, with other memory.
    """
    sought: dict[int, bytes] = {}
    referred_to: dict[int, bytes] = {}
    fast = listed.seekable
    if fast:
        places = {place for n in BUDGETS for place in uniform_places(listed.n_frames, n)}
        index, pictures = decoding.read(video.path, lambda n_frames: places, listed)
        fast = index.seekable
        sought = {place: _digest(picture.tobytes()) for place, picture in pictures.items()}
        for number, (place, frame) in enumerate(video.references(listed), start=1):
            referred_to[place] = _digest(_as_decoded(frame))
            beat(number)
    times: list[int | None] = []
    first = None
    beat(0)
    for place, (frame, again) in enumerate(_beating(_twice(video), beat)):
        times.append(frame.pts)
        first = first or frame
        data = _as_decoded(frame)
        if again is None or _as_decoded(again) != data:
            raise MediaError(
                f"{video.path.name}: frame {place} comes out differently each time it is decoded; the video "
                "is damaged: replace it"
            )
        if (place in referred_to and referred_to.pop(place) != _digest(data)) or (
            place in sought and sought.pop(place) != _digest(video.picture(frame).tobytes())
        ):
            sought[place] = b""
            break
    if sought:
        raise MediaError(
            f"{video.path.name}: frame {min(sought)} is another one when it is sought than when everything "
            "is decoded; write the video anew, with `ffmpeg -i OLD -c:v libx264 -crf 12 NEW.mp4`"
        )
    return video.counted(times), fast, first


def _twice(video: Video) -> Iterator[tuple[Any, Any]]:
    """Yields each frame of a video as decoded by two decoders; the other one finds grey in used memory.

    Where a damaged slice ends early, FFmpeg's decoders of H.264 and H.265 report nothing: the rest of the
    frame is what its memory held before.
    """
    held: deque[Any] = deque()
    with Video(video.path) as other:
        again = other.frames()
        for frame in video.frames():
            held.append(next(again, None))
            yield frame, held[-1]
            if len(held) > _HELD:
                _blank(held.popleft())


def _blank(frame: Any) -> None:
    """Makes the memory of a frame grey; a frame that its decoder still refers to keeps its own."""
    frame.make_writable()
    for plane in frame.planes:
        if plane.line_size < 0:  # stored upside down: its memory lies before what the library gives
            continue
        np.frombuffer(plane, np.uint8)[:] = _GREY


def _as_decoded(frame: Any) -> bytes:
    """Returns a frame's pixels in its own format, whichever that is, without what pads its rows in memory."""
    context = av.CodecContext.create("rawvideo", "w")
    context.width, context.height, context.pix_fmt = frame.width, frame.height, frame.format.name
    context.time_base = frame.time_base or Fraction(1)  # the frame's own: another one would change its time
    [packet] = context.encode(frame)
    return bytes(packet)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _beating(things: Iterable[Any], beat: Callable[[int], None]) -> Iterator[Any]:
    for number, thing in enumerate(things, start=1):
        beat(number)
        yield thing


def is_cut_off(path: Path) -> bool:
    """Returns whether a file's outermost boxes (MP4, MOV, Matroska, WebM, AVI) reach beyond its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] == b"RIFF":
            return int.from_bytes(head[4:8], "little") + 8 > size + 1  # + 1: the padding may be missing
        file.seek(0)
        if head[:4] == b"\x1a\x45\xdf\xa3":
            return any(end > size for end in _ebml_ends(file))
        return head[4:8] in _BOXES and any(end > size for end in _box_ends(file, size))


_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp")


def _box_ends(file: Any, size: int) -> Iterator[int]:
    """Yields where each outermost box of an MP4 ends."""
    start = 0
    while start + 8 <= size:
        file.seek(start)
        head = file.read(16)
        length = int.from_bytes(head[:4], "big")
        if length == 1:
            length = int.from_bytes(head[8:16], "big")
        if length == 0:  # to the end of the file
            return
        start += max(length, 8)
        yield start


def _ebml_ends(file: Any) -> Iterator[int]:
    """Yields where the header and the segment of a Matroska file end; nothing for one of unknown length."""
    for _ in range(2):
        if _ebml_number(file, keep_mark=True) is None:
            return
        length = _ebml_number(file)
        if length is None:
            return
        end = file.tell() + length
        yield end
        file.seek(end)


def _ebml_number(file: Any, keep_mark: bool = False) -> int | None:
    first = file.read(1)
    if not first or not first[0]:
        return None
    n_bytes = 9 - first[0].bit_length()
    rest = file.read(n_bytes - 1)
    value = first[0] if keep_mark else first[0] & (0xFF >> n_bytes)
    unknown = not keep_mark and value == 0xFF >> n_bytes and rest == b"\xff" * (n_bytes - 1)
    return None if unknown else int.from_bytes(bytes([value]) + rest, "big")
