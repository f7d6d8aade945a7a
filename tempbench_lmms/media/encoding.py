"""Writes pictures as a video, for the data that this project renders."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av

from tempbench_lmms.data import outputs

if TYPE_CHECKING:
    from PIL import Image

LOSSLESS = 0
"""The `crf` at which every pixel is kept, up to the rounding of colours; grey is kept as it is."""
PRESET = "veryslow"
"""libx264's: the smallest files, and the slowest to write."""


def encode(images: "Iterable[Image.Image]", path: Path, fps: int, crf: int = 30, **options: str) -> None:
    """Writes pictures as an H.264 video, in one step; lossy encoders may write other bytes each time.

    Args:
        images: RGB, all of one size.
        path: The MP4 file; its folder is made.
        fps: Pictures a second.
        crf: The quality, from `LOSSLESS` to 51.
        options: Of the container.
    """
    with (
        outputs.replacing(path) as partial,
        av.open(str(partial), "w", format="mp4", options=options) as container,
    ):
        stream = container.add_stream("libx264", rate=fps)
        stream.pix_fmt, stream.thread_count = "yuv420p", 1
        stream.options = {"crf": str(crf), "preset": PRESET, "threads": "1"}
        for number, image in enumerate(images):
            stream.width, stream.height = image.size
            frame = av.VideoFrame.from_image(image)
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
