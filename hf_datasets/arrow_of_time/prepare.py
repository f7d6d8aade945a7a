"""Prepares AoT-PsyPhyBENCH: the official questions, with the user's clips.

The repository names 212 clips of Multi-Moments in Time and asks about each in both directions. A missing
reversed clip is made from the clip's own frames, without loss.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.arrow_of_time import rows
from tempbench_lmms.arrow_of_time.card import N_CLIPS
from tempbench_lmms.arrow_of_time.rows import BENCHMARK, SCHEMA
from tempbench_lmms.data import hub
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.encoding import reverse
from tempbench_lmms.media.verifying import Medium, search

from ..parts import PLAIN, How, Part, Place, Skipped, none_left

_PLACE = Place(BENCHMARK, BENCHMARK, "test")


def prepare(source: Path, videos: Path, how: How = PLAIN) -> dict[str, Any] | None:
    """Prepares the questions and clips; returns the manifest's entry, or None if there was nothing to do."""
    if not videos.is_dir():
        raise TempbenchError(f"{videos} is not a folder; give --videos the folder with the clips")
    data, metadata = rows.files_of(source)
    known = rows.clips(metadata)
    asked = rows.read_release(data, known)
    found = _media(videos, asked, known)
    part = Part(_PLACE, source, [data, metadata, *(one.path for one in found.values())], how)
    if part.done:
        return None
    part.begin()
    scratch = part.root / ".reversed"
    shutil.rmtree(scratch, ignore_errors=True)  # that of a killed start
    scratch.mkdir(parents=True)
    try:
        made, wrong = _reversed(found, how, scratch)
        wrong |= part.bring({f"{name}.mp4": medium for name, medium in (found | made).items()})
    finally:
        shutil.rmtree(scratch)
    skipped: Skipped = [{"id": name, "why": why, "reason": reason} for name, (why, reason) in wrong.items()]
    bad = {Path(name).stem for name in wrong} | {row["question_id"] for row in asked} - {*found, *made}
    lost = {row["pair_id"] for row in asked if row["question_id"] in bad}
    skipped += [
        {"id": name, "why": "the clip is missing", "reason": "missing"} for name in sorted(lost - {*found})
    ]
    kept = [row for row in asked if row["pair_id"] not in lost]
    if not kept:
        raise none_left("no clip exists in both directions", skipped)
    return part.finish(kept, SCHEMA, skipped, expected_rows=2 * N_CLIPS, rendered=len(made))


def _media(videos: Path, asked: list[Row], known: Mapping[str, Row]) -> dict[str, Medium]:
    """Returns the existing clips, by the names in the questions."""
    names = [row["question_id"] for row in asked]
    there = search([videos], names)
    for clip in (name for name in names if name in known):
        # As in Multi-Moments in Time, where another folder may have the same name.
        path = videos / (known[clip].get("folder") or "") / (known[clip].get("filename") or "none")
        if clip not in there and path.is_file():
            there[clip] = Medium(path, hub.around(videos))
    return {name: there[name] for name in names if name in there and there[name].path.is_file()}


def _reversed(
    found: Mapping[str, Medium], how: How, scratch: Path
) -> tuple[dict[str, Medium], dict[str, tuple[str, str]]]:
    """Reverses the clips without a reversed version; returns them, and why others cannot be reversed."""
    made: dict[str, Medium] = {}
    wrong: dict[str, tuple[str, str]] = {}
    forward = [name for name in found if not name.endswith(rows.REVERSED)]
    lacking = [name for name in forward if f"{name}{rows.REVERSED}" not in found]
    for name in how.track(lacking, description="reversing"):
        path = scratch / f"{name}{rows.REVERSED}.mp4"
        try:
            reverse(found[name].path, path)
            made[path.stem] = Medium(path, scratch, is_own=True)
        except MediaError as error:
            wrong[f"{name}.mp4"] = str(error), error.reason
    return made, wrong
