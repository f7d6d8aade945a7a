"""Series of dated pictures of one place each, read from a manifest."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from tempbench_lmms.data import bounds, terminal
from tempbench_lmms.data.releases import PICTURE_SUFFIXES
from tempbench_lmms.data.tables import parse_json, read_json
from tempbench_lmms.data.user_files import json_lines
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.images import Stretch, is_raster, point_of, stretch_of
from tempbench_lmms.timepercept.card import DAMAGED

from .dates import AmbiguousDateError, Moment, parse_time
from .positions import Position, on_earth, on_map

NAMED = 5
"""So many names are told of each kind."""
TWICE_DATED = "one picture under several dates of the place"
COPIED = "place with the pictures of another"
IN_FULL = (DAMAGED, TWICE_DATED, COPIED)
"""Why something is left out that no setting brings back: all names are kept."""


@dataclass(frozen=True)
class Shot:
    """One picture."""

    media: str  # where it will lie below the data set's media folder
    order: float  # what shots of a series are sorted by: UTC seconds, or a rank
    taken: str  # ISO 8601, or the rank as text
    day: date | None  # the UTC date; None where only a rank is known
    file: Path | None = None  # where it comes from; None for a picture that is rendered
    # how the file is shown where it holds measurements; the same for all shots of a place
    stretch: Stretch | None = None


@dataclass(frozen=True)
class Series:
    """The pictures of one place, in chronological order, no two of the same time."""

    place: str  # unique id
    source: str  # `fmow`, `series` or `bundled`
    category: str  # scene category, or ""
    shots: tuple[Shot, ...]  # chronological
    position: Position | None = None  # where it lies, if that is known
    site: str = ""  # name of the larger place that it is a part of, or ""


@dataclass
class Skipped:
    """What was left out, counted by reason, with a few names each; with all of `IN_FULL`."""

    counts: Counter[str]
    examples: dict[str, list[str]]

    def add(self, reason: str, what: str) -> None:
        """Counts one omission."""
        self.counts[reason] += 1
        names = self.examples.setdefault(reason, [])
        if len(names) < NAMED or reason in IN_FULL:
            names.append(what)

    def add_unread(self, error: MediaError, what: str) -> None:
        """Counts a picture that cannot be read, by why."""
        self.add(DAMAGED if error.reason == "damaged" else error.reason, what)

    def in_words(self) -> str:
        """Returns the counts, each with an example, for an error."""
        told = (f"{reason}: {count}, as {self.examples[reason][0]}" for reason, count in self.counts.items())
        return "; ".join(told) or "nothing was left out"

    def as_json(self) -> dict[str, Any]:
        """Returns the counts and examples for a manifest."""
        return {
            reason: {"count": count, "examples": self.examples[reason]}
            for reason, count in sorted(self.counts.items())
        }


def nothing_skipped() -> Skipped:
    """Returns an empty account."""
    return Skipped(Counter(), {})


def is_picture(file: Path, skipped: Skipped) -> bool:
    """Returns whether a file of a folder has a picture's suffix; counts others that are not hidden."""
    if file.name.startswith(".") or not file.is_file():
        return False
    if file.suffix.lower() in PICTURE_SUFFIXES:
        return True
    skipped.add("no picture by its suffix", str(file))
    return False


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


def in_order(shots: Sequence[Shot], skipped: Skipped) -> tuple[Shot, ...]:
    """Returns the shots by time; of several of one day (or rank) only the first."""
    kept: list[Shot] = []
    for shot in sorted(shots, key=lambda shot: (shot.order, shot.media)):
        if kept and (shot.order == kept[-1].order or (shot.day and shot.day == kept[-1].day)):
            unit = "month" if "-" in shot.taken[1:] and shot.day is None else "day"
            skipped.add(f"same {unit} as another picture of the place", str(shot.file or shot.media))
        else:
            kept.append(shot)
    return tuple(kept)


@dataclass(frozen=True)
class _Reading:
    """What counts while a manifest is read."""

    folder: Path
    max_cloud: float
    date_format: str
    skipped: Skipped


def read_manifest(path: Path, max_cloud: float, skipped: Skipped, date_format: str = "") -> list[Series]:
    """Reads a manifest of dated series: one JSON object a line, a JSON list of them, or CSV.

    {"group_id": ..., "category"?: ..., "bands"?: [...], "site"?: ..., "latitude"?, "longitude"?: degrees,
    "x"?, "y"?: metres, "images": [{"path", "timestamp", "cloud_cover"?}, ...]}; `path` is relative to the
    manifest's folder and stays in it, `timestamp` is what `dates.parse_time` reads, `cloud_cover` is in
    percent. `bands` has the numbers, from 1, of one or three bands of files with many. Files of more than 8
    bits are stretched, all of a group alike. CSV has a picture a line, with these columns.
    """
    if not path.is_file():
        raise TempbenchError(f"{path} is not a file; give the manifest of the series (JSON, a group a line)")
    reading = _Reading(path.parent, max_cloud, date_format, skipped)
    found: dict[str, Series] = {}
    for where, group in _groups(path):
        try:
            place, images = str(group["group_id"]), list(group["images"])
            site, position = str(group.get("site") or ""), _position(group, path)
        except (ValueError, KeyError, TypeError, AttributeError):
            skipped.add("unreadable line of the manifest", where)
            continue
        if place in found:
            skipped.add("repeated group_id", place)
            continue
        try:
            shots = [
                shot
                for i, image in enumerate(images)
                if (shot := _shot(image, place, f"{where}, images[{i}]", reading))
            ]
        except AmbiguousDateError as error:
            raise TempbenchError(
                f"{path}, {error}; say how all dates are written, as in --date-format %d.%m.%Y"
            ) from None
        if are_mixed(shots):
            skipped.add("dates and ranks mixed in one group", place)
            continue
        ordered = stretched(in_order(shots, skipped), group.get("bands") or (), place, skipped)
        category = str(group.get("category") or "")
        found[place] = Series(place, "series", category, ordered, position or mapped(ordered), site)
    check_usable(found.values(), path, skipped)
    return list(found.values())


def check_usable(found: Iterable[Series], path: Path, skipped: Skipped) -> None:
    """Raises an error if no series has two pictures."""
    if not any(len(series.shots) > 1 for series in found):
        raise TempbenchError(
            f"{path}: no group has two usable pictures ({skipped.in_words()}); correct the manifest or the "
            "names"
        )


def are_mixed(shots: Sequence[Shot]) -> bool:
    """Returns whether shots have time stamps of several kinds: dates, months, ranks."""
    return len({(shot.day is None, shot.day is None and "-" in shot.taken[1:]) for shot in shots}) > 1


def mapped(shots: Sequence[Shot]) -> Position | None:
    """Returns where a place lies by the coordinates in its first GeoTIFF that has some."""
    for shot in shots:
        if shot.file and shot.file.suffix.lower() in (".tif", ".tiff") and (found := point_of(shot.file)):
            try:
                return on_map(*found)
            except ValueError:
                return None
    return None


def _position(group: dict[str, Any], path: Path) -> Position | None:
    if any(group.get(key) not in (None, "") for key in ("latitude", "longitude")):
        return on_earth(group["longitude"], group["latitude"])
    if any(group.get(key) not in (None, "") for key in ("x", "y")):
        return on_map(str(path), float(group["x"]), float(group["y"]))
    return None


def _groups(path: Path) -> Iterator[tuple[str, Any]]:
    """Yields the place of each group in a manifest, and its content; None for what is no JSON."""
    if path.suffix.lower() == ".csv":
        yield from _csv_groups(path)
        return
    text = next((line for _, line in json_lines(path)), "")
    if text.lstrip().startswith("["):
        try:
            for number, group in enumerate(read_json(path)):
                yield f"entry {number}", group
        except (OSError, ValueError) as error:
            raise TempbenchError(f"{path} is not a JSON list ({error}); correct the manifest") from None
        return
    for number, line in json_lines(path):
        try:
            group = parse_json(line)
        except ValueError:
            group = None
        yield f"line {number}", group


def _csv_groups(path: Path) -> Iterator[tuple[str, Any]]:
    """Yields the groups of a CSV file with one picture per line; a place's first line describes it."""
    try:
        lines = list(csv.DictReader(bounds.read_text(path).splitlines()))
    except (OSError, ValueError, csv.Error) as error:
        raise TempbenchError(f"{path} is not a CSV file in UTF-8 ({error}); correct the manifest") from None
    needed = ("group_id", "path", "timestamp")
    if lines and (missing := [column for column in needed if column not in lines[0]]):
        raise TempbenchError(
            f"{path} has no column {missing[0]}; its first line must name {', '.join(needed)}"
        )
    groups: dict[str, dict[str, Any]] = {}
    first: dict[str, int] = {}
    for number, line in enumerate(lines, start=2):
        place = line["group_id"] or ""
        first.setdefault(place, number)
        group = groups.setdefault(place, {**line, "bands": (line.get("bands") or "").split(), "images": []})
        stamp = line["timestamp"] or ""
        is_rank = re.fullmatch(r"-?[0-9]{1,7}", stamp)
        group["images"].append({**line, "timestamp": int(stamp) if is_rank else stamp})
    for place, group in groups.items():
        yield f"line {first[place]}", group


def stretched(shots: tuple[Shot, ...], bands: Any, place: str, skipped: Skipped) -> tuple[Shot, ...]:
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


def _shot(image: Any, place: str, where: str, reading: _Reading) -> Shot | None:
    skipped, folder = reading.skipped, reading.folder
    try:
        file = folder / str(image["path"])
        moment = parse_time(image["timestamp"], reading.date_format)
        cloud = float(image.get("cloud_cover") or 0)
    except AmbiguousDateError as error:
        raise AmbiguousDateError(f"{where}.timestamp: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        skipped.add("image without a path or a readable time stamp", f"{where} ({place}): {error}"[:160])
        return None
    if not file.resolve().is_relative_to(folder.resolve()):
        skipped.add("path outside the manifest's folder", str(image["path"])[:80])
    elif not file.is_file():
        skipped.add("missing file", str(file))
    elif cloud > reading.max_cloud:
        skipped.add("cloud cover", f"{file} ({cloud:g} %)")
    else:
        return shot_of("series", place, moment, file)
    return None


def shot_of(source: str, place: str, moment: Moment, file: Path) -> Shot:
    """Returns a picture of a file; it will be stored under the name of its place and time."""
    suffix = ".png" if file.suffix.lower() == ".png" else ".jpg"
    name = re.sub(r"[^0-9A-Za-z-]", "", moment[1])
    return Shot(f"{source}/{slug(place)}/{name}{suffix}", *moment, file)
