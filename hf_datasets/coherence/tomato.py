"""Finds TOMATO on this machine and reads its questions, in all published forms.

- its repository: `data/<type>.json`, `{number: question}`; videos by hand into `videos/<scene>/<key>.mp4`
- `yale-nlp/TOMATO` on the Hub: `data/<type>-*.parquet`, or `<type>/*.parquet` as converted; the same
- `lmms-eval/TOMATO`, the harness's copy: Parquet with `reason_type` and `video_path`; videos in `part_*.zip`

The harness keeps its copy in the Hub's cache, and unpacks the videos into the folder `TOMATO` of `HF_HOME`.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tempbench_lmms.coherence.card import COUNTS, SCENES, TYPES
from tempbench_lmms.data import bounds, hub, releases, roots, tables
from tempbench_lmms.errors import TempbenchError

from ..parts import json_of

REPOSITORY = "https://github.com/yale-nlp/TOMATO"
VIDEOS = "https://drive.google.com/file/d/1-dNt9bZcp6C3RXuGoAO3EBgWkAHg8NWR/view"
"""The videos, according to TOMATO's README on the Hub; programs cannot download them."""
HARNESS_COPY = "lmms-eval/TOMATO"

BY_HAND = (
    f"download them by hand from {VIDEOS} (CC BY-SA 4.0) and unpack them, or take the harness's copy, "
    f"https://huggingface.co/datasets/{HARNESS_COPY}"
)

_ABSENT = {"rotation": range(22, 40)}
"""Numbers that are missing in TOMATO's files; all others count from 0."""
_COLUMNS = {"question", "options", "answer", "demonstration_type"}

Item = tuple[str, str, Any]
"""A question's id, its reasoning type, and its entry in the release."""


def kind_of(name: str) -> str | None:
    """Returns the reasoning type for a name in the release, or None.

    >>> kind_of("shape&trend"), kind_of("velocity_frequency"), kind_of("visual cues"), kind_of("README")
    ('shape_trend', 'velocity_frequency', 'visual_cues', None)
    """
    words = [word for word in re.findall("[a-z]+", name.lower()) if word != "and"]
    kind = "_".join(words)
    return kind if kind in TYPES else None


@dataclass(frozen=True)
class Release:
    """The place of TOMATO."""

    folder: Path
    files: tuple[Path, ...]


def find(source: Path) -> Release:
    """Returns the release in a folder, or up to three folders below it."""

    def here(folder: Path) -> Release | None:
        inside = (Release(one, _question_files(one)) for one in (folder, folder / "data"))
        return next((one for one in inside if one.files), None)

    if found := releases.find(source, here, "TOMATO's questions"):
        return found
    names = ", ".join(f"{kind}.json" for kind in ("count", "direction", "shape&trend"))
    raise TempbenchError(
        f"{source} has none of TOMATO's question files ({names} ... or Parquet), nor have the folders in it; "
        f"clone {REPOSITORY} and give its folder"
    )


def harness_source() -> Path:
    """Returns the Hub cache's folder of the harness's copy."""
    return hub.cached("TOMATO", "tomato", HARNESS_COPY)


def harness_videos() -> Path:
    """Returns the folder into which the harness unpacks the videos; it may not exist."""
    return roots.cache_home() / "TOMATO"


def _question_files(folder: Path) -> tuple[Path, ...]:
    """Returns the question files directly in a folder: JSON before Parquet, in the order of the types."""
    if not folder.is_dir():
        return ()
    for suffix in (".json", ".parquet"):
        files = releases.of_suffix(folder.iterdir(), suffix)
        if suffix == ".parquet":
            kinds = [one for one in folder.iterdir() if one.is_dir() and kind_of(one.name)]
            files += [path for kind in kinds for path in releases.of_suffix(kind.iterdir(), suffix)]
        files = [path for path in files if _kind_of_file(path) or _is_mixed(path)]
        if files:
            return tuple(sorted(files, key=lambda path: (_place_of(path), path)))
    return ()


def _kind_of_file(path: Path) -> str | None:
    return kind_of(path.stem.partition("-")[0]) or (
        kind_of(path.parent.name) if path.suffix.lower() == ".parquet" else None
    )


def _place_of(path: Path) -> int:
    kind = _kind_of_file(path)
    return TYPES.index(kind) if kind else len(TYPES)


def _is_mixed(path: Path) -> bool:
    """Returns whether a Parquet file, whatever its name, has TOMATO's columns including the type."""
    import pyarrow as pa

    if path.suffix.lower() != ".parquet":
        return False
    try:
        names = set(bounds.open_parquet(path).schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TempbenchError(
            f"{path} cannot be read ({tables.first_line(error)}); download it again"
        ) from None
    return names >= _COLUMNS and bool(names & {"reason_type", "motion_type"})


def items(files: Iterable[Path]) -> Iterator[Item]:
    """Yields every question of the files; its id is `<type>/<number in TOMATO's file of this type>`.

    The Hub's forms keep only the order, which gives the numbers; ids that are numbers are used.
    """
    rows: dict[str, list[Any]] = defaultdict(list)
    for path in files:
        if path.suffix.lower() == ".json":
            kind = _kind_of_file(path) or ""
            yield from ((f"{kind}/{key}", kind, item) for key, item in _of_json(path).items())
        else:
            for row in _of_parquet(path):
                named = kind_of(str(row.get("reason_type") or row.get("motion_type") or ""))
                rows[named or _kind_of_file(path) or "unknown"].append(row)
    for kind, of_kind in rows.items():
        for number, row in zip(_numbers(kind, of_kind), of_kind, strict=True):
            yield f"{kind}/{number}", kind, row


def _of_json(path: Path) -> dict[str, Any]:
    found = json_of(path, "check its permissions, or download it again")
    if not isinstance(found, dict):
        raise TempbenchError(f"{path} is not a table of questions; download it again")
    return found


def _of_parquet(path: Path) -> list[tables.Row]:
    try:
        return tables.read_rows(path)
    except TempbenchError as error:
        what = str(error).removesuffix("; prepare the data again")
        raise TempbenchError(f"{what}; download it again") from None


def _numbers(kind: str, rows: Sequence[tables.Row]) -> list[str]:
    """Returns the number in TOMATO's file of each question of a type; equal ids get equal numbers."""
    n = len(rows)
    absent = _ABSENT.get(kind, ()) if n == COUNTS.get(kind) else ()
    known = [str(number) for number in range(n + len(absent)) if number not in absent]
    given = [row.get("id") for row in rows]
    if None in given:
        return known
    texts = [str(one) for one in given]
    numbers = [(re.findall(r"\d+", text) or [text])[-1] for text in texts]
    if sorted(numbers) == sorted(known):
        return numbers
    if sorted(numbers) == sorted(map(str, range(n))):
        return [known[int(number)] for number in numbers]
    # Ids count across all types, so only the order is left of the numbers.
    return [known[texts.index(text)] for text in texts]


def name_of(item: Any) -> tuple[str, str]:
    """Returns scene and name of a question's video, without suffix."""
    path = PurePosixPath(str(item.get("video_path") or ""))
    name = item.get("key", path.stem)
    return item.get("demonstration_type") or path.parent.name, name


class Videos:
    """The videos at any depth in folders.

    A video is identified by its scene, which is its folder's name, and its own name. Links to folders are not
    followed; a link to a file must stay within the folder.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, dict[Path, Path]] = defaultdict(dict)

    def add(self, folder: Path, links: bool = True) -> None:
        """Adds the content of a folder.

        Args:
            folder: In the Hub's cache files are links to another folder of the same cache.
            links: Also use files that are links.
        """
        inside = hub.around(folder)
        for parent, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = Path(parent, name)
                if path.suffix.lower() == ".mp4" and (links or not path.is_symlink()):
                    self._by_name[path.stem].setdefault(_without_links(path), inside)

    def find(self, scene: str, name: str) -> list[tuple[Path, Path]]:
        """Returns the candidate files for a video, each with the folder that must contain it.

        More than one means a duplicate name. A file outside the scenes' folders is used if no other file has
        its name.
        """
        there = list(self._by_name.get(name, {}).items())
        own = [one for one in there if one[0].parent.name == scene]
        return own or [one for one in there if one[0].parent.name not in SCENES]


def _without_links(path: Path) -> Path:
    """Returns a path that is the same for a file reached through two folders."""
    return path.parent.resolve() / path.name


def video_places(release: Release, videos: Path | None) -> list[Path]:
    """Returns the folders to search for videos; the user may name an archive.

    Args:
        release: The questions.
        videos: The user's choice; otherwise the questions' folder, and the harness's unpacked copy.
    """
    if videos is not None:
        return [videos]
    folder = release.folder.parent if release.folder.name == "data" else release.folder
    found = [folder / "videos", folder]
    if f"datasets--{HARNESS_COPY.replace('/', '--')}" in folder.absolute().parts:
        found.append(harness_videos())
    return [one for one in found if one.is_dir()]


def repeated(ids: Iterable[str]) -> set[str]:
    """Returns the ids that appear more than once."""
    return {one for one, n in Counter(ids).items() if n > 1}
