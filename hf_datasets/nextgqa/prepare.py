"""Brings NExT-GQA onto this machine: the official annotations, and the videos.

test/test.parquet, validation/test.parquet   the questions, in the order of the official segments
media/<video_id>.mp4                         their videos, linked or copied
videos.json, checksums.json                  what each video is, and by which a run knows it again
manifest.json                                written last: sources, counts, what was left out and why
"""

import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import archives, checksums, choices, locks, manifests, prepared, roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import records
from tempbench_lmms.media.gathering import Gathering, Medium, search
from tempbench_lmms.nextgqa import rows
from tempbench_lmms.nextgqa.card import COUNTS, SPLITS
from tempbench_lmms.nextgqa.features import BENCHMARK, SCHEMA

from ..parts import PLAIN, How, few, none_left, other_source

MAP = "map_vid_vidorID.json"
"""Where the release says what a video is called in VidOR: `1164/3238737531`."""

BY_HAND = (
    "get them by the link to the raw videos in https://github.com/doc-doc/NExT-GQA, or let the harness's "
    "task `nextqa_mc_test` download them and add --harness"
)

Tables = dict[str, list[tables.Row]]


def harness_videos() -> Path:
    """Returns the folder in which the harness's tasks `nextqa*` keep their videos."""
    return roots.cache_home() / "nextqa" / "NExTVideo"


def prepare(
    source: Path, videos: Path, how: How = PLAIN, splits: Collection[str] = SPLITS
) -> dict[str, Any] | None:
    """Writes the data set to the folder of all prepared data.

    An interrupted run goes on where it stopped. A question whose video is missing or damaged is left out.

    Returns:
        The manifest; None where there was nothing to do.
    """
    packed = archives.archives_in(videos)
    if not videos.is_dir() and not packed:
        raise TempbenchError(f"{videos} is not a folder; name the one with the videos: {BY_HAND}")
    wanted = choices.chosen(splits, SPLITS, "split")
    folder = rows.annotations_in(source)
    files = [file for split in wanted for file in rows.files_of(folder, split)]
    found = {split: list(rows.rows(folder, split)) for split in wanted}
    places = _places(folder)
    media = media_of(found, videos, places)
    names = {f"{row['video_id']}.mp4": None for table in found.values() for row in table}
    packed = packed if len(media) < len(names) else []  # archives are opened where the folder lacks something
    root = roots.home_to_write(BENCHMARK)
    identity = {
        "source": str(source.resolve()),
        "video_folder": str(videos.resolve()),
        "splits": wanted,
        "annotations": tables.sha256_of(files),
        "videos_found": _listing(media, packed),
    }
    if _is_done(root, identity, how):
        return None
    with archives.unpacked_if_any(videos if packed else None, root) as unpacked:
        if unpacked is not None:
            media = media_of(found, unpacked, places, is_own=True) | media
        if not media:
            raise TempbenchError(f"{videos} has none of the {len(names)} videos ({few(names)}): {BY_HAND}")
        locks.before_change(root)
        root.mkdir(parents=True, exist_ok=True)
        # While the manifest is away nobody takes the folder for finished.
        (root / roots.MANIFEST).unlink(missing_ok=True)
        return _write(root, identity, found, media, how)


def earlier(force: bool) -> dict[str, Any] | None:
    """Returns the manifest of data that is there; raises where it is damaged and is not to be replaced."""
    return manifests.of_earlier(roots.home_to_write(BENCHMARK), force, "rows", "skipped_by_reason")


def _is_done(root: Path, identity: Mapping[str, Any], how: How) -> bool:
    """Returns whether the data is there and whole."""
    old = earlier(how.force)
    if old is None:
        return False
    if any(old.get(key) != value for key, value in identity.items()):
        if how.force:
            return False
        more = f", {old.get('source')} and {old.get('video_folder')}, or these have changed since"
        raise other_source(root, more)
    return prepared.is_sound(root, old, force=how.force) and not (how.copy and old["linked"])


def _places(folder: Path) -> Mapping[str, str]:
    """Returns where VidOR has each video; nothing where the release's list is not there."""
    file = folder / MAP
    return rows.object_of(file) if file.is_file() else {}


def media_of(
    found: Tables, videos: Path, places: Mapping[str, str], is_own: bool = False
) -> dict[str, Medium]:
    """Returns the file of each video that is there, by its place below `media`.

    One in the folder that VidOR gives it goes before another one of the same name.
    """
    rows_of = [row for table in found.values() for row in table]
    there = search([videos], {row["video_id"] for row in rows_of}, is_own)
    media = {}
    for row in rows_of:
        name = row["video_id"]
        own = videos / f"{places.get(name, name)}.mp4"
        if own.is_file() and not (is_own and own.is_symlink()):
            media[place_of(row)] = Medium(own, videos, is_own, row["duration"])
        elif name in there:
            media[place_of(row)] = Medium(there[name].path, videos, is_own, row["duration"])
    return media


def place_of(row: tables.Row) -> str:
    """Returns the place of a question's video below `media`."""
    return str(row["video"]).removeprefix(rows.PREFIX)


def _listing(media: Mapping[str, Medium], packed: Collection[Path]) -> str:
    """Returns a text that is another one where the videos are other ones, told by size and time."""
    import hashlib

    digest = hashlib.sha256()
    files = [(place, medium.path) for place, medium in sorted(media.items())]
    for place, path in [*files, *(("", one) for one in packed)]:
        status = path.stat()
        digest.update(os.fsencode(f"{place}|{path}|{status.st_size}|{status.st_mtime_ns}\n"))
    return digest.hexdigest()


def _write(
    root: Path, identity: Mapping[str, Any], found: Tables, media: Mapping[str, Medium], how: How
) -> dict[str, Any]:
    """Brings the videos, and writes the tables and the manifest."""
    gathered = Gathering(root, how.copy, how.track)
    wrong = gathered.bring(media)
    kept, skipped = usable(found, media, wrong)
    if not any(kept.values()):
        raise none_left("no question can be asked", skipped)
    shown = {gathered.at(place_of(row)) for table in kept.values() for row in table}
    gathered.keep(shown)
    media_sums = checksums.write_folder(root)
    for split in SPLITS:  # one that is not wanted now may be there from before
        tables.keep_only((), root / split)
    for split, table in kept.items():
        tables.write_rows(table, root / split / "test.parquet", SCHEMA)
    files = [*(root / split / "test.parquet" for split in kept), root / records.RECORDS]
    linked = gathered.n_linked(shown)
    return manifests.write(
        {
            "benchmark": BENCHMARK,
            **identity,
            "licence": "MIT (annotations); the videos keep their owners' licences",
            "rows": {split: len(table) for split, table in kept.items()},
            "expected_rows": {split: COUNTS[split] for split in kept},
            "linked": linked,
            "copied": len(shown) - linked,
            "skipped": skipped,
            "skipped_by_reason": dict(Counter(one["reason"] for one in skipped)),
            "sha256": tables.sha256_of(sorted(root.rglob("*.parquet"))),
            prepared.KEY: prepared.sums(root, files),
            checksums.KEY: media_sums,
        },
        root,
    )


def usable(
    found: Tables, media: Mapping[str, Medium], wrong: Mapping[str, tuple[str, str]]
) -> tuple[Tables, list[dict[str, str]]]:
    """Returns the questions whose video can be used, and for each of the others why it is left out."""
    kept: Tables = {}
    skipped = []
    for split, table in found.items():
        kept[split] = []
        for row in table:
            place = place_of(row)
            why, reason = wrong.get(place, ("", ""))
            if place not in media:
                why, reason = f"{place}: the video is missing", "missing"
            if why:
                skipped.append({"id": row["question_id"], "split": split, "why": why, "reason": reason})
            else:
                kept[split].append(row)
    return {split: table for split, table in kept.items() if table}, skipped


def summary(manifest: Mapping[str, Any]) -> list[str]:
    """Returns what `prepare` prints, a line each."""
    lines = [f"videos: {manifest['linked']} linked to yours, {manifest['copied']} copied"]
    for split, n in manifest["rows"].items():
        expected = manifest["expected_rows"][split]
        lines.append(f"{split}: {n} questions" + ("" if n == expected else f", the release has {expected}"))
    for reason, n in manifest["skipped_by_reason"].items():
        first = next(one for one in manifest["skipped"] if one["reason"] == reason)
        lines.append(f"left out, {reason}: {n} questions, the first is {first['id']}: {first['why']}")
    return lines
