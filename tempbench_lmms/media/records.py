"""What is kept of each video when it is prepared: what it is, how long, how many frames, and its checksum."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tempbench_lmms.data.checksums import is_whole, sealed
from tempbench_lmms.data.tables import parse_json, sha256_of
from tempbench_lmms.media.integrity import Facts

RECORDS = "videos.json"
"""The records' file in a prepared data set."""

SECONDS_APART = 2.0
SHARE_APART = 0.02
MOST_APART = 0.25
"""A video may be so many seconds, or that share, shorter or longer than its annotation says, whichever is
more: annotated lengths are rounded, and a video that was encoded anew ends a few frames earlier or later. It
is never more than `MOST_APART` of a short one's length, or one half as long would pass."""


def record(path: Path, facts: Facts) -> dict[str, Any]:
    """Returns what to keep of a video."""
    return sealed({"sha256": sha256_of([path]), **asdict(facts)})


def read_records(root: Path) -> dict[str, Any]:
    """Returns the records of a prepared data set; empty where there are none."""
    try:
        found = parse_json((root / RECORDS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def unchanged(path: Path, known: Any) -> bool:
    """Returns whether a file is still the one that a record was made of, by its checksum."""
    return is_whole(known) and path.is_file() and known.get("sha256") == sha256_of([path])


def checker(root: Path, check: Callable[..., Facts]) -> Callable[[Path, str], None]:
    """Returns what looks at a video of a data set for `data.checks.problems`: one that changed is decoded."""
    known = read_records(root)

    def load(path: Path, url: str) -> None:
        if not unchanged(path, known.get(url.partition("/media/")[2])):
            check(path, thorough=True)

    return load


def length_problem(name: str, seconds: float, annotated: float) -> str | None:
    """Returns what is wrong with a video's length, in one line; None where nothing is."""
    allowed = max(min(SECONDS_APART, MOST_APART * annotated), SHARE_APART * annotated)
    if abs(seconds - annotated) <= allowed:
        return None
    return (
        f"{name}: the video lasts {seconds:.1f} seconds and its annotation says {annotated:.1f}; it is "
        "another one, or a part of it: get the one that the annotation is of"
    )
