"""Finds a release on the user's disk, by one rule for every benchmark.

It is in the folder that the user names, or up to three levels below; for the Hub's cache, in its snapshot.
Suffixes may be in capitals.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from tempbench_lmms.data import hub
from tempbench_lmms.errors import TempbenchError

DEEPEST = 3
"""How many levels below the named folder a release may be."""

T = TypeVar("T")


def find(source: Path, here: Callable[[Path], T | None], what: str) -> T | None:
    """Returns the parts of a release in a folder or below it; None if there are none."""
    level = [source]
    for _ in range(DEEPEST + 1):
        level = list({folder.resolve(): folder for folder in map(hub.snapshot, level)}.values())
        found = [(folder, one) for folder in level if (one := here(folder))]
        if len(found) > 1:
            raise TempbenchError(
                f"{source} holds {what} twice, in {found[0][0]} and in {found[1][0]}; give one of these "
                "folders"
            )
        if found:
            return found[0][1]
        level = [inner for folder in level for inner in _folders(folder)]
    return None


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))


def file(folder: Path, *names: str) -> Path | None:
    """Returns the first of some files that a folder has, by name; None if it has none."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    there = {spelled(path): path for path in folder.iterdir()} if folder.is_dir() else {}
    return next((there[name] for name in names if name in there and there[name].is_file()), None)


def spelled(path: Path) -> str:
    """Returns a file's name with its suffix in lower case.

    >>> spelled(Path("A.MP4"))
    'A.mp4'
    """
    return path.stem + path.suffix.lower()


def of_suffix(paths: Iterable[Path], *suffixes: str) -> list[Path]:
    """Returns the files among paths with one of some suffixes, sorted by name."""
    return sorted(path for path in paths if path.suffix.lower() in suffixes and path.is_file())
