"""Cuts an array of dated rasters into places, pictures and a manifest that `prepare` reads."""

import itertools
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tempbench_lmms.data import bounds, outputs, tables
from tempbench_lmms.errors import TempbenchError

# Brown to green, as vegetation indices are usually shown.
_COLOURS = np.array(
    [[120, 82, 48], [206, 180, 120], [236, 228, 150], [120, 176, 70], [16, 92, 44]], dtype=float
)


def write_manifest(
    array: Path,
    timestamps: Path,
    output: Path,
    rows: int,
    columns: int,
    values: str = "",
    mask: str = "",
    pixel_size: float = 0.0,
) -> dict[str, int]:
    """Writes one picture a tile and date, and last `manifest.jsonl` with the share of cloud of each.

    Returns:
        The numbers of `places` and `pictures`.
    """
    outputs.check_folder(output)
    data, cloud = _arrays(array, values, mask)
    times = _times(timestamps)
    _check_shapes(array, data.shape, cloud.shape, len(times))
    tiles = {f"{array.stem}_{name}": tile for name, *tile in _tiles(data.shape, rows, columns)}
    names = [f"{index:03d}.png" for index in range(len(times))]
    if output.exists() and any(output.iterdir()):
        raise TempbenchError(f"{output} is not empty; choose another folder")
    coloured = _coloured(data)
    lines = ""
    for place, (down, across) in tiles.items():
        pictures = zip(names, times, coloured[:, down, across], cloud[:, down, across], strict=True)
        images = [_write(output, place, *one) for one in pictures]
        group = {"group_id": place, "images": images} | _position(down, across, pixel_size)
        lines += f"{json.dumps(group)}\n"
    tables.write_text(lines, output / "manifest.jsonl")
    return {"places": rows * columns, "pictures": rows * columns * len(times)}


def _tiles(shape: tuple[int, ...], rows: int, columns: int) -> Iterator[tuple[str, slice, slice]]:
    """Yields the name of each tile of (t, h, w[, 3]), and the rows and columns of pixels that it takes."""
    high, wide = shape[1] // rows, shape[2] // columns
    if min(high, wide) < 8:
        raise TempbenchError(f"tiles of {high}x{wide} pixels are too small; ask for fewer rows or columns")
    for row, column in itertools.product(range(rows), range(columns)):
        down, across = slice(row * high, (row + 1) * high), slice(column * wide, (column + 1) * wide)
        yield f"r{row}_c{column}", down, across


def _check_shapes(array: Path, data: tuple[int, ...], cloud: tuple[int, ...], n_times: int) -> None:
    if n_times != data[0] or cloud != data[:3]:
        raise TempbenchError(
            f"{array}: values {data}, mask {cloud}, {n_times} time stamps; the first number must be the same"
        )


def _times(path: Path) -> list[str]:
    try:
        return [str(time) for time in tables.read_json(path)]
    except (OSError, ValueError, TypeError) as error:
        raise TempbenchError(f"{path}: not a JSON list of dates ({error})") from None


def _position(down: slice, across: slice, pixel_size: float) -> dict[str, float]:
    """Returns where the middle of a tile lies, in metres; nothing where the size of a pixel is not known."""
    if not pixel_size:
        return {}
    middle = ((across.start + across.stop) / 2, -(down.start + down.stop) / 2)
    return {"x": pixel_size * middle[0], "y": pixel_size * middle[1]}


def _write(
    output: Path, place: str, name: str, time: str, coloured: NDArray[np.uint8], cloud: NDArray[np.bool_]
) -> dict[str, Any]:
    """Writes a picture, and returns what the manifest says of it."""
    path = f"{place}/{name}"
    with outputs.replacing(output / path) as partial:
        Image.fromarray(coloured).save(partial, "PNG", optimize=True)
    return {"path": path, "timestamp": time, "cloud_cover": round(100 * float(cloud.mean()), 2)}


def _arrays(path: Path, values: str, mask: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    try:
        arrays = bounds.read_arrays(path)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise TempbenchError(f"{path}: not an .npz file of plain arrays ({error})") from None
    numeric = [name for name, one in arrays.items() if one.dtype != bool and one.ndim in (3, 4)]
    boolean = [name for name, one in arrays.items() if one.dtype == bool and one.ndim == 3]
    chosen = values or (numeric[0] if numeric else "")
    if chosen not in numeric:
        raise TempbenchError(
            f"{path}: no array of shape (t, h, w) or (t, h, w, 3) named {chosen!r} in {list(arrays)}"
        )
    data = arrays[chosen]
    if mask and mask not in boolean:
        raise TempbenchError(f"{path}: no boolean mask of shape (t, h, w) named {mask!r} in {list(arrays)}")
    name = mask or (boolean[0] if boolean else "")
    return data, arrays[name] if name else np.zeros(data.shape[:3], dtype=bool)


def _coloured(data: NDArray[Any]) -> NDArray[np.uint8]:
    """Returns (t, h, w, 3): an index in colours from brown to green, three bands as they are, stretched."""
    values = np.nan_to_num(data.astype(np.float64))
    low, high = np.percentile(values, (2, 98))
    share = np.clip((values - low) / max(high - low, 1e-9), 0, 1)
    if data.ndim == 4:
        colours = 255 * share[..., :3]
        return np.asarray(colours, dtype=np.uint8)
    position = share * (len(_COLOURS) - 1)
    left = np.minimum(position.astype(int), len(_COLOURS) - 2)
    weight = (position - left)[..., None]
    return np.asarray(_COLOURS[left] * (1 - weight) + _COLOURS[left + 1] * weight, dtype=np.uint8)
