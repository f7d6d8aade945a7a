"""Prepared data with one table per split, and one video of the user's folders per question.

SPLIT/FILE.parquet            the questions
media/                        their videos, linked or copied
videos.json, checksums.json   what each video is, and by which a run knows it again
manifest.json                 written last: sources, counts, what was left out and why
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.data import checksums, locks, manifests, roots, tables
from tempbench_lmms.media import verifying
from tempbench_lmms.media.verifying import Gathering, Medium

from .parts import How, Skipped, none_left, other_source

Tables = dict[str, list[tables.Row]]


class Benchmark(NamedTuple):
    """What is a benchmark's own."""

    name: str  # its name
    schema: Any  # of its tables
    counts: Mapping[str, int]  # the release's numbers of questions by split
    licence: str  # of the prepared data, in words
    file: Callable[[str], str] = lambda split: "test.parquet"  # the name of a split's table

    @property
    def root(self) -> Path:
        """The folder of its prepared data."""
        return roots.home_to_write(self.name)

    def earlier(self, force: bool) -> dict[str, Any] | None:
        """Returns the existing manifest; raises an error if it is damaged and must not be replaced."""
        return manifests.of_earlier(self.root, force, "rows", "skipped_by_reason")

    def is_done(self, identity: Mapping[str, Any], how: How) -> bool:
        """Returns whether the data is complete; raises an error if other data must not be replaced."""
        old = self.earlier(how.force)
        if old is None:
            return False
        if any(old.get(key) != value for key, value in identity.items()):
            if how.force:
                return False
            raise other_source(self.root, ", or its files have changed since")
        return manifests.is_sound(self.root, old, force=how.force) and not (how.copy and old["linked"])

    def begin(self) -> None:
        """Takes the manifest away: meanwhile nobody takes the folder for finished."""
        locks.before_change(self.root)
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / roots.MANIFEST).unlink(missing_ok=True)

    def write(
        self,
        identity: Mapping[str, Any],
        found: Tables,
        media: Mapping[str, Medium],
        how: How,
        skipped: Skipped,
    ) -> dict[str, Any]:
        """Brings the videos, and writes the tables and the manifest.

        Args:
            identity: What the data is made of.
            found: The questions by split.
            media: The file of each video that is there, by its place below `media`.
            how: See there.
            skipped: The questions that are left out already.
        """
        gathered = Gathering(self.root, how.copy, how.track)
        wrong = gathered.bring(media)
        kept: Tables = {}
        for split, row in ((split, row) for split, table in found.items() for row in table):
            if (why := _problem(row, media, wrong, gathered)) is None:
                kept.setdefault(split, []).append(row)
            else:
                own = {"id": row["question_id"], "split": split}
                skipped.append({**own, "why": why[0], "reason": why[1]})
        if not kept:
            raise none_left("no question can be asked", skipped)
        shown = {gathered.at(place_of(row)) for table in kept.values() for row in table}
        gathered.keep(shown)
        media_sums = checksums.write_folder(self.root)
        linked = gathered.n_linked(shown)
        return manifests.write(
            {
                "benchmark": self.name,
                **identity,
                "licence": self.licence,
                "linked": linked,
                "copied": len(shown) - linked,
                **self._written(kept, skipped),
                checksums.KEY: media_sums,
            },
            self.root,
        )

    def _written(self, kept: Tables, skipped: Skipped) -> dict[str, Any]:
        """Writes the tables; returns their part of the manifest."""
        for split in self.counts:  # one that is not wanted now may be there from before
            tables.keep_only((), self.root / split)
        files = {split: self.root / split / self.file(split) for split in kept}
        for split, table in kept.items():
            tables.write_rows(table, files[split], self.schema)
        return {
            "rows": {split: len(table) for split, table in kept.items()},
            "expected_rows": {split: self.counts[split] for split in kept},
            "skipped": skipped,
            "skipped_by_reason": dict(Counter(one["reason"] for one in skipped)),
            "sha256": tables.sha256_of(sorted(files.values())),
            manifests.TABLES: manifests.sums(self.root, [*files.values(), self.root / verifying.RECORDS]),
        }


def place_of(row: tables.Row) -> str:
    """Returns the place of a question's video below `media`."""
    return str(row["video"]).partition("/media/")[2]


def _problem(
    row: tables.Row, media: Collection[str], wrong: Mapping[str, tuple[str, str]], gathered: Gathering
) -> tuple[str, str] | None:
    """Returns why a question's video cannot be used, in a line and in a few words."""
    place = place_of(row)
    if place not in media:
        return f"{place}: the video is missing", "missing"
    if place in wrong:
        return wrong[place]
    problem = verifying.length_problem(place, gathered.videos[place]["duration"], row["duration"])
    return (problem, "another length") if problem else None


def listing(media: Mapping[str, Medium], packed: Iterable[Path]) -> str:
    """Returns a text that is another one where the videos are other ones, told by size and time."""
    digest = hashlib.sha256()
    files = [(place, medium.path) for place, medium in sorted(media.items())]
    for place, path in [*files, *(("", one) for one in packed)]:
        status = path.stat()
        digest.update(os.fsencode(f"{place}|{path}|{status.st_size}|{status.st_mtime_ns}\n"))
    return digest.hexdigest()


def report(manifest: Mapping[str, Any] | None, root: Path) -> None:
    """Prints what `prepare` did."""
    if manifest is None:
        print(f"already prepared in {root}; nothing to do")
        return
    print(f"written to {root}")
    print(f"videos: {manifest['linked']} linked to yours, {manifest['copied']} copied")
    for split, n in manifest["rows"].items():
        expected = manifest["expected_rows"][split]
        print(f"{split}: {n} questions" + ("" if n == expected else f", the release has {expected}"))
    for reason, n in manifest["skipped_by_reason"].items():
        first = next(one for one in manifest["skipped"] if one["reason"] == reason)
        print(f"left out, {reason}: {n} questions, the first is {first['id']}: {first['why']}")
