"""Brings TempCompass into the prepared layout.

    questions/test.parquet    the questions of all kinds, those of a contrast group beside each other
    media/CLIP.mp4            the clips
    videos.json, checksums.json, manifest.json

An interrupted run goes on where it stopped; a run on the same source does nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from tempbench_lmms.data import hub, releases, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import search
from tempbench_lmms.tempcompass_pairs import rows
from tempbench_lmms.tempcompass_pairs.card import COUNTS, FILES, KINDS, N_CONTRAST_GROUPS, origin
from tempbench_lmms.tempcompass_pairs.rows import BENCHMARK, SCHEMA

from ..parts import PLAIN, How, Part, Place, Skipped, few, none_left, with_videos
from . import sources

_PLACE = Place(BENCHMARK, "tempcompass", "questions")
_CLIP = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HUB_FILES = [*(f"{Path(name).stem}/*" for name in FILES.values()), "*.zip"]


def download(revision: str) -> Path:
    """Downloads the missing questions and videos from the Hub."""
    from huggingface_hub import snapshot_download

    with hub.downloading(sources.REPO):
        sha = hub.dataset_info(sources.REPO, revision).sha
        folder = snapshot_download(sources.REPO, repo_type="dataset", revision=sha, allow_patterns=_HUB_FILES)
    return Path(folder)


def prepare(source: Path, videos: Path | None = None, how: How = PLAIN) -> dict[str, Any] | None:
    """Prepares the questions of a folder.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.
    """
    release = sources.find(source)
    skipped: Skipped = []
    found = list(_sound(sources.rows_of(release), skipped))
    wanted = list(dict.fromkeys(row["video_id"] for row in found))
    places = sources.video_places(release, videos)
    media = search(places, wanted, suffixes=(".mp4",))
    # Archives are opened where the folders lack something.
    packed, zipped = releases.first_with_archives(places if len(media) < len(wanted) else ())
    part = Part(_PLACE, source, [*release.every, *zipped, *(one.path for one in media.values())], how)
    if part.done:
        return None
    with releases.unpacked_if_any(packed, part.root) as folder:
        if folder is not None:
            media = search([folder], wanted, is_own=True, suffixes=(".mp4",)) | media
        if not media:
            raise TempbenchError(
                f"{videos or source} has none of the {len(wanted)} clips "
                f"({few(f'{clip}.mp4' for clip in wanted)}); {sources.ADVICE}, then name their folder with "
                "--videos"
            )
        part.begin()
        wrong = part.bring({f"{clip}.mp4": medium for clip, medium in media.items()})
        wrong |= part.same_twice(_twins(wanted))
    named = [(row, f"{row['video_id']}.mp4") for row in found]
    wrong = {name: ("the video is missing", "missing") for _, name in named if name[:-4] not in media} | wrong
    kept = rows.with_contrast_groups(with_videos(named, wrong, skipped))
    if not kept:
        raise none_left(f"no question of {source} can be asked", skipped)
    return part.finish(kept, SCHEMA, skipped, **_counts(kept))


def _sound(found: Iterable[tables.Row], skipped: Skipped) -> Iterable[tables.Row]:
    """Yields the rows that can be asked; what is left out is added to `skipped`, with the reason."""
    for row in found:
        if _CLIP.fullmatch(row["video_id"]):
            problem = next(rows.row_problems(row), None)
        else:
            problem = "clip: its name is no file name of letters, digits, - and _"
        if problem is None:
            yield row
        else:
            skipped.append({"id": row["question_id"], "why": problem, "reason": problem.partition(":")[0]})


def _twins(clips: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the places of every two clips of one origin, which show it in two ways."""
    by_origin: dict[str, list[str]] = {}
    for clip in clips:
        by_origin.setdefault(origin(clip), []).append(f"{clip}.mp4")
    for several in by_origin.values():
        yield from combinations(several, 2)


def _counts(kept: Iterable[tables.Row]) -> dict[str, Any]:
    """Returns the number of questions and of contrast groups by kind, beside the official ones."""
    listed = list(kept)
    asked = Counter(row["kind"] for row in listed)
    first = Counter(row["kind"] for row in listed if row["group"] == row["question_id"])
    return {
        "by_kind": {kind: asked[kind] for kind in KINDS},
        "official_by_kind": COUNTS,
        "groups": {kind: first[kind] for kind in KINDS},
        "official_groups": N_CONTRAST_GROUPS,
    }
