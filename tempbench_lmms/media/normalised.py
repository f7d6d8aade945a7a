"""Converts the output of image processors back to pictures: arrays in, arrays out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.media.codes import Pixels

Floats = NDArray[np.float32]
_CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
_CLIP_STD = (0.26862954, 0.26130258, 0.27577711)


@dataclass(frozen=True)
class Normal:
    """How a processor normalises."""

    mean: Sequence[float] = _CLIP_MEAN
    std: Sequence[float] = _CLIP_STD

    def undone(self, values: Floats, axis: int) -> Pixels:
        """Returns colours from 0 to 255 of an array in which `axis`, from 0, is the channels."""
        shape = (3, *[1] * (values.ndim - axis - 1))
        colours = values * np.asarray(self.std, np.float32).reshape(shape)
        colours += np.asarray(self.mean, np.float32).reshape(shape)
        colours *= 255
        return np.clip(np.rint(colours, out=colours), 0, 255, out=colours).astype(np.uint8)


def normal_of(processor: Any) -> Normal:
    """Returns how an image processor or video processor normalises."""
    mean = getattr(processor, "image_mean", None) or _CLIP_MEAN
    std = getattr(processor, "image_std", None) or _CLIP_STD
    return Normal(tuple(mean), tuple(std))


def from_patches(
    patches: Floats, grid: tuple[int, int, int], merge: int, in_time: int, normal: Normal
) -> list[Pixels]:
    """Returns the frames behind flat patches of the Qwen-VL family: `in_time` for each step in time.

    Raises:
        ValueError: The patches have another form.
    """
    steps, rows, columns = grid
    side = round((patches.shape[1] / 3 / in_time) ** 0.5)
    shape = (steps, rows // merge, columns // merge, merge, merge, 3, in_time, side, side)
    # Bytes are put in order in a quarter of the time that floats take.
    whole = normal.undone(patches.reshape(shape), 5).transpose(0, 6, 1, 3, 7, 2, 4, 8, 5)
    return list(whole.reshape(steps * in_time, rows * side, columns * side, 3))


def from_planes(planes: Floats, normal: Normal) -> Pixels:
    """Returns the picture behind an array of shape (channels, height, width)."""
    return np.ascontiguousarray(np.moveaxis(normal.undone(planes, 0), 0, -1))
