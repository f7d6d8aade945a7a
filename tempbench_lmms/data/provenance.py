"""Facts that only a run itself knows: installed versions, and the local data."""

import functools
import importlib.metadata
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, code_digest, manifests, roots
from tempbench_lmms.data.tables import object_in
from tempbench_lmms.errors import TempbenchError

_NOTED: dict[str, Any] = {}

KEY = "run"
"""Its key among a task's nested tables, under `details`."""
PACKAGES = ("tempbench-lmms", "lmms-eval", "transformers", "torch", "datasets", "pillow", "av", "decord")
# The entries of a manifest about the origin of its data.
_ORIGIN = ("edition", "source", "revision", "sha256", "media")


def recorded(benchmark: str) -> dict[str, Any]:
    """Returns what only a run itself knows: installed versions, code and local data.

    Args:
        benchmark: The benchmark; both its bundled sample and its prepared data are recorded, because a task's
            records do not tell which one they come from.
    """
    return {
        "packages": versions(),
        code_digest.KEY: code_digest.of_numbers(benchmark),
        "data": {
            "mini": _manifest(roots.mini_root, benchmark),
            "prepared": _manifest(roots.prepared_root, benchmark),
        },
        **_NOTED,
    }


def note_check(found: dict[str, Any] | None) -> None:
    """Adds the result of `tempbench check-model` to all later records; None: it was not run."""
    _NOTED.clear()
    if found is not None:
        _NOTED["check"] = found


def versions() -> dict[str, str | None]:
    """Returns the installed versions of the packages that scores depend on; None for a missing package."""
    return {name: version(name) for name in PACKAGES}


@functools.cache
def version(package: str) -> str | None:
    """Returns the installed version of a package; None if missing."""
    # Each task of a run asks again, and every answer parses a file.
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _manifest(root: Any, benchmark: str) -> dict[str, Any] | None:
    try:
        return origin_of(root(benchmark))
    except TempbenchError:
        return None


def origin_of(root: Path) -> dict[str, Any] | None:
    """Returns what a data set's manifest says about the origin of its data, or None.

    `sha256` is one checksum, or one for each table by folder if parts are prepared separately.
    """
    manifest = object_in(root / roots.MANIFEST)
    found = {key: manifest[key] for key in _ORIGIN if key in manifest}
    sums = manifests.sums_of_tables({"parts": manifest.get("parts")})
    if "sha256" not in found and sums:
        found["sha256"] = {place.rpartition("/")[0]: one for place, one in sums.items()}
    return found if manifest else None


def sum_of_table(sha256: Any, url: Any) -> str | None:
    """Returns the checksum of a task's data: of its own table if each has one; None if unknown.

    >>> sum_of_table({"qa": "5f", "captions": "d1"}, "tempbench://coherence/qa/test.parquet")
    '5f'
    """
    if isinstance(sha256, dict) and isinstance(url, str):
        sha256 = sha256.get(checksums.place_of(url).rpartition("/")[0])
    return sha256 if isinstance(sha256, str) else None
