"""Small videos of every kind that the decoders must agree on."""

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np


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
) -> Path:
    """Writes n frames that all differ; `variable` gives uneven times, `matrix` and `colour_range` tag it."""
    width, height = size
    random = np.random.default_rng(0)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25, options=options or {})
        stream.width, stream.height, stream.pix_fmt = width, height, pixels
        stream.codec_context.time_base = Fraction(1, 1000)
        if matrix:
            stream.codec_context.colorspace = matrix
        if colour_range:
            stream.codec_context.color_range = colour_range
        time = 0
        for _ in range(n):
            picture = random.integers(0, 255, (height // 8 + 1, width // 8 + 1, 3), dtype=np.uint8)
            picture = picture.repeat(8, 0).repeat(8, 1)[:height, :width]
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame = frame.reformat(format=pixels)
            frame.pts, frame.time_base = time, Fraction(1, 1000)
            time += int(random.integers(20, 90)) if variable else 40
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def turn(path: Path, degrees: int) -> Path:
    """Writes into an MP4's track header that players shall turn it clockwise by `degrees`."""
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 4
    matrix = start + 40  # version 0: the matrix stands 40 bytes after the box's name
    one = 1 << 16
    a, b, c, d = {90: (0, one, -one, 0), 180: (-one, 0, 0, -one), 270: (0, -one, one, 0)}[degrees]
    data[matrix : matrix + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    return path
