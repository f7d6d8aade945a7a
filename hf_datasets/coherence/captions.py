"""Reads reference captions in all common formats.

- the paper's: `{file: caption}`
- this project's: `{file: {"caption": ..., "events": [...]}}`, in order; or `{file: [caption, ...]}`
- MSR-VTT's annotation: `{"videos": [{"video_id", "start time", "end time"}, ...],
  "sentences": [{"video_id", "caption"}, ...]}`
- the same as Frozen in Time hands it around: `{"annotations": [{"image_id", "caption"}, ...]}`
- of copies of MSR-VTT on the Hub: `[{"video_id" or "video", "caption": [...]}, ...]`

A file is named by its path below the folder of videos, by its name, or by its name without suffix. A path
goes before a name; a name that several videos have says nothing of any.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tempbench_lmms.errors import TempbenchError

from ..parts import json_of

OWN = "captions.json"
MSRVTT = (
    *("MSRVTT_data.json", "train_val_videodatainfo.json", "test_videodatainfo.json"),
    *("MSR_VTT.json", "annotation/MSR_VTT.json"),
)
"""The place of MSR-VTT's annotation file in a folder around its videos."""


@dataclass
class Reference:
    """What is written about a video."""

    captions: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    seconds: float | None = None


def file_in(folder: Path) -> Path | None:
    """Returns the caption file in a folder of videos, or None."""
    found = [folder / name for name in (OWN, *MSRVTT) if (folder / name).is_file()]
    if len(found) > 1:
        raise TempbenchError(
            f"{folder} holds {found[0].name} and {found[1].name}; choose one with --caption-file"
        )
    return found[0] if found else None


class References:
    """The captions of a file, by video."""

    def __init__(self, path: Path | None, places: Iterable[str] = ()) -> None:
        self._by_name = _read(path) if path else {}
        named: dict[str, list[str]] = {}
        for place in places:
            if name := self._name_of(place):
                named.setdefault(name, []).append(place)
        self._meant = {name: name if name in several else several[0] for name, several in named.items()}
        self.unclear = {
            place: f"the captions name {len(several)} videos {name!r}, as {several[0]!r} and {several[1]!r}; "
            "name them there by their paths"
            for name, several in named.items()
            if len(several) > 1 and name not in several
            for place in several
        }

    def _name_of(self, place: str) -> str | None:
        file = PurePosixPath(place)
        return next((name for name in (place, file.name, file.stem) if name in self._by_name), None)

    def of(self, place: str) -> Reference | None:
        """Returns the captions of a video; None if there are none or their video is ambiguous."""
        name = self._name_of(place)
        if name is None or self._meant.get(name) != place or place in self.unclear:
            return None
        return self._by_name[name]

    def unused(self) -> list[str]:
        """Returns the names in the file that no video has."""
        return [name for name in self._by_name if name not in self._meant]


def _read(path: Path) -> dict[str, Reference]:
    found = json_of(path, "download it again, or check the path")
    for sentences, video_id in (("sentences", "video_id"), ("annotations", "image_id")):
        if isinstance(found, dict) and isinstance(found.get(sentences), list):
            return _msrvtt(found, sentences, video_id, path)
    if isinstance(found, list):
        return _listed(found, path)
    if not isinstance(found, dict):
        raise TempbenchError(f"{path} is not a JSON object of captions by file name; correct it")
    return {name: _one(given, path, name) for name, given in found.items()}


def _msrvtt(found: dict[str, Any], sentences: str, video_id: str, path: Path) -> dict[str, Reference]:
    """Returns the captions of MSR-VTT's annotation file, in its order, with the lengths of the clips."""
    out: dict[str, Reference] = {}
    try:
        for sentence in found[sentences]:
            out.setdefault(_text(sentence[video_id]), Reference()).captions.append(_text(sentence["caption"]))
        for video in found.get("videos") or ():
            if (name := _text(video["video_id"])) in out and "start time" in video and "end time" in video:
                out[name].seconds = float(video["end time"]) - float(video["start time"])
    except (KeyError, TypeError, ValueError):
        raise TempbenchError(f"{path} is not an annotation file of MSR-VTT; download it again") from None
    return out


def _listed(found: Iterable[Any], path: Path) -> dict[str, Reference]:
    out: dict[str, Reference] = {}
    for number, entry in enumerate(found):
        name = (entry.get("video") or entry.get("video_id")) if isinstance(entry, dict) else None
        if not isinstance(name, str) or "caption" not in entry:
            raise TempbenchError(f"{path}: entry {number} has no video and caption; correct it")
        one = _one(entry["caption"], path, name)
        out.setdefault(name, Reference()).captions.extend(one.captions)
    return out


def _one(given: Any, path: Path, name: str) -> Reference:
    events: Any = []
    if isinstance(given, dict):
        given, events = given.get("caption", ""), given.get("events", [])
    captions = [given] if isinstance(given, str) else given
    if not _are_texts(captions) or not _are_texts(events):
        raise TempbenchError(
            f"{path}: the entry of {name} is neither a caption nor captions nor a caption with events; "
            "correct it"
        )
    return Reference([one for one in captions if one.strip()], list(events))


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value
