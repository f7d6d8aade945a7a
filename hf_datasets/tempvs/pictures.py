"""Finds the pictures of the TempVS release: single images, and pieces of stitched strips in their place."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tempbench_lmms.data import roots
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.rows import BENCHMARK

if TYPE_CHECKING:
    from PIL.Image import Image

STRIPS = frozenset({"combined", "combined_shuffled", "combined_reversed"})
"""Folders of stitched sequences, whose names are those of no single image."""
FROM_STRIPS = "from_strips"
"""The folder, in that of a source, for images that were cut out of strips."""


@dataclass(frozen=True)
class Piece:
    """An image that is only there as a part of a strip."""

    strip: Path
    position: int
    n: int
    source: str

    def image(self) -> "Image":
        """Returns the image; the strip was looked at before."""
        found = _cut(self.strip, self.n, self.source)
        assert found is not None
        return found[self.position]


@lru_cache(maxsize=2)
def _cut(strip: Path, n: int, source: str) -> "list[Image] | None":
    """Returns the images of a strip; None where they cannot be told apart, or it is no picture."""
    from tempbench_lmms.media.images import open_image, unstitch
    from tempbench_lmms.media.sandbox import check_picture

    try:
        check_picture(strip, strip.name)
        return unstitch(open_image(strip, strip.name), n, source)
    except TempbenchError:
        return None


def is_picture(path: Path) -> bool:
    """Returns whether a file is a picture by its suffix, in small letters or capitals."""
    from tempbench_lmms.data.releases import PICTURE_SUFFIXES

    return path.suffix.lower() in PICTURE_SUFFIXES and path.is_file()


def _by_stem(paths: Iterable[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in sorted(paths):
        if is_picture(path):
            found.setdefault(path.stem, []).append(path)
    return found


class Images:
    """Finds the release's images and names them as they will be stored, each once.

    If an image is not at its stored path, it is found by its name, in any format, if the name is unique in
    its source. Otherwise it is cut out of its sequence's strip.
    """

    def __init__(self, data: Path, trusted: Collection[Path]) -> None:
        self._data = data
        self._trusted = [folder.resolve() for folder in trusted]
        self._by_name: dict[str, dict[str, list[Path]]] = {}
        self._by_folder: dict[Path, dict[str, list[Path]]] = {}
        self._looked_at: dict[PurePosixPath, PurePosixPath | None] = {}
        self.found: dict[str, Path] = {}
        self.pieces: dict[str, Piece] = {}
        self.missing: set[str] = set()

    def urls(self, stored: Sequence[object], strip: object, source: str) -> list[str] | None:
        """Returns the `tempbench://` URLs of a sequence's images; None where one is missing.

        Args:
            stored: Their paths in the release.
            strip: The path of the strip of these images in this order.
            source: What follows this name in a stored path is looked up under the release's own folder, and
                must stay in it.
        """
        places = [self._place(one, source) for one in stored]
        found = [place and self._single(place, source) for place in places]
        if not all(found) and all(places):
            found = self._with_pieces([place for place in places if place], found, strip, source)
        self.missing |= {str(one)[:200] for one, place in zip(stored, found, strict=True) if not place}
        urls = [f"{roots.SCHEME}{BENCHMARK}/media/{place}" for place in found if place]
        return urls if len(urls) == len(stored) else None

    def _place(self, stored: object, source: str) -> PurePosixPath | None:
        """Returns what a stored path is below the release's folder; None where it leads elsewhere."""
        parts = PurePosixPath(str(stored).replace("\\", "/")).parts
        if source not in parts or ".." in parts:
            return None
        return PurePosixPath(*parts[len(parts) - parts[::-1].index(source) - 1 :])

    def _single(self, place: PurePosixPath, source: str) -> PurePosixPath | None:
        # Dozens of questions show the same image.
        if place not in self._looked_at:
            self._looked_at[place] = self._look(place, source)
        return self._looked_at[place]

    def _look(self, place: PurePosixPath, source: str) -> PurePosixPath | None:
        path = self._in_any_format(self._data / place)
        if not path.is_file():
            path = self._elsewhere(place, source)
        place = PurePosixPath(path.relative_to(self._data).as_posix())
        if not self._is_ours(path):
            return None
        self.found[str(place)] = path
        return place

    def _in_any_format(self, path: Path) -> Path:
        """Returns a picture's path, or that of a picture beside it with another suffix."""
        if path.is_file():
            return path
        folder = path.parent
        if folder not in self._by_folder:
            self._by_folder[folder] = _by_stem(folder.iterdir() if folder.is_dir() else ())
        alike = self._by_folder[folder].get(path.stem, [])
        return alike[0] if len(alike) == 1 else path

    def _is_ours(self, path: Path) -> bool:
        return path.is_file() and any(path.resolve().is_relative_to(folder) for folder in self._trusted)

    def _elsewhere(self, inside: PurePosixPath, source: str) -> Path:
        """Returns the one file of a source with an image's name; what was asked for where that is not one."""
        if source not in self._by_name:
            folders = [self._data / source, *(one for one in self._data.rglob(source) if one.is_dir())]
            files = {path for folder in folders for path in folder.rglob("*")}
            self._by_name[source] = _by_stem(
                path for path in files if not STRIPS & {*path.relative_to(self._data).parts}
            )
        alike = self._by_name[source].get(inside.stem, [])
        same = [path for path in alike if path.name == inside.name] or alike
        return same[0] if len(same) == 1 else self._data / inside

    def _with_pieces(
        self,
        places: Sequence[PurePosixPath],
        found: Sequence[PurePosixPath | None],
        strip: object,
        source: str,
    ) -> list[PurePosixPath | None]:
        """Returns the images' places with pieces of their strip where single ones are missing."""
        at = self._place(strip, source)
        path = self._in_any_format(self._data / at) if at else self._data
        if at is None or not STRIPS & {*at.parts} or not self._is_ours(path):
            return list(found)
        names = {
            i: PurePosixPath(source, FROM_STRIPS, f"{PurePosixPath(*place.parts[1:])}.png")
            for i, place in enumerate(places)
            if found[i] is None
        }
        # The same image may be in several strips; the first one gives it.
        new = {i: name for i, name in names.items() if str(name) not in self.pieces}
        if new and _cut(path, len(places), source) is None:
            return list(found)
        self.pieces |= {str(name): Piece(path, i, len(places), source) for i, name in new.items()}
        return [names.get(i, place) for i, place in enumerate(found)]
