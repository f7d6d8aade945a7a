"""One part of prepared data with videos: a table, its videos, and its entry in the manifest.

A benchmark may have several parts; each can be prepared again without the others. `media.verifying` brings
the videos.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, roots, tables, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import RECORDS, Gathering, untracked

Skipped = list[dict[str, str]]


_FEW = 3


def few(names: Iterable[str]) -> str:
    """Returns the first of some names, and the number of the others.

    >>> few(["a.mp4", "b.mp4", "c.mp4", "d.mp4", "e.mp4"]), few(["a.mp4", "b.mp4"])
    ('a.mp4, b.mp4, c.mp4 and 2 more', 'a.mp4, b.mp4')
    """
    listed = list(dict.fromkeys(names))
    more = f" and {len(listed) - _FEW} more" if len(listed) > _FEW else ""
    return f"{', '.join(listed[:_FEW])}{more}"


def none_left(what: str, skipped: Skipped) -> TempbenchError:
    """Returns the error for a source without any usable part, with the first of its problems."""
    return TempbenchError(f"{what}, {len(skipped)} are left out: {few(_line(one) for one in skipped)}")


def _line(one: Mapping[str, str]) -> str:
    return f"{one['id']} ({one['why'].partition(';')[0]})"


@dataclass(frozen=True)
class Place:
    """The place of a part in the prepared data."""

    benchmark: str  # whose data it is
    name: str  # the part's name in the manifest and in messages
    table: str  # the folder of its table
    # the folders of its videos below `media`; none if all of `media` belongs to it
    media: Sequence[str] = ("",)


@dataclass(frozen=True)
class How:
    """Options for preparing a part."""

    force: bool = False
    copy: bool = False
    track: Any = untracked


PLAIN = How()


def watched(force: bool, copy: bool) -> How:
    """Returns the options with a progress bar."""
    from rich.progress import track

    return How(force, copy, partial(track, console=terminal.console(stderr=True)))


def other_source(root: Path, more: str = "") -> TempbenchError:
    """Returns the error for a folder with data that must not be replaced."""
    return TempbenchError(
        f"{root} holds data from another source{more}; add --force to replace it, or set TEMPBENCH_DATA to "
        "another folder"
    )


def with_videos(
    found: Iterable[tuple[tables.Row, str]], wrong: Mapping[str, tuple[str, str]], skipped: Skipped
) -> Iterator[tables.Row]:
    """Yields the rows with a usable video; the others are added to what is left out, with the reason."""
    for row, video in found:
        if video in wrong:
            why, reason = wrong[video]
            skipped.append({"id": row["question_id"], "why": f"{video}: {why}", "reason": reason})
        else:
            yield row


def json_of(path: Path, advice: str) -> Any:
    """Returns the content of a JSON file; `advice` says what to do if it cannot be read."""
    try:
        return tables.read_json(path)
    except FileNotFoundError:
        raise TempbenchError(f"{path} is missing; {advice}") from None
    except (OSError, ValueError) as error:
        raise TempbenchError(f"{path} cannot be read ({tables.first_line(error)}); {advice}") from None


def left_out(part: Mapping[str, Any]) -> Iterator[str]:
    """Yields lines about what was left out of a part, with the first example."""
    yield from (f"  left out, {reason}: {count}" for reason, count in part["skipped_by_reason"].items())
    yield from (f"  {skipped['id']}: {skipped['why']}" for skipped in part["skipped"][:5])


class Part:
    """One part of the prepared data, with its entry in the manifest.

    Args:
        place: Where it stands.
        source: Its source, for messages and the manifest.
        files: Its source files; if none has changed, there is nothing to do.
        how: See there.
        asked: Further options that it depends on.
    """

    def __init__(self, place: Place, source: Path, files: Iterable[Path], how: How, asked: str = "") -> None:
        self.benchmark, self.name, self.source, self.how = place.benchmark, place.name, source, how
        self.table, self.media = place.table, place.media
        self.root = roots.home_to_write(self.benchmark)
        self.fingerprint = _fingerprint(files, asked)
        gathered = Gathering(self.root, how.copy, how.track)
        self.gathered, self.bring = gathered, gathered.bring
        earlier = manifests.of_earlier(self.root, how.force, "parts", "rows", "sha256")
        self.manifest: dict[str, Any] = earlier or {"benchmark": self.benchmark, "parts": {}}
        known = self.manifest["parts"].get(self.name)
        target = self.root / self.table / "test.parquet"
        of = known if isinstance(known, dict) else {}
        same = of.get("fingerprint") == self.fingerprint
        media = [f"media/{folder}/" if folder else "media/" for folder in self.media]
        self.done = same and manifests.is_sound(self.root, self.manifest, media, self.name, how.force)
        self.done = self.done and not (how.copy and of.get("linked"))
        if known and not same and target.is_file() and not how.force:
            raise TempbenchError(
                f"{self.root} already holds {self.name} from {of.get('source')}; add --force to replace it"
            )

    def begin(self) -> None:
        """Removes the part from the manifest, because its old data is incomplete until it is finished."""
        locks.before_change(self.root)
        # Files that both parts share, and that change now.
        shared = [self.manifest.pop(key, None) for key in (manifests.TABLES, checksums.KEY)]
        there = self.manifest.setdefault("parts", {}).pop(self.name, None)
        if there:
            for values in (self.manifest.get("rows", {}), self.manifest.get("sha256", {})):
                values.pop(self.table, None)
        if self.manifest["parts"] and (there or any(shared)):
            manifests.write(self.manifest, self.root)
        elif there:
            (self.root / roots.MANIFEST).unlink()
        # Without its own manifest, the table marks the part as existing.
        (self.root / self.table / "test.parquet").unlink(missing_ok=True)

    def same_twice(self, pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
        """Returns, for pairs of videos with equal content, why neither can be used: twins must differ.

        Args:
            pairs: Places below `media`; pairs with an unusable video are skipped.

        Returns:
            The reason as a line and in a few words, by place.
        """
        known = self.gathered.videos
        return {
            one: (f"the content is that of {other}", "one video twice")
            for first, second in pairs
            if all(place in known and self.gathered.at(place).is_file() for place in (first, second))
            and known[first]["sha256"] == known[second]["sha256"]
            for one, other in ((first, second), (second, first))
        }

    def finish(self, rows: list[tables.Row], schema: Any, skipped: Skipped, **more: Any) -> dict[str, Any]:
        """Removes the part's unused media, writes the table, then the manifest."""
        prefix = f"{roots.SCHEME}{self.benchmark}/"
        shown = {self.root / row["video"].removeprefix(prefix) for row in rows}
        self.gathered.keep(shown, self.media)
        # This comes before the table, which marks its videos as existing: they must be known by then.
        media_sums = checksums.write_folder(self.root)
        target = self.root / self.table / "test.parquet"
        tables.write_rows(rows, target, schema)
        linked = self.gathered.n_linked(shown)
        part = {
            "source": str(self.source),
            "fingerprint": self.fingerprint,
            "rows": len(rows),
            "linked": linked,
            "copied": len(shown) - linked,
            "skipped": skipped,
            "skipped_by_reason": dict(Counter(one.get("reason", one["why"]) for one in skipped)),
            **more,
            manifests.TABLES: manifests.sums(self.root, [target]),
        }
        entries: dict[str, dict[str, Any]] = {
            "parts": {self.name: part},
            "rows": {self.table: len(rows)},
            "sha256": {self.table: tables.sha256_of([target])},
        }
        for key, entry in entries.items():  # in the same order, whatever part is prepared last
            self.manifest[key] = dict(sorted({**self.manifest.get(key, {}), **entry}.items()))
        self.manifest[manifests.TABLES] = manifests.sums(self.root, [self.root / RECORDS])
        self.manifest[checksums.KEY] = media_sums
        manifests.write(self.manifest, self.root)
        return part


def _fingerprint(files: Iterable[Path], asked: str) -> str:
    digest = hashlib.sha256(asked.encode())
    for file in files:
        stat = file.stat()
        digest.update(os.fsencode(file) + f"|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
