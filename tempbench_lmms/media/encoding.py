"""Writes pictures as a video, for the data that this project renders."""

import itertools
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image

from tempbench_lmms.data import outputs
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding

LOSSLESS = 0
"""The `crf` that keeps every pixel, up to the rounding of colours; grey is exact."""
PRESET = "veryslow"
"""libx264's: the smallest files, and the slowest to write."""


def encode(
    images: Iterable[Image.Image | av.VideoFrame],
    path: Path,
    fps: int | Fraction,
    crf: int = 30,
    form: str = "mp4",
    preset: str = "",
    **options: str,
) -> None:
    """Writes pictures as an H.264 video, in one step; lossy encoders may write different bytes each time.

    Args:
        images: RGB, or frames of another video, all of one size.
        path: The file; its folder is made.
        fps: Pictures a second.
        crf: The quality, from `LOSSLESS` to 51.
        form: FFmpeg's name of the container.
        preset: libx264's; `PRESET` where omitted.
        options: Of the container.
    """
    with (
        outputs.replacing(path) as partial,
        av.open(str(partial), "w", format=form, options=options) as container,
    ):
        stream = container.add_stream("libx264", rate=fps)
        stream.pix_fmt, stream.thread_count = "yuv420p", 1
        stream.options = {"crf": str(crf), "preset": preset or PRESET, "threads": "1"}
        for number, image in enumerate(images):
            frame = image if isinstance(image, av.VideoFrame) else av.VideoFrame.from_image(image)
            if not number:  # PyAV 17 refuses to set them again
                stream.width, stream.height = frame.width, frame.height
                for name in ("colorspace", "color_range") if frame is image else ():
                    setattr(stream.codec_context, name, getattr(frame, name))
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def reverse(video: Path, path: Path) -> None:
    """Writes a video's frames in the reverse order, without loss and without sound, in one step.

    Raises:
        MediaError: The video cannot be read, or its reversal would differ in more than order: it has other
            pixels than 8 bits of yuv420p, sizes that are not even, a rotation, or frames at uneven times.
    """
    try:
        with decoding.open_container(video) as container:
            stream = container.streams.video[0]
            frames = list(container.decode(stream))
        gaps = [float(b.time - a.time) for a, b in itertools.pairwise(frames)]
        problems = {
            "its pixels are not 8 bits of yuv420p": frames[0].format.name != "yuv420p",
            "its colours have the full range": frames[0].color_range == 2,
            "its width or height is odd": frames[0].width % 2 or frames[0].height % 2,
            "it is shown turned": frames[0].side_data.get("DISPLAYMATRIX") is not None,
            "its frames are at uneven times": gaps and max(gaps) - min(gaps) > 0.5 * max(gaps),
            "its pixels are not square": (stream.sample_aspect_ratio or 1) != 1,
        }
        for problem, is_so in problems.items():
            if is_so:
                raise ValueError(problem)
        encode(reversed(frames), path, stream.average_rate or 1, LOSSLESS)
    except (av.FFmpegError, IndexError, ValueError, TypeError) as error:
        raise MediaError(f"{video.name}: cannot be reversed ({error}); give the reversed video") from None
