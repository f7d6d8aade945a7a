"""Whether prepared data still is what `prepare` wrote, asked before a command says that it is there.

A manifest holds the SHA-256 of every table, and one over the checksums of all media. Tables are read
wholly: they are small. A medium is read where its size or time is not the recorded one (`data.checksums`).
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, tables
from tempbench_lmms.errors import TempbenchError

KEY = "files"
"""Where the checksums of tables stand in a manifest, or in its entry of one part."""


def sums(root: Path, files: Iterable[Path]) -> dict[str, str]:
    """Returns the SHA-256 of each file by its place below `root`."""
    return {path.relative_to(root).as_posix(): tables.sha256_of([path]) for path in files}


def is_sound(
    root: Path,
    manifest: Mapping[str, Any],
    media: Iterable[str] = ("media/",),
    part: str | None = None,
    force: bool = False,
) -> bool:
    """Returns whether the files of a data set are those that its manifest names.

    Args:
        root: The data set's folder.
        manifest: Its manifest.
        media: Beginnings of the places of the media that are looked at.
        part: Only the tables of this one among the manifest's `parts`.
        force: Return False where a file is not; the data is then made anew.

    Raises:
        TempbenchError: A file is missing or damaged and `force` is not given.
    """
    problem = next(_problems(root, manifest, tuple(media), part), None)
    if problem and not force:
        raise TempbenchError(f"{problem}; add --force to prepare the data anew")
    return problem is None


def table_problems(root: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each table, of any part, that is missing or damaged."""
    parts = manifest.get("parts")
    for entry in [manifest, *(parts.values() if isinstance(parts, dict) else ())]:
        yield from _differing(root, entry.get(KEY) if isinstance(entry, dict) else None)


def _problems(
    root: Path, manifest: Mapping[str, Any], media: tuple[str, ...], part: str | None
) -> Iterator[str]:
    entry = manifest["parts"][part] if part else manifest
    yield from _differing(root, entry.get(KEY))
    if part:
        yield from _differing(root, manifest.get(KEY))
    yield from checksums.damaged(root, manifest, media)


def _differing(root: Path, known: Any) -> Iterator[str]:
    for place, sha256 in known.items() if isinstance(known, dict) else ():
        path = root / place
        if not path.is_file():
            yield f"{path} is missing"
        elif tables.sha256_of([path]) != sha256:
            yield f"{path} is damaged: its checksum is not the manifest's"


def table(root: Path, name: str) -> Path:
    """Returns the file of a table that is called by its folder, as TimePerceptBench's are."""
    return root / name / ("train.parquet" if name.startswith("train/") else "test.parquet")
