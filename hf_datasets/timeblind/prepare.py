"""Brings TimeBlind onto this machine, from the Hub or from a folder with its download.

    test/test.parquet     the questions
    media/<name>.mp4      the videos, each once
    videos.json           what each video is: length, frames as decoded, checksum
    checksums.json        size, time and checksum of each video, by which a run knows it again
    manifest.json         written last: source, counts, checksums, what was left out and why

An interrupted run goes on where it stopped; a run on the same source does nothing.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import archives, checksums, hub, locks, manifests, prepared, roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.limits import VIDEO_SUFFIXES
from tempbench_lmms.timeblind import official, rows
from tempbench_lmms.timeblind.card import N_INSTANCES, SIZE
from tempbench_lmms.timeblind.features import BENCHMARK, SCHEMA
from tempbench_lmms.timeblind.offline import read_release

from ..videos import PLAIN, How, Medium, Videos

REPO = "BaiqiL/TimeBlind"
DATA, TAGS = "data.jsonl", "tags.json"


@contextlib.contextmanager
def source_of(source: Path | None, revision: str, root: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Gives the folder of the release while it is needed, its archives unpacked, and where it is from.

    Args:
        source: A download of the Hub; the Hub where omitted.
        revision: On the Hub.
        root: Where archives are unpacked.

    Raises:
        TempbenchError: There is no such folder, or the Hub cannot be reached.
    """
    if source is None:
        source, origin = _downloaded(revision)
    elif source.is_dir():
        origin = {"folder": str(source.resolve())}
    else:
        raise TempbenchError(f"{source} is not a folder; give --source the folder with {DATA} and the videos")
    with archives.unpacked(source, root) as folder:
        yield folder, origin


def _downloaded(revision: str) -> tuple[Path, dict[str, str]]:
    from huggingface_hub import hf_hub_download

    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        names = [file.rfilename for file in info.siblings or []]
        wanted = [name for name in names if not name.startswith(".") and name != "README.md"]
        found = [Path(hf_hub_download(REPO, one, repo_type="dataset", revision=info.sha)) for one in wanted]
    data = next((path for path, name in zip(found, wanted, strict=True) if name.endswith(DATA)), None)
    if data is None:
        raise TempbenchError(f"{REPO} at {info.sha} has no {DATA}; try another --revision")
    return data.parent, {"repository": REPO, "revision": str(info.sha)}


def prepare(
    source: Path | None = None,
    tags: Path | None = None,
    revision: str = "main",
    how: How = PLAIN,
) -> tuple[dict[str, Any], bool]:
    """Writes the data set to the folder of all prepared data; with the same source again, nothing.

    Args:
        source: A download of the Hub; the Hub where omitted.
        tags: The official `tags.json`, which stands in the code's repository; looked for in the source where
            omitted.
        revision: On the Hub.
        how: See there.

    Returns:
        The manifest, and whether anything was done.

    Raises:
        TempbenchError: The release cannot be read, or other data is there already.
    """
    root = roots.home_to_write(BENCHMARK)
    with source_of(source, revision, root) as (folder, origin):
        data = _the_one(folder, DATA)
        listed = tags or next(iter(sorted(folder.rglob(TAGS))), None)
        asked = read_release(data, listed)
        media = _media(folder, source or folder, {rows.video_name(row["video"]) for row in asked})
        files = [data, *([listed] if listed else [])]
        identity = {"source": origin, "sha256_of_source": tables.sha256_of(files), "videos": _listing(media)}
        old = manifests.of_earlier(root, how.force, "rows", "source")
        same = old is not None and all(old.get(key) == value for key, value in identity.items())
        relinked = old is not None and bool(old.get("linked")) and how.copy
        if old is not None and same and not relinked and prepared.is_sound(root, old, force=how.force):
            return old, False
        if old is not None and not same and not how.force:
            raise TempbenchError(
                f"{root} holds data prepared from another source; add --force to replace it, or set "
                "TEMPBENCH_DATA to another folder"
            )
        locks.before_change(root)
        # While the manifest is away nobody takes the folder for finished.
        (root / roots.MANIFEST).unlink(missing_ok=True)
        return _make(root, asked, media, identity, how), True


def _the_one(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if not found:
        raise TempbenchError(f"no {name} in {folder}; give --source the folder with the Hub's download")
    if len(found) > 1:
        raise TempbenchError(f"{found[0]} and {found[1]} are both there; give --source the folder of one")
    return found[0]


def _media(folder: Path, given: Path, wanted: set[str]) -> dict[str, Medium]:
    """Returns the videos that are wanted and there, by name; unpacked folders have links to the given one."""
    found: dict[str, Medium] = {}
    for path in sorted(folder.rglob("*")):
        if path.name in wanted and path.suffix.lower() in VIDEO_SUFFIXES and path.is_file():
            is_own = folder != given and not path.is_symlink()
            inside = folder if is_own or folder == given else given
            found.setdefault(path.name, Medium(path, _cache(inside), is_own))
    return found


def _cache(folder: Path) -> Path:
    """Returns the folder that a video must lie in: the Hub's snapshots are links into its `blobs`."""
    snapshots = next((one for one in folder.parents if one.name == "snapshots"), None)
    return snapshots.parent if snapshots else folder


def _listing(media: Mapping[str, Medium]) -> dict[str, list[int]]:
    """Returns size and time of each video, which tell one that was changed."""
    stats = {name: medium.path.stat() for name, medium in media.items() if not medium.is_own}
    return {name: [one.st_size, one.st_mtime_ns] for name, one in stats.items()}


def _make(
    root: Path,
    asked: Sequence[tables.Row],
    media: Mapping[str, Medium],
    identity: Mapping[str, Any],
    how: How,
) -> dict[str, Any]:
    """Brings the videos, and writes table and manifest; returns this."""
    videos = Videos(root, how)
    wrong = videos.bring(media)
    names = dict.fromkeys(rows.video_name(row["video"]) for row in asked)
    wrong |= {name: ("the video is missing", "missing") for name in names if name not in media}
    lost = {row["pair_id"] for row in asked if rows.video_name(row["video"]) in wrong}
    kept = [row for row in asked if row["pair_id"] not in lost]
    if not kept:
        why = next(iter(wrong.items()))
        raise TempbenchError(f"no instance has both of its videos; the first: {why[0]}: {why[1][0]}")
    shown = {videos.at(rows.video_name(row["video"])) for row in kept}
    tables.keep_only(shown, root / "media")
    table = root / "test" / "test.parquet"
    sums = videos.keep()
    media_sums = checksums.write_folder(root)
    tables.write_rows(kept, table, SCHEMA)
    return manifests.write(
        {
            "benchmark": BENCHMARK,
            **identity,
            "licence": "not stated",
            "rows": {"test": len(kept)},
            "expected_rows": {"test": SIZE * N_INSTANCES},
            "linked": len({videos.at(name) for name in videos.linked} & shown),
            "tagged": sum(row["tag"] is not None for row in kept),
            "contrary_answers": contrary(kept),
            "sha256": tables.sha256_of([table]),
            "left_out": {name: why for name, (why, _) in sorted(wrong.items())},
            "instances_left_out": sorted(lost, key=int),
            prepared.KEY: prepared.sums(root, [table, sums]),
            checksums.KEY: media_sums,
        },
        root,
    )


def contrary(asked: Sequence[tables.Row]) -> list[int]:
    """Returns the questions whose answer is not that of their place, by which the official code scores."""
    return [
        row["index"]
        for row in asked
        if (row["answer"] == row["choices"][0]) != (official.RIGHT[row["index"] % SIZE] == 1)
    ]
