"""Small videos of every kind, made on the spot."""

import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2  # noqa: F401 - before decord, whose zlib would keep it from reading PNG
import numpy as np


def pictures(n: int, size: tuple[int, int], seed: int = 0) -> Iterator[np.ndarray]:
    """Yields n pictures of coloured squares that all differ."""
    width, height = size
    random = np.random.default_rng(seed)
    for _ in range(n):
        squares = random.integers(0, 255, (height // 8 + 1, width // 8 + 1, 3), dtype=np.uint8)
        yield np.ascontiguousarray(squares.repeat(8, 0).repeat(8, 1)[:height, :width])


def write(
    path: Path,
    codec: str = "libx264",
    n: int = 60,
    size: tuple[int, int] = (96, 64),
    pixels: str = "yuv420p",
    options: dict[str, str] | None = None,
    variable: bool = False,
    matrix: int = 0,
    colour_range: int = 0,
    start: int = 0,
    rate: int = 25,
    form: str | None = None,
) -> Path:
    """Writes n frames that all differ.

    `variable` gives uneven times, `matrix` and `colour_range` tag it, `start` is the first frame's time in
    milliseconds, `form` the container where the suffix does not say it.
    """
    random = np.random.default_rng(1)
    with av.open(str(path), "w", format=form) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height, stream.pix_fmt = *size, pixels
        # An AVI counts time in frames too: told finer times, it is written with empty packets between.
        coarse = codec in COARSE or "avi" in (path.suffix[1:], form)
        fine = Fraction(1, rate) if coarse else Fraction(1, 1000)
        stream.codec_context.time_base = fine
        if matrix:
            stream.codec_context.colorspace = matrix
        if colour_range:
            stream.codec_context.color_range = colour_range
        time = start
        for number, picture in enumerate(pictures(n, size)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=pixels)
            frame.pts, frame.time_base = (number if coarse else time), fine
            time += int(random.integers(20, 90)) if variable else 1000 // rate
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


COARSE = ("mpeg2video", "mpeg1video", "mpeg4", "flv", "gif", "mjpeg")
"""Encoders that count time in frames."""


def with_matrix(path: Path, values: tuple[int, int, int, int]) -> Path:
    """Writes into an MP4's track header by which matrix (a, b, c, d) players shall turn and mirror it."""
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 4
    place = start + 40  # version 0: the matrix stands 40 bytes after the box's name
    a, b, c, d = values
    data[place : place + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    return path


def turn(path: Path, degrees: int) -> Path:
    """Writes into an MP4's track header that players shall turn it clockwise by `degrees`."""
    one = 1 << 16
    return with_matrix(
        path, {90: (0, one, -one, 0), 180: (-one, 0, 0, -one), 270: (0, -one, one, 0)}[degrees]
    )


def trim(path: Path, first: float, seconds: float) -> Path:
    """Has an MP4's edit list show `seconds` of it from `first` on; the packets before and after stay."""
    data = bytearray(path.read_bytes())
    scale = int.from_bytes(data[(m := data.index(b"mvhd") + 16) : m + 4], "big")
    units = int.from_bytes(data[(m := data.index(b"mdhd") + 16) : m + 4], "big")
    entry = data.index(b"elst") + 12  # after version, flags and the number of entries
    old = int.from_bytes(data[entry + 4 : entry + 8], "big")
    data[entry : entry + 8] = struct.pack(">II", int(seconds * scale), old + int(first * units))
    path.write_bytes(data)
    return path


def remux(source: Path, target: Path, form: str | None = None) -> Path:
    """Copies the packets of a video into another container."""
    with av.open(str(source)) as old, av.open(str(target), "w", format=form) as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for packet in old.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                new.mux(packet)
    return target


def joined(path: Path, codec: str, sizes: tuple[tuple[int, int], ...], n: int = 12) -> Path:
    """Writes a video whose frames change their size: MPEG-TS, whose packets carry their own headers."""
    with av.open(str(path), "w", format="mpegts") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = *sizes[0], "yuv420p"
        for part, size in enumerate(sizes):
            context = av.CodecContext.create(codec, "w")
            context.width, context.height, context.pix_fmt = *size, "yuv420p"
            context.time_base, context.framerate = Fraction(1, 25), Fraction(25)
            context.options = {"bf": "0", "g": "6"}
            frames = [av.VideoFrame.from_ndarray(one, format="rgb24") for one in pictures(n, size, part)]
            packets = []
            for number, frame in enumerate(frames):
                frame = frame.reformat(format="yuv420p")
                frame.pts, frame.time_base = part * n + number, Fraction(1, 25)
                packets += context.encode(frame)
            for packet in [*packets, *context.encode()]:
                packet.stream, packet.time_base = stream, Fraction(1, 25)
                container.mux(packet)
    return path


def with_cover(path: Path, video: bool = True) -> Path:
    """Writes an MP4 whose first picture stream is a cover; and a video after it, or only sound."""
    with av.open(str(path), "w") as container:
        cover = container.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 32, 32, "yuvj420p"
        cover.disposition = av.stream.Disposition.attached_pic.value
        stream = container.add_stream("libx264" if video else "aac", rate=25 if video else 16000)
        if video:
            stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        frame = av.VideoFrame.from_ndarray(next(pictures(1, (32, 32), 9)), format="rgb24")
        container.mux(cover.encode(frame.reformat(format="yuvj420p")))
        container.mux(cover.encode())
        if video:
            for number, picture in enumerate(pictures(12, (96, 64))):
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
                frame.pts, frame.time_base = number, Fraction(1, 25)
                container.mux(stream.encode(frame))
        else:
            sound = av.AudioFrame.from_ndarray(np.zeros((1, 16000), dtype=np.float32), "fltp", "mono")
            sound.rate = 16000
            container.mux(stream.encode(sound))
        container.mux(stream.encode())
    return path


def full_decode(path: Path, found: list[np.ndarray] | None = None) -> list[np.ndarray]:
    """Returns all frames as a plain decoder gives them, upright, in RGB; put into `found` one by one."""
    found = [] if found is None else found
    graphs: dict = {}
    with av.open(str(path)) as container:
        stream = next(
            one for one in container.streams.video if not one.disposition & av.stream.Disposition.attached_pic
        )
        for frame in container.decode(stream):
            key = (frame.width, frame.height, frame.format.name)
            if key not in graphs:
                graph = av.filter.Graph()
                source = graph.add_buffer(
                    width=key[0], height=key[1], format=key[2], time_base=Fraction(1, 1000)
                )
                graph.link_nodes(
                    source,
                    graph.add("scale", "flags=bilinear"),
                    graph.add("format", "pix_fmts=rgb24"),
                    sink := graph.add("buffersink"),
                ).configure()
                graphs = {key: (graph, source, sink)}
            _, source, sink = graphs[key]
            turned = int(frame.rotation) // 90 if frame.rotation % 90 == 0 else 0
            source.push(frame)
            found.append(np.rot90(sink.pull().to_ndarray(), turned))
    return found
