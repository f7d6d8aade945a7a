"""Pictures that are the same file, byte for byte: under two dates of one place, or at two places."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from tempbench_lmms.data import tables
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.images import open_image

from .series import COPIED, TWICE_DATED, Series, Shot, Skipped

_END = 4096
_LOOKED_AT = 64

Contents = Mapping[Path, str]
"""The SHA-256 of each file that has an equal; others are not in it."""


def contents_of(series: Iterable[Series]) -> Contents:
    """Returns what the files of places hold, of those that are there twice.

    A file is read whole only where its size and its end are those of another. Files that are no pictures are
    left to be found damaged.
    """
    shots = {shot.file: shot for one in series for shot in one.shots if shot.file}
    alike = _equal(_equal([sorted(shots)], _size_of), _end_of)
    sums = {file: tables.sha256_of([file]) for group in alike for file in group}
    groups = _equal(alike, sums.__getitem__)
    return {file: sums[file] for group in groups if _seen(shots[group[0]]) for file in group}


def _equal(groups: Iterable[Sequence[Path]], key: Callable[[Path], object]) -> list[list[Path]]:
    """Returns the files of each group that are equal by a key; without those that have no equal."""
    found = []
    for group in groups:
        by_key = defaultdict(list)
        for file in group:
            if value := key(file):
                by_key[value].append(file)
        found += [files for files in by_key.values() if len(files) > 1]
    return found


def _size_of(file: Path) -> int:
    return file.stat().st_size if os.access(file, os.R_OK) else 0


def _end_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _END))
        return opened.read(_END)


def once_dated(series: Sequence[Series], contents: Contents, skipped: Skipped) -> list[Series]:
    """Returns places without the pictures that they have under several dates: their order is unknown."""
    found = []
    for one in series:
        groups = defaultdict(list)
        for shot in one.shots:
            if content := _content(shot, contents):
                groups[content].append(shot)
        several = [shot for group in groups.values() if len(group) > 1 for shot in group]
        for shot in several:
            skipped.add(TWICE_DATED, str(shot.file))
        found.append(replace(one, shots=tuple(shot for shot in one.shots if shot not in several)))
    return found


def without_copies(series: Sequence[Series], contents: Contents, skipped: Skipped) -> list[Series]:
    """Returns places, without those whose pictures all belong to another place of the same source."""
    first: dict[tuple[str, frozenset[str]], str] = {}
    kept = []
    for one in series:
        held = [_content(shot, contents) for shot in one.shots]
        if held and all(held):
            same = first.setdefault((one.source, frozenset(held)), one.place)
            if same != one.place:
                skipped.add(COPIED, f"{one.place} (as {same})")
                continue
        kept.append(one)
    return kept


def shared(series: Sequence[Series], contents: Contents) -> Iterator[tuple[int, int]]:
    """Yields the indices of two places each that have a picture in common.

    A picture of one colour, as where nothing was measured, tells nothing of a place.
    """
    first: dict[str, int] = {}
    telling: dict[str, bool] = {}
    for i, one in enumerate(series):
        for shot in one.shots:
            content = _content(shot, contents)
            if not content or first.setdefault(content, i) == i:
                continue
            if content not in telling:
                telling[content] = _shows_something(shot)
            if telling[content]:
                yield first[content], i


def _content(shot: Shot, contents: Contents) -> str:
    return contents.get(shot.file, "") if shot.file else ""


def _shows_something(shot: Shot) -> bool:
    picture = _seen(shot)
    return picture is not None and picture.getcolors(1) is None


def _seen(shot: Shot) -> Image.Image | None:
    assert shot.file is not None
    try:
        return open_image(shot.file, str(shot.file), _LOOKED_AT, shot.stretch).convert("RGB")
    except MediaError:
        return None
