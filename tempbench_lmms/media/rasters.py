"""Makes pictures from measurements: TIFFs of more than 8 bits, or of more than four bands.

Satellite measurements have no natural brightness. Each band is stretched between two percentiles over all
dates of a place, so that changes between dates stay visible.
"""

import contextlib
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile

from tempbench_lmms.data.bounds import PIXELS_VARIABLE, max_pixels
from tempbench_lmms.errors import MediaError

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


@contextlib.contextmanager
def strictly() -> Iterator[None]:
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


@dataclass(frozen=True)
class Stretch:
    """How the rasters of a place are shown, the same for all its dates."""

    bands: tuple[int, ...]  # the bands shown, from 1: one as grey, three as red, green and blue
    low: tuple[float, ...]  # the value of each that is shown as 0: a percentile of the values of all dates
    high: tuple[float, ...]  # the value of each that is shown as 255
    percentiles: tuple[float, float] = PERCENTILES


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


def reduce(image: Image.Image, side: int, name: str) -> None:
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


def shown(path: Path, name: str, stretch: Stretch) -> NDArray[np.uint8]:
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
