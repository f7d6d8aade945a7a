"""Coded pictures and videos: a program can identify a picture from its pixels.

A picture is a square of 8 x 8 cells. The outer ring of black and white cells encodes a number and its
checksum, which survive resizing (down to about 24 pixels), JPEG or video compression, and normalising. The
middle is one colour, with or without a white circle or square, for questions that any seeing model can
answer.
"""

import base64
import binascii
import contextlib
import functools
import io
import itertools
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from tempbench_lmms.media import encoding

Pixels = NDArray[np.uint8]
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (215, 30, 35),
    "green": (25, 150, 60),
    "blue": (35, 70, 215),
    "yellow": (245, 220, 40),
    "purple": (135, 35, 165),
    "orange": (255, 140, 0),
}
SHAPES = ("nothing", "circle", "square", "left", "right", "top", "bottom", "vertical", "horizontal")
"""What is on the middle: from the fourth one on a dot at that side, and fine lines."""
_DOTS = {"left": (0.5, 0.32), "right": (0.5, 0.68), "top": (0.32, 0.5), "bottom": (0.68, 0.5)}
_GRAIN = 10
# From one fine line to the next, as a share of the side: seen at 140 pixels a side and more.
_GRID = 7 / 448


def _without_border(picture: Pixels) -> Pixels:
    off = np.abs(picture.astype(np.int16) - picture[0, 0]).max(axis=2) > 40
    rows, columns = np.flatnonzero(off.mean(axis=1) > 0.02), np.flatnonzero(off.mean(axis=0) > 0.02)
    if not len(rows) or not len(columns):
        return picture
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


TURNS: dict[str, Callable[[Pixels], Pixels]] = {
    "mirrored": np.fliplr,
    "upside down": np.flipud,
    "rotated": lambda pixels: np.rot90(pixels, 2),
    "rotated to the left": lambda pixels: np.rot90(pixels, -1),
    "rotated to the right": np.rot90,
    "mirrored to the left": lambda pixels: np.swapaxes(pixels, 0, 1),
    "mirrored to the right": lambda pixels: np.swapaxes(pixels[::-1, ::-1], 0, 1),
    "inverted": lambda pixels: 255 - pixels,
    "bordered": _without_border,
}
"""What undoes each change after which a code is no longer read, by the fault's name."""
SIDE = 448
"""The side of a picture in pixels: a multiple of the patch size of every common vision tower."""
MAX_NUMBER = 1 << 16
_CELLS = 8
_CORNERS = (0, 1, 1, 1)  # top left is black, so a rotated picture is not read as another one
_LEAST_CONTRAST = 24
_LONGEST_STRIP = 16


@dataclass(frozen=True)
class Card:
    """What a coded picture shows."""

    number: int  # from 0 to 65,535
    colour: str = "blue"  # of the middle, a key of `COLOURS`
    shape: str = "nothing"  # on the middle, one of `SHAPES`
    stretch: float = field(default=1, compare=False)  # how many times as wide as high it is
    # whether the middle has a fine grain, which coarse compression removes
    is_fine: bool = field(default=False, compare=False)


_LAST = _CELLS - 1
# The cells of the ring as (row, column), clockwise from the top left.
_RING = [
    *((0, i) for i in range(_LAST)),
    *((i, _LAST) for i in range(_LAST)),
    *((_LAST, _LAST - i) for i in range(_LAST)),
    *((_LAST - i, 0) for i in range(_LAST)),
]
_AT_CORNERS = [i * _LAST for i in range(4)]
_DATA = [i for i in range(len(_RING)) if i not in _AT_CORNERS]


def _bits(number: int) -> list[int]:
    """Returns the 24 bits of a number: 16 of its own and 8 of a checksum."""
    whole = number << 8 | zlib.crc32(number.to_bytes(2, "big")) & 0xFF
    return [whole >> i & 1 for i in reversed(range(24))]


def drawn(card: Card, side: int = SIDE) -> Pixels:
    """Returns a card's picture, `side` pixels high."""
    cells = np.zeros((_CELLS, _CELLS, 3), dtype=np.uint8)
    cells[:] = COLOURS[card.colour]
    ring = dict(zip(_AT_CORNERS, _CORNERS, strict=True)) | dict(zip(_DATA, _bits(card.number), strict=True))
    for i, bit in ring.items():
        cells[_RING[i]] = 255 * bit
    scale = side // _CELLS
    picture = cells.repeat(scale, 0).repeat(scale, 1)
    middle, radius = side / 2, side / 5
    rows = np.arange(side)[:, None] + 0.5 - middle
    columns = rows.T
    if card.shape == "circle":
        picture[rows**2 + columns**2 <= radius**2] = 255
    elif card.shape == "square":
        picture[(abs(rows) <= radius) & (abs(columns) <= radius)] = 255
    elif card.shape in _DOTS:
        row, column = (place * side - middle for place in _DOTS[card.shape])
        picture[(rows - row) ** 2 + (columns - column) ** 2 <= (side / 14) ** 2] = 255
    elif card.shape in ("vertical", "horizontal"):
        dark = (columns if card.shape == "vertical" else rows) % (_GRID * side) < 2 / 7 * _GRID * side
        picture[dark & (abs(rows) <= radius) & (abs(columns) <= radius)] = 0
    if card.is_fine:
        inner = side // _CELLS
        n = (side - 2 * inner) // 4
        grain = np.random.default_rng(card.number).choice([-_GRAIN, _GRAIN], (n, n)).repeat(4, 0).repeat(4, 1)
        place = np.s_[inner : inner + 4 * n, inner : inner + 4 * n]
        picture[place] = np.clip(picture[place] + grain[..., None], 0, 255)
    return picture if card.stretch == 1 else resized(picture, side, round(side * card.stretch))


def read(picture: Pixels) -> Card | None:
    """Returns the card that a picture of any size shows; None if it is not a readable coded picture."""
    height, width = picture.shape[:2]
    if min(height, width) < 2 * _CELLS:
        return None
    cells = [picture[place] for place in _cells(height, width)]
    ring = np.array([cell.sum() / cell.size for cell in cells])  # `mean` takes three times as long
    low, high = ring.min(), ring.max()
    if high - low < _LEAST_CONTRAST:
        return None
    bits = ring > (low + high) / 2
    if tuple(bits[_AT_CORNERS]) != _CORNERS:
        return None
    number = int("".join("1" if bit else "0" for bit in bits[_DATA][:16]), 2)
    if [int(bit) for bit in bits[_DATA]] != _bits(number):
        return None
    return Card(number, colour_on(picture), shape_on(picture))


@functools.lru_cache(maxsize=256)
def _cells(height: int, width: int) -> list[tuple[slice, slice]]:
    """Returns the inner parts of a picture's cells, which resizing blends least with their neighbours."""
    return [(_inner(row, height), _inner(column, width)) for row, column in _RING]


def _inner(place: int, side: int) -> slice:
    start = (place + 0.3) * (side / _CELLS)
    return slice(int(start), round(max(start + 0.4 * (side / _CELLS), int(start) + 1)))


def _at(picture: Pixels, row: float, column: float) -> NDArray[np.float64]:
    height, width = picture.shape[:2]
    i, j = int(row * height), int(column * width)
    reach = max(1, min(height, width) // 60)
    around = picture[max(0, i - reach + 1) : i + reach, max(0, j - reach + 1) : j + reach]
    return np.asarray(around.reshape(-1, 3).mean(axis=0), dtype=np.float64)


def colour_on(picture: Pixels) -> str:
    """Returns the colour of a picture's middle."""
    return colour_of(_at(picture, 0.22, 0.5))


def colour_of(seen: Any) -> str:
    """Returns the nearest of `COLOURS`, or that none is near."""
    if max(seen) - min(seen) < 20:
        return "black" if max(seen) < 40 else "white" if min(seen) > 215 else "grey"
    return min(COLOURS, key=lambda name: float(((np.asarray(seen, float) - COLOURS[name]) ** 2).sum()))


def _is_white(picture: Pixels, row: float, column: float) -> bool:
    return bool(_at(picture, row, column).min() > 175)


def dot_on(picture: Pixels) -> str:
    """Returns at which side a white dot is; `nothing` where there is none."""
    return next((name for name, place in _DOTS.items() if _is_white(picture, *place)), "nothing")


def shape_on(picture: Pixels) -> str:
    """Returns the one of `SHAPES`, except lines, in the middle of a picture."""
    if not _is_white(picture, 0.5, 0.5):
        return dot_on(picture)
    # The corners of the square lie outside of the circle.
    return "square" if all(_is_white(picture, end, end) for end in (0.335, 0.665)) else "circle"


def lines_of(picture: Pixels) -> str:
    """Returns how the fine lines on a picture run; `none` where they are not seen."""
    height, width = picture.shape[:2]
    inner = picture[height * 3 // 8 : height * 5 // 8, width * 3 // 8 : width * 5 // 8].mean(axis=2)
    across, down = (float(inner.mean(axis=axis).std()) for axis in (0, 1))
    return "none" if max(across, down) < 10 else "vertical" if across > down else "horizontal"


def read_turned(picture: Pixels) -> tuple[Card | None, str]:
    """Returns a picture's card, and a key of `TURNS` if it was rotated or inverted; None if unreadable."""
    if (card := read(picture)) is not None:
        return card, ""
    for name, undo in TURNS.items():
        if (card := read(undo(picture))) is not None:
            return (replace(card, colour=colour_on(picture)) if name == "inverted" else card), name
    return None, ""


def read_strip(picture: Pixels) -> tuple[Card, ...]:
    """Returns the cards in a strip or sheet, row by row; none for other pictures."""
    sheets = itertools.product(range(1, _LONGEST_STRIP + 1), repeat=2)
    for rows, columns in sorted(sheets, key=lambda sheet: sheet[0] * sheet[1]):
        if not 1 < rows * columns <= _LONGEST_STRIP:
            continue
        cells = [cell for row in _cut(picture, rows, 0) for cell in _cut(row, columns, 1)]
        if read(cells[0]) is not None:
            cards = tuple(card for card in map(read, cells) if card is not None)
            if len(cards) > 1 and 2 * len(cards) >= len(cells):  # the last row may be short
                return cards
    return ()


def _cut(picture: Pixels, n: int, axis: int) -> list[Pixels]:
    ends = [round(i * picture.shape[axis] / n) for i in range(n + 1)]
    return [picture[:, a:b] if axis else picture[a:b] for a, b in itertools.pairwise(ends)]


def is_blank(picture: Pixels) -> bool:
    """Returns whether a picture is one colour."""
    some = picture[:: max(1, picture.shape[0] // 64), :: max(1, picture.shape[1] // 64)]
    return bool(np.ptp(some, axis=(0, 1)).max() < 12)


def as_image(pixels: Pixels) -> Image.Image:
    """Returns pixels in the form in which hooks pass pictures to a model."""
    return Image.fromarray(pixels)


def as_pixels(image: Any) -> Pixels:
    """Returns a decoded picture as pixels, of shape (height, width, 3)."""
    return np.asarray(image.convert("RGB"))


def from_bytes(data: bytes) -> Pixels | None:
    """Returns the pixels of a picture file; None if it is not a picture."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            return as_pixels(image)
    except (UnidentifiedImageError, OSError, ValueError):
        return None


def from_any(value: Any) -> Pixels | None:
    """Returns the pixels of a PIL image, an array, a tensor, or a `data:` address; None for anything else."""
    if isinstance(value, str):
        head, _, data = value.partition(";base64,")
        with contextlib.suppress(binascii.Error):
            return from_bytes(base64.b64decode(data)) if head.startswith("data:image/") else None
        return None
    if hasattr(value, "convert"):
        return as_pixels(value)
    pixels = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    if pixels.ndim == 3 and pixels.shape[0] == 3 != pixels.shape[-1]:
        pixels = np.moveaxis(pixels, 0, -1)
    if pixels.ndim != 3 or pixels.shape[-1] != 3:
        return None
    if pixels.dtype != np.uint8:
        pixels = np.clip(pixels * (255 if pixels.max() <= 1 else 1), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(pixels)


def resized(picture: Pixels, height: int, width: int) -> Pixels:
    """Returns a picture at another size."""
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def write_video(path: Path, pictures: Iterable[Pixels], rate: int) -> Path:
    """Writes a video that shows picture i at second i / rate."""
    form = "matroska" if path.suffix == ".mkv" else "mp4"
    encoding.encode(map(as_image, pictures), path, rate, 12, form, "medium")
    return path


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
    return Normal(tuple(mean), tuple(getattr(processor, "image_std", None) or _CLIP_STD))


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
