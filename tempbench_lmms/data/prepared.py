"""Checks that prepared data still is what `prepare` wrote, before a command reports that it exists.

A manifest holds the SHA-256 of every table, and one of the checksums of all media. Tables are small and
always read. A media file is read if its size or time has changed (`data.checksums`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, manifests, tables
from tempbench_lmms.errors import TempbenchError

KEY = manifests.TABLES


class Media:
    """The current media of a data set."""

    def __init__(self, root: Path, locate: Callable[[str], Path]) -> None:
        self._locate = locate
        self._records = checksums.read(root)

    def sha256(self, url: str) -> str | None:
        """Returns the checksum of a media file; None if it cannot be read."""
        try:
            path = self._locate(url)
            if (now := checksums.signature(path)) is None:
                return None
            recorded = checksums.recorded(self._records.get(checksums.place_of(url)), now)
            return recorded or _sha256_of(path, *now)
        except (TempbenchError, OSError):
            return None

    def is_another(self, url: str) -> bool:
        """Returns whether a media file has changed since the data was prepared."""
        recorded = self._records.get(checksums.place_of(url), {}).get("sha256")
        return recorded is not None and self.sha256(url) != recorded


@lru_cache(maxsize=65536)
def _sha256_of(path: Path, size: int, changed: int) -> str:
    return tables.sha256_of([path])


def sums(root: Path, files: Iterable[Path]) -> dict[str, str]:
    """Returns the SHA-256 of each file, by its place below `root`."""
    return {path.relative_to(root).as_posix(): tables.sha256_of([path]) for path in files}


def is_sound(
    root: Path,
    manifest: Mapping[str, Any],
    media: Iterable[str] = ("media/",),
    part: str | None = None,
    force: bool = False,
) -> bool:
    """Returns whether the files of a data set match its manifest.

    Args:
        root: The data set's folder.
        manifest: Its manifest.
        media: Prefixes of the places of the media to check.
        part: Check only the tables of this part among the manifest's `parts`.
        force: Return False if a file does not match; the data is then made again.
    """
    known = dict(manifest.get(KEY) or {}) | dict((manifest["parts"][part].get(KEY) or {}) if part else {})
    problem = next(_differing(root, known), None)
    problem = problem or next(checksums.damaged(root, manifest, tuple(media)), None)
    if problem and not force:
        raise TempbenchError(f"{problem}; add --force to prepare the data again")
    return problem is None


def table_problems(root: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each missing or damaged table of any part."""
    yield from _differing(root, manifests.sums_of_tables(manifest))


def _differing(root: Path, known: Mapping[str, Any]) -> Iterator[str]:
    for place, sha256 in known.items():
        path = root / place
        if not path.is_file():
            yield f"{path} is missing"
        elif tables.sha256_of([path]) != sha256:
            yield f"{path} is damaged: its checksum differs from the manifest's"


def table(root: Path, name: str) -> Path:
    """Returns the file of a table named by its folder, as in TimePerceptBench."""
    return root / name / ("train.parquet" if name.startswith("train/") else "test.parquet")
