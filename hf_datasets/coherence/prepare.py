"""Brings TOMATO, and videos to caption, into the prepared layout.

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

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence import checks
from tempbench_lmms.coherence.card import COUNTS, SCENES, TYPES
from tempbench_lmms.coherence.features import BENCHMARK, CAPTION_SCHEMA, QA_SCHEMA
from tempbench_lmms.data import checksums, locks, manifests, prepared, roots, tables
from tempbench_lmms.data.tables import read_json
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import apart, records
from tempbench_lmms.media.limits import VIDEO_SUFFIXES

from .rows import caption_rows, question_row

_STEMS = ("count", "direction", "rotation", "shape&trend", "velocity&frequency", "visual_cues")
FILES = {f"{stem}.json": kind for stem, kind in zip(_STEMS, TYPES, strict=True)}
CAPTIONS_FILE = "captions.json"

# Any script, brackets and spaces; nothing that hides a file or leads elsewhere.
_NAME = re.compile(r"[^./\\\s][^/\\\n\r\t]{0,199}")
_KEEP_EVERY = 50

Skipped = list[dict[str, str]]

# The table of each part, and the folders of its media.
_PLACES: dict[str, tuple[str, Sequence[str]]] = {
    "tomato": ("qa", SCENES),
    "captions": ("caption", ("captions",)),
}


def _json(path: Path) -> Any:
    try:
        return read_json(path)
    except ValueError as error:
        raise TempbenchError(f"{path} is not JSON ({error}); download it again") from None
    except OSError as error:
        raise TempbenchError(
            f"{path} cannot be read ({error.strerror}); check the file and its permissions"
        ) from None


def question_files(source: Path) -> dict[str, Path]:
    """Returns TOMATO's question files by reasoning type, from its repository or from its `data` folder.

    Raises:
        TempbenchError: None is there.
    """
    for folder in (source / "data", source):
        found = {kind: folder / name for name, kind in FILES.items() if (folder / name).is_file()}
        if found:
            return found
    raise TempbenchError(
        f"{source} has none of TOMATO's files ({', '.join(FILES)}); give the folder of its repository"
    )


def is_name(name: str) -> bool:
    """Returns whether a file may be called so."""
    return bool(_NAME.fullmatch(name)) and name.isprintable() and len(name.encode()) <= 250


def tomato_rows(files: Mapping[str, Path], skipped: Skipped) -> Iterator[tuple[tables.Row, str]]:
    """Yields the row of each question and its video's path, `<scene>/<key>.mp4`.

    Args:
        files: By reasoning type.
        skipped: What is left out is added to it, with the reason.
    """
    for kind, path in files.items():
        records = _json(path)
        if not isinstance(records, dict):
            raise TempbenchError(f"{path} is not a table of questions; download it again")
        for key, item in records.items():
            try:
                row, video = _tomato_row(f"{kind}/{key}", kind, item)
                problem = next(checks.question_problems(row), None)
            except TempbenchError as error:
                problem = str(error)
            if problem:
                reason = problem.partition(":")[0]
                skipped.append({"id": f"{kind}/{key}", "why": problem, "reason": reason})
            else:
                yield row, video


def _tomato_row(question_id: str, kind: str, item: Any) -> tuple[tables.Row, str]:
    """Returns the row of a question and its video's path.

    Raises:
        TempbenchError: The question is not of TOMATO's form.
    """
    try:
        options, answer, name = item["options"], item["answer"], item["key"]
        scene, question = item["demonstration_type"], item["question"]
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
    except (KeyError, TypeError, ValueError):
        raise TempbenchError("not in TOMATO's format") from None
    if not is_name(name):
        raise TempbenchError(f"key: {name[:80]!r} is not a file name")
    url = f"{roots.SCHEME}{BENCHMARK}/media/{scene}/{name}.mp4"
    row = question_row(question_id, kind, scene, url, question, options, answer, variation)
    if isinstance(reference := item.get("reference"), str):
        row |= {"reference": reference, "reference_source": "column" if reference else None}
    return row, f"{scene}/{name}.mp4"


def _fingerprint(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        stat = file.stat()
        digest.update(os.fsencode(file) + f"|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class _Part:
    """One part of the prepared data, with its entry in the manifest."""

    def __init__(self, name: str, source: Path, files: list[Path], force: bool) -> None:
        self.name, self.source = name, source
        self.table, self.media = _PLACES[name]
        self.root = roots.home_to_write(BENCHMARK)
        self.fingerprint = _fingerprint(files)
        self.videos = records.read_records(self.root)
        earlier = manifests.of_earlier(self.root, force, "parts", "rows", "sha256")
        self.manifest: dict[str, Any] = earlier or {"benchmark": BENCHMARK, "parts": {}}
        known = self.manifest["parts"].get(name)
        target = self.root / self.table / "test.parquet"
        of = known if isinstance(known, dict) else {}
        same = of.get("fingerprint") == self.fingerprint
        media = [f"media/{folder}/" for folder in self.media]
        self.done = same and prepared.is_sound(self.root, self.manifest, media, name, force)
        if known and not same and target.is_file() and not force:
            raise TempbenchError(
                f"{self.root} already holds {name} from {of.get('source')}; add --force to replace it"
            )

    def bring(self, source: Path, inside: Path, place: str) -> tuple[str, str]:
        """Copies a video in one step unless it is there, and looks at every frame of it.

        Args:
            source: The video.
            inside: The folder that it must lie in.
            place: Where it is to lie below the data set's `media`.

        Returns:
            Why it cannot be used, in a line and in a few words, or twice "".
        """
        if not source.is_file():
            return "the video is missing", "missing"
        if not source.resolve().is_relative_to(inside.resolve()):
            why = "the video lies outside the folder of videos; copy links with `cp -rL`"
            return why, "outside the folder"
        target = self.root / "media" / place
        tables.copy_file(source, target)
        if not records.unchanged(target, self.videos.get(place)):
            try:
                self.videos[place] = records.record(target, apart.check_video(target, thorough=True))
            except MediaError as error:
                target.unlink()
                return str(error), error.reason
            if len(self.videos) % _KEEP_EVERY == 0:
                tables.write_json(self.videos, self.root / records.RECORDS)
        return "", ""

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
        shown = [self.root / row["video"].removeprefix(prefix) for row in rows]
        for folder in self.media:
            tables.keep_only(shown, self.root / "media" / folder)
        there = {key: value for key, value in self.videos.items() if (self.root / "media" / key).is_file()}
        tables.write_json(there, self.root / records.RECORDS)
        # Before the table, which says that its videos are there: they are then those that are known.
        media_sums = checksums.write_folder(self.root)
        target = self.root / self.table / "test.parquet"
        tables.write_rows(rows, target, schema)
        part = {
            "source": str(self.source),
            "fingerprint": self.fingerprint,
            "rows": len(rows),
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
        self.manifest[prepared.KEY] = prepared.sums(self.root, [self.root / records.RECORDS])
        self.manifest[checksums.KEY] = media_sums
        manifests.write(self.manifest, self.root)
        return part


def prepare_tomato(
    source: Path, videos: Path, force: bool = False, track: Any = lambda things, **_: things
) -> dict[str, Any] | None:
    """Prepares TOMATO.

    Args:
        source: Its repository, or the folder of its question files.
        videos: The folder with `human`, `object` and `simulated`.
        force: Replace a part that was prepared from something else.
        track: Wraps a list to show progress.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.

    Raises:
        TempbenchError: There are no questions, or no videos.
    """
    files = question_files(source)
    skipped: Skipped = []
    found = list(tomato_rows(files, skipped))
    wanted = dict.fromkeys(video for _, video in found)
    there = [videos / video for video in wanted if (videos / video).is_file()]
    part = _Part("tomato", source, [*files.values(), *there], force)
    if part.done:
        return None
    if not there:
        raise TempbenchError(
            f"{videos} has none of TOMATO's {len(wanted)} videos (the first would be "
            f"{next(iter(wanted), '-')}); unpack them there, or name their folder with --videos"
        )
    part.begin()
    reasons = {
        video: part.bring(videos / video, videos, video)
        for video in track(list(wanted), description="videos")
    }
    rows = []
    for row, video in found:
        why, reason = reasons[video]
        if why:
            skipped.append({"id": row["question_id"], "why": f"{video}: {why}", "reason": reason})
        else:
            rows.append(row)
    if not rows:
        raise TempbenchError(f"none of the videos in {videos} can be used: {skipped[0]['why']}")
    counts = {kind: sum(row["type"] == kind for row in rows) for kind in COUNTS}
    return part.finish(rows, QA_SCHEMA, skipped, by_type=counts, official_by_type=COUNTS)


def prepare_captions(
    folder: Path, force: bool = False, track: Any = lambda things, **_: things
) -> dict[str, Any] | None:
    """Prepares a folder of videos to caption, with its subfolders.

    `captions.json` in it may give references: `{file: caption}`, or `{file: {"caption": ..., "events":
    [...]}}` with what happens in the video, in order; a file in a subfolder is named `subfolder/name`.

    Returns:
        The part's entry in the manifest; None where there was nothing to do.

    Raises:
        TempbenchError: There is no video in the folder.
    """
    if not folder.is_dir():
        raise TempbenchError(f"{folder} is not a folder; name the one with the videos")
    extra = folder / CAPTIONS_FILE
    skipped: Skipped = []
    files = []
    for path in sorted(path for path in folder.rglob("*") if path != extra):
        why, reason = _no_video(path)
        if why:
            skipped.append({"id": _printable(path.relative_to(folder)), "why": why, "reason": reason})
        elif path.is_file():
            files.append(path)
    if not files:
        raise TempbenchError(f"no video in {folder}; they end in {', '.join(VIDEO_SUFFIXES)}")
    references = _json(extra) if extra.is_file() else {}
    if not isinstance(references, dict):
        raise TempbenchError(f"{extra} is not a JSON object of captions by file name; correct it")
    part = _Part("captions", folder, [*files, *([extra] if extra.is_file() else [])], force)
    if part.done:
        return None
    part.begin()
    rows: list[tables.Row] = []
    for path in track(files, description="videos to caption"):
        name = path.relative_to(folder).as_posix()
        why, reason = "its name is hidden, has odd characters, or is too long", "odd name"
        if all(map(is_name, name.split("/"))):
            why, reason = part.bring(path, folder, f"captions/{name}")
        if why:
            skipped.append({"id": _printable(Path(name)), "why": why, "reason": reason})
            continue
        caption, events = _reference(references.get(name), extra, name)
        url = f"{roots.SCHEME}{BENCHMARK}/media/captions/{name}"
        rows += caption_rows(name, url, caption, events, [caption] if caption else [])
    if not rows:
        raise TempbenchError(f"none of the videos in {folder} can be used: {skipped[0]['why']}")
    return part.finish(rows, CAPTION_SCHEMA, skipped)


def _no_video(path: Path) -> tuple[str, str]:
    """Returns why something in a folder is no video by its kind and name, as `_Part.bring` does."""
    if path.is_dir():
        return ("a link to a folder, which is not followed", "link") if path.is_symlink() else ("", "")
    if path.suffix.lower() not in VIDEO_SUFFIXES:
        return f"no video by its name: {path.suffix or 'no suffix'}", "no video"
    if path.is_file():
        return "", ""
    return ("a link to nothing", "link") if path.is_symlink() else ("no file", "no video")


def _printable(path: Path) -> str:
    """Returns a path as text, also where its bytes are none."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _reference(given: Any, path: Path, name: str) -> tuple[str, list[str]]:
    if given is None:
        return "", []
    if isinstance(given, str):
        return given, []
    if isinstance(given, dict):
        caption, events = given.get("caption", ""), given.get("events", [])
        if isinstance(caption, str) and isinstance(events, list) and all(isinstance(e, str) for e in events):
            return caption, events
    raise TempbenchError(
        f"{path}: the entry of {name} is neither a caption nor a caption with events; correct it"
    )
