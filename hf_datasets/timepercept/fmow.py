"""Functional Map of the World (fMoW-rgb) as it is distributed.

`{split}/{category}/{category}_{place}/{category}_{place}_{i}_rgb.jpg`, JSON beside it, for `train` and `val`.
The pictures of `test` and `seq` lie in numbered folders, and noise was added to their metadata: the archive
`groundtruth.tar.bz2` of the release has the true metadata of all parts (`{split}_gt/{category}/...`, with
coordinates) and for these two a mapping (`{split}_gt_mapping.json`) to the folders.
Source: the data set's README.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import releases
from tempbench_lmms.data.tables import read_json
from tempbench_lmms.errors import TempbenchError

from ..parts import json_of
from .dates import parse_time
from .positions import Position, on_earth
from .series import Series, Shot, Skipped, in_order, shot_of, watched

DEFAULT = ("train", "val")
"""The parts whose metadata is unaltered."""
NOISY = ("test", "seq")
"""The parts that are read with the ground truth alone."""
DOWNLOAD = (
    "aws s3 sync --no-sign-request s3://spacenet-dataset/Hosted-Datasets/fmow/fmow-rgb/ fmow-rgb"
    " (about 200 GB; --exclude and --include take a part)"
)

_INPUT = re.compile(r"(?:test|seq)_gt/(?P<category>[a-z_-]+)/(?P<place>(?P=category)_\d+)")
_OUTPUT = re.compile(r"(?:test|seq)/(?P<place>\d+)")
_POLYGON = re.compile(r"POLYGON ?\(\((?P<points>[-+\d.eE, ]+)\)")


@dataclass(frozen=True)
class _Place:
    """One place's folder."""

    folder: Path
    category: str
    name: str
    truth: Path | None


def read_fmow(
    folder: Path,
    max_cloud: float,
    skipped: Skipped,
    splits: Sequence[str] = DEFAULT,
    categories: Sequence[str] = (),
) -> list[Series]:
    """Reads fMoW-rgb.

    The number i in a file's name says nothing about time. Of the two versions of an acquisition only `_rgb`
    is read.
    """

    def here(one: Path) -> Path | None:
        inside = (one / "fmow-rgb", one)
        return next((root for root in inside if any((root / split).is_dir() for split in splits)), None)

    root = releases.find(folder, here, "fMoW-rgb") or folder
    found = []
    for split in splits:
        for place in watched(sorted(_places(root, split, skipped), key=_name), f"reading {split}"):
            if categories and place.category not in categories:
                continue
            shots, position = _shots(place, split, max_cloud, skipped)
            if shots:
                ordered = in_order(shots, skipped)
                found.append(Series(f"{split}/{place.name}", "fmow", place.category, ordered, position))
    if not any(len(series.shots) > 1 for series in found):
        raise TempbenchError(
            f"{root}: no place of fMoW-rgb with two usable pictures in {', '.join(splits)} "
            f"({skipped.in_words()}); give the folder that holds train/CATEGORY/CATEGORY_N/, downloaded with "
            f"{DOWNLOAD}"
        )
    return found


def _name(place: _Place) -> tuple[str, str]:
    return place.category, place.name


def _beside(root: Path, name: str) -> Path | None:
    """Returns a file or folder of the ground truth archive, wherever it was unpacked."""
    places = (
        root / name,
        root / "groundtruth" / name,
        root.parent / name,
        root.parent / "groundtruth" / name,
    )
    return next((path for path in places if path.exists()), None)


def _places(root: Path, split: str, skipped: Skipped) -> Iterator[_Place]:
    truth = _beside(root, f"{split}_gt")
    if split in NOISY:
        mapping = _beside(root, f"{split}_gt_mapping.json")
        if not (root / split).is_dir():
            return
        if truth is None or mapping is None:
            raise TempbenchError(
                f"{root / split}: the metadata of fMoW's {split} has noise; unpack groundtruth.tar.bz2 of "
                f"the release in {root} ({split}_gt/ and {split}_gt_mapping.json), or leave out {split}"
            )
        yield from _mapped(root, truth, mapping, skipped)
        return
    for folder in root.glob(f"{split}/*/*"):
        if folder.is_dir():
            category = folder.parent.name
            known = truth / category / folder.name if truth else None
            yield _Place(folder, category, folder.name, known if known and known.is_dir() else None)


def _mapped(root: Path, truth: Path, mapping: Path, skipped: Skipped) -> Iterator[_Place]:
    """Yields the places of `test` or `seq` as the mapping joins pictures and metadata."""
    entries = json_of(mapping, "unpack the archive again")
    seen: set[str] = set()
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        names = entry if isinstance(entry, dict) else {}
        given, stored = _INPUT.fullmatch(str(names.get("input"))), _OUTPUT.fullmatch(str(names.get("output")))
        if not given or not stored or not given[0].startswith(truth.name):
            skipped.add("entry of the mapping that is not of fMoW", f"{mapping.name}, entry {number}")
        elif seen & {given[0], stored[0]}:
            skipped.add("named twice in the mapping", f"{given[0]} = {stored[0]}")
        elif not (root / stored[0]).is_dir() or not (truth.parent / given[0]).is_dir():
            skipped.add("folder of the mapping is missing", f"{given[0]} = {stored[0]}")
        else:
            yield _Place(root / stored[0], given["category"], given["place"], truth.parent / given[0])
        seen |= {given[0], stored[0]} if given and stored else set()


def _shots(
    place: _Place, split: str, max_cloud: float, skipped: Skipped
) -> tuple[list[Shot], Position | None]:
    found: list[Shot] = []
    position: Position | None = None
    is_named = bool(re.fullmatch(rf"{re.escape(place.category)}_\d+", place.name))
    picture = re.compile(rf"{re.escape(place.folder.name)}_(\d+)_rgb\.(?i:jpg|jpeg|png|tif|tiff)")
    for file in sorted(place.folder.iterdir()):
        if file.suffix.lower() == ".json":
            if file.stem.endswith("_rgb") and not _has_picture(file):
                skipped.add("missing file", str(file.with_suffix(".jpg")))
            continue
        if "_msrgb." in file.name:
            skipped.add("_msrgb version of an acquisition", file.name)
            continue
        match = picture.fullmatch(file.name)
        if not match or not is_named:
            skipped.add("file name not of fMoW", str(file))
            continue
        own = (
            (place.truth, f"{place.name}_{match[1]}_rgb.json")
            if place.truth
            else (file.parent, f"{file.stem}.json")
        )
        metadata = releases.file(*own) or Path(*own)
        try:
            described = read_json(metadata)
            cloud = float(described.get("cloud_cover") or 0)
            moment = parse_time(str(described["timestamp"]))
        except FileNotFoundError:
            skipped.add("no metadata", str(metadata))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            skipped.add("unreadable metadata", f"{metadata}: timestamp or cloud_cover")
        else:
            position = position or _position(described.get("raw_location"))
            if cloud > max_cloud:
                skipped.add("cloud cover", f"{file} ({cloud:g} %)")
            else:
                found.append(shot_of("fmow", f"{split}/{place.name}", moment, file))
    return found, position


def _has_picture(metadata: Path) -> bool:
    """Returns whether the picture lies beside its metadata; of the smaller version nothing is asked."""
    names = (f"{metadata.stem}{one}" for one in (".jpg", ".jpeg", ".png", ".tif", ".tiff"))
    return "_msrgb." in metadata.name or releases.file(metadata.parent, *names) is not None


def _position(location: Any) -> Position | None:
    """Returns the middle of the corners of a `POLYGON ((longitude latitude, ...))`."""
    found = _POLYGON.match(location) if isinstance(location, str) else None
    try:
        corners = [tuple(map(float, point.split())) for point in found["points"].split(",")] if found else []
        if not corners or any(len(corner) < 2 for corner in corners):
            return None
        middle = [(min(axis) + max(axis)) / 2 for axis in zip(*corners, strict=True)]
        return on_earth(*middle[:2])
    except ValueError:
        return None
