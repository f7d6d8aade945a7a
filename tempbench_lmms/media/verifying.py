"""Checks a data set's media: finds the videos in the user's folders, links or copies them, and decodes all.

A video is a hard link to the user's file if the disk allows it, else a copy (`data.tables.link_file`). Each
is decoded once, several at a time, and recorded.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checks, checksums, hub, manifests
from tempbench_lmms.data.checksums import is_whole, sealed
from tempbench_lmms.data.manifests import Manifest
from tempbench_lmms.data.releases import VIDEO_SUFFIXES
from tempbench_lmms.data.tables import copy_file, keep_only, link_file, object_in, sha256_of, write_json
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import MediaError, TempbenchError
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


def of(
    *tables: checks.Table,
    sizes: manifests.Sizes = lambda manifest: (),
    left_out: Callable[[Manifest], Iterable[str]] = lambda manifest: (),
) -> tuple[Callable[[Path], list[checks.Table]], Callable[[Path], Iterator[str]]]:
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


_KEEP_EVERY = 50


def untracked(things: Iterable[Any], **how: Any) -> Iterable[Any]:
    """Returns items unchanged, without a progress bar."""
    return things


@dataclass(frozen=True)
class Medium:
    """A video of the source."""

    path: Path  # its path
    inside: Path  # the folder that must contain it
    is_own: bool = False  # whether this command unpacked it from an archive, so that nobody else uses it
    seconds: float | None = None  # its expected length; None if unknown


def videos_below(
    folder: Path, suffixes: Collection[str] = VIDEO_SUFFIXES
) -> tuple[dict[str, str], dict[str, str]]:
    """Finds every video in a folder, by its name without suffix; hidden folders are skipped.

    Returns:
        The path below `folder` by name; and for each file left out because of a duplicate name, the path of
        the other file.
    """
    found: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix.lower() in suffixes:
                place = path.relative_to(folder).as_posix()
                taken = found.setdefault(path.stem, place)
                if taken != place:
                    left_out[place] = taken
    return found, left_out


def search(
    places: Iterable[Path],
    wanted: Iterable[str],
    is_own: bool = False,
    suffixes: Collection[str] = VIDEO_SUFFIXES,
) -> dict[str, Medium]:
    """Returns the path of each video that was found.

    Args:
        places: The folders to search; the first match counts.
        wanted: The videos' names without suffix.
        is_own: Whether the folders hold unpacked files. Links in them are the source's files, already found.
        suffixes: As for `videos_below`.
    """
    names = [*wanted]
    found: dict[str, Medium] = {}
    for place in places:
        there = videos_below(place, suffixes)[0]
        for name in names:
            path = place / there.get(name, "")
            if name in there and not (is_own and path.is_symlink()):
                found.setdefault(name, Medium(path, hub.around(place), is_own))
    return found


class Gathering:
    """The videos below a data set's `media`, with their records.

    Args:
        root: The data set's folder.
        copy: Copy the videos even if they could be links.
        track: Wraps a list to show progress.

    Attributes:
        videos: The record of each video (`media.verifying`), by its place below `media`.
        linked: The places of those that are links.
    """

    def __init__(self, root: Path, copy: bool = False, track: Any = untracked) -> None:
        self.root, self.copy, self.track = root, copy, track
        self.videos = object_in(root / RECORDS)
        self.linked: set[str] = set()

    def at(self, place: str) -> Path:
        """Returns the path of the video of a place."""
        return self.root / "media" / place

    def bring(self, wanted: Mapping[str, Medium]) -> dict[str, tuple[str, str]]:
        """Puts videos into their places, and checks every frame of new or changed ones.

        Returns:
            Why each unusable video cannot be used, as a line and in a few words, by its place.
        """
        wrong: dict[str, tuple[str, str]] = {}
        new: list[str] = []
        for place, medium in self.track(list(wanted.items()), description="videos"):
            if why := self._put(place, medium):
                wrong[place] = why
            elif not unchanged(self.at(place), self.videos.get(place)):
                new.append(place)
        looked = zip(new, sandbox.check_videos([self.at(place) for place in new]), strict=True)
        for number, (place, facts) in enumerate(
            self.track(looked, description="checking the videos", total=len(new)), start=1
        ):
            if isinstance(facts, MediaError):
                wrong[place] = str(facts), facts.reason
            else:
                self.videos[place] = record(self.at(place), facts)
            if number % _KEEP_EVERY == 0:
                write_json(self.videos, self.root / RECORDS)
        for place, medium in wanted.items():
            if place not in wrong and medium.seconds is not None:
                seconds = self.videos[place]["duration"]
                if problem := length_problem(place, seconds, medium.seconds):
                    wrong[place] = problem, "another length"
        for place in wrong:
            self.at(place).unlink(missing_ok=True)
        return wrong

    def _put(self, place: str, medium: Medium) -> tuple[str, str] | None:
        source = medium.path
        if not source.is_file():
            return "the video is missing", "missing"
        if not source.resolve().is_relative_to(medium.inside.resolve()):
            why = "the video lies outside the folder of videos; copy links with `cp -rL`"
            return why, "outside the folder"
        if self.copy and not medium.is_own:
            copy_file(source, self.at(place))
        elif link_file(source, self.at(place)) and not medium.is_own:
            self.linked.add(place)
        return None

    def keep(self, shown: Iterable[Path], folders: Iterable[str] = ("",)) -> None:
        """Removes every other file from folders below `media`, and writes the records of the rest."""
        for folder in folders:
            keep_only(shown, self.root / "media" / folder)
        there = {place: known for place, known in self.videos.items() if self.at(place).is_file()}
        write_json(dict(sorted(there.items())), self.root / RECORDS)

    def n_linked(self, shown: Iterable[Path]) -> int:
        """Returns how many of the files are links."""
        return len({self.at(place) for place in self.linked}.intersection(shown))
