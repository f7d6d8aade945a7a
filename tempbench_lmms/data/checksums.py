"""Checksums of a data set's media at the time when it was prepared.

`checksums.json` beside the manifest holds size, modification time and SHA-256 of every media file, and the
manifest holds one digest of them all. A run accepts a file whose size and time are unchanged, without reading
it; `tempbench verify` reads every file.
"""

import hashlib
import json
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import SCHEME

FILE = "checksums.json"
KEY = "media"
"""The key of the digest in a manifest."""
_SEAL = "checksum"


def write_folder(root: Path) -> dict[str, Any]:
    """Writes the checksums of everything in a data set's folder `media`.

    Returns:
        The manifest's entry: the number of media, and one SHA-256 over the places and checksums of all.
    """
    old = read(root)
    found: dict[str, Any] = {}
    for path in sorted((root / "media").rglob("*")):
        if path.suffix != ".partial" and (now := signature(path)) is not None:
            place = path.relative_to(root).as_posix()
            sha256 = recorded(old.get(place), now) or tables.sha256_of([path])
            found[place] = {"size": now[0], "changed": now[1], "sha256": sha256}
    tables.write_json(found, root / FILE)
    return {"files": len(found), "sha256": digest({place: one["sha256"] for place, one in found.items()})}


def read(root: Path) -> dict[str, Any]:
    """Returns the record of each media file by its place; empty if there is no readable record."""
    found = tables.object_in(root / FILE)
    return {place_of(key): value for key, value in found.items() if isinstance(value, dict)}


def problems(root: Path, manifest: Mapping[str, Any], paths: Mapping[str, Path]) -> Iterator[str]:
    """Yields one line per media file whose content differs from the record."""
    records = read(root)
    for url, path in paths.items():
        promised = records.get(place_of(url), {}).get("sha256")
        if promised is not None and path.is_file() and promised != tables.sha256_of([path]):
            yield f"{url}: the file has changed (its checksum differs); prepare the data again"
    if not _as_promised(records, manifest):
        yield f"{FILE}: missing or damaged; prepare the data again with --force"


def damaged(root: Path, manifest: Mapping[str, Any], places: tuple[str, ...]) -> Iterator[str]:
    """Yields a line for each media file that is missing, or whose size or time differs from the record."""
    records = read(root)
    if not _as_promised(records, manifest):
        yield f"{root / FILE} is damaged: the manifest has another checksum of the media"
        return
    yield from differing(
        root, {place: one for place, one in records.items() if place.startswith(places) and "sha256" in one}
    )


def differing(root: Path, records: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each file that is missing or damaged; one with the recorded time is not read."""
    for place, one in records.items():
        path = root / place
        if (now := signature(path)) is None:
            yield f"{path} is missing"
        elif recorded(one, now) is None and tables.sha256_of([path]) != one["sha256"]:
            yield f"{path} is damaged: its checksum differs from the recorded one"


def _as_promised(records: Mapping[str, Any], manifest: Mapping[str, Any]) -> bool:
    promised = manifest.get(KEY)
    if not isinstance(promised, dict) or not promised.get("files"):
        return True
    return promised.get("sha256") == digest({place: one.get("sha256") for place, one in records.items()})


def urls_of(row: tables.Row) -> Iterator[str]:
    """Yields the URLs of the media that a question names.

    >>> list(urls_of({"video": "tempbench://rextime/media/a.mp4", "options": ["A", "B"], "id": 3}))
    ['tempbench://rextime/media/a.mp4']
    """
    for value in row.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one.startswith(SCHEME):
                yield one


def digest(value: Any) -> str:
    """Returns the SHA-256 of a value as JSON; the order of keys does not count, that of lists does."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an object for a JSON file with its own checksum, which reveals damage."""
    rest = {key: one for key, one in value.items() if key != _SEAL}
    return {**rest, _SEAL: digest(json.loads(json.dumps(rest)))}  # as it is read


def is_whole(found: Any) -> bool:
    """Returns whether an object matches its own checksum; the bundled samples have none."""
    return isinstance(found, dict) and (_SEAL not in found or found[_SEAL] == sealed(found)[_SEAL])


def digest_of_rows(rows: Iterable[tables.Row]) -> str:
    """Returns one SHA-256 over rows in their order."""
    found = hashlib.sha256()
    for row in rows:
        found.update(digest(row).encode())
    return found.hexdigest()


def place_of(url: str) -> str:
    """Returns the place of a media file in its data set; a place is returned unchanged."""
    return url.removeprefix(SCHEME).partition("/")[2] if url.startswith(SCHEME) else url


def signature(path: Path) -> tuple[int, int] | None:
    """Returns a file's size and modification time; None if it is missing, or a pipe, which never ends."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def recorded(known: Any, size_and_time: tuple[int, int]) -> str | None:
    """Returns the recorded checksum if size and time are unchanged."""
    if not isinstance(known, dict) or (known.get("size"), known.get("changed")) != size_and_time:
        return None
    found = known.get("sha256")
    return found if isinstance(found, str) else None
