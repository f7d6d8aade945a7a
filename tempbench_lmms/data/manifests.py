"""The manifest of a prepared data set. It is written last; data without a complete one is not prepared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables as files
from tempbench_lmms.data.checksums import is_whole, sealed
from tempbench_lmms.data.resources import MANIFEST
from tempbench_lmms.errors import TempbenchError

Manifest = dict[str, Any]

TABLES = "files"
"""The key of the tables' checksums in a manifest, or in its entry for one part."""


def read(root: Path, *tables: str) -> Manifest | None:
    """Returns the manifest of a data set, or None."""
    path = root / MANIFEST
    if not path.is_file():
        return None
    try:
        found = files.read_json(path)
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from None
    if not isinstance(found, dict):
        raise _damaged(path, "it is not a JSON object")
    for key in tables:
        if not isinstance(found.get(key), dict):
            raise _damaged(path, f"it has no table {key}")
    if not is_whole(found):
        raise _damaged(path, "it has changed since it was written")
    return found


def sums_of_tables(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the SHA-256 of every table of all parts, by its place; the manifest may be foreign."""
    parts = manifest.get("parts")
    found: dict[str, Any] = {}
    for entry in (manifest, *(parts.values() if isinstance(parts, dict) else ())):
        if isinstance(entry, Mapping) and isinstance(entry.get(TABLES), dict):
            found |= entry[TABLES]
    return found


def write(manifest: Manifest, root: Path) -> Manifest:
    """Writes the manifest of a data set with its own checksum, and returns it."""
    whole = sealed(manifest)
    files.write_json(whole, root / MANIFEST)
    return whole


def of_earlier(root: Path, force: bool, *tables: str) -> Manifest | None:
    """Returns the manifest of an earlier `prepare`, or None."""
    try:
        return read(root, *tables)
    except TempbenchError:
        if not force:
            raise
        return None


def _damaged(path: Path, why: str) -> TempbenchError:
    return TempbenchError(f"{path} is damaged ({why}); prepare the data again with --force")
