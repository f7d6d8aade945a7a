"""Where the videos are, and which of them are missing or damaged.

Videos are read where the user has them: `prepare` writes their folders into the manifest and copies nothing.
Its verdict on each file is in `videos.json` beside it. A run checks a file again only if its size or time has
changed since.
"""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data import remote, roots
from tempbench_lmms.data.checksums import signature
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.limits import VIDEO_SUFFIXES

VERDICTS = "videos.json"
ROWS_LEFT_OUT = "rows_left_out"
"""The manifest's key of the questions that give their video another length than others do."""
MISSING_MEDIA = "TEMPBENCH_MISSING_MEDIA"
"""Environment variable: `stop` (the default) or `skip`."""

_PREFIX = f"{roots.SCHEME}rextime/"


def locate(url: str) -> Path:
    """Returns a video's path; the file itself need not exist.

    Args:
        url: `tempbench://rextime/[mini/]media/SOURCE/NAME`.

    Raises:
        TempbenchError: The URL is not a video, or points outside its folder.
    """
    path = roots.resolve(url)
    if path.suffix.lower() not in VIDEO_SUFFIXES:
        raise TempbenchError(f"{url!r} is not a video; correct the row that names it")
    rest = url.removeprefix(_PREFIX).split("/")
    if rest[0] == roots.MINI or os.path.isfile(path):
        return path
    root = roots.prepared_root("rextime")
    if remote.source_of(root):  # whoever wrote that manifest names no folder on this machine
        return path
    folder = _folders(str(root / roots.MANIFEST)).get(rest[1] if rest[0] == "media" else "")
    if folder is None:
        return path
    own = Path(folder).joinpath(*rest[2:])
    if not own.resolve().is_relative_to(Path(folder).resolve()):
        raise TempbenchError(
            f"{url!r} points outside {folder}; name the folder that the links lead to when preparing"
        )
    return own


def _folders(manifest: str) -> Mapping[str, str]:
    return _folders_at(manifest, os.stat(manifest).st_mtime_ns)


@lru_cache(maxsize=4)
def _folders_at(manifest: str, changed: int) -> Mapping[str, str]:
    try:
        found = parse_json(Path(manifest).read_text(encoding="utf-8")).get("video_folders")
    except (ValueError, AttributeError) as error:
        raise TempbenchError(f"{manifest} is damaged ({error}); prepare the data again") from None
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=65536)
def _looked_at(path: str, size: int, changed: int, annotated: float | None, thorough: bool) -> str | None:
    from tempbench_lmms.media import records, sandbox

    try:
        facts = sandbox.check_video(Path(path), thorough)
    except MediaError as error:
        return str(error)
    return None if annotated is None else records.length_problem(Path(path).name, facts.duration, annotated)


def problem_of(url: str, verdicts: Mapping[str, Any] | None = None, by_checksum: bool = False) -> str | None:
    """Returns what is wrong with a video, in one line; None where nothing is.

    Args:
        url: The video's URL.
        verdicts: What `prepare` found, by URL: `size`, `changed`, `problem`, and what is kept of it.
        by_checksum: Read the file to find out whether it has changed, and decode all of it if so; else its
            size and time say so, and its beginning and end are decoded.
    """
    try:
        path = locate(url)
    except TempbenchError as error:
        return str(error)
    known = (verdicts or {}).get(url)
    found = signature(path)
    if found is None:
        return f"{path.name}: the video is missing from {path.parent}"
    if not isinstance(known, dict):
        return _looked_at(str(path), *found, None, by_checksum)
    from tempbench_lmms.media import records

    same = (known.get("size"), known.get("changed")) == found
    if by_checksum and "sha256" in known:  # one that could not be decoded has none
        same = records.unchanged(path, known)
    return (
        known.get("problem") if same else _looked_at(str(path), *found, known.get("annotated"), by_checksum)
    )


def read_verdicts(root: Path) -> dict[str, Any]:
    """Returns what `prepare` found out about the videos; empty where it wrote nothing readable."""
    try:
        found = parse_json((root / VERDICTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def problems(urls: Iterable[str]) -> dict[str, str]:
    """Returns what is wrong with the videos at `urls`, each looked at once; sound ones are left out."""
    urls = list(dict.fromkeys(urls))
    prepared = any(not url.startswith(f"{_PREFIX}{roots.MINI}/") for url in urls)
    verdicts = read_verdicts(roots.prepared_root("rextime")) if prepared else {}
    return {url: problem for url in urls if (problem := problem_of(url, verdicts)) is not None}


def skipping() -> bool:
    """Returns whether questions without a usable video are to be left out.

    Raises:
        TempbenchError: The environment variable has another value than `stop` or `skip`.
    """
    value = os.environ.get(MISSING_MEDIA, "stop")
    if value not in ("stop", "skip"):
        raise TempbenchError(f"{MISSING_MEDIA} is {value!r}; set it to stop or to skip")
    return value == "skip"
