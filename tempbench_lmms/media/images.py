"""Loads, recognises and writes pictures, and stitches sequences into one strip.

Measurements are TIFFs of more than 8 bits, or of more than four bands. They have no natural brightness. Each
band is stretched between two percentiles over all dates of a place, so that changes between dates stay
visible.
"""

import contextlib
import io
import re
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFile, ImageFont, ImageOps, UnidentifiedImageError

from tempbench_lmms.data.bounds import PIXELS_VARIABLE, max_pixels
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import MediaError

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
_BAND = 10
_HEADER = 25
_VIST_SIZE = (443, 240)


PERCENTILES = (2.0, 98.0)
NO_PICTURE = "no sensible picture"
_NOTHING = 42113  # the tag in which GDAL stores the value for missing data
_PIXEL_SCALE, _TIE_POINT, _GEO_KEYS, _GEODETIC, _PROJECTED = 33550, 33922, 34735, 2048, 3072
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

DAMAGE = (
    *(OSError, ValueError, KeyError, IndexError, TypeError, RuntimeError, AttributeError),
    *(ArithmeticError, SyntaxError, struct.error, zlib.error),
)
"""The errors that picture libraries raise for a damaged file."""
_settings = threading.Lock()


@dataclass(frozen=True)
class Stretch:
    """How the rasters of a place are shown, the same for all its dates."""

    bands: tuple[int, ...]  # the bands shown, from 1: one as grey, three as red, green and blue
    low: tuple[float, ...]  # the value of each that is shown as 0: a percentile of the values of all dates
    high: tuple[float, ...]  # the value of each that is shown as 255
    percentiles: tuple[float, float] = PERCENTILES


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
    if stretch is not None and is_raster(path):
        return Image.fromarray(shown_raster(path, name, stretch))
    advice = "prepare the data again with --force; if it stays so the source is damaged: get that again first"
    Image.init()
    try:
        if path.is_fifo():
            raise FileNotFoundError(path)  # it never ends
        formats = [one for one in FORMATS if one in Image.OPEN]
        with _strictly(), Image.open(path, formats=formats) as image:
            if image.format in ("JPEG", "MPO") and not _has_its_end(path.read_bytes()):
                raise ValueError("it ends early")
            _reduce(image, side, name)
            return _in_rgb(image, name, is_raster(path))
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing; {advice}", "missing") from None
    except DAMAGE as error:
        why = str(error)
        if isinstance(error, UnidentifiedImageError):
            if is_raster(path):
                raise _no_picture(name) from None
            with path.open("rb") as file:
                found = format_of(file.read(32))
            if found and found not in FORMATS:
                raise MediaError(
                    f"{name}: pictures in the format {found} are not read here; convert it to PNG or JPEG",
                    UNSUPPORTED,
                ) from None
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


# In a JPEG's compressed data 0xff is followed by 0, or by the mark of a restart.
# No "+" behind the first byte: a pattern that begins with a plain byte is searched ten times as fast.
_JPEG_MARK = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")
_JPEG_START, _JPEG_END, _JPEG_ALONE = b"\xff\xd8", 0xD9, 0x01


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


def _no_picture(name: str) -> MediaError:
    return MediaError(
        f"{name}: the image holds measurements of more than 8 bits or many bands, which show nothing as they "
        "are; give it as one date of a series, whose pictures are stretched together, or save it with 8 bits",
        NO_PICTURE,
    )


def _in_rgb(image: Image.Image, name: str, measured: bool) -> Image.Image:
    """Returns an opened picture in RGB; `measured` says that its file has more than 8 bits or many bands."""
    if measured:
        raise _no_picture(name)
    image.load()
    ImageOps.exif_transpose(image, in_place=True)  # without a copy, which `convert` makes in any case
    if image.format == "PNG" and (image.mode.startswith("I;16") or image.mode == "I"):
        # Grey of 16 bits, whose white is 65535.
        grey = np.asarray(image).astype(np.uint32)
        return Image.fromarray(((grey * 255 + 32767) // 65535).astype(np.uint8)).convert("RGB")
    if image.mode[0] in "IF":
        raise _no_picture(name)
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


@contextlib.contextmanager
def _strictly() -> Iterator[None]:
    """Makes Pillow refuse truncated pictures, and leave size checks to us; one thread at a time."""
    with _settings:
        # The harness tells Pillow, for the whole process, to fill missing parts of a picture with grey.
        before = ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS
        # Pillow's own limit applies to declared sizes, before a reduction.
        ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = False, None
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = before


def is_raster(path: Path) -> bool:
    """Returns whether a file is a TIFF of more than 8 bits or 4 bands: measurements to be stretched."""
    import tifffile

    try:
        with path.open("rb") as file:
            if file.read(4) not in _TIFF:
                return False
        with tifffile.TiffFile(path) as tiff:
            page: Any = tiff.pages[0]
            return bool(page.bitspersample > 8 or page.samplesperpixel > 4)
    except (tifffile.TiffFileError, OSError, ValueError, KeyError, IndexError, TypeError):
        return False  # damaged; opening it reports that


def _reduce(image: Image.Image, side: int, name: str) -> None:
    """Decodes a large JPEG at a half, a quarter or less, if the caller shrinks it anyway."""
    # A progressive JPEG is held whole before it is reduced.
    if side and image.width * image.height > max_pixels() and not image.info.get("progressive"):
        image.draft("RGB", (side, side))
    if image.width * image.height > max_pixels():
        raise _too_large(name, f"{image.width}x{image.height} pixels")


def _too_large(name: str, size: str) -> MediaError:
    return MediaError(
        f"{name}: {size}, more than {max_pixels()}; make the image smaller, or set {PIXELS_VARIABLE} to more",
        "too large",
    )


def stretch_of(paths: Sequence[Path], bands: Sequence[str | int] = ()) -> Stretch:
    """Returns how the rasters of one place are shown.

    Args:
        paths: The files of all its dates; a damaged one is skipped here, and reported when it is opened.
        bands: One or three numbers of bands, from 1; may be left out for one, three or four bands.
    """
    found = []
    for path in paths:
        try:
            found.append(_read(path, path.name))
        except MediaError as error:
            if error.reason == NO_PICTURE:
                raise
    name = paths[0].name
    if not found:
        raise MediaError(f"{name}: none of the place's pictures can be read", "damaged")
    n = found[0].shape[2]
    wanted = bands or {1: (1,), 3: (1, 2, 3), 4: (1, 2, 3)}.get(n, ())
    chosen = tuple(int(band) for band in wanted if str(band).isdigit() and 1 <= int(band) <= n)
    if len(chosen) != len(wanted) or len(chosen) not in (1, 3):
        raise MediaError(f"{name}: {n} bands; name one or three of them by number, from 1", NO_PICTURE)
    ends = []
    for band in chosen:
        values = np.concatenate([one[..., band - 1].compressed() for one in found if band <= one.shape[2]])
        ends.append(np.percentile(values.astype(np.float64), PERCENTILES) if len(values) else (0, 0))
        if ends[-1][0] == ends[-1][1]:
            raise MediaError(f"{name}: band {band} holds one value or none", NO_PICTURE)
    return Stretch(chosen, tuple(float(low) for low, _ in ends), tuple(float(high) for _, high in ends))


def shown_raster(path: Path, name: str, stretch: Stretch) -> NDArray[np.uint8]:
    """Returns a raster for display, of shape (height, width, 3); unmeasured parts are black."""
    raster = _read(path, name)
    if max(stretch.bands) > raster.shape[2]:
        raise MediaError(f"{name}: there is no band {max(stretch.bands)} in it", NO_PICTURE)
    values = raster[..., [band - 1 for band in stretch.bands]].astype(np.float64)
    share = (values - np.array(stretch.low)) / (np.array(stretch.high) - np.array(stretch.low))
    picture: NDArray[np.uint8] = np.round(255 * np.clip(share.filled(0), 0, 1)).astype(np.uint8)
    return picture if picture.shape[2] == 3 else picture.repeat(3, axis=2)


def point_of(path: Path) -> tuple[str, float, float] | None:
    """Returns the location of a GeoTIFF: the coordinate system (`EPSG:32632`) and its middle's x and y.

    None if it is missing, rotated or damaged. Source: OGC GeoTIFF 1.1.
    """
    import tifffile

    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            keys = list(page.tags.valueof(_GEO_KEYS, ()))
            codes = {keys[i]: keys[i + 3] for i in range(4, len(keys) - 3, 4) if keys[i + 1] == 0}
            code = codes.get(_PROJECTED) or codes.get(_GEODETIC)
            left, top, _, east, north = page.tags.valueof(_TIE_POINT)[:5]
            step = page.tags.valueof(_PIXEL_SCALE)
            x, y = (
                east + (page.imagewidth / 2 - left) * step[0],
                north - (page.imagelength / 2 - top) * step[1],
            )
        return (f"EPSG:{int(code)}", float(x), float(y)) if code else None
    except (tifffile.TiffFileError, *DAMAGE):
        return None


def _read(path: Path, name: str) -> Any:
    """Returns the measurements of a file, of shape (height, width, bands); what is missing is masked."""
    import tifffile

    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            height, width, bands = page.imagelength, page.imagewidth, page.samplesperpixel
            if height * width * bands > 3 * max_pixels():
                raise _too_large(name, f"{width}x{height} pixels in {bands} bands")
            values = np.asarray(page.asarray())
            if page.planarconfig == 2 and bands > 1:
                values = np.moveaxis(values.reshape(bands, height, width), 0, -1)
            values = values.reshape(height, width, bands)
            nothing = str(page.tags.valueof(_NOTHING, "")).strip("\0 ")
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing", "missing") from None
    except DAMAGE as error:
        if "imagecodecs" in str(error):
            why = f"{name}: {error}; install it with `pip install imagecodecs`"
            raise MediaError(why, "needs imagecodecs") from None
        raise MediaError(f"{name}: the image is damaged ({error}); replace it") from None
    if values.dtype.kind not in "uif":
        raise MediaError(f"{name}: values of {values.dtype} are not a picture", NO_PICTURE)
    missing = ~np.isfinite(values)
    with contextlib.suppress(ValueError):
        missing |= values == float(nothing)
    return np.ma.array(values, mask=missing)
