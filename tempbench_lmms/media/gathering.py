"""Finds the videos for a data set in the user's folders, links or copies them, and checks them.

A video is a hard link to the user's file if the disk allows it, else a copy (`data.tables.link_file`). Each
is decoded once, several at a time.
"""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import hub, tables
from tempbench_lmms.data.releases import VIDEO_SUFFIXES
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import sandbox, verifying

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
        self.videos = tables.object_in(root / verifying.RECORDS)
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
            elif not verifying.unchanged(self.at(place), self.videos.get(place)):
                new.append(place)
        looked = zip(new, sandbox.check_videos([self.at(place) for place in new]), strict=True)
        for number, (place, facts) in enumerate(
            self.track(looked, description="checking the videos", total=len(new)), start=1
        ):
            if isinstance(facts, MediaError):
                wrong[place] = str(facts), facts.reason
            else:
                self.videos[place] = verifying.record(self.at(place), facts)
            if number % _KEEP_EVERY == 0:
                tables.write_json(self.videos, self.root / verifying.RECORDS)
        for place, medium in wanted.items():
            if place not in wrong and medium.seconds is not None:
                seconds = self.videos[place]["duration"]
                if problem := verifying.length_problem(place, seconds, medium.seconds):
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
            tables.copy_file(source, self.at(place))
        elif tables.link_file(source, self.at(place)) and not medium.is_own:
            self.linked.add(place)
        return None

    def keep(self, shown: Iterable[Path], folders: Iterable[str] = ("",)) -> None:
        """Removes every other file from folders below `media`, and writes the records of the rest."""
        for folder in folders:
            tables.keep_only(shown, self.root / "media" / folder)
        there = {place: known for place, known in self.videos.items() if self.at(place).is_file()}
        tables.write_json(dict(sorted(there.items())), self.root / verifying.RECORDS)

    def n_linked(self, shown: Iterable[Path]) -> int:
        """Returns how many of the files are links."""
        return len({self.at(place) for place in self.linked}.intersection(shown))
