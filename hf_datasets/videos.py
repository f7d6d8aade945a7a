"""Brings videos of a source into a prepared data set, whichever benchmark it is.

Videos are hard links to the user's files where the disk allows it, else copies (`data.tables.link_file`);
each is decoded once, several at a time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import apart, records

_KEEP_EVERY = 50


def _untracked(things: Iterable[Any], **how: Any) -> Iterable[Any]:
    return things


@dataclass(frozen=True)
class How:
    """How videos are brought.

    Attributes:
        force: Replace what was prepared from something else.
        copy: Copy the videos, also where they could be links.
        track: Wraps a list to show progress.
    """

    force: bool = False
    copy: bool = False
    track: Any = _untracked


PLAIN = How()


@dataclass(frozen=True)
class Medium:
    """A video of the source.

    Attributes:
        path: Where it is.
        inside: The folder that it must lie in.
        is_own: Whether this command made it, out of an archive, and nobody else has it.
        seconds: How long it is to be; None where nobody says it.
    """

    path: Path
    inside: Path
    is_own: bool = False
    seconds: float | None = None


class Videos:
    """The videos of a prepared data set.

    Attributes:
        known: What is kept of each, by the place below the data set's `media` (`media.records`).
        linked: The places of those that are links to the user's files.

    Args:
        root: The data set's folder.
        how: See there.
    """

    def __init__(self, root: Path, how: How) -> None:
        self.root, self.how = root, how
        self.known = records.read_records(root)
        self.linked: set[str] = set()

    def bring(self, wanted: Mapping[str, Medium]) -> dict[str, tuple[str, str]]:
        """Puts videos into their places, and looks at every frame of those that are new or changed.

        Args:
            wanted: By the place below the data set's `media`.

        Returns:
            Of each that cannot be used why, in a line and in a few words, by its place.
        """
        wrong: dict[str, tuple[str, str]] = {}
        new: list[str] = []
        for place, medium in self.how.track(list(wanted.items()), description="videos"):
            if why := self._put(place, medium):
                wrong[place] = why
            elif not records.unchanged(self.at(place), self.known.get(place)):
                new.append(place)
        found = apart.check_videos([self.at(place) for place in new], thorough=True)
        looked = zip(new, found, strict=True)
        for number, (place, facts) in enumerate(
            self.how.track(looked, description="looking at the videos", total=len(new)), start=1
        ):
            if isinstance(facts, MediaError):
                wrong[place] = str(facts), facts.reason
            else:
                self.known[place] = records.record(self.at(place), facts)
            if number % _KEEP_EVERY == 0:
                tables.write_json(self.known, self.root / records.RECORDS)
        for place, medium in wanted.items():
            if place not in wrong and medium.seconds is not None:
                seconds = self.known[place]["duration"]
                if problem := records.length_problem(place, seconds, medium.seconds):
                    wrong[place] = problem, "another length"
        for place in wrong:
            self.at(place).unlink(missing_ok=True)
        return wrong

    def at(self, place: str) -> Path:
        """Returns where the video of a place lies."""
        return self.root / "media" / place

    def _put(self, place: str, medium: Medium) -> tuple[str, str] | None:
        """Links or copies a video in one step; returns why it cannot be."""
        source = medium.path
        if not source.is_file():
            return "the video is missing", "missing"
        if not source.resolve().is_relative_to(medium.inside.resolve()):
            why = "the video lies outside the folder of videos; copy links with `cp -rL`"
            return why, "outside the folder"
        if self.how.copy and not medium.is_own:
            tables.copy_file(source, self.at(place))
        elif tables.link_file(source, self.at(place)) and not medium.is_own:
            self.linked.add(place)
        return None

    def keep(self) -> Path:
        """Writes what is kept of the videos that are there; returns the file."""
        there = {place: value for place, value in self.known.items() if self.at(place).is_file()}
        tables.write_json(there, self.root / records.RECORDS)
        return self.root / records.RECORDS
