"""Makes pictures from measurements: TIFFs of 16 bits, floating-point numbers or many bands.

Satellite measurements have no natural brightness. Each band is stretched between two percentiles over all
dates of a place, so that changes between dates stay visible.
"""

import contextlib
import re
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.limits import PIXELS_VARIABLE, max_pixels

PERCENTILES = (2.0, 98.0)
NO_PICTURE = "no sensible picture"
_PIXEL_SCALE, _TIE_POINT, _TRANSFORMATION, _GEO_KEYS = 33550, 33922, 34264, 34735
_GEODETIC, _PROJECTED = 2048, 3072
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_DESCRIPTION = re.compile(r'<Item name="DESCRIPTION" sample="(\d+)"[^>]*>([^<]+)</Item>')


DAMAGE = (
    *(OSError, ValueError, KeyError, IndexError, TypeError, RuntimeError, AttributeError),
    *(ArithmeticError, SyntaxError, struct.error, zlib.error),
)
"""The errors that picture libraries raise for a damaged file."""


class _Strictness:
    """Makes Pillow refuse truncated pictures, and leave size checks to us, in the threads inside it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: tuple[bool, int | None] = (False, None)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        from PIL import Image, ImageFile

        # The harness tells Pillow, for the whole process, to fill missing parts of a picture with grey.
        with self._lock:
            if not self._inside:
                self._before = ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS
                # Pillow's own limit applies to declared sizes, before a reduction.
                ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = False, None
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    ImageFile.LOAD_TRUNCATED_IMAGES, Image.MAX_IMAGE_PIXELS = self._before


strictly = _Strictness()


@dataclass(frozen=True)
class Stretch:
    """How the rasters of a place are shown, the same for all its dates."""

    bands: tuple[int, ...]  # the bands shown, from 1: one as grey, three as red, green and blue
    low: tuple[float, ...]  # the value of each that is shown as 0
    high: tuple[float, ...]  # the value of each that is shown as 255
    percentiles: tuple[float, float] = PERCENTILES  # of the values of all dates, which `low` and `high` are


@dataclass(frozen=True)
class _Raster:
    """The content of a file."""

    values: NDArray[Any]  # shape (height, width, bands), as stored; more is brighter
    names: tuple[str, ...]  # the bands'
    nothing: float | None = None  # the value for missing data


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


def reduce(image: "Image.Image", side: int, name: str) -> None:
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
        bands: Names of the bands to show as the files give them, or numbers from 1; may be left out where
            there are one, three, or four with transparency.
    """
    found: list[_Raster] = []
    for path in paths:
        try:
            found.append(_read(path))
        except MediaError as error:
            if error.reason == NO_PICTURE:
                raise
    if not found:
        raise MediaError(f"{paths[0].name}: none of the place's pictures can be read", "damaged")
    chosen = _chosen(found[0], bands, paths[0].name)
    low, high = [], []
    for band in chosen:
        several = [_measured(raster, band) for raster in found if band <= raster.values.shape[2]]
        values = np.concatenate(several)
        if not len(values) or values.min() == values.max():
            raise MediaError(f"{paths[0].name}: band {band} holds one value or none", NO_PICTURE)
        ends = np.percentile(values, PERCENTILES)
        if ends[0] == ends[1]:  # only a few pixels have data
            ends = np.array([values.min(), values.max()])
        low.append(float(ends[0]))
        high.append(float(ends[1]))
    return Stretch(tuple(chosen), tuple(low), tuple(high))


def shown(path: Path, name: str, stretch: Stretch) -> NDArray[np.uint8]:
    """Returns a raster for display, of shape (height, width, 3); unmeasured parts are black."""
    raster = _read(path, name)
    if max(stretch.bands) > raster.values.shape[2]:
        raise MediaError(f"{name}: there is no band {max(stretch.bands)} in it", NO_PICTURE)
    out = np.zeros((*raster.values.shape[:2], len(stretch.bands)))
    for i, band in enumerate(stretch.bands):
        values = raster.values[..., band - 1].astype(np.float64)
        share = (values - stretch.low[i]) / (stretch.high[i] - stretch.low[i])
        out[..., i] = np.where(_is_measured(values, raster.nothing), share, 0.0)
    picture: NDArray[np.uint8] = np.round(255 * np.clip(np.nan_to_num(out), 0, 1)).astype(np.uint8)
    return picture if picture.shape[2] == 3 else picture.repeat(3, axis=2)


def point_of(path: Path) -> tuple[str, float, float] | None:
    """Returns the location of a GeoTIFF: the coordinate system (`EPSG:32632`) and its middle's x and y.

    None if it is missing or damaged. Source: OGC GeoTIFF 1.1.
    """
    import tifffile

    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            keys = list(page.tags.valueof(_GEO_KEYS, ()))
            codes = {keys[i]: keys[i + 3] for i in range(4, len(keys) - 3, 4) if keys[i + 1] == 0}
            code = codes.get(_PROJECTED) or codes.get(_GEODETIC)
            column, row = page.imagewidth / 2, page.imagelength / 2
            if (matrix := page.tags.valueof(_TRANSFORMATION)) is not None:
                x, y = (float(np.dot(matrix[i : i + 4], (column, row, 0, 1))) for i in (0, 4))
            else:
                left, top, _, east, north = page.tags.valueof(_TIE_POINT)[:5]
                step = page.tags.valueof(_PIXEL_SCALE)
                x, y = east + (column - left) * step[0], north - (row - top) * step[1]
        return (f"EPSG:{int(code)}", float(x), float(y)) if code else None
    except (tifffile.TiffFileError, *DAMAGE):
        return None


def _chosen(raster: _Raster, bands: Sequence[str | int], name: str) -> list[int]:
    n = raster.values.shape[2]
    if not bands:
        if n in (1, 3, 4):
            return [1] if n == 1 else [1, 2, 3]
        raise MediaError(f"{name}: {n} bands ({', '.join(raster.names)}); name three of them", NO_PICTURE)
    found = []
    for band in bands:
        if str(band) in raster.names:
            found.append(raster.names.index(str(band)) + 1)
        elif str(band).isdigit() and 1 <= int(band) <= n:
            found.append(int(band))
        else:
            raise MediaError(f"{name}: no band {band!r} in {', '.join(raster.names)}", NO_PICTURE)
    if len(found) not in (1, 3):
        raise MediaError(f"{name}: {len(found)} bands are named; name one or three", NO_PICTURE)
    return found


def _is_measured(values: NDArray[Any], nothing: float | None) -> NDArray[np.bool_]:
    there: NDArray[np.bool_] = np.isfinite(values)
    return there if nothing is None else there & (values != nothing)


def _measured(raster: _Raster, band: int) -> NDArray[np.float64]:
    values = raster.values[..., band - 1].astype(np.float64)
    found: NDArray[np.float64] = values[_is_measured(values, raster.nothing)]
    return found


def _read(path: Path, name: str = "") -> _Raster:
    name = name or path.name
    try:
        found = _read_tiff(path, name)
    except MediaError:
        raise
    except FileNotFoundError:
        raise MediaError(f"{name}: the image is missing", "missing") from None
    except DAMAGE as error:
        raise MediaError(f"{name}: the image is damaged ({error}); replace it") from None
    if found.values.dtype.kind not in "uif":
        raise MediaError(f"{name}: values of {found.values.dtype} are not a picture", NO_PICTURE)
    return found


def _read_tiff(path: Path, name: str) -> _Raster:
    import tifffile

    with tifffile.TiffFile(path) as file:
        page: Any = file.pages[0]
        height, width, bands = page.imagelength, page.imagewidth, page.samplesperpixel
        described = dict(_DESCRIPTION.findall(str(page.tags.valueof(42112, ""))))
        names = tuple(str(described.get(str(band), band + 1)) for band in range(bands))
        try:
            nothing = float(str(page.tags.valueof(42113, "")).strip("\0 "))
        except ValueError:
            nothing = None
        if height * width * bands > 3 * max_pixels():
            raise _too_large(name, f"{width}x{height} pixels in {bands} bands")
        values = _whole(page, path)
        apart = page.planarconfig == 2 and bands > 1
        values = np.moveaxis(values.reshape(bands, height, width), 0, -1) if apart else values
        return _Raster(values.reshape(height, width, bands), names, nothing)


def _whole(page: Any, path: Path) -> NDArray[Any]:
    try:
        return np.asarray(page.asarray())
    except ValueError as error:
        if "imagecodecs" not in str(error):
            raise
        raise MediaError(
            f"{path.name}: {error}; install it with `pip install imagecodecs`", "needs imagecodecs"
        ) from None
