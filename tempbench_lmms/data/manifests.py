"""What `prepare` wrote: a data set's manifest, how much of a benchmark it holds, whether it is unchanged.

The manifest is written last; data without a complete one is not prepared. It holds the SHA-256 of every
table, and one of the checksums of all media. Tables are small and always read. A media file is read if its
size or time has changed (`data.checksums`).

A benchmark's `rows.sizes` gives the size of each part, from the manifest and the card's numbers. Data
without such numbers (a bundled sample, the user's own questions) is complete if nothing was left out.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, tables
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.errors import TempbenchError

Manifest = dict[str, Any]

TABLES = "files"
"""The key of the tables' checksums in a manifest, or in its entry for one part."""


def read(root: Path, *keys: str) -> Manifest | None:
    """Returns the manifest of a data set, or None."""
    path = root / MANIFEST
    if not path.is_file():
        return None
    try:
        found = tables.read_json(path)
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from None
    if not isinstance(found, dict):
        raise _damaged(path, "it is not a JSON object")
    for key in keys:
        if not isinstance(found.get(key), dict):
            raise _damaged(path, f"it has no table {key}")
    if not checksums.is_whole(found):
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
    whole = checksums.sealed(manifest)
    tables.write_json(whole, root / MANIFEST)
    return whole


def of_earlier(root: Path, force: bool, *keys: str) -> Manifest | None:
    """Returns the manifest of an earlier `prepare`, or None."""
    try:
        return read(root, *keys)
    except TempbenchError:
        if not force:
            raise
        return None


def _damaged(path: Path, why: str) -> TempbenchError:
    return TempbenchError(f"{path} is damaged ({why}); prepare the data again with --force")


AGAIN = "complete the source and prepare the data again with --force"
NO_VIDEO = "no video"
"""The reason for leaving out a file that nobody expects to be shown, such as a list of links."""
_NAMED = 6


@dataclass(frozen=True)
class Size:
    """The size of one part of a benchmark."""

    name: str  # the part's: a split, a type of question
    there: int  # number of questions or plans in the prepared data
    asked: int  # how many `prepare` was asked for; 0 if the user left the part out
    whole: int  # number in the release or the paper
    unit: str = "questions"  # what is counted
    less_by: str = ""  # the option of `prepare` that asks for less, if there is one


Sizes = Callable[[Manifest], Iterable[Size]]


def incomplete(sizes: Iterable[Size]) -> str:
    """Returns what is missing from what was asked for; "" if complete.

    >>> incomplete([Size("count", 3, 292, 292), Size("rotation", 0, 0, 286), Size("shape", 9, 9, 9)])
    '12 of 301 questions (count 3 of 292)'
    """
    asked = [one for one in sizes if one.asked]
    return _told(asked, [(one.name, one.there, one.asked) for one in asked if one.there < one.asked])


def part_asked(sizes: Iterable[Size]) -> str:
    """Returns the part of the whole that the user asked for; "" for all of it.

    >>> part_asked([Size("count", 292, 292, 292), Size("rotation", 0, 0, 286)])
    '292 of 578 questions (rotation 0 of 286)'
    """
    known = list(sizes)
    return _told(known, [(one.name, one.there, one.whole) for one in known if one.asked < one.whole], True)


def _told(sizes: list[Size], less: list[tuple[str, int, int]], of_whole: bool = False) -> str:
    if not less:
        return ""
    more = f" and {len(less) - _NAMED} more" if len(less) > _NAMED else ""
    named = ", ".join(f"{name} {there:,} of {of:,}" for name, there, of in less[:_NAMED])
    wanted = sum(one.whole if of_whole else one.asked for one in sizes)
    return f"{sum(one.there for one in sizes):,} of {wanted:,} {sizes[0].unit} ({named}{more})"


def sizes_in(manifest: Manifest, sizes: Sizes) -> list[Size]:
    """Returns the sizes in a manifest."""
    try:
        return list(sizes(manifest))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TempbenchError(
            f"{MANIFEST} does not record its size ({error!r}); prepare the data again with --force"
        ) from None


def part_named(root: Path, sizes: Sizes) -> str:
    """Returns, for the end of a sentence, the part of the whole that data holds; "" for all of it."""
    found = part_asked(sizes_in(read(root) or {}, sizes))
    return f", a part, as asked for: {found}" if found else ""


def size_problems(manifest: Manifest, sizes: Sizes) -> Iterator[str]:
    """Yields a line for missing questions, then one for each reason for which something was left out."""
    try:
        known = sizes_in(manifest, sizes)
        if short := incomplete(known):
            option = next((f", or ask for less with {one.less_by}" for one in known if one.less_by), "")
            yield f"incomplete: {short}; {AGAIN}{option}"
    except TempbenchError as error:
        yield str(error)
    parts = manifest.get("parts")
    for name, entry in {"": manifest, **(parts if isinstance(parts, dict) else {})}.items():
        if isinstance(entry, dict):
            yield from _left_out(name, entry)


def _left_out(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yields the reasons of a part whose manifest lists each question with its reason."""
    by_reason, skipped = entry.get("skipped_by_reason"), entry.get("skipped")
    if not isinstance(by_reason, dict) or not isinstance(skipped, list):
        return
    first = {one["reason"]: one for one in reversed(skipped) if isinstance(one, dict) and "reason" in one}
    for reason, n in by_reason.items():
        if reason in first and reason != NO_VIDEO:
            one = first[reason]
            yield (
                f"{name or one.get('split')}: {n} left out when the data was prepared ({reason}), the first "
                f"is {one.get('id')}: {one.get('why')}; all are in {MANIFEST}; {AGAIN}"
            )


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
    parts = (manifest, manifest["parts"][part]) if part else (manifest,)
    known = {place: {"sha256": one} for entry in parts for place, one in (entry.get(TABLES) or {}).items()}
    found = itertools.chain(checksums.differing(root, known), checksums.damaged(root, manifest, tuple(media)))
    problem = next(found, None)
    if problem and not force:
        raise TempbenchError(f"{problem}; add --force to prepare the data again")
    return problem is None


def table_problems(root: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each missing or damaged table of any part."""
    sums = sums_of_tables(manifest)
    yield from checksums.differing(root, {place: {"sha256": one} for place, one in sums.items()})
