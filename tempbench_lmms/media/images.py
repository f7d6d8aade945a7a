"""Loads images of a data set and stitches sequences into one strip."""

import contextlib
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFile, ImageFont, UnidentifiedImageError

from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.limits import max_pixels

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What a picture may be, whatever its name says. Pillow reads forty formats more; one of them, PostScript,
by running another program."""

_BAND = 10
_HEADER = 25
_VIST_SIZE = (443, 240)


class _Strictness:
    """Has Pillow refuse pictures that are cut off, in whatever threads are inside it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = False

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        # The harness tells Pillow, for the whole process, to fill up with grey what a picture lacks.
        with self._lock:
            if not self._inside:
                self._before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    ImageFile.LOAD_TRUNCATED_IMAGES = self._before


_strictly = _Strictness()


def load_image(url: str) -> Image.Image:
    """Returns one image of a data set in RGB.

    Args:
        url: A `tempbench://` URL.

    Raises:
        MediaError: The image is missing, damaged or too large.
        TempbenchError: The URL points outside its data set.
    """
    return open_image(resolve(url), url)


def open_image(path: Path, name: str) -> Image.Image:
    """Returns the image at `path` in RGB; `name` stands for it in errors.

    Raises:
        MediaError: The image is missing, damaged or too large.
    """
    advice = "prepare the data again, and check it with `tempbench verify`"
    try:
        with _strictly(), warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > max_pixels():
                    raise MediaError(
                        f"{name}: {image.width}x{image.height} pixels, more than {max_pixels()}; "
                        "make the image smaller"
                    )
                return image.convert("RGB")
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing; {advice}") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise MediaError(f"{name}: the image is damaged ({error}); {advice}") from None


def stitch(images: Sequence[Image.Image], labels: Sequence[str], source: str = "") -> Image.Image:
    """Returns the images side by side on a white band, each under its label.

    Source: the official generator (`combine_image_seq`): 10 pixels between the images, a label centred at
    y = 5, images at y = 25 (VWP: 40), VIST images brought to 443x240 first. The label font is Pillow's
    default one: the official code asks for a larger font and never gets it.

    Args:
        images: RGB images.
        labels: One an image.
        source: `vist` and `vwp` have a geometry of their own.
    """
    if source == "vist":
        images = [image.resize(_VIST_SIZE, Image.Resampling.LANCZOS) for image in images]
    width = sum(image.width for image in images) + _BAND * (len(images) + 1)
    height = max(image.height for image in images) + 2 * _BAND + 30
    top = 40 if source == "vwp" else _HEADER
    strip = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(strip)
    font = ImageFont.load_default()
    x = _BAND
    for image, label in zip(images, labels, strict=True):
        strip.paste(image, (x, top))
        draw.text((x + (image.width - draw.textlength(label, font=font)) // 2, 5), label, "black", font)
        x += image.width + _BAND
    return strip
