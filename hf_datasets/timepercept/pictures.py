"""Brings pictures to one size, and measures how much two of them differ."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tempbench_lmms.data import outputs
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.images import open_image
from tempbench_lmms.media.rasters import Stretch

from .series import Shot

_JPEG_QUALITY = 95
_LOOKED_AT = 64


def store(file: Path, target: Path, size: int, stretch: Stretch | None = None) -> None:
    """Writes a picture `size` pixels square, in one step; a picture that is there already stays.

    Source: paper, section V.1: "resized all images to 256x256".
    """
    if target.is_file():
        return
    picture = open_image(file, str(file), size, stretch).resize((size, size), Image.Resampling.LANCZOS)
    with outputs.replacing(target) as partial:
        picture.save(partial, "PNG" if target.suffix == ".png" else "JPEG", quality=_JPEG_QUALITY)


@lru_cache(maxsize=4096)
def _looked_at(file: Path, stretch: Stretch | None) -> NDArray[np.float32]:
    picture = open_image(file, str(file), _LOOKED_AT, stretch).convert("L")
    picture = picture.resize((_LOOKED_AT, _LOOKED_AT), Image.Resampling.BOX)
    grey = np.asarray(picture, dtype=np.float32)
    # Brightness and contrast differ with the sun and the sensor; only the pattern counts.
    standardised: NDArray[np.float32] = (grey - grey.mean()) / max(float(grey.std()), 1e-6)
    return standardised


def change(first: Shot, second: Shot) -> float:
    """Returns how much two pictures of a place differ.

    The mean absolute difference of the grey values after both pictures are brought to 64x64 pixels, mean 0
    and variance 1: 0 for equal ones, about 1.13 for unrelated noise, 2 at most. The paper resamples "based
    on change detection results" and does not name its detector; this one needs no model.

    A damaged picture counts as changed; it is found out and left out when it is stored.
    """
    assert first.file is not None
    assert second.file is not None
    try:
        seen = _looked_at(first.file, first.stretch) - _looked_at(second.file, second.stretch)
        return float(np.abs(seen).mean())
    except MediaError:
        return 2.0
