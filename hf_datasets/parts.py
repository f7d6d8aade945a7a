"""One part of prepared data with videos: a table, the videos that it names, its entry in the manifest.

A benchmark may have several parts; each can be prepared, and prepared anew, without the others. Videos are
hard links to the user's files where the disk allows it, else copies (`data.tables.link_file`); each is
decoded once, several at a time.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, prepared, roots, tables
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import apart, records

_KEEP_EVERY = 50

Skipped = list[dict[str, str]]


@dataclass(frozen=True)
class Place:
    """Where a part stands in the prepared data.

    Attributes:
        benchmark: Whose data it is.
        name: The part's, in the manifest and in messages.
        table: The folder of its table.
        media: The folders of its videos below `media`; none where all of `media` is its own.
    """

    benchmark: str
    name: str
    table: str
    media: Sequence[str] = ("",)


def _untracked(things: Iterable[Any], **how: Any) -> Iterable[Any]:
    return things


@dataclass(frozen=True)
class How:
    """How a part is prepared.

    Attributes:
        force: Replace a part that was prepared from something else.
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


class Part:
    """One part of the prepared data, with its entry in the manifest.

    Args:
        place: Where it stands.
        source: Where it is from, for messages and the manifest.
        files: Everything that it is made of; where none of them has changed there is nothing to do.
        how: See there.
        asked: What else it was asked for by.
    """

    def __init__(self, place: Place, source: Path, files: Iterable[Path], how: How, asked: str = "") -> None:
        self.benchmark, self.name, self.source, self.how = place.benchmark, place.name, source, how
        self.table, self.media = place.table, place.media
        self.root = roots.home_to_write(self.benchmark)
        self.fingerprint = _fingerprint(files, asked)
        self.videos = records.read_records(self.root)
        self.linked: set[str] = set()
        earlier = manifests.of_earlier(self.root, how.force, "parts", "rows", "sha256")
        self.manifest: dict[str, Any] = earlier or {"benchmark": self.benchmark, "parts": {}}
        known = self.manifest["parts"].get(self.name)
        target = self.root / self.table / "test.parquet"
        of = known if isinstance(known, dict) else {}
        same = of.get("fingerprint") == self.fingerprint
        media = [f"media/{folder}/" if folder else "media/" for folder in self.media]
        self.done = same and prepared.is_sound(self.root, self.manifest, media, self.name, how.force)
        self.done = self.done and not (how.copy and of.get("linked"))
        if known and not same and target.is_file() and not how.force:
            raise TempbenchError(
                f"{self.root} already holds {self.name} from {of.get('source')}; add --force to replace it"
            )

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
            elif not records.unchanged(self._at(place), self.videos.get(place)):
                new.append(place)
        found = apart.check_videos([self._at(place) for place in new], thorough=True)
        looked = zip(new, found, strict=True)
        for number, (place, facts) in enumerate(
            self.how.track(looked, description="looking at the videos", total=len(new)), start=1
        ):
            if isinstance(facts, MediaError):
                wrong[place] = str(facts), facts.reason
            else:
                self.videos[place] = records.record(self._at(place), facts)
            if number % _KEEP_EVERY == 0:
                tables.write_json(self.videos, self.root / records.RECORDS)
        for place, medium in wanted.items():
            if place not in wrong and medium.seconds is not None:
                seconds = self.videos[place]["duration"]
                if problem := records.length_problem(place, seconds, medium.seconds):
                    wrong[place] = problem, "another length"
        for place in wrong:
            self._at(place).unlink(missing_ok=True)
        return wrong

    def _at(self, place: str) -> Path:
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
            tables.copy_file(source, self._at(place))
        elif tables.link_file(source, self._at(place)) and not medium.is_own:
            self.linked.add(place)
        return None

    def begin(self) -> None:
        """Takes the part out of the manifest: until it is finished, the old one is no longer whole."""
        locks.before_change(self.root)
        # Files that both parts share, and that change now.
        shared = [self.manifest.pop(key, None) for key in (prepared.KEY, checksums.KEY)]
        there = self.manifest.setdefault("parts", {}).pop(self.name, None)
        if there:
            for values in (self.manifest.get("rows", {}), self.manifest.get("sha256", {})):
                values.pop(self.table, None)
        if self.manifest["parts"] and (there or any(shared)):
            manifests.write(self.manifest, self.root)
        elif there:
            (self.root / roots.MANIFEST).unlink()
        # Without a manifest of its own, what says that the part is there is its table.
        (self.root / self.table / "test.parquet").unlink(missing_ok=True)

    def finish(self, rows: list[tables.Row], schema: Any, skipped: Skipped, **more: Any) -> dict[str, Any]:
        """Removes the part's media that no row names, writes the table, then the manifest."""
        prefix = f"{roots.SCHEME}{self.benchmark}/"
        shown = {self.root / row["video"].removeprefix(prefix) for row in rows}
        for folder in self.media:
            tables.keep_only(shown, self.root / "media" / folder)
        there = {key: value for key, value in self.videos.items() if self._at(key).is_file()}
        tables.write_json(there, self.root / records.RECORDS)
        # Before the table, which says that its videos are there: they are then those that are known.
        media_sums = checksums.write_folder(self.root)
        target = self.root / self.table / "test.parquet"
        tables.write_rows(rows, target, schema)
        linked = len({self._at(place) for place in self.linked} & shown)
        part = {
            "source": str(self.source),
            "fingerprint": self.fingerprint,
            "rows": len(rows),
            "linked": linked,
            "copied": len(shown) - linked,
            "skipped": skipped,
            "skipped_by_reason": dict(Counter(one.get("reason", one["why"]) for one in skipped)),
            **more,
            prepared.KEY: prepared.sums(self.root, [target]),
        }
        entries: dict[str, dict[str, Any]] = {
            "parts": {self.name: part},
            "rows": {self.table: len(rows)},
            "sha256": {self.table: tables.sha256_of([target])},
        }
        for key, entry in entries.items():  # in the same order whichever part is prepared last
            self.manifest[key] = dict(sorted({**self.manifest.get(key, {}), **entry}.items()))
        self.manifest[prepared.KEY] = prepared.sums(self.root, [self.root / records.RECORDS])
        self.manifest[checksums.KEY] = media_sums
        manifests.write(self.manifest, self.root)
        return part


def _fingerprint(files: Iterable[Path], asked: str) -> str:
    digest = hashlib.sha256(asked.encode())
    for file in files:
        stat = file.stat()
        digest.update(os.fsencode(file) + f"|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
