"""Prepares ReXTime: the official annotations and the videos."""

import contextlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import hub, releases, roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import Medium, search, videos_below
from tempbench_lmms.rextime import rows
from tempbench_lmms.rextime.card import COUNTS, EVALUATED
from tempbench_lmms.rextime.rows import BENCHMARK, SCHEMA

from ..parts import PLAIN, How, Skipped
from ..splits import Benchmark, Tables, listing
from .sound import sound

REPO = "ReXTime/ReXTime"
FILES = {
    "validation": ("rextime_val.json", "rextime_val.jsonl"),
    "test": ("rextime_test_release.json",),
    "train": ("rextime_train.json",),
}
"""The annotation files of each split; the first one found is taken."""

ADVICE = (
    "get ActivityNet's videos by the form at http://activity-net.org/download.html (for seven days), and "
    "QVHighlights' clips from https://github.com/jayleicn/moment_detr; name their folders with --anet-dir "
    "and --qvh-dir"
)

DATA = Benchmark(BENCHMARK, SCHEMA, COUNTS, "CC-BY-NC-SA-4.0", lambda split: f"{split}.parquet")

Key = tuple[str, str]
"""A video's source and id."""


def annotation_files(source: Path | None, revision: str) -> tuple[dict[str, Path], dict[str, str]]:
    """Returns the annotation file of each existing split, and their origin."""
    if source is not None:
        found = releases.find(source, _annotations_in, "ReXTime's annotations") or {}
        origin = {"folder": str(source.resolve())}
    else:
        found, origin = _from_hub(revision)
    if not found:
        names = ", ".join(name for names in FILES.values() for name in names)
        raise TempbenchError(f"none of {names} is in {source or REPO}; name the folder that holds them")
    return found, origin


def _annotations_in(folder: Path) -> dict[str, Path]:
    return {split: path for split, names in FILES.items() if (path := releases.file(folder, *names))}


def _from_hub(revision: str) -> tuple[dict[str, Path], dict[str, str]]:
    from huggingface_hub import hf_hub_download

    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        there = {sibling.rfilename for sibling in info.siblings or []}
        found = {}
        for split, names in FILES.items():
            if name := next((name for name in names if name in there), None):
                found[split] = Path(hf_hub_download(REPO, name, repo_type="dataset", revision=info.sha))
    return found, {"repository": REPO, "revision": str(info.sha)}


def find_videos(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Returns `videos_below` of a path, which must be a folder or an archive."""
    if not folder.is_dir() and not releases.archives_in(folder):
        raise TempbenchError(f"{folder} is not a folder; {ADVICE}")
    return videos_below(folder)


def prepare(
    source: Path | None = None,
    folders: Mapping[str, Path | None] | None = None,
    revision: str = "main",
    how: How = PLAIN,
    splits: Collection[str] = tuple(FILES),
) -> dict[str, Any] | None:
    """Writes the data set to the folder of all prepared data.

    An interrupted run goes on where it stopped. A question that contradicts itself, or whose video is missing
    or damaged, is left out.

    Returns:
        The manifest; None where there was nothing to do.
    """
    given = {name: path for name, path in (folders or {}).items() if path is not None}
    for path in given.values():
        find_videos(path)
    there, origin = annotation_files(source, revision)
    files = chosen_files(there, splits)
    found, skipped = _rows_of(files)
    media = _media_of(found, given)
    wanted = {_key(row) for table in found.values() for row in table}
    # Archives are opened where the folder lacks something.
    lacking = {name for name, _ in wanted - media.keys()}
    packed = {name: own for name in lacking & given.keys() if (own := releases.archives_in(given[name]))}
    identity = {
        "source": origin,
        "annotations": {split: tables.sha256_of([file]) for split, file in files.items()},
        "video_folders": {name: str(path.resolve()) for name, path in given.items()},
        "videos_found": listing(_placed(media), [file for own in packed.values() for file in own]),
    }
    if DATA.is_done(identity, how):
        return None
    with contextlib.ExitStack() as stack:
        for name in packed:
            unpacked = stack.enter_context(releases.unpacked(given[name], DATA.root))
            media = _media_of(found, {name: unpacked}, is_own=True) | media
        DATA.begin()
        named = {
            split: [_named(row, media[_key(row)]) if _key(row) in media else row for row in table]
            for split, table in found.items()
        }
        return DATA.write(identity, named, _placed(media), how, skipped)


def _key(row: tables.Row) -> Key:
    return row["source"], row["video_id"]


def _media_of(found: Tables, folders: Mapping[str, Path], is_own: bool = False) -> dict[Key, Medium]:
    """Returns the file of each existing video; some copies of ActivityNet drop the "v_" of ids."""
    media = {}
    for name, folder in folders.items():
        ids = {row["video_id"] for table in found.values() for row in table if row["source"] == name}
        there = search([folder], ids | {one.removeprefix("v_") for one in ids}, is_own)
        for id_ in ids:
            if medium := there.get(id_) or there.get(id_.removeprefix("v_")):
                media[name, id_] = medium
    return media


def _place(key: Key, medium: Medium) -> str:
    return f"{key[0]}/{key[1]}{medium.path.suffix}"


def _placed(media: Mapping[Key, Medium]) -> dict[str, Medium]:
    return {_place(key, medium): medium for key, medium in media.items()}


def _named(row: tables.Row, medium: Medium) -> tables.Row:
    """Returns a row with the URL of its video; the file need not end in .mp4."""
    return {**row, "video": f"{roots.SCHEME}{BENCHMARK}/media/{_place(_key(row), medium)}"}


def chosen_files(files: Mapping[str, Path], splits: Collection[str]) -> dict[str, Path]:
    """Returns the files of the wanted splits; by default the training file may be missing."""
    wanted = releases.chosen(splits, FILES, "split")
    missing = [split for split in wanted if split not in files]
    if len(wanted) == len(FILES):
        missing = [split for split in missing if split in EVALUATED]
    if missing:
        raise TempbenchError(
            f"there is no annotation file of {missing[0]}, only of {', '.join(files)}: get it, or choose "
            "splits with --splits"
        )
    return {split: file for split, file in files.items() if split in wanted}


def _rows_of(files: Mapping[str, Path]) -> tuple[Tables, Skipped]:
    """Returns the rows of each split, and the questions with contradictory records."""
    kept: Tables = {}
    left_out: Skipped = []
    for split, file in files.items():
        of_file = rows.load_records(file)
        found = [rows.row(one, answers=split != "test") for one in of_file]
        kept[split], wrong = sound(of_file, found, split)
        left_out += wrong
        if not kept[split]:
            why = f" that can be asked; the first is {wrong[0]['id']}: {wrong[0]['why']}" if wrong else ""
            raise TempbenchError(f"{file} holds no question{why}; get the file again")
    return kept, left_out
