"""Cuts the QVHighlights clips from the full videos, by their names `<YouTube id>_<start>_<end>` in seconds.

Existing clips are kept, and an interrupted run continues. Clips that cannot be cut are listed, and the others
are still cut.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import locks, outputs
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import records
from tempbench_lmms.media.cutting import NOT_WRITTEN, Clip
from tempbench_lmms.media.sandbox import Cut, check_videos, cut_videos
from tempbench_lmms.rextime import rows

from .prepare import FILES, annotation_files, chosen_files, find_videos

_NAME = re.compile(r"([\w-]{11})_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)", re.ASCII)
_BRACKETS = re.compile(r"\[([\w-]{11})\]", re.ASCII)
"""The form in which YouTube downloaders write the id after a video's title."""


@dataclass
class Report:
    """The result of cutting."""

    wanted: int = 0
    there: int = 0
    cut: int = 0
    problems: dict[str, str] = field(default_factory=dict)


def times_of(name: str) -> tuple[str, float, float] | None:
    """Returns YouTube id, start and end in seconds from a clip's name; None if it has another form.

    >>> times_of("2I9-kvemtSU_510.0_660.0")
    ('2I9-kvemtSU', 510.0, 660.0)
    """
    found = _NAME.fullmatch(name)
    if not found or float(found[2]) >= float(found[3]):
        return None
    return found[1], float(found[2]), float(found[3])


def clips_of(source: Path | None, revision: str, splits: Collection[str]) -> dict[str, float]:
    """Returns the QVHighlights clips of the annotations, with their annotated lengths."""
    files = chosen_files(annotation_files(source, revision)[0], splits)
    found = {}
    for file in files.values():
        for record in rows.load_records(file):
            row = rows.row(record, answers=False)
            if row["source"] == rows.QVHIGHLIGHTS:
                found[row["video_id"]] = row["duration"]
    if not found:
        raise TempbenchError(f"no question of {', '.join(files)} is about a video of QVHighlights")
    return found


def cut(
    videos: Path,
    output: Path,
    source: Path | None = None,
    revision: str = "main",
    splits: Collection[str] = tuple(FILES),
    progress: Any = lambda things, **_: things,
) -> Report:
    """Cuts the annotated clips from the full videos, which have their YouTube ids as names."""
    clips = clips_of(source, revision, splits)
    full = full_videos(videos)
    outputs.check_folder(output)
    output.mkdir(parents=True, exist_ok=True)
    report = Report(wanted=len(clips))
    busy = f"another command cuts into {output}; wait for it or choose another --output"
    with locks.locked(output / ".cut.lock", busy):
        there = find_videos(output)[0]
        _look_at({name: output / there[name] for name in clips if name in there}, clips, report, progress)
        cuts = {}
        for name in clips:
            if name not in there:
                found = _cut(name, clips[name], full, output)
                if isinstance(found, str):
                    report.problems[name] = found
                else:
                    cuts[name] = found
        _make(cuts, clips, report, progress)
    return report


def full_videos(folder: Path) -> dict[str, list[Path]]:
    """Returns the files in a folder that may be a full video, by YouTube id."""
    found: dict[str, list[Path]] = {}
    places, twice = find_videos(folder)
    for place in (*places.values(), *twice):
        path = folder / place
        in_brackets = _BRACKETS.findall(path.stem)
        found.setdefault(in_brackets[-1] if in_brackets else path.stem, []).append(path)
    return found


def _look_at(there: Mapping[str, Path], clips: Mapping[str, float], report: Report, progress: Any) -> None:
    """Checks existing clips; even a faulty one belongs to the user and is kept."""
    found = check_videos(list(there.values()))
    for (name, path), facts in progress(
        zip(there.items(), found, strict=True), description="existing clips", total=len(there)
    ):
        if isinstance(facts, MediaError):
            problem: str | None = str(facts)
        else:
            problem = records.length_problem(path.name, facts.duration, clips[name])
        if problem:
            report.problems[name] = f"{problem}; it is kept: remove {path} to cut it again"
        else:
            report.there += 1


def _cut(name: str, seconds: float, full: Mapping[str, Sequence[Path]], output: Path) -> Cut | str:
    """Returns what to cut for a clip, or why it cannot be cut.

    Some names say 150 seconds where the annotation says less: those end before.
    """
    times = times_of(name)
    if times is None:
        return f"{name}: the name is not <YouTube id>_<start>_<end>; get the clip itself"
    video, start, end = times
    several = full.get(video, ())
    if not several:
        return f"{name}: the full video {video} is missing; get https://www.youtube.com/watch?v={video}"
    if len(several) > 1:
        return f"{name}: {several[0]} and {several[1]} are both called {video}; keep one of them"
    return Cut(several[0], output / f".{name}.partial", start, min(end, start + seconds))


def _make(cuts: Mapping[str, Cut], clips: Mapping[str, float], report: Report, progress: Any) -> None:
    made = cut_videos(cuts.values())
    try:
        for (name, one), clip in progress(
            zip(cuts.items(), made, strict=True), description="cutting", total=len(cuts)
        ):
            if problem := _placed(name, one, clip, clips[name]):
                report.problems[name] = problem
            else:
                report.cut += 1
    finally:
        for one in cuts.values():
            one.target.unlink(missing_ok=True)


def _placed(name: str, one: Cut, clip: Clip | MediaError, seconds: float) -> str | None:
    """Gives a clip its name if its length is right and the name is free; otherwise reports why not."""
    if isinstance(clip, MediaError):
        if clip.reason == NOT_WRITTEN:
            raise TempbenchError(f"{clip}; check the disk and its room")
        return f"{name}: {clip}"
    if problem := records.length_problem(one.source.name, clip.duration, seconds):
        return f"{name}: cut out of {problem}"
    target = one.target.with_name(f"{name}.mp4")
    try:
        _rename_to_new(one.target, target)
    except FileExistsError:
        return f"{name}: another process made {target} in the meantime; it is kept"
    return None


def _rename_to_new(old: Path, new: Path) -> None:
    """Renames a file without overwriting another one, if the file system has links."""
    try:
        os.link(old, new)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if new.exists():
            raise FileExistsError(new) from None
        os.rename(old, new)
    else:
        old.unlink()
