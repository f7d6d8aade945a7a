"""Writes pictures as a video, for the data that this project renders."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av

from tempbench_lmms.data import outputs
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding

if TYPE_CHECKING:
    from PIL import Image

LOSSLESS = 0
"""The `crf` at which every pixel is kept, up to the rounding of colours; grey is kept as it is."""
PRESET = "veryslow"
"""libx264's: the smallest files, and the slowest to write."""


def encode(
    images: "Iterable[Image.Image | av.VideoFrame]",
    path: Path,
    fps: int | Fraction,
    crf: int = 30,
    **options: str,
) -> None:
    """Writes pictures as an H.264 video, in one step; lossy encoders may write other bytes each time.

    Args:
        images: RGB, or frames of another video, all of one size.
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
            frame = image if isinstance(image, av.VideoFrame) else av.VideoFrame.from_image(image)
            if not number:  # PyAV 17 refuses to set them again
                stream.width, stream.height = frame.width, frame.height
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def reverse(video: Path, path: Path) -> None:
    """Writes a video's frames in the reverse order, without loss and without sound, in one step.

    Raises:
        MediaError: The video cannot be read, or its frames cannot be written so.
    """
    try:
        with decoding.open_container(video) as container:
            rate = container.streams.video[0].average_rate
            frames = [frame.reformat(format="yuv420p") for frame in container.decode(video=0)]
        encode(reversed(frames), path, rate or 1, LOSSLESS)
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise MediaError(f"{video.name}: cannot be reversed ({error}); give the reversed video") from None
