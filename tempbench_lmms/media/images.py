"""Loads, recognises and writes pictures, and stitches sequences into one strip."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, ImageOps, UnidentifiedImageError

from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import rasters
from tempbench_lmms.media.rasters import Stretch

FORMATS = {
    "PNG": ".png",
    "JPEG": ".jpg",
    "WEBP": ".webp",
    "GIF": ".gif",
    "BMP": ".bmp",
    "TIFF": ".tif",
    "JPEG2000": ".jp2",
    "AVIF": ".avif",
}
"""What a picture may be, whatever its name says, and what its file is called. Pillow reads forty formats
more; one of them, PostScript, by running another program."""
UNSUPPORTED = "format not supported"
"""The reason for an error about a picture format that is not supported, or not by this Pillow."""
_JPEG_XL = (b"\xff\x0a", b"\0\0\0\x0cJXL ")
_MANY_ZEROS = 64
_BAND = 10
_HEADER = 25
_VIST_SIZE = (443, 240)


def load_image(url: str) -> Image.Image:
    """Returns one image of a data set in RGB."""
    return open_image(resolve(url), url)


def open_image(path: Path, name: str, side: int = 0, stretch: Stretch | None = None) -> Image.Image:
    """Returns the image at `path` in RGB, upright, with white for transparent parts.

    Args:
        path: The file.
        name: Stands for it in errors.
        side: How large the caller makes it, in pixels; a JPEG above the limit is then read at a reduced size.
        stretch: How measurements are shown; without one a TIFF of more than 8 bits is refused.
    """
    if stretch is not None and rasters.is_raster(path):
        return Image.fromarray(rasters.shown(path, name, stretch))
    advice = "prepare the data again with --force; if it stays so the source is damaged: get that again first"
    Image.init()
    try:
        if path.is_fifo():
            raise FileNotFoundError(path)  # it never ends
        formats = [one for one in FORMATS if one in Image.OPEN]
        with rasters.strictly(), Image.open(path, formats=formats) as image:
            if image.format in ("JPEG", "MPO") and _ends_in_zeros(path.read_bytes()):
                raise ValueError("it ends early")
            rasters.reduce(image, side, name)
            return _in_rgb(image, name, rasters.is_raster(path))
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing; {advice}", "missing") from None
    except rasters.DAMAGE as error:
        why = str(error)
        if isinstance(error, UnidentifiedImageError):
            if rasters.is_raster(path):
                raise _measurements(name) from None
            check_format(path, name)
            why = "it cannot be identified"
        raise MediaError(f"{name}: the image is damaged ({why}); {advice}") from None


def format_of(head: bytes) -> str:
    """Returns the format that a picture's first bytes are of, as Pillow calls it; "" where they tell none."""
    Image.init()
    head = head.ljust(32, b"\0")
    for name in sorted(Image.OPEN, key=lambda one: one not in FORMATS):  # some others take nearly anything
        accepts = Image.OPEN[name][1]
        if accepts and accepts(head):
            return "TGA" if name == "CUR" else name  # they begin alike, and no data set has cursors
    if head.startswith(_JPEG_XL):
        return "JPEG XL"
    return head[8:12].decode("ascii", "replace").strip().upper() if head[4:8] == b"ftyp" else ""


def check_format(path: Path, name: str) -> None:
    """Refuses a picture in a format that is not read; says nothing of one that is in none."""
    with path.open("rb") as file:
        found = format_of(file.read(32))
    if found and found not in FORMATS:
        raise MediaError(
            f"{name}: pictures in the format {found} are not read here; convert it to PNG or JPEG",
            UNSUPPORTED,
        )


def _ends_in_zeros(data: bytes) -> bool:
    """Returns whether zeros follow a JPEG's data instead of its end, as where a download was cut off.

    Pillow takes them for a picture.
    """
    kept = data.rstrip(b"\0")
    return len(data) - len(kept) >= _MANY_ZEROS and not kept.endswith(b"\xff\xd9")


def _measurements(name: str) -> MediaError:
    return MediaError(
        f"{name}: the image holds measurements of more than 8 bits or many bands, which show nothing as they "
        "are; give it as one date of a series, whose pictures are stretched together, or save it with 8 bits",
        rasters.NO_PICTURE,
    )


def _in_rgb(image: Image.Image, name: str, measured: bool) -> Image.Image:
    """Returns an opened picture in RGB; `measured` says that its file has more than 8 bits or many bands."""
    if measured:
        raise _measurements(name)
    image.load()
    ImageOps.exif_transpose(image, in_place=True)  # without a copy, which `convert` makes in any case
    if image.format == "PNG" and (image.mode.startswith("I;16") or image.mode == "I"):
        # Grey of 16 bits, whose white is 65535.
        grey = np.asarray(image).astype(np.uint32)
        return Image.fromarray(((grey * 255 + 32767) // 65535).astype(np.uint8)).convert("RGB")
    if image.mode[0] in "IF":
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
    gaps = [one for one in np.split(white, np.flatnonzero(np.diff(white) > 1) + 1) if len(one) >= _BAND - 4]
    # A wider one is not told from an image's own white border.
    if any(len(one) > _BAND + 2 for one in gaps) or len(gaps) < 2:
        return []
    return [round((int(one[0]) + int(one[-1]) + 1 + _BAND) / 2) for one in gaps[:-1]]


def is_picture(value: Any) -> bool:
    """Returns whether a value is a decoded picture, as hooks pass it to a model."""
    return isinstance(value, Image.Image)


def png(picture: Image.Image) -> bytes:
    """Returns a picture as PNG bytes."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def channels_reversed(picture: Image.Image) -> Image.Image:
    """Returns a picture with blue and red exchanged."""
    return Image.fromarray(np.asarray(picture)[..., ::-1])
