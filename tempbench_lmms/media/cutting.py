"""Cuts a clip from a video at exact frames, by decoding and encoding again.

Copying packets could only begin at a key frame, which may be seconds earlier. The clip has the frames shown
from the start on, including the one on screen at the start, each at its own time, so a variable frame rate is
kept. It has no sound. The encoded frames are close to the decoded ones, not equal (`_QUALITY`).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.decoding import Video

_CODEC = "libx264"
_QUALITY = {"crf": "17", "preset": "veryfast", "bf": "0", "g": "60"}
_THREADS = 2
_SAME = ("yuv420p", "yuvj420p")
"""Pixel formats that are kept; others become the first of them."""
_TICK = Fraction(1, 90_000)  # seconds; the times of a clip are whole numbers of it
_SLACK = 1e-6  # seconds

NOT_WRITTEN = "not written"
"""The reason for an error that is not the video's fault."""


@dataclass(frozen=True)
class Clip:
    """The result of cutting.

    Attributes:
        n_frames: How many frames it has.
        duration: Seconds.
    """

    n_frames: int
    duration: float


def cut(source: Path, target: Path, start: float, end: float, beat: Callable[[int], None]) -> Clip:
    """Writes the frames shown from `start` to `end` as an MP4, whatever the target's suffix.

    Args:
        source: The video.
        target: It is replaced.
        start: Seconds from the video's first frame.
        end: Seconds; a shorter video is cut to its end.
        beat: Called with the number of frames decoded so far.
    """
    with Video(source) as video:
        index = video.index()
        sought = index.seekable and index.closed
        if not index.seekable:
            index = video.counted(_pts(video.frames(), beat))
        times = [index.time(place) for place in range(index.n_frames)]
        first = max(0, bisect_right(times, start + _SLACK) - 1)
        last = bisect_right(times, end - _SLACK) - 1
        if start > index.length or last < first:
            raise MediaError(
                f"{source.name}: there is no frame from {start:g} to {end:g} seconds in a video of "
                f"{index.length:.1f} seconds; get the video that belongs to the clip's name",
                "too short",
            )
        frames = video.frames_from(index, first) if sought else enumerate(video.frames())
        # The frame that is on screen at the start came before it.
        moments = {place: max(0.0, times[place] - start) for place in range(first, last + 1)}
        try:
            _encode(target, video, _chosen(frames, first, last, beat), moments)
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise MediaError(f"{target}: the clip cannot be written ({error})", NOT_WRITTEN) from None
    return _verified(target, last - first + 1, source.name)


def _pts(frames: Iterator[Any], beat: Callable[[int], None]) -> Iterator[int | None]:
    for number, frame in enumerate(frames, start=1):
        beat(number)
        yield frame.pts


def _chosen(
    frames: Iterator[tuple[int, Any]], first: int, last: int, beat: Callable[[int], None]
) -> Iterator[tuple[int, Any]]:
    for number, (place, frame) in enumerate(frames, start=1):
        beat(number)
        if place >= first:
            yield place, frame
        if place == last:
            return


def _encode(
    target: Path, video: Video, frames: Iterator[tuple[int, Any]], moments: Mapping[int, float]
) -> None:
    """Encodes frames."""
    stream: Any = None
    before = -1
    with av.open(
        f"file:{target}", "w", format="mp4", container_options={"movflags": "faststart"}
    ) as container:
        for place, decoded in frames:
            frame = _upright(video, decoded)
            if stream is None:
                stream = _stream(container, frame, video.stream.average_rate)
            frame = frame.reformat(stream.width, stream.height, stream.pix_fmt)
            before = max(before + 1, round(moments[place] / _TICK))
            frame.pts, frame.time_base, frame.pict_type = before, _TICK, 0
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _upright(video: Video, frame: Any) -> Any:
    if video.is_upright(frame):
        return frame
    return av.VideoFrame.from_ndarray(video.picture(frame), "rgb24")


def _stream(container: Any, frame: Any, rate: Any) -> Any:
    stream = container.add_stream(_CODEC, rate=rate or 25, options=_QUALITY)
    stream.width, stream.height = (max(2, size // 2 * 2) for size in (frame.width, frame.height))
    stream.pix_fmt = frame.format.name if frame.format.name in _SAME else _SAME[0]
    context = stream.codec_context
    context.time_base, context.thread_count = _TICK, _THREADS
    if frame.format.name != "rgb24":
        context.colorspace, context.color_range = frame.colorspace, frame.color_range
    return stream


def _verified(target: Path, n_frames: int, name: str) -> Clip:
    """Returns what was written, according to its packets."""
    with Video(target) as written:
        index = written.index()
    if not index.seekable or index.n_frames != n_frames:
        raise MediaError(
            f"{name}: {index.n_frames} of {n_frames} frames were cut; the video is damaged: replace it"
        )
    return Clip(n_frames, index.length)
