"""One part of the prepared data: TOMATO, or the videos to caption.

Either can be prepared, and prepared anew, without the other.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence.card import SCENES
from tempbench_lmms.coherence.features import BENCHMARK
from tempbench_lmms.data import checksums, locks, manifests, prepared, roots, tables
from tempbench_lmms.errors import TempbenchError

from ..videos import How, Videos

Skipped = list[dict[str, str]]

# The table of each part, and the folders of its media.
_PLACES: dict[str, tuple[str, Sequence[str]]] = {
    "tomato": ("qa", SCENES),
    "captions": ("caption", ("captions",)),
}


class Part:
    """One part of the prepared data, with its entry in the manifest.

    Args:
        name: `tomato` or `captions`.
        source: Where it is from, for messages and the manifest.
        files: Everything that it is made of; where none of them has changed there is nothing to do.
        how: See there.
        asked: What else it was asked for by.
    """

    def __init__(self, name: str, source: Path, files: Iterable[Path], how: How, asked: str = "") -> None:
        self.name, self.source, self.how = name, source, how
        self.table, self.media = _PLACES[name]
        self.root = roots.home_to_write(BENCHMARK)
        self.fingerprint = _fingerprint(files, asked)
        self.videos = Videos(self.root, how)
        earlier = manifests.of_earlier(self.root, how.force, "parts", "rows", "sha256")
        self.manifest: dict[str, Any] = earlier or {"benchmark": BENCHMARK, "parts": {}}
        known = self.manifest["parts"].get(name)
        target = self.root / self.table / "test.parquet"
        of = known if isinstance(known, dict) else {}
        same = of.get("fingerprint") == self.fingerprint
        media = [f"media/{folder}/" for folder in self.media]
        self.done = same and prepared.is_sound(self.root, self.manifest, media, name, how.force)
        self.done = self.done and not (how.copy and of.get("linked"))
        if known and not same and target.is_file() and not how.force:
            raise TempbenchError(
                f"{self.root} already holds {name} from {of.get('source')}; add --force to replace it"
            )

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
        prefix = f"{roots.SCHEME}{BENCHMARK}/"
        shown = {self.root / row["video"].removeprefix(prefix) for row in rows}
        for folder in self.media:
            tables.keep_only(shown, self.root / "media" / folder)
        kept = self.videos.keep()
        # Before the table, which says that its videos are there: they are then those that are known.
        media_sums = checksums.write_folder(self.root)
        target = self.root / self.table / "test.parquet"
        tables.write_rows(rows, target, schema)
        linked = len({self.videos.at(place) for place in self.videos.linked} & shown)
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
        self.manifest[prepared.KEY] = prepared.sums(self.root, [kept])
        self.manifest[checksums.KEY] = media_sums
        manifests.write(self.manifest, self.root)
        return part


def _fingerprint(files: Iterable[Path], asked: str) -> str:
    digest = hashlib.sha256(asked.encode())
    for file in files:
        stat = file.stat()
        digest.update(os.fsencode(file) + f"|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
