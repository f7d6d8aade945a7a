"""Brings TimeBlind onto this machine, from the Hub or from a folder with its download.

    test/test.parquet     the questions
    media/<name>.mp4      the videos, each once
    videos.json, checksums.json, manifest.json

An interrupted run goes on where it stopped; a run on the same source does nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import hub, releases, roots, tables
from tempbench_lmms.data.releases import VIDEO_SUFFIXES
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import Medium
from tempbench_lmms.timeblind import official, rows
from tempbench_lmms.timeblind.card import N_INSTANCES, SIZE
from tempbench_lmms.timeblind.rows import BENCHMARK, DATA, SCHEMA, files_of, read_release

from ..parts import PLAIN, How, Part, Place, Skipped, none_left

REPO = "BaiqiL/TimeBlind"
_PLACE = Place(BENCHMARK, "timeblind", "test")
_INSTANCE = "instance "


def download(revision: str) -> Path:
    """Downloads the missing files of the data set from the Hub."""
    from huggingface_hub import snapshot_download

    with hub.downloading(REPO):
        sha = hub.dataset_info(REPO, revision).sha
        return Path(snapshot_download(REPO, repo_type="dataset", revision=sha))


def prepare(source: Path, tags: Path | None = None, how: How = PLAIN) -> dict[str, Any] | None:
    """Prepares the questions and videos of a folder.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.
    """
    if not source.is_dir():
        raise TempbenchError(f"{source} is not a folder; give --source the folder with {DATA} and the videos")
    with releases.unpacked(source, roots.home_to_write(BENCHMARK)) as folder:
        data, listed = files_of(folder, tags)
        asked, skipped = whole(read_release(data, listed))
        if not asked:
            raise none_left("no instance is whole", skipped)
        media = _media(folder, source, {rows.video_name(row["video"]) for row in asked})
        own = releases.archives_in(source)
        given = [one.path for one in media.values() if not one.is_own]
        part = Part(_PLACE, source, [data, *([listed] if listed else []), *own, *given], how)
        if part.done:
            return None
        part.begin()
        wrong = part.bring(media)
        wrong |= part.same_twice(_twins(asked))
    cut = {one["id"].removeprefix(_INSTANCE) for one in skipped}
    lost: Skipped = [{"id": name, "why": why, "reason": reason} for name, (why, reason) in wrong.items()]
    lost += _lacking(asked, media)
    gone = {one["id"] for one in lost}
    cut |= {row["pair_id"] for row in asked if rows.video_name(row["video"]) in gone}
    kept = [row for row in asked if row["pair_id"] not in cut]
    if not kept:
        raise none_left("no instance has both of its videos", skipped + lost)
    return part.finish(
        kept,
        SCHEMA,
        skipped + lost,
        instances_left_out=sorted(cut, key=int),
        expected_rows=SIZE * N_INSTANCES,
        tagged=sum(row["tag"] is not None for row in kept),
        contrary_answers=contrary(kept),
    )


def _lacking(asked: Sequence[tables.Row], media: Mapping[str, Medium]) -> Skipped:
    """Returns the videos that are not there."""
    names = dict.fromkeys(rows.video_name(row["video"]) for row in asked)
    lacking = [name for name in names if name not in media]
    return [{"id": name, "why": "the video is missing", "reason": "missing"} for name in lacking]


def _twins(asked: Sequence[tables.Row]) -> list[tuple[str, str]]:
    """Returns the two videos of each instance."""
    names: dict[str, dict[str, None]] = {}
    for row in asked:
        names.setdefault(row["pair_id"], {})[rows.video_name(row["video"])] = None
    return [(one, other) for one, other in names.values()]


def whole(asked: Sequence[tables.Row]) -> tuple[list[tables.Row], Skipped]:
    """Returns the questions of whole instances, two videos by two questions, and why others are not."""
    wrong: dict[str, str] = {}
    for number, why in rows.together(list(enumerate(asked))):
        wrong.setdefault(asked[number]["pair_id"], why.partition(": ")[2])
    skipped = [
        {"id": f"{_INSTANCE}{one}", "why": why, "reason": "no whole instance"} for one, why in wrong.items()
    ]
    return [row for row in asked if row["pair_id"] not in wrong], skipped


def _media(folder: Path, source: Path, wanted: set[str]) -> dict[str, Medium]:
    """Returns the videos that are wanted and there, by name.

    The folder has links to the source's files and the unpacked files.
    """
    found: dict[str, Medium] = {}
    named = {releases.spelled(Path(name)): name for name in wanted}
    for path in sorted(folder.rglob("*")):
        name = named.get(releases.spelled(path))
        if name and path.suffix.lower() in VIDEO_SUFFIXES and path.is_file():
            is_own = folder != source and not path.is_symlink()
            found.setdefault(name, Medium(path, folder if is_own else hub.around(source), is_own))
    return found


def contrary(asked: Sequence[tables.Row]) -> list[int]:
    """Returns the questions whose answer differs from the one that the official code expects."""
    return [
        row["index"]
        for row in asked
        if (row["answer"] == row["choices"][0]) != (official.RIGHT[row["index"] % SIZE] == 1)
    ]
