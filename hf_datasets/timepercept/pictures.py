"""Brings pictures to one size."""

from pathlib import Path

from PIL import Image

from tempbench_lmms.data import outputs
from tempbench_lmms.media.images import Stretch, open_image

_JPEG_QUALITY = 95


def store(file: Path, target: Path, size: int, stretch: Stretch | None = None) -> None:
    """Writes a picture `size` pixels square, in one step; a picture that is there already stays.

    Source: paper, section V.1: "resized all images to 256x256".
    """
    if target.is_file():
        return
    picture = open_image(file, str(file), size, stretch).resize((size, size), Image.Resampling.LANCZOS)
    with outputs.replacing(target) as partial:
        picture.save(partial, "PNG" if target.suffix == ".png" else "JPEG", quality=_JPEG_QUALITY)
