"""Series of dated pictures of one place each, read from a manifest or from fMoW as it is distributed."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import json_lines
from tempbench_lmms.data.tables import parse_json, read_json
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.rasters import Stretch, is_raster, stretch_of

FMOW_SPLITS = ("train", "val")
"""The parts of fMoW whose metadata is unaltered; in `test` and `seq` it carries noise."""

_FMOW_NAME = re.compile(r"^(?P<place>(?P<category>[a-z_\-]+)_\d+)_\d+_rgb\.(?:jpg|jpeg|png|tif|tiff)$")


@dataclass(frozen=True)
class Shot:
    """One picture.

    Attributes:
        media: Where it will lie below the data set's media folder.
        order: What shots of a series are sorted by: UTC seconds, or a rank.
        taken: ISO 8601, or the rank as text.
        day: The UTC date; None where only a rank is known.
        file: Where it comes from; None for a picture that is rendered.
        stretch: How the file is shown where it holds measurements; the same for all shots of a place.
    """

    media: str
    order: float
    taken: str
    day: date | None
    file: Path | None = None
    stretch: Stretch | None = None


@dataclass(frozen=True)
class Series:
    """The pictures of one place, in chronological order, no two of the same time.

    Attributes:
        place: Unique id.
        source: `fmow`, `series` or `bundled`.
        category: Scene category, or "".
        shots: Chronological.
    """

    place: str
    source: str
    category: str
    shots: tuple[Shot, ...]


@dataclass
class Skipped:
    """What was left out, counted by reason, with a few names each."""

    counts: Counter[str]
    examples: dict[str, list[str]]

    def add(self, reason: str, what: str) -> None:
        """Counts one omission."""
        self.counts[reason] += 1
        names = self.examples.setdefault(reason, [])
        if len(names) < 5:
            names.append(what)

    def as_json(self) -> dict[str, Any]:
        """Returns the counts and examples for a manifest."""
        return {
            reason: {"count": count, "examples": self.examples[reason]}
            for reason, count in sorted(self.counts.items())
        }


def nothing_skipped() -> Skipped:
    """Returns an empty account."""
    return Skipped(Counter(), {})


T = TypeVar("T")


def watched(things: Sequence[T], what: str) -> Iterator[T]:
    """Yields `things` under a progress bar, where somebody can see it."""
    import sys

    from rich.progress import track

    console = terminal.console(stderr=True)
    yield from track(things, what, console=console, transient=True, disable=not sys.stderr.isatty())


def slug(name: str) -> str:
    """Returns a file name for any text; different texts get different names."""
    clean = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60]
    return clean if clean == name else f"{clean}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def parse_time(value: Any) -> tuple[float, str, date | None]:
    """Returns what sorts a time stamp, its text, and its UTC date.

    Args:
        value: ISO 8601 (without a zone: UTC), or an integer rank.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(f"{value!r} is not a time stamp")
    if isinstance(value, int):
        return float(value), str(value), None
    moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    return moment.timestamp(), moment.strftime("%Y-%m-%dT%H:%M:%SZ"), moment.date()


def _in_order(shots: Sequence[Shot], skipped: Skipped) -> tuple[Shot, ...]:
    """Returns the shots by time; of several of one day (or rank) only the first."""
    kept: list[Shot] = []
    for shot in sorted(shots, key=lambda shot: (shot.order, shot.media)):
        if kept and (shot.order == kept[-1].order or (shot.day and shot.day == kept[-1].day)):
            skipped.add("same day as another picture of the place", str(shot.file or shot.media))
        else:
            kept.append(shot)
    return tuple(kept)


def read_manifest(path: Path, max_cloud: float, skipped: Skipped) -> list[Series]:
    """Reads a manifest of dated series, one JSON object a line.

    {"group_id": ..., "category"?: ..., "bands"?: [...], "images": [{"path", "timestamp", "cloud_cover"?},
    ...]}; `path` is relative to the manifest's folder and stays in it, `timestamp` is ISO 8601 or an integer
    rank, `cloud_cover` is in percent. `bands` names one or three bands of files with many, as the files
    describe them or by number from 1. Files of more than 8 bits are stretched, all of a group alike.

    Raises:
        TempbenchError: There is no such file, or nothing in it can be used.
    """
    if not path.is_file():
        raise TempbenchError(f"{path} is not a file; give the manifest of the series (JSON, a group a line)")
    found: dict[str, Series] = {}
    for number, line in json_lines(path):
        try:
            group = parse_json(line)
            place, images = str(group["group_id"]), list(group["images"])
        except (ValueError, KeyError, TypeError):
            skipped.add("unreadable line of the manifest", f"line {number}")
            continue
        if place in found:
            skipped.add("repeated group_id", place)
            continue
        shots = [shot for image in images if (shot := _shot(image, place, path.parent, max_cloud, skipped))]
        if len({shot.day is None for shot in shots}) > 1:
            skipped.add("dates and ranks mixed in one group", place)
            continue
        ordered = _stretched(_in_order(shots, skipped), group.get("bands") or (), place, skipped)
        found[place] = Series(place, "series", str(group.get("category") or ""), ordered)
    if not any(len(series.shots) > 1 for series in found.values()):
        raise TempbenchError(
            f"{path}: no group has two usable pictures ({dict(skipped.counts)}); correct the manifest"
        )
    return list(found.values())


def _stretched(shots: tuple[Shot, ...], bands: Any, place: str, skipped: Skipped) -> tuple[Shot, ...]:
    """Returns a place's shots with how its measurements are shown; without those that show nothing.

    Pictures that are shown as they are differ from measurements by more than time: of both, the fewer are
    left out.
    """
    measured = [shot.file for shot in shots if shot.file and is_raster(shot.file)]
    if not measured:
        return shots
    plain = [shot.file for shot in shots if shot.file and shot.file not in measured]
    fewer = min(plain, measured, key=len)
    for file in fewer:
        skipped.add("8 bits and more than 8 bits in one place", str(file))
    shots = tuple(shot for shot in shots if shot.file not in fewer)
    if fewer is measured:
        return shots
    try:
        stretch = stretch_of(measured, [bands] if isinstance(bands, (str, int)) else list(bands))
    except MediaError as error:
        skipped.add(error.reason, f"{place}: {error}")
        return tuple(shot for shot in shots if shot.file not in measured)
    return tuple(replace(shot, stretch=stretch) if shot.file in measured else shot for shot in shots)


def _shot(image: Any, place: str, folder: Path, max_cloud: float, skipped: Skipped) -> Shot | None:
    try:
        file = folder / str(image["path"])
        order, taken, day = parse_time(image["timestamp"])
        cloud = float(image.get("cloud_cover") or 0)
    except (KeyError, TypeError, ValueError, AttributeError):
        skipped.add("image without a path or a readable time stamp", f"{place}: {str(image)[:80]}")
        return None
    if not file.resolve().is_relative_to(folder.resolve()):
        skipped.add("path outside the manifest's folder", str(image["path"])[:80])
    elif not file.is_file():
        skipped.add("missing file", str(file))
    elif cloud > max_cloud:
        skipped.add("cloud cover", f"{file} ({cloud:g} %)")
    else:
        return Shot(_media("series", place, taken, file), order, taken, day, file)
    return None


def _media(source: str, place: str, taken: str, file: Path) -> str:
    suffix = ".png" if file.suffix.lower() == ".png" else ".jpg"
    return f"{source}/{slug(place)}/{re.sub(r'[^0-9A-Za-z-]', '', taken)}{suffix}"


def read_fmow(
    folder: Path,
    max_cloud: float,
    skipped: Skipped,
    splits: Sequence[str] = FMOW_SPLITS,
    categories: Sequence[str] = (),
) -> list[Series]:
    """Reads fMoW-rgb: {split}/{category}/{category}_{place}/{category}_{place}_{i}_rgb.jpg, JSON beside it.

    The number i says nothing about time. Of the two versions of an acquisition only `_rgb` is read.
    Source: the fMoW data set's README.

    Args:
        folder: `fmow-rgb`, or the folder that holds it.
        max_cloud: Percent; pictures with more are left out.
        skipped: Receives what is left out.
        splits: The parts to read.
        categories: The scene categories to read; all where empty.

    Raises:
        TempbenchError: There is nothing of fMoW in the folder.
    """
    root = folder / "fmow-rgb" if (folder / "fmow-rgb").is_dir() else folder
    found = []
    for split in splits:
        folders = sorted(path for path in root.glob(f"{split}/*/*") if path.is_dir())
        for place_folder in watched(folders, f"reading {split}"):
            if categories and place_folder.parent.name not in categories:
                continue
            shots = list(_fmow_shots(place_folder, split, max_cloud, skipped))
            if shots:
                place = f"{split}/{place_folder.name}"
                ordered = _in_order(shots, skipped)
                found.append(Series(place, "fmow", place_folder.parent.name, ordered))
    if not any(len(series.shots) > 1 for series in found):
        raise TempbenchError(
            f"{root}: no place of fMoW-rgb with two usable pictures in {', '.join(splits)}; give the folder "
            "that holds train/CATEGORY/CATEGORY_N/"
        )
    return found


def _fmow_shots(folder: Path, split: str, max_cloud: float, skipped: Skipped) -> Iterator[Shot]:
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() == ".json":
            continue
        if "_msrgb." in file.name:
            skipped.add("_msrgb version of an acquisition", file.name)
            continue
        match = _FMOW_NAME.match(file.name)
        if not match or match["place"] != folder.name or match["category"] != folder.parent.name:
            skipped.add("file name not of fMoW", str(file))
            continue
        metadata = file.with_suffix(".json")
        try:
            described = read_json(metadata)
            cloud = float(described.get("cloud_cover") or 0)
            order, taken, day = parse_time(str(described["timestamp"]))
        except FileNotFoundError:
            skipped.add("no metadata", str(metadata))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            skipped.add("unreadable metadata", str(metadata))
        else:
            if cloud > max_cloud:
                skipped.add("cloud cover", f"{file} ({cloud:g} %)")
            else:
                media = _media("fmow", f"{split}/{folder.name}", taken, file)
                yield Shot(media, order, taken, day, file)
