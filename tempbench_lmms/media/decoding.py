"""Decodes only the chosen frames of a video, and the frames that they depend on.

Frame i is the i-th frame in display order, as in a reader that decodes everything. For containers and codecs
in `FAST`, the packets are listed without decoding, each wanted frame is reached from the key frame before it,
and frames in between that no other frame refers to are skipped. Everything else, and any failure of the fast
way, is decoded from the start of the file. A file with damage in the middle is refused, because its frames
are not certain. Pictures are RGB: colours by the stream's range and matrix, chroma enlarged bilinearly
(`docs/decisions/video_decoding.md`).
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

from tempbench_lmms.data.bounds import max_pixels
from tempbench_lmms.errors import MediaError

Picture = NDArray[np.uint8]
"""Shape (height, width, 3), RGB, as shown."""

_MAX_WORKERS = 4
_DAMAGE = (av.error.FFmpegError, OSError, ValueError)

FAST: Mapping[str, tuple[str, ...]] = {
    "mov,mp4,m4a,3gp,3g2,mj2": ("h264", "hevc", "vp9", "av1", "mpeg4"),
    "matroska,webm": ("h264", "hevc", "vp8", "vp9", "av1", "mpeg4"),
}
"""The codecs whose frames can be sought, by FFmpeg's name of the container.

`tests/media/test_matrix.py` shows for each pair that sought frames equal those of a full decode. The other
containers of `_FORMATS` have no list of frames, or no times in display order.
"""

# Playlists are not videos: they would make the library open other files.
_FORMATS = "mov,matroska,avi,mpegts,mpeg,flv,asf,ogg,gif,m4v,h264,hevc,ivf,mxf,3gp,rm,dv"


def open_container(path: Path) -> Any:
    """Opens a video file; playlists are refused.

    Raises:
        av.error.FFmpegError: It is damaged or not a video.
        OSError: It cannot be read.
    """
    if path.is_fifo():
        raise FileNotFoundError(path)  # it never ends
    # Not `options`: PyAV gives these to each stream too, counted before FLV and MPEG-PS have shown all of
    # theirs, and the process dies. "file:": a name with a colon in it is no network address.
    return av.open(f"file:{path}", container_options={"format_whitelist": _FORMATS})


@dataclass(frozen=True)
class Index:
    """The frames of a video."""

    # presentation times in units of `time_base`, in the order shown; shape (n_frames,)
    pts: NDArray[np.int64]
    keyframes: tuple[int, ...]  # places of the frames that decoding can start at, ascending
    time_base: Fraction  # seconds a unit
    seekable: bool  # whether frames can be sought; otherwise the video is read from its start

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.pts)

    def time(self, place: int) -> float:
        """Returns the time of a frame in seconds from the first frame."""
        return float((int(self.pts[place]) - int(self.pts[0])) * self.time_base)

    def key_before(self, place: int) -> int:
        """Returns the place of the key frame from which a frame is reached."""
        return self.keyframes[bisect_right(self.keyframes, place) - 1]

    @property
    def length(self) -> float:
        """Seconds from the first frame to the end of the last, which gets the mean duration."""
        return self.time(-1) * self.n_frames / max(1, self.n_frames - 1)


class Video:
    """An open video. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut: Exception | str | None = None
        self._convert: dict[Any, Any] = {}
        self._open()

    def _open(self) -> None:
        name = self.path.name
        try:
            self._container = open_container(self.path)
        except FileNotFoundError:
            raise MediaError(f"{name}: the video is missing") from None
        except (*_DAMAGE, MemoryError) as error:
            raise self._damaged(error) from None
        known = [
            one
            for one in self._container.streams.video
            if not one.disposition & Disposition.attached_pic and one.codec_context is not None
        ]
        if not known:
            self._container.close()
            raise MediaError(f"{name}: there is no video in this file; replace it")
        # Of several streams, players show the one that the file marks as default.
        self.stream = next((one for one in known if one.disposition & Disposition.default), known[0])
        width, height = self.stream.width, self.stream.height
        if width * height > max_pixels():
            self._container.close()
            raise MediaError(f"{name}: {width}x{height} pixels, more than {max_pixels()}; make it smaller")

    def __enter__(self) -> "Video":
        return self

    def __exit__(self, *exception: object) -> None:
        self._container.close()

    def _damaged(self, error: Exception | str) -> MediaError:
        return MediaError(f"{self.path.name}: the video is damaged ({error}); replace it")

    @property
    def container(self) -> str:
        """FFmpeg's name of the file's container, whatever its suffix."""
        return str(self._container.format.name)

    @property
    def codec(self) -> str:
        """FFmpeg's name of the codec, whatever decoder reads it."""
        return str(self.stream.codec_context.codec.canonical_name)

    @property
    def duration(self) -> float:
        """Seconds according to the stream or the file; 0 if unknown."""
        if self.stream.duration is not None and self.stream.time_base is not None:
            return float(self.stream.duration * self.stream.time_base)
        return float(self._container.duration or 0) / 1_000_000

    def index(self) -> Index:
        """Lists the frames from the packets, without decoding; not seekable if the packets do not suffice."""
        pts: list[int] = []
        keys: list[int] = []
        complete = self.codec in FAST.get(self.container, ())
        try:
            for packet in self._container.demux(self.stream) if complete else ():
                if packet.size == 0 or packet.is_discard:  # the end; or cut off by an edit list
                    continue
                if packet.pts is None or packet.is_corrupt:
                    complete = False
                    break
                if self.codec == "vp8" and not memoryview(packet)[0] & 0x10:  # only referred to, never shown
                    continue
                pts.append(packet.pts)
                if packet.is_keyframe:
                    keys.append(packet.pts)
        except _DAMAGE:
            complete = False  # a full decode shows what can be seen
        table = np.unique(np.array(pts, dtype=np.int64))
        places = tuple(int(place) for place in np.searchsorted(table, sorted(keys)))
        seekable = complete and len(table) == len(pts) and places[:1] == (0,)
        return Index(table, places, Fraction(self.stream.time_base or 1), seekable)

    def pictures(self, index: Index, places: Iterable[int]) -> dict[int, Picture]:
        """Returns chosen frames of a seekable video, without those that are not certain.

        Only as many frames as places are in memory, whatever the video's length.
        """
        found: dict[int, Picture] = {}
        known = set(index.pts.tolist())
        groups: dict[int, dict[int, int]] = {}
        for place in sorted(set(places)):
            groups.setdefault(index.key_before(place), {})[int(index.pts[place])] = place
        for key, wanted in groups.items():
            got: dict[int, Picture] = {}
            for frame in self._group(index, key, wanted):
                if frame.pts not in known:
                    break
                if frame.pts in wanted:
                    got[wanted[frame.pts]] = self.picture(frame)
                if frame.pts >= max(wanted):
                    break
            if len(got) == len(wanted):
                found |= got
        return found

    def _group(self, index: Index, key: int, wanted: Mapping[int, int]) -> Iterator[Any]:
        """Yields frames from a key frame on, in display order, up to the first unexpected one.

        Such files differ from those of the tests.
        """
        begin, before = int(index.pts[key]), None
        try:
            self._container.seek(begin, stream=self.stream, backward=True)
            for frame in self._sought(begin, wanted):
                if (
                    frame.pts is None or frame.pts < begin
                ):  # belongs to the previous group; the frames that it refers to are missing
                    continue
                # The first frame comes after the key frame, so this group cannot be decoded by itself.
                if frame.is_corrupt or (frame.pts != begin if before is None else frame.pts <= before):
                    return
                before = frame.pts
                yield frame
        except _DAMAGE:
            return

    def _sought(self, begin: int, wanted: Mapping[int, int]) -> Iterator[Any]:
        """Yields the frames from the current position on, without those that no wanted frame needs."""
        context = self.stream.codec_context
        wholly = self.codec == "av1"  # this decoder skips all such frames or none, as set at its start
        skipping, first = None, True
        for packet in self._container.demux(self.stream):
            if not packet.size:
                continue
            if first and (packet.pts is None or packet.pts > begin):
                return  # behind the key frame
            first = False
            skip = "DEFAULT" if wholly or packet.pts is None or packet.pts in wanted else "NONREF"
            if skip != skipping:
                context.skip_frame = skipping = skip
            yield from packet.decode()
        yield from _flushed(context)

    def read_through(
        self, choose: Callable[[int], Iterable[int]], index: Index | None = None
    ) -> tuple[Index, dict[int, Picture]]:
        """Decodes everything, for a file whose packets do not list its frames.

        Two passes, so that only the chosen frames are in memory.
        """
        if index is None:
            index = self.counted(frame.pts for frame in self.frames())
        wanted = set(choose(index.n_frames))
        pictures: dict[int, Picture] = {}
        for place, frame in enumerate(self.frames() if wanted else ()):
            if place in wanted:
                pictures[place] = self.picture(frame)
            if len(pictures) == len(wanted):
                break
        if len(pictures) < len(wanted):
            raise self._damaged("it gives other frames when it is read again")
        return index, pictures

    def counted(self, decoded: Iterable[int | None]) -> Index:
        """Returns the index of a video that was decoded from its start."""
        times = list(decoded)
        if not times:
            raise MediaError(f"{self.path.name}: no frame can be decoded; replace the video")
        known = [time for time in times if time is not None]
        if len(known) < len(times) or any(b <= a for a, b in pairwise(known)):
            # Without times in display order, frames are spaced by the stream's rate.
            step = 1 / (Fraction(self.stream.average_rate or 25) * Fraction(self.stream.time_base or 1))
            known = [round(number * step) for number in range(len(times))]
        return Index(np.array(known, dtype=np.int64), (0,), Fraction(self.stream.time_base or 1), False)

    def frames(self) -> Iterator[Any]:
        """Yields every frame from the start of the file in display order.

        Damage at the very end counts as the end of the file, and `cut` says what it is. A file with earlier
        damage is refused, because the frames after it would be made up from other frames, or grey.
        """
        self._container.close()
        self._open()
        packets = iter(self._container.demux(self.stream))
        damage: Exception | str | None = None
        self.cut = None
        while True:
            try:
                packet = next(packets, None)
            except _DAMAGE as error:
                if not isinstance(error, av.error.EOFError):
                    damage = error
                break
            if packet is None:
                break
            if not packet.size:
                continue
            if damage is not None:
                raise self._damaged(damage)
            try:
                frames = () if packet.is_corrupt else packet.decode()
            except _DAMAGE as error:
                damage, frames = error, ()
            if packet.is_corrupt:
                damage = "a packet is cut off"
            for frame in frames:
                yield self._sound(frame)
        try:
            for frame in _flushed(self.stream.codec_context):
                yield self._sound(frame)
        except _DAMAGE as error:
            damage = damage or error
        self.cut = damage

    def _sound(self, frame: Any) -> Any:
        if frame.is_corrupt:
            raise self._damaged("a frame is incomplete")
        return frame

    def picture(self, frame: Any) -> Picture:
        """Returns a decoded frame as a player shows it."""
        if frame.width * frame.height > max_pixels():  # the header said otherwise
            raise self._damaged(f"a frame of {frame.width}x{frame.height} pixels")
        key = (frame.width, frame.height, frame.format.name, int(frame.colorspace), int(frame.color_range))
        if key not in self._convert:
            graph = av.filter.Graph()
            source = graph.add_buffer(
                width=frame.width, height=frame.height, format=frame.format.name, time_base=Fraction(1, 1000)
            )
            sink = graph.add("buffersink")
            graph.link_nodes(
                source, graph.add("scale", "flags=bilinear"), graph.add("format", "pix_fmts=rgb24"), sink
            ).configure()
            self._convert = {key: (graph, source, sink)}
        _, source, sink = self._convert[key]
        matrix = self._matrix(frame)
        source.push(frame)
        picture: Picture = sink.pull().to_ndarray()
        if not matrix[0]:
            picture = picture.swapaxes(0, 1)
        to_the_left, upwards = matrix[0] + matrix[2] < 0, matrix[1] + matrix[3] < 0
        return np.ascontiguousarray(picture[:: -1 if upwards else 1, :: -1 if to_the_left else 1])

    def _matrix(self, frame: Any) -> tuple[int, int, int, int]:
        """Returns the signs (a, b, c, d) of the container's matrix for rotating and mirroring frames.

        A pixel at (x, y) from the frame's centre is shown at (a x + c y, b x + d y).
        """
        found = frame.side_data.get("DISPLAYMATRIX")
        matrix = np.zeros(9, np.int32) if found is None else np.frombuffer(bytes(found), np.int32)
        values = matrix.astype(np.int64)[[0, 1, 3, 4]]
        if not values.any():  # nothing was written
            return 1, 0, 0, 1
        # What is written is rounded.
        a, b, c, d = (int(sign) for sign in np.sign(values) * (abs(values) > abs(values).max() / 100))
        if (a and d and not b and not c) or (b and c and not a and not d):
            return a, b, c, d
        raise MediaError(
            f"{self.path.name}: the video is rotated by an angle that is not a right angle; convert it with "
            "`ffmpeg -i OLD -c:v libx264 -crf 12 NEW.mp4`"
        )

    def size_of(self, frame: Any) -> tuple[int, int]:
        """Returns width and height of a decoded frame as it is shown."""
        size = (frame.width, frame.height)
        return size if self._matrix(frame)[0] else size[::-1]


def _flushed(context: Any) -> Iterator[Any]:
    try:
        yield from context.decode(None)
    except av.error.EOFError:
        return


def index_of(path: Path) -> Index:
    """Returns the frames of a video, from its packets if these suffice."""
    return read(path, lambda n_frames: ())[0]


def read(
    path: Path, choose: Callable[[int], Iterable[int]], index: Index | None = None
) -> tuple[Index, dict[int, Picture]]:
    """Returns a video's index and the frames that `choose` names."""
    with Video(path) as video:
        if index is not None and not index.seekable:
            return video.read_through(choose, index)
        index = index or video.index()
        if not index.seekable:
            return video.read_through(choose)
        places = sorted(set(choose(index.n_frames)))
        pictures = _sought(path, index, places)
        return (index, pictures) if len(pictures) == len(places) else video.read_through(choose)


def _sought(path: Path, index: Index, places: Sequence[int]) -> dict[int, Picture]:
    """Returns chosen frames by seeking; groups of frames are decoded in parallel, assigned in turn."""
    keys = sorted({index.key_before(place) for place in places})
    workers = max(1, min(_MAX_WORKERS, os.cpu_count() or 1, len(keys)))
    turns = {key: number % workers for number, key in enumerate(keys)}

    def work(turn: int) -> dict[int, Picture]:
        with Video(path) as video:  # each has its own decoder
            return video.pictures(index, [p for p in places if turns[index.key_before(p)] == turn])

    with ThreadPoolExecutor(workers) as pool:
        return {place: one for found in pool.map(work, range(workers)) for place, one in found.items()}
