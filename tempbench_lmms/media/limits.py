"""Limits on the size of pictures and frames, and the suffixes of picture and video files."""

import os

from tempbench_lmms.errors import TempbenchError

VIDEO_SUFFIXES = (
    *(".mp4", ".m4v", ".mov", ".3gp", ".3g2", ".mkv", ".webm", ".avi", ".flv", ".gif"),
    *(".mpg", ".mpeg", ".vob", ".ts", ".mts", ".m2ts", ".wmv", ".asf", ".ogv"),
)
"""Other files in a folder are ignored. A file's suffix has no further meaning."""

PICTURE_SUFFIXES = (
    *(".tif", ".tiff", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".avif"),
    *(".jp2", ".j2k", ".jpx", ".jpf", ".j2c", ".jpc"),
)
"""The same of pictures."""

UNSUPPORTED = "format not supported"
"""The reason for an error about a picture format that is not supported, or not by this Pillow."""

PIXELS_VARIABLE = "TEMPBENCH_MAX_PIXELS"
MAX_PIXELS = 64_000_000
"""Larger pictures are refused: a few kilobytes can expand to gigabytes."""


def max_pixels() -> int:
    """Returns the largest number of pixels: `MAX_PIXELS`, or the user's setting."""
    value = os.environ.get(PIXELS_VARIABLE)
    if value is None:
        return MAX_PIXELS
    try:
        number = int(value.replace("_", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise TempbenchError(f"{PIXELS_VARIABLE} is {value!r}; give a whole number of pixels above 0")
    return number
