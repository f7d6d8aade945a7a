"""How large a picture or a frame may be."""

import os

from tempbench_lmms.errors import TempbenchError

PIXELS_VARIABLE = "TEMPBENCH_MAX_PIXELS"
MAX_PIXELS = 64_000_000
"""A picture that takes more pixels in memory is refused: a few kilobytes can expand to gigabytes."""


def max_pixels() -> int:
    """Returns the largest number of pixels: `MAX_PIXELS`, or what the user sets instead.

    Raises:
        TempbenchError: The environment variable is no whole number above 0.
    """
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
