"""Checksums of a data set's media: which pictures and videos were there when it was prepared.

`checksums.json` beside the manifest holds size, time of change and SHA-256 of every medium, and the manifest
one digest over them all. A file whose size and time are the recorded ones is taken for the recorded one, so
that a run asks the disk for nothing else; `tempbench verify` reads every file.
"""

import hashlib
import json
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import MANIFEST, SCHEME
from tempbench_lmms.errors import TempbenchError

FILE = "checksums.json"
KEY = "media"
"""Where the digest stands in a manifest."""


def write(root: Path, paths: Mapping[str, Path], known: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Writes the checksums of a data set's media.

    Args:
        root: The data set's folder.
        paths: Where each medium lies, by its place in the data set: its URL without scheme and benchmark.
            Those that are missing are left out.
        known: Checksums that were made of these files just now, by place.

    Returns:
        The manifest's entry: the number of media, and one SHA-256 over the places and checksums of all.
    """
    old, known = read(root), known or {}
    found: dict[str, Any] = {}
    for place, path in sorted(paths.items()):
        if (size_and_time := signature(path)) is not None:
            sha256 = known.get(place) or _recorded(old.get(place), size_and_time) or _sha256(path)
            found[place] = {"size": size_and_time[0], "changed": size_and_time[1], "sha256": sha256}
    tables.write_json(found, root / FILE)
    return {"files": len(found), "sha256": digest({place: one["sha256"] for place, one in found.items()})}


def write_folder(root: Path) -> dict[str, Any]:
    """Writes the checksums of everything in a data set's folder `media`; arguments and result as above."""
    files = (path for path in (root / "media").rglob("*") if path.is_file() and path.suffix != ".partial")
    return write(root, {path.relative_to(root).as_posix(): path for path in files})


def read(root: Path) -> dict[str, Any]:
    """Returns what was recorded of each medium by its place; empty where nothing readable is."""
    return _read(root / FILE)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = tables.parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    records = found.items() if isinstance(found, dict) else ()
    return {place_of(key): value for key, value in records if isinstance(value, dict)}


def promised(path: Path) -> str | None:
    """Returns the checksum of a medium that is still to be fetched; None of any other missing file."""
    from tempbench_lmms.data import remote

    found = (mirror.sha256(path) for mirror in remote.mirrors() if mirror.has(path))
    return next(found, None)


class Media:
    """The media of a data set as they are now.

    Args:
        root: The data set's folder.
        locate: Turns a URL into a path.
    """

    def __init__(self, root: Path, locate: Any) -> None:
        self._locate = locate
        self._records = read(root)

    def sha256(self, url: str) -> str | None:
        """Returns a medium's checksum; None where no such file can be read."""
        try:
            path = self._locate(url)
            size_and_time = signature(path)
            if size_and_time is None:
                return promised(path)
            recorded = _recorded(self._records.get(place_of(url)), size_and_time)
            return recorded or _sha256_of(str(path), *size_and_time)
        except (TempbenchError, OSError):
            return None

    def is_another(self, url: str) -> bool:
        """Returns whether a medium is another one than when the data was prepared."""
        recorded = self._records.get(place_of(url), {}).get("sha256")
        return recorded is not None and self.sha256(url) != recorded


def problems(root: Path, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yields one line a medium that is not the recorded one, whatever its size and time say.

    Args:
        root: The data set's folder.
        paths: The media by URL; those that are missing are reported elsewhere.
    """
    records = read(root)
    for url, path in paths.items():
        recorded = records.get(place_of(url), {}).get("sha256")
        if recorded is not None and path.is_file() and recorded != _sha256(path):
            yield f"{url}: another file than was prepared (its checksum differs); prepare the data again"
    if not _as_promised(root, _manifest(root)):
        yield f"{FILE}: missing or damaged; prepare the data again with --force"


def damaged(root: Path, manifest: Mapping[str, Any], places: tuple[str, ...]) -> Iterator[str]:
    """Yields a line for each medium that is missing or not the recorded one, as far as size and time tell.

    Args:
        root: The data set's folder.
        manifest: Its manifest.
        places: Beginnings of the places of the media that are looked at.
    """
    records = _read(root / FILE)
    if not _as_promised(root, manifest):
        yield f"{root / FILE} is damaged: the manifest's checksum of the media is another one"
        return
    for place, one in records.items():
        path = root / place
        if not place.startswith(places) or "sha256" not in one:
            continue
        if (size_and_time := signature(path)) is None:
            yield f"{path} is missing"
        elif _recorded(one, size_and_time) is None and _sha256(path) != one["sha256"]:
            yield f"{path} is damaged: its checksum is not the recorded one"


def _as_promised(root: Path, manifest: Mapping[str, Any]) -> bool:
    """Returns whether the recorded checksums are those that the manifest has one checksum over."""
    promised = manifest.get(KEY)
    sums = {place: one.get("sha256") for place, one in _read(root / FILE).items()}
    return not (
        isinstance(promised, dict) and promised.get("files") and promised.get("sha256") != digest(sums)
    )


def _manifest(root: Path) -> dict[str, Any]:
    try:
        found = tables.parse_json((root / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # what is wrong with it is reported elsewhere
    return found if isinstance(found, dict) else {}


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


_SEAL = "checksum"


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an object for a JSON file with a checksum of its own, by which a damaged one is known."""
    rest = {key: one for key, one in value.items() if key != _SEAL}
    return {**rest, _SEAL: digest(json.loads(json.dumps(rest)))}  # as it is read


def is_whole(found: Any) -> bool:
    """Returns whether an object is as it was sealed; the bundled samples are not sealed."""
    return isinstance(found, dict) and (_SEAL not in found or found[_SEAL] == sealed(found)[_SEAL])


def digest_of_rows(rows: Iterable[tables.Row]) -> str:
    """Returns one SHA-256 over rows in their order."""
    found = hashlib.sha256()
    for row in rows:
        found.update(digest(row).encode())
    return found.hexdigest()


def place_of(url: str) -> str:
    """Returns a medium's place in its data set; what is one already stays."""
    return url.removeprefix(SCHEME).partition("/")[2] if url.startswith(SCHEME) else url


def signature(path: Path) -> tuple[int, int] | None:
    """Returns a file's size and time of change; None where there is no file, or a pipe, which never ends."""
    try:
        found = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_size, found.st_mtime_ns


def _recorded(known: Any, size_and_time: tuple[int, int]) -> str | None:
    """Returns the recorded checksum where size and time are the recorded ones."""
    if not isinstance(known, dict) or (known.get("size"), known.get("changed")) != size_and_time:
        return None
    found = known.get("sha256")
    return found if isinstance(found, str) else None


@lru_cache(maxsize=65536)
def _sha256_of(path: str, size: int, changed: int) -> str:
    return _sha256(Path(path))


def _sha256(path: Path) -> str:
    return tables.sha256_of([path])
