"""Decodes chosen frames of a video: only those, and only what they depend on.

Frame i is the i-th frame in the order shown, as in a reader that decodes everything. A file's packets are
listed first (no decoding); then each wanted frame is reached from the key frame before it, and frames on the
way that no other frame refers to are not decoded.

Pictures are RGB, as decord and OpenCV give them: colours by the stream's range and matrix, chroma enlarged
bilinearly (`docs/decisions/video_decoding.md`).
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.images import MAX_PIXELS

Picture = NDArray[np.uint8]
"""Shape (height, width, 3), RGB, as shown."""

DECODER_VARIABLE = "TEMPBENCH_VIDEO_DECODER"
_DECODERS = ("pyav", "decord")
_MAX_WORKERS = 4

# decord seeks to wrong frames in H.265.
_DECORD_CODECS = ("h264", "mpeg4", "vp8", "libvpx", "vp9", "libvpx-vp9")

# Playlists are no videos: they would make the library open other files.
_FORMATS = "mov,matroska,avi,mpegts,mpeg,flv,asf,ogg,gif,m4v,h264,hevc,ivf,mxf,3gp,rm,dv"


def open_container(path: Path) -> Any:
    """Returns the opened file, which is a video and no playlist.

    Raises:
        av.error.FFmpegError: It is damaged or something else.
        OSError: It cannot be read.
    """
    import av

    return av.open(str(path), options={"format_whitelist": _FORMATS})


@dataclass(frozen=True)
class Index:
    """The frames of a video.

    Attributes:
        pts: Presentation times in units of `time_base`, in the order shown; shape (n_frames,).
        keyframes: Places of the frames that decoding can start at, ascending.
        time_base: Seconds a unit.
        seekable: Whether the packets tell where each frame is; else the video is read from its start.
    """

    pts: NDArray[np.int64]
    keyframes: tuple[int, ...]
    time_base: Fraction
    seekable: bool

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.pts)

    def time(self, place: int) -> float:
        """Returns when a frame is shown, in seconds from the first frame."""
        return float((int(self.pts[place]) - int(self.pts[0])) * self.time_base)


def decoder() -> str:
    """Returns the decoder in use: PyAV, or decord where the user asks for it and it is installed.

    Raises:
        TempbenchError: `$TEMPBENCH_VIDEO_DECODER` names no decoder.
    """
    chosen = os.environ.get(DECODER_VARIABLE, "pyav").lower()
    if chosen not in _DECODERS:
        raise TempbenchError(f"{DECODER_VARIABLE}={chosen!r}; choose one of {', '.join(_DECODERS)}")
    if chosen == "decord":
        import importlib.util

        if importlib.util.find_spec("decord") is None:
            return "pyav"
    return chosen


class Video:
    """An open video. Use it as a context manager.

    Raises:
        MediaError: The file is missing, damaged, too large, or has no video.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._convert: dict[Any, Any] = {}
        self._open()

    def _open(self) -> None:
        import av

        name = self.path.name
        try:
            self._container = open_container(self.path)
        except FileNotFoundError:
            raise MediaError(f"{name}: the video is missing") from None
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise self._damaged(error) from None
        if not self._container.streams.video:
            self._container.close()
            raise MediaError(f"{name}: there is no video in this file; replace it")
        self.stream = self._container.streams.video[0]
        width, height = self.stream.width, self.stream.height
        if width * height > MAX_PIXELS:
            self._container.close()
            raise MediaError(f"{name}: {width}x{height} pixels, more than {MAX_PIXELS}; make it smaller")

    def __enter__(self) -> "Video":
        return self

    def __exit__(self, *exception: object) -> None:
        self._container.close()

    def _damaged(self, error: Exception | str) -> MediaError:
        return MediaError(f"{self.path.name}: the video is damaged ({error}); replace it")

    @property
    def duration(self) -> float:
        """Seconds, as the stream or else the file says; 0 where neither does."""
        if self.stream.duration is not None and self.stream.time_base is not None:
            return float(self.stream.duration * self.stream.time_base)
        return float(self._container.duration or 0) / 1_000_000

    def index(self) -> Index:
        """Lists the frames by reading the packets, without decoding.

        Raises:
            MediaError: The file is damaged.
        """
        import av

        pts, keys = [], []
        complete = True
        try:
            for packet in self._container.demux(self.stream):
                if packet.size == 0 or packet.is_discard:  # the end; or cut off by an edit list
                    continue
                if packet.pts is None:
                    complete = False
                    continue
                pts.append(packet.pts)
                if packet.is_keyframe:
                    keys.append(packet.pts)
        except (av.error.FFmpegError, OSError, ValueError) as error:
            if not pts:
                raise self._damaged(error) from None
        table = np.unique(np.array(pts, dtype=np.int64))
        places = tuple(int(place) for place in np.searchsorted(table, sorted(keys)))
        seekable = complete and len(table) == len(pts) and places[:1] == (0,)
        return Index(table, places, Fraction(self.stream.time_base or 1), seekable)

    def pictures(self, index: Index, groups: Mapping[int, Sequence[int]]) -> dict[int, Picture]:
        """Returns chosen frames; those that cannot be decoded are left out.

        The number of frames held is that of the places, whatever the video's length.

        Args:
            index: The video's.
            groups: The places wanted by the key frame that decoding starts at, as `by_key_frame` gives them.
        """
        found: dict[int, Picture] = {}
        for key, places in groups.items():
            self._container.seek(int(index.pts[key]), stream=self.stream, backward=True)
            found |= self._until({int(index.pts[place]): place for place in places})
        return found

    def _until(self, wanted: dict[int, int]) -> dict[int, Picture]:
        """Decodes from the current position until all of `wanted` (presentation time to place) are found."""
        import av

        found: dict[int, Picture] = {}
        last = max(wanted)
        context = self.stream.codec_context
        skipping = None
        try:
            for packet in self._container.demux(self.stream):
                skip = "DEFAULT" if packet.pts is None or packet.pts in wanted else "NONREF"
                if skip != skipping:
                    context.skip_frame = skipping = skip
                for frame in packet.decode():
                    if frame.pts in wanted:
                        found[wanted[frame.pts]] = self._rgb(frame)
                    if frame.pts is not None and frame.pts >= last:
                        return found
        except (av.error.FFmpegError, OSError, ValueError):
            return found
        return found

    def read_through(self, choose: Callable[[int], Iterable[int]]) -> tuple[Index, dict[int, Picture]]:
        """Decodes everything: for a file whose packets do not tell its frames.

        Two passes, so that no more than the chosen frames are held.

        Args:
            choose: Takes the number of frames and returns the places wanted.

        Raises:
            MediaError: No frame can be decoded.
        """
        times = [frame.pts for frame in self._all()]
        if not times:
            raise MediaError(f"{self.path.name}: no frame can be decoded; replace the video")
        if None in times or len(set(times)) < len(times):
            # Without times of their own, frames are as far apart as the stream's rate says.
            step = 1 / (Fraction(self.stream.average_rate or 25) * Fraction(self.stream.time_base or 1))
            times = [round(number * step) for number in range(len(times))]
        table = np.array(times, dtype=np.int64)
        index = Index(table, (0,), Fraction(self.stream.time_base or 1), False)
        wanted = set(choose(index.n_frames))
        pictures = {place: self._rgb(frame) for place, frame in enumerate(self._all()) if place in wanted}
        return index, pictures

    def _all(self) -> Iterable[Any]:
        import av

        try:
            self._container.seek(self.stream.start_time or 0, stream=self.stream, backward=True)
        except (av.error.FFmpegError, OSError):
            self._container.close()
            self._open()
        self.stream.codec_context.skip_frame = "DEFAULT"
        packets = iter(self._container.demux(self.stream))
        while True:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                frames = packet.decode()
            except (av.error.FFmpegError, OSError, ValueError) as error:
                if isinstance(error, av.error.EOFError):
                    return
                continue  # a damaged packet: what follows may be sound, and OpenCV goes on too
            yield from frames

    def _rgb(self, frame: Any) -> Picture:
        import av

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
        turn = int(getattr(frame, "rotation", 0) or 0)
        source.push(frame)
        return _upright(sink.pull().to_ndarray(), turn)

    def first_size_and_turn(self) -> tuple[int, int, int]:
        """Returns width and height as shown, and how far the container turns the frames, in degrees.

        Raises:
            MediaError: No frame can be decoded.
        """
        for frame in self._all():
            turn = int(getattr(frame, "rotation", 0) or 0)
            size = (frame.width, frame.height)
            return (*(size if turn % 180 == 0 else size[::-1]), turn)
        raise MediaError(f"{self.path.name}: no frame can be decoded; replace the video")


def _upright(picture: Picture, turn: int) -> Picture:
    """Returns a frame as a player shows it.

    Args:
        picture: As decoded.
        turn: Counter-clockwise degrees that the container asks for; other than right angles are ignored.
    """
    return np.ascontiguousarray(np.rot90(picture, turn // 90)) if turn % 90 == 0 and turn else picture


def read(
    path: Path, choose: Callable[[int], Iterable[int]], index: Index | None = None
) -> tuple[Index, dict[int, Picture]]:
    """Returns a video's index and the frames that `choose` names.

    Args:
        path: The file.
        choose: Takes the number of frames and returns places from 0.
        index: From an earlier call.

    Raises:
        MediaError: The file is missing, damaged, or has no video.
    """
    with Video(path) as video:
        if index is None:
            index = video.index()
        if not index.seekable:
            return video.read_through(choose)
        places = sorted(set(choose(index.n_frames)))
        if decoder() == "decord" and video.stream.codec_context.name in _DECORD_CODECS:
            pictures = _decord(path, index, places)
            if len(pictures) == len(places):
                return index, pictures
        groups = list(by_key_frame(index, places).items())
        # A worker has a decoder of its own; neighbouring groups of frames cost about the same, so they are
        # dealt out in turn.
        workers = max(1, min(_MAX_WORKERS, os.cpu_count() or 1, len(groups)))
        pictures = {}
        with ThreadPoolExecutor(max(1, workers - 1)) as pool:
            others = [pool.submit(_part, path, index, dict(groups[i::workers])) for i in range(1, workers)]
            pictures |= video.pictures(index, dict(groups[::workers]))
            for other in others:
                pictures |= other.result()
        if len(pictures) < len(places):
            return video.read_through(choose)
        return index, pictures


def _part(path: Path, index: Index, groups: Mapping[int, Sequence[int]]) -> dict[int, Picture]:
    with Video(path) as video:
        return video.pictures(index, groups)


def by_key_frame(index: Index, places: Iterable[int]) -> dict[int, list[int]]:
    """Returns places in ascending order, by the key frame that each is reached from."""
    groups: dict[int, list[int]] = {}
    for place in sorted(set(places)):
        groups.setdefault(index.keyframes[bisect_right(index.keyframes, place) - 1], []).append(place)
    return groups


def _decord(path: Path, index: Index, places: list[int]) -> dict[int, Picture]:
    """Returns the frames by decord, which turns them itself; none where it cannot read the file."""
    import decord

    try:
        reader = decord.VideoReader(str(path), num_threads=1)
        if len(reader) != index.n_frames:
            return {}
        batch = reader.get_batch(places).asnumpy()
    except (decord.DECORDError, RuntimeError, OSError):
        return {}
    return dict(zip(places, batch, strict=True))
