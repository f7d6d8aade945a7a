"""What produced numbers: installed versions, the local data, and a checksum of the code.

The checksum depends only on file names and text, so a wheel and a checkout of the same code agree on every
machine.
"""

import functools
import hashlib
import importlib.metadata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.card import home
from tempbench_lmms.data import checksums, manifests, roots
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
        CODE: of_numbers(benchmark),
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


CODE = "code"
"""Its key in the facts that only a run knows, and in its run card."""
_PACKAGE = Path(__file__).parents[1]
# The code that all benchmarks share: reading replies, and computing scores.
_SHARED = (
    *("parsing/**/*.py", "parsing/lexicon/*.txt", "metrics/*.py", "card.py", "record.py"),
    *("data/questions.py", "data/user_files.py"),
    *("harness/adapter.py", "harness/derived_hooks.py"),
)


@functools.cache
def of_numbers(benchmark: str) -> str:
    """Returns one SHA-256 over the code that turns replies to a benchmark's questions into scores.

    It is computed once per process. It does not cover what a model is shown: prompts and media have their own
    checksums.
    """
    return digest_of(named(_PACKAGE, _SHARED) | named(home(benchmark), ("*.py",), f"{benchmark}/"))


def named(folder: Path, patterns: Iterable[str], prefix: str = "") -> dict[str, Path]:
    """Returns the matching files below a folder, by names that do not depend on the folder's place."""
    found = (path for pattern in patterns for path in folder.glob(pattern))
    return {f"{prefix}{path.relative_to(folder).as_posix()}": path for path in found}


def digest_of(files: Mapping[str, Path]) -> str:
    """Returns one SHA-256 over named texts, independent of their line endings."""
    found = hashlib.sha256()
    for name, path in sorted(files.items()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{name}:{len(text)}\n".encode() + text)
    return found.hexdigest()
