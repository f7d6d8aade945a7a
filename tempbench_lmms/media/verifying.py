"""Checks a data set's media: the problems of its tables and pictures, and the record of each video."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checks, checksums, manifests
from tempbench_lmms.data.checksums import is_whole, sealed
from tempbench_lmms.data.manifests import Manifest
from tempbench_lmms.data.tables import object_in, sha256_of
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import sandbox
from tempbench_lmms.media.video import Facts

RECORDS = "videos.json"
"""The records' file in a prepared data set."""

SECONDS_APART = 2.0
SHARE_APART = 0.02
MOST_APART = 0.25
"""A video may differ from its annotated length by this many seconds or this share, whichever is more.

Annotated lengths are rounded, and re-encoded videos end a few frames earlier or later. The limit is never
more than `MOST_APART` of a short video's length, or one half as long would pass.
"""


def record(path: Path, facts: Facts) -> dict[str, Any]:
    """Returns the record of a video."""
    return sealed({"sha256": sha256_of([path]), **asdict(facts)})


def unchanged(path: Path, known: Any) -> bool:
    """Returns whether a file still matches its record, by its checksum."""
    return is_whole(known) and path.is_file() and known.get("sha256") == sha256_of([path])


def length_problem(name: str, seconds: float, annotated: float) -> str | None:
    """Returns a line about a wrong video length, or None."""
    if abs(seconds - annotated) <= max(min(SECONDS_APART, MOST_APART * annotated), SHARE_APART * annotated):
        return None
    return (
        f"{name}: the video lasts {seconds:.1f} seconds but its annotation says {annotated:.1f}; it is "
        "another video or only a part: get the annotated video"
    )


TablesOf = Callable[[Path], list[checks.Table]]
Problems = Callable[[Path], Iterator[str]]
"""Yields one line per problem in the data set in a folder."""


def of(
    *tables: checks.Table,
    sizes: manifests.Sizes = lambda manifest: (),
    left_out: Callable[[Manifest], Iterable[str]] = lambda manifest: (),
) -> tuple[TablesOf, Problems]:
    """Returns a benchmark's `rows.tables_of` and `rows.problems`: tables, rows, media, and missing parts.

    The second one decodes every picture, and every video that has changed since it was prepared. Data
    that was prepared without pictures, which its manifest says as `text_only`, has tables without media.

    Args:
        tables: The tables, with patterns for paths.
        sizes: Tells from the manifest how much there is and should be.
        left_out: Yields a line for what the manifest says was left out of the data.
    """
    return partial(_tables_of, tables), partial(_problems, tables, sizes, left_out)


def _tables_of(tables: Sequence[checks.Table], root: Path) -> list[checks.Table]:
    out = []
    # A damaged manifest is among the problems.
    text_only = (manifests.of_earlier(root, force=True) or {}).get("text_only") is True
    for table in tables:
        paths = sorted(root.glob(str(table.path))) if "*" in str(table.path) else [root / table.path]
        media = () if text_only else table.media
        out += [replace(table, path=path, media=media) for path in paths if path.parent.is_dir()]
    return out


def _problems(
    tables: Sequence[checks.Table],
    sizes: manifests.Sizes,
    left_out: Callable[[Manifest], Iterable[str]],
    root: Path,
) -> Iterator[str]:
    """Yields one line per problem, with table, row and field; then every unusable media file."""
    found = _tables_of(tables, root)
    if not found:
        yield f"{root}: no table found; prepare the data again"
    manifest: Manifest = {}
    try:
        manifest = manifests.read(root) or {}
    except TempbenchError as error:
        yield one_line(str(error))
    for problem in manifests.table_problems(root, manifest):
        yield one_line(f"{problem}; prepare the data again with --force")
    media: dict[str, Path] = {}
    for table in found:
        yield from checks.table_problems(table, media)
    has_videos = any("video" in table.media for table in found)
    sound, known = {}, object_in(root / RECORDS)
    for url, path in media.items():
        try:
            if not has_videos:
                sandbox.check_picture(path, url)
            elif not unchanged(path, known.get(url.partition("/media/")[2])):
                sandbox.check_video(path)
            sound[url] = path
        except TempbenchError as error:
            yield one_line(str(error))
    for problem in (*checksums.problems(root, manifest, sound), *manifests.size_problems(manifest, sizes)):
        yield one_line(problem)
    yield from left_out(manifest)
