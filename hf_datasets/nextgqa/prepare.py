"""Prepares NExT-GQA: the official annotations, and the videos as media/<video_id>.mp4."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import releases, roots, tables
from tempbench_lmms.data.user_files import json_object
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import Medium, search
from tempbench_lmms.nextgqa import rows
from tempbench_lmms.nextgqa.card import COUNTS, SPLITS
from tempbench_lmms.nextgqa.rows import BENCHMARK, SCHEMA

from ..parts import PLAIN, How, few
from ..splits import Benchmark, Tables, listing, place_of

DATA = Benchmark(BENCHMARK, SCHEMA, COUNTS, "MIT (annotations); the videos keep their owners' licences")

MAP = "map_vid_vidorID.json"
"""The release's file of the videos' names in VidOR, such as `1164/3238737531`."""

BY_HAND = (
    "get them by the link to the raw videos in https://github.com/doc-doc/NExT-GQA, or let the harness's "
    "task `nextqa_mc_test` download them and add --harness"
)


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
    packed = releases.archives_in(videos)
    if not videos.is_dir() and not packed:
        raise TempbenchError(f"{videos} is not a folder; name the one with the videos: {BY_HAND}")
    wanted = releases.chosen(splits, SPLITS, "split")
    folder = rows.annotations_in(source)
    files = [file for split in wanted for file in rows.files_of(folder, split)]
    found = {split: list(rows.rows(folder, split)) for split in wanted}
    places = _places(folder)
    media = media_of(found, videos, places)
    names = {f"{row['video_id']}.mp4": None for table in found.values() for row in table}
    packed = packed if len(media) < len(names) else []  # archives are opened where the folder lacks something
    identity = {
        "source": str(source.resolve()),
        "video_folder": str(videos.resolve()),
        "splits": wanted,
        "annotations": tables.sha256_of(files),
        "videos_found": listing(media, packed),
    }
    if DATA.is_done(identity, how):
        return None
    with releases.unpacked_if_any(videos if packed else None, DATA.root) as unpacked:
        if unpacked is not None:
            media = media_of(found, unpacked, places, is_own=True) | media
        if not media:
            raise TempbenchError(f"{videos} has none of the {len(names)} videos ({few(names)}): {BY_HAND}")
        DATA.begin()
        return DATA.write(identity, found, media, how, [])


def _places(folder: Path) -> Mapping[str, str]:
    """Returns each video's place in VidOR; empty if the release lacks the list."""
    file = folder / MAP
    return json_object(file, rows.ADVICE) if file.is_file() else {}


def media_of(
    found: Tables, videos: Path, places: Mapping[str, str], is_own: bool = False
) -> dict[str, Medium]:
    """Returns the file of each existing video, by its place below `media`.

    A file in VidOR's folder comes before another one with the same name.
    """
    rows_of = [row for table in found.values() for row in table]
    there = search([videos], {row["video_id"] for row in rows_of}, is_own)
    media = {}
    for row in rows_of:
        name = row["video_id"]
        own = videos / f"{places.get(name, name)}.mp4"
        if own.is_file() and not (is_own and own.is_symlink()):
            media[place_of(row)] = Medium(own, videos, is_own)
        elif name in there:
            media[place_of(row)] = Medium(there[name].path, videos, is_own)
    return media
