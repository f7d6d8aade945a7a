"""Prepares TOMATO, and videos to caption.

    qa/test.parquet                    the questions
    caption/test.parquet               two rows a video to caption
    media/<scene>/<key>.mp4            TOMATO's videos
    media/captions/<path>              videos to caption
    videos.json                        what each video is: length, frames as decoded, checksum
    checksums.json                     size, time and checksum of each video, by which a run knows it again
    manifest.json                      written last: sources, counts, checksums, what was left out and why

TOMATO and the videos to caption are two parts: either can be prepared, and prepared anew, without the other.
An interrupted run goes on where it stopped; a run on the same source does nothing.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence.card import COUNTS, SCENES, TYPES
from tempbench_lmms.coherence.rows import BENCHMARK, QA_SCHEMA, REFERENCED_SCHEMA, question_problems
from tempbench_lmms.data import manifests, releases, roots, tables
from tempbench_lmms.data.releases import VIDEO_SUFFIXES
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.verifying import Medium

from ..parts import PLAIN, How, Part, Place, Skipped, few, none_left, with_videos
from . import tomato
from .captions import Reference, References, file_in
from .rows import caption_rows, question_row

_TOMATO = Place(BENCHMARK, "tomato", "qa", SCENES)
_CAPTIONS = Place(BENCHMARK, "captions", "caption", ("captions",))

# Any script, brackets and spaces; nothing that hides a file or leads elsewhere.
_NAME = re.compile(r"[^./\\\s][^/\\\n\r\t]{0,199}")


def is_name(name: str) -> bool:
    """Returns whether a file may have this name."""
    return bool(_NAME.fullmatch(name)) and name.isprintable() and len(name.encode()) <= 250


def tomato_rows(
    release: tomato.Release, skipped: Skipped, types: Collection[str] = TYPES
) -> Iterator[tuple[tables.Row, str]]:
    """Yields the row of each question and its video's path, `<scene>/<key>.mp4`."""
    items = list(tomato.items(release.files))
    repeated = tomato.repeated(question_id for question_id, _, _ in items)
    for question_id, kind, item in items:
        if kind not in types and kind in TYPES:
            continue
        try:
            if question_id in repeated:
                raise TempbenchError("same id: another question has it too")
            row, video = _tomato_row(question_id, kind, item)
            problem = next(question_problems(row), None)
        except TempbenchError as error:
            problem = str(error)
        if problem:
            reason = problem.partition(":")[0]
            skipped.append({"id": question_id, "why": problem, "reason": reason})
        else:
            yield row, video


def _tomato_row(question_id: str, kind: str, item: Any) -> tuple[tables.Row, str]:
    """Returns the row of a question and its video's path."""
    try:
        options, answer, question = item["options"], item["answer"], item["question"]
        scene, name = tomato.name_of(item)
        if not (
            isinstance(question, str)
            and isinstance(options, list)
            and all(isinstance(option, str) for option in options)
            and isinstance(answer, int)
            and 0 <= answer < len(options) <= 26
            and isinstance(name, str)
            and scene in SCENES
        ):
            raise ValueError
        variation = [one for one, on in dict(item.get("variation") or {}).items() if on]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise TempbenchError("not in TOMATO's format") from None
    if not is_name(name):
        raise TempbenchError(f"key: {name[:80]!r} is not a file name")
    url = f"{roots.SCHEME}{BENCHMARK}/media/{scene}/{name}.mp4"
    row = question_row(question_id, kind, scene, url, question, options, answer, variation)
    if isinstance(reference := item.get("reference"), str):
        row |= {"reference": reference, "reference_source": "column" if reference else None}
    return row, f"{scene}/{name}.mp4"


def prepare_tomato(
    source: Path, videos: Path | None = None, how: How = PLAIN, types: Collection[str] = TYPES
) -> dict[str, Any] | None:
    """Prepares TOMATO.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.
    """
    chosen = releases.chosen(types, TYPES, "reasoning type")
    release = tomato.find(source)
    skipped: Skipped = []
    found = list(tomato_rows(release, skipped, chosen))
    wanted = list(dict.fromkeys(video for _, video in found))
    places = tomato.video_places(release, videos)
    media = _search(places, wanted)
    # Archives are opened only if the folders lack something.
    packed, zipped = releases.first_with_archives(places if len(media) < len(wanted) else ())
    there = [one.path for several in media.values() for one in several if one.path.is_file()]
    part = Part(_TOMATO, source, [*release.files, *zipped, *there], how, ",".join(chosen))
    if part.done:
        return None
    with releases.unpacked_if_any(packed, part.root) as folder:
        if folder is not None:
            media = _search([folder], wanted, is_own=True) | media
        if not media:
            raise TempbenchError(
                f"{videos or source} has none of TOMATO's {len(wanted)} videos ({few(wanted)}): "
                f"{tomato.BY_HAND}; then name their folder with --videos"
            )
        part.begin()
        wrong = _brought(part, wanted, media)
    rows = list(with_videos(found, wrong, skipped))
    if not rows:
        raise none_left(f"no question of {source} can be asked", skipped)
    counts = {kind: sum(row["type"] == kind for row in rows) for kind in COUNTS}
    return part.finish(rows, QA_SCHEMA, skipped, types=chosen, by_type=counts, official_by_type=COUNTS)


def _search(places: Iterable[Path], wanted: Iterable[str], is_own: bool = False) -> dict[str, list[Medium]]:
    """Returns the files that may be a video, by its path `<scene>/<key>.mp4`."""
    there = tomato.Videos()
    for place in places:
        there.add(place, links=not is_own)
    found = {}
    for video in wanted:
        scene, _, file = video.partition("/")
        if several := there.find(scene, file.removesuffix(".mp4")):
            found[video] = [Medium(path, inside, is_own) for path, inside in several]
    return found


def _brought(
    part: Part, wanted: Iterable[str], media: Mapping[str, Sequence[Medium]]
) -> dict[str, tuple[str, str]]:
    """Brings the videos; returns why videos cannot be used, as a line and in a few words."""
    wrong = {}
    for video in wanted:
        several = media.get(video, ())
        if not several:
            wrong[video] = "the video is missing", "missing"
        elif len(several) > 1:
            wrong[video] = f"{several[0].path} and {several[1].path} both have its name", "same name"
    return wrong | part.bring({video: one[0] for video, one in media.items() if video not in wrong})


def prepare_captions(folder: Path, references: Path | None = None, how: How = PLAIN) -> dict[str, Any] | None:
    """Prepares a folder of videos to caption, with its subfolders.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.
    """
    packed = releases.archives_in(folder)
    if not folder.is_dir() and not packed:
        raise TempbenchError(f"{folder} is not a folder; name the one with the videos")
    with releases.unpacked(folder, roots.home_to_write(BENCHMARK)) as whole:
        return _captions_of(whole, folder, packed, references, how)


def _captions_of(
    folder: Path, given: Path, packed: Sequence[Path], references: Path | None, how: How
) -> dict[str, Any] | None:
    """Prepares the videos of a folder that holds the given files with archives unpacked."""
    written = references or file_in(folder)
    skipped: Skipped = []
    files = _videos_in(folder, written, skipped)
    names = {path: path.relative_to(folder).as_posix() for path in files}
    known = References(written, names.values())
    own = {path for path in files if packed and not path.is_symlink()}
    given_too = [written] if written and (references or not packed) else []
    part = Part(_CAPTIONS, given, [*_known_by(files, own, packed), *given_too], how)
    if part.done:
        return None
    part.begin()
    texts = {name: known.of(name) or Reference() for name in names.values()}
    media = {
        f"captions/{name}": Medium(path, _around(path, own, given, folder), path in own, texts[name].seconds)
        for path, name in names.items()
        if all(map(is_name, name.split("/"))) and name not in known.unclear
    }
    wrong = part.bring(media)
    rows: list[tables.Row] = []
    for name in names.values():
        why, reason = _wrong_with(name, known, media, wrong)
        if why:
            skipped.append({"id": _printable(Path(name)), "why": why, "reason": reason})
            continue
        url = f"{roots.SCHEME}{BENCHMARK}/media/captions/{name}"
        rows += caption_rows(name, url, texts[name].captions, texts[name].events)
    if not rows:
        raise none_left(f"no video of {given} can be used", skipped)
    unused = known.unused()
    return part.finish(rows, REFERENCED_SCHEMA, skipped, captions_without_video=len(unused))


def _known_by(files: Sequence[Path], own: Collection[Path], packed: Sequence[Path]) -> Sequence[Path]:
    """Returns the files that identify the videos: the videos, or their archives and neighbouring files."""
    return [*packed, *(path.resolve() for path in files if path not in own)] if packed else files


def _around(path: Path, own: Collection[Path], given: Path, folder: Path) -> Path:
    """Returns the folder that must contain a file; links lead to the archives' neighbouring files."""
    return folder if path in own or given == folder else given


def _wrong_with(
    name: str, known: References, media: Mapping[str, Medium], wrong: Mapping[str, tuple[str, str]]
) -> tuple[str, str]:
    """Returns why a video is left out, or two empty texts."""
    if name in known.unclear:
        return known.unclear[name], "a caption of two videos"
    if f"captions/{name}" not in media:
        return "its name is hidden, has odd characters, or is too long", "odd name"
    return wrong.get(f"captions/{name}", ("", ""))


def _videos_in(folder: Path, references: Path | None, skipped: Skipped) -> list[Path]:
    """Returns the videos of a folder; other files are added to what is left out."""
    files = []
    for path in sorted(path for path in folder.rglob("*") if path != references):
        why, reason = _no_video(path)
        if why:
            skipped.append({"id": _printable(path.relative_to(folder)), "why": why, "reason": reason})
        elif path.is_file():
            files.append(path)
    if not files:
        raise TempbenchError(f"no video in {folder}; they end in {', '.join(VIDEO_SUFFIXES)}")
    return files


def _no_video(path: Path) -> tuple[str, str]:
    """Returns why an entry of a folder is not a video, by its kind and name, like `Gathering.bring`."""
    if path.is_dir():
        return ("a link to a folder, which is not followed", "link") if path.is_symlink() else ("", "")
    if path.suffix.lower() not in VIDEO_SUFFIXES:
        return f"not a video by its name: {path.suffix or 'no suffix'}", manifests.NO_VIDEO
    if path.is_file():
        return "", ""
    return ("a link to nothing", "link") if path.is_symlink() else ("no file", manifests.NO_VIDEO)


def _printable(path: Path) -> str:
    """Returns a path as text, even if its bytes are not valid text."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")
