"""Makes series from any folder of dated pictures, with the dates in the names."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

from .dates import AmbiguousDateError, Moment, check_form, in_name
from .series import (
    Series,
    Skipped,
    are_mixed,
    check_usable,
    in_order,
    is_picture,
    mapped,
    read_manifest,
    shot_of,
    stretched,
)

_MANIFESTS = ("manifest.jsonl", "manifest.json", "manifest.csv")
PLACES = ("folder", "name")
"""What tells places apart: the folder that a picture lies in, or its name without the date."""


def read_series(
    path: Path,
    max_cloud: float,
    skipped: Skipped,
    date_format: str = "",
    bands: Sequence[str] = (),
    place_from: str = "",
) -> list[Series]:
    """Reads dated series from a manifest, or from a folder with or without one.

    Without a manifest, the name of a picture or of its folder has the date. Pictures of
    one folder are of one place; those that lie in `path` itself, or in a folder that a date is the name of,
    are told apart by their names without the date.
    """
    try:
        check_form(date_format)
    except ValueError as error:
        raise TempbenchError(f"--date-format {date_format}: {error}; give it as in %d.%m.%Y") from None
    if not path.exists():
        raise TempbenchError(
            f"{path} does not exist; give a manifest of series or a folder of dated pictures (SITSCC's are "
            "to be asked for: https://github.com/Crueyl123/SITSCC publishes none)"
        )
    if path.is_dir():
        manifest = next((path / name for name in _MANIFESTS if (path / name).is_file()), None)
        if manifest is None:
            return _read_folder(path, skipped, date_format, bands, place_from)
        path = manifest
    if bands or place_from:
        raise TempbenchError(
            f"{path} is a manifest: it names places and bands; leave out --bands and --place-from"
        )
    return read_manifest(path, max_cloud, skipped, date_format)


def _read_folder(
    folder: Path, skipped: Skipped, date_format: str, bands: Sequence[str], place_from: str
) -> list[Series]:
    dated: dict[str, list[tuple[str, Moment, Path]]] = defaultdict(list)
    for file in sorted(folder.rglob("*")):
        if not is_picture(file, skipped):
            continue
        try:
            within, name, moment = _taken_apart(file.relative_to(folder), date_format)
        except AmbiguousDateError as error:
            raise TempbenchError(
                f"{file}: {error}; say how all dates are written, as in --date-format %d.%m.%Y, or give a "
                "manifest"
            ) from None
        except ValueError:
            skipped.add("no date in the name", str(file))
        else:
            dated[within].append((name, moment, file))
    places: dict[str, list[tuple[Moment, Path]]] = defaultdict(list)
    for within, pictures in dated.items():
        by_name = (
            place_from == "name"
            or (not within and place_from != "folder")
            or _are_several(folder / within, pictures, place_from)
        )
        for name, moment, file in pictures:
            place = "/".join(filter(None, (within, name if by_name else ""))) or folder.resolve().name
            places[place].append((moment, file))
    found = []
    for place, taken in sorted(places.items()):
        shots = [shot_of("series", place, moment, file) for moment, file in taken]
        if are_mixed(shots):
            skipped.add("dates and months mixed in one place", place)
            continue
        ordered = stretched(in_order(shots, skipped), bands, place, skipped)
        found.append(Series(place, "series", "", ordered, mapped(ordered)))
    check_usable(found, folder, skipped)
    return found


def _taken_apart(path: Path, date_format: str) -> tuple[str, str, Moment]:
    """Returns the folder of a picture, its name without the date, and the date.

    A folder that bears the date is no place: the picture's own name is, whatever the folder.
    """
    parent = path.parent.as_posix() if path.parent.name else ""
    try:
        moment, name = in_name(path.stem, date_format)
    except AmbiguousDateError:
        raise
    except ValueError:
        moment, rest = in_name(path.parent.name, date_format)
        above = path.parent.parent.as_posix() if path.parent.parent.name else ""
        return "", "/".join(filter(None, (above, rest, path.stem))), moment
    return parent, name, moment


def _are_several(folder: Path, pictures: Sequence[tuple[str, Moment, Path]], place_from: str) -> bool:
    """Returns False: the pictures of a folder are of one place."""
    names = Counter(name for name, _, _ in pictures)
    series = [name for name, count in names.items() if count > 1]
    if len(series) > 1 and place_from != "folder":
        raise TempbenchError(
            f"{folder}: the folder suggests one place and the pictures' names several "
            f"({', '.join(sorted(series)[:3])}); choose with --place-from folder or --place-from name"
        )
    return False
