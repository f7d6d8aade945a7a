"""Loads images of a data set and stitches sequences into one strip."""

import contextlib
import functools
import io
import re
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFile, ImageFont, ImageOps, UnidentifiedImageError

from tempbench_lmms.data import remote
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import rasters
from tempbench_lmms.media.limits import PIXELS_VARIABLE, max_pixels
from tempbench_lmms.media.rasters import Stretch

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What a picture may be, whatever its name says. Pillow reads forty formats more; one of them, PostScript,
by running another program."""


@functools.cache
def suffixes() -> frozenset[str]:
    """Returns the suffixes of these formats, in small letters."""
    return frozenset(one for one, format_ in Image.registered_extensions().items() if format_ in FORMATS)


_BITS = 258
_BAND = 10
_HEADER = 25
_VIST_SIZE = (443, 240)


class _Strictness:
    """Has Pillow refuse pictures that are cut off, and leave their size to us, in the threads inside it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: tuple[bool, int | None] = (False, None)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        # The harness tells Pillow, for the whole process, to fill up with grey what a picture lacks.
        with self._lock:
            if not self._inside:
                self._before = ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS
                # Pillow's own limit is for sizes as declared, before a reduction.
                ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = False, None
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = self._before


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


def open_image(path: Path, name: str, side: int = 0, stretch: Stretch | None = None) -> Image.Image:
    """Returns the image at `path` in RGB, upright, on white where it is transparent.

    Args:
        path: The file.
        name: Stands for it in errors.
        side: How large the caller makes it, in pixels; an image above the limit is then read at a reduced
            size, where its format allows that.
        stretch: How measurements are shown; without one a TIFF of more than 8 bits is refused.

    Raises:
        MediaError: The image is missing, damaged or too large, or there is no sensible picture in it.
    """
    if stretch is not None and rasters.is_raster(path):
        return Image.fromarray(rasters.shown(path, name, stretch, side))
    with _opened(path, name) as image:
        _reduce(image, side, name)
        return _in_rgb(image, name)


@dataclass(frozen=True)
class PictureFacts:
    """What a picture turned out to be.

    Attributes:
        width: Pixels, as shown.
        height: Pixels, as shown.
        constant: Whether all its pixels are of one colour.
    """

    width: int
    height: int
    constant: bool


def facts_of(path: Path, name: str) -> PictureFacts:
    """Decodes a picture and returns what it is.

    Raises:
        MediaError: As `open_image`.
    """
    image = open_image(path, name)
    return PictureFacts(*image.size, bool((np.asarray(image) == np.asarray(image)[0, 0]).all()))


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[Image.Image]:
    """Opens a picture strictly, and puts what goes wrong with it into one line."""
    advice = "prepare the data again with --force; if it stays so the source is damaged: get that again first"
    remote.bring(path)
    try:
        content = _content(path)
        with _strictly(), Image.open(content, formats=FORMATS) as image:
            if isinstance(content, io.BytesIO) and not _has_its_end(content.getvalue()):
                raise ValueError("it ends early")
            yield image
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing; {advice}", "missing") from None
    except (OSError, SyntaxError, ValueError, IndexError, struct.error, zlib.error) as error:
        if isinstance(error, UnidentifiedImageError):
            if rasters.is_raster(path):
                raise _measurements(name) from None
            error = OSError(f"cannot identify image file {str(path)!r}")  # not the bytes that we hold of it
        raise MediaError(f"{name}: the image is damaged ({error}); {advice}") from None


# In a JPEG's compressed data 0xff is followed by 0, or by the mark of a restart.
# No "+" behind the first byte: a pattern that begins with a plain byte is searched ten times as fast.
_JPEG_MARK = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")
_JPEG_END, _JPEG_ALONE = 0xD9, 0x01


_JPEG_START = b"\xff\xd8"


def _content(path: Path) -> io.BytesIO | Path:
    """Returns what Pillow opens: the bytes of a JPEG, which we look through as well, else the file itself."""
    if path.is_fifo():
        raise FileNotFoundError(path)  # it never ends
    with path.open("rb") as file:
        if file.read(len(_JPEG_START)) != _JPEG_START:
            return path
        file.seek(0)
        return io.BytesIO(file.read())


def _has_its_end(data: bytes) -> bool:
    """Returns whether a JPEG goes on to its end.

    Where a download was cut off and the rest of the file is zeros, Pillow takes the zeros for a picture.
    """
    place = len(_JPEG_START)
    while found := _JPEG_MARK.search(data, place):
        mark, place = found[1][0], found.end()
        if mark == _JPEG_END:
            return True
        if mark != _JPEG_ALONE:
            place += int.from_bytes(data[place : place + 2], "big")
    return False


def _too_large(name: str, what: str) -> MediaError:
    return MediaError(
        f"{name}: {what}, more than {max_pixels()}; make the image smaller, or set {PIXELS_VARIABLE} to more",
        "too large",
    )


def _measurements(name: str) -> MediaError:
    return MediaError(
        f"{name}: the image holds measurements of more than 8 bits or many bands, which show nothing as they "
        "are; give it as one date of a series, whose pictures are stretched together",
        rasters.NO_PICTURE,
    )


def _reduce(image: Image.Image, side: int, name: str) -> None:
    """Has a JPEG above the limit decoded at a half, a quarter or an eighth; refuses what stays above it."""
    # A progressive JPEG is held whole before it is reduced.
    if side and image.width * image.height > max_pixels() and not image.info.get("progressive"):
        image.draft("RGB", (side, side))
    if image.width * image.height > max_pixels():
        raise _too_large(name, f"{image.width}x{image.height} pixels")


def _in_rgb(image: Image.Image, name: str) -> Image.Image:
    if image.format == "TIFF":
        bits = getattr(image, "tag_v2", {}).get(_BITS, 8)
        if max(bits if isinstance(bits, tuple) else (bits,)) > 8:
            raise _measurements(name)
    image.load()
    ImageOps.exif_transpose(image, in_place=True)  # without a copy, which `convert` makes in any case
    if image.mode.startswith("I;16") or image.mode == "I":
        # A PNG's grey of 16 bits, whose white is 65535.
        grey = np.asarray(image).astype(np.uint32)
        return Image.fromarray(((grey * 255 + 32767) // 65535).astype(np.uint8)).convert("RGB")
    if image.mode == "F":
        raise _measurements(name)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        seen = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen).convert("RGB")
    return image.convert("RGB")


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


def unstitch(strip: Image.Image, n: int, source: str = "") -> list[Image.Image] | None:
    """Returns the images of a strip that `stitch` or the official generator made.

    None stands for a strip in which they cannot be told apart. Where an image was lower than the others,
    white is left below it.

    Args:
        strip: In RGB.
        n: How many images it has.
        source: As for `stitch`.
    """
    top, height = (40 if source == "vwp" else _HEADER), strip.height - 2 * _BAND - 30
    inner = strip.width - _BAND * (n + 1)
    if n < 1 or height < 1 or inner < n:
        return None
    rows = np.asarray(strip.convert("L"))[top : top + height]
    starts = [_BAND + i * (inner // n + _BAND) for i in range(n)] if inner % n == 0 else []
    if not starts or not all(_is_gap(rows, start - _BAND) for start in [*starts, strip.width]):
        starts = _after_gaps(rows)
    if len(starts) != n:
        return None
    ends = [start - _BAND for start in [*starts[1:], strip.width]]
    return [strip.crop((start, top, end, top + height)) for start, end in zip(starts, ends, strict=True)]


_WHITE = 235  # JPEG leaves a trace of an image in the white beside it


def _is_gap(rows: NDArray[np.uint8], start: int) -> bool:
    return bool((rows[:, start + 2 : start + _BAND - 2] >= _WHITE).all())


def _after_gaps(rows: NDArray[np.uint8]) -> list[int]:
    """Returns where images of different widths begin: after each stretch of white as wide as a gap."""
    white = np.flatnonzero((rows >= _WHITE).all(axis=0))
    stretches = np.split(white, np.flatnonzero(np.diff(white) > 1) + 1)
    gaps = [one for one in stretches if len(one) >= _BAND - 4]
    # A wider one is not told from an image's own white border.
    if any(len(one) > _BAND + 2 for one in gaps) or len(gaps) < 2:
        return []
    return [round((int(one[0]) + int(one[-1]) + 1 + _BAND) / 2) for one in gaps[:-1]]
