"""Archives in a source: a release is read as it was downloaded, its zip and tar files unpacked.

They are unpacked into a hidden folder beside the prepared data, with the source's other files linked into
it, and it is removed at the end: what is needed for longer is copied out of it. An archive's content appears
there whole or not at all, and nothing in the source changes.

Whoever made an archive chose every name in it. An entry whose name or link leads elsewhere, that is a device,
stands twice, is encrypted or damaged refuses the archive; so does one that expands to more than is unpacked.
"""

import contextlib
import filecmp
import os
import posixpath
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from tempbench_lmms.data import bounds, terminal
from tempbench_lmms.errors import TempbenchError

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

BYTES_VARIABLE = "TEMPBENCH_MAX_UNPACKED"
MAX_BYTES = 1_000_000_000_000
"""Of all that an archive holds, unpacked."""
MAX_ENTRIES = 2_000_000
_RATIO, _SLACK = 200, 100_000_000
"""An archive expands to so many times its size, and so many bytes more, at most. Tables of text reach 50."""
_BLOCK = 1 << 20
_HEADER = 16 * _BLOCK  # a tar file's header may hold a long name, never so much
_TAR_BLOCK = 512

_SET = re.compile(r"[-_. ]*\d+([-_. ]*of[-_. ]*\d+)?$", re.IGNORECASE)
"""How the names of a set's archives end: part_1.zip, part_2.zip; videos-00001-of-00004.tar."""


@contextlib.contextmanager
def unpacked(source: Path, root: Path) -> Iterator[Path]:
    """Yields a folder with everything that a source holds; the source itself where it has no archive.

    An archive's content lies where the archive does, in a folder with the archive's name; parts of a set, as
    `part_1.zip` and `part_2.zip`, share one. What the user has already unpacked beside it is taken once. The
    source's own files are links in it: who checks where links lead must trust source and folder both.

    Args:
        source: A folder, or one archive.
        root: The folder of the prepared data; the temporary folder is made beside it.

    Raises:
        TempbenchError: An archive is refused or damaged, or there is no room for it.
    """
    found = archives_in(source)
    if not found:
        yield source
        return
    folder = root.with_name(f".{root.name}.unpacked")
    try:
        _on_disk(folder, lambda: _prepare(source, found, folder))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def unpacked_if_any(source: Path | None, root: Path) -> Iterator[Path | None]:
    """Yields what `unpacked` does; None where there is no source."""
    if source is None:
        yield None
        return
    with unpacked(source, root) as folder:
        yield folder


def first_with_archives(places: Iterable[Path]) -> tuple[Path | None, list[Path]]:
    """Returns the first place that has archives, and these; None and none where no place has any."""
    found = ((place, archives_in(place)) for place in places)
    return next((one for one in found if one[1]), (None, []))


def archives_in(source: Path) -> list[Path]:
    """Returns the archives of a source by name, or the source itself where it is one."""
    if not source.is_dir():
        return [source] if stem(source) else []
    return sorted(path for path in _files(source) if stem(path))


def _files(source: Path) -> Iterator[Path]:
    """Yields the files below a folder; hidden folders are not the release's."""
    for folder, inner, names in os.walk(source):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def stem(path: Path) -> str:
    """Returns an archive's name without its suffix; "" for another file."""
    ending = next((one for one in sorted(SUFFIXES, key=len)[::-1] if path.name.lower().endswith(one)), "")
    return path.name[: -len(ending)] if ending else ""


def _on_disk(folder: Path, work: Callable[[], None]) -> None:
    try:
        work()
    except OSError as error:
        raise TempbenchError(
            f"{folder} cannot be written ({error.strerror or error}); make room, set TEMPBENCH_DATA to "
            "another folder, or unpack the archives yourself"
        ) from None


def _prepare(source: Path, found: Sequence[Path], folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)  # of a run that was killed
    folder.mkdir(parents=True)
    base = source if source.is_dir() else source.parent
    if source.is_dir():
        for path in _files(source):
            if path not in found and path.is_file():
                link = folder / path.relative_to(base)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(path.resolve())
    partial = folder / ".partial"
    for path in found:
        with terminal.console(stderr=True).status(f"unpacking {path.name}"):
            unpack(path, partial)
            _take_in(path, partial, folder / path.parent.relative_to(base), _folder_of(path, found))
        shutil.rmtree(partial)


def _folder_of(path: Path, found: Sequence[Path]) -> str:
    """Returns the name of the folder for an archive's content."""
    own = stem(path)
    of_set = _SET.sub("", own)
    same = [one for one in found if one.parent == path.parent and _SET.sub("", stem(one)) == of_set]
    return of_set if of_set and len(same) > 1 else own


def _take_in(archive: Path, partial: Path, folder: Path, name: str) -> None:
    """Moves an archive's content to its place; a folder `name` around all of it is not doubled."""
    tops = list(partial.iterdir())
    content = tops[0] if [top.name for top in tops] == [name] and tops[0].is_dir() else partial
    for path in sorted(_everything(content)):
        inside = path.relative_to(content)
        for place in (folder / name / inside, folder / inside, folder / path.relative_to(partial)):
            if place.is_file() and filecmp.cmp(place, path, shallow=False):
                break
        else:
            place = folder / name / inside
            if place.exists():
                raise _refused(
                    archive, str(inside), "is another file than the one that lies unpacked beside it"
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, place)


def _everything(folder: Path) -> list[Path]:
    return [Path(inner, name) for inner, _, names in os.walk(folder) for name in names]


@dataclass
class _Room:
    """What an archive may still take."""

    archive: Path
    bytes: int
    entries: int = MAX_ENTRIES

    def take(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            self.exceeded()

    def exceeded(self) -> NoReturn:
        most = bounds.whole_number(BYTES_VARIABLE, MAX_BYTES)
        raise TempbenchError(
            f"{self.archive} expands to more than {most:,} bytes ({BYTES_VARIABLE}) or to more than {_RATIO} "
            "times its size; if you trust it unpack it yourself"
        )

    def take_entry(self) -> None:
        self.entries -= 1
        if self.entries < 0:
            raise TempbenchError(
                f"{self.archive} has more than {MAX_ENTRIES:,} entries; if you trust it unpack it yourself"
            )


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks one archive.

    Args:
        archive: A file with one of `SUFFIXES`.
        folder: It is made; nothing may be there yet.

    Raises:
        TempbenchError: The archive is refused or damaged; what of it is there already is not removed.
        OSError: The folder cannot be written.
    """
    import lzma

    size = archive.stat().st_size
    room = _Room(archive, min(bounds.whole_number(BYTES_VARIABLE, MAX_BYTES), _RATIO * size + _SLACK))
    folder.mkdir(parents=True)
    damaged = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError,
               NotImplementedError, OverflowError, ValueError)  # fmt: skip
    try:
        (_unpack_zip if archive.name.lower().endswith(".zip") else _unpack_tar)(archive, folder, room)
    except damaged as error:
        raise _damaged(archive, error) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise _damaged(archive, error) from None  # gzip and bz2 say so of damaged data


def _damaged(archive: Path, error: Exception) -> TempbenchError:
    why = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return TempbenchError(f"{archive} cannot be unpacked ({why}); get it again, or unpack it yourself")


def _refused(archive: Path, name: str, why: str) -> TempbenchError:
    return TempbenchError(
        f"{archive}: the entry {name[:120]!r} {why}, so nothing of it is taken; get the archive again from "
        "who publishes it, or unpack it yourself"
    )


def _unpack_zip(archive: Path, folder: Path, room: _Room) -> None:
    links: dict[str, str] = {}
    with zipfile.ZipFile(archive) as opened:
        entries = opened.infolist()
        free = shutil.disk_usage(folder).free
        if (needed := sum(entry.file_size for entry in entries)) > free and needed <= room.bytes:
            raise TempbenchError(
                f"{archive} needs {needed:,} bytes unpacked, and {folder.parent.parent} has {free:,}; make "
                "room or set TEMPBENCH_DATA to another folder"
            )
        for entry in entries:
            room.take_entry()
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if entry.flag_bits & 1:
                raise _refused(archive, entry.filename, "is encrypted")
            if not (place := _place(archive, entry.filename)):
                continue
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                raise _refused(archive, entry.filename, "is neither a file nor a folder")
            if entry.is_dir():
                _make(archive, folder, place)
                continue
            with opened.open(entry) as stream:
                if kind == stat.S_IFLNK:
                    target = stream.read(_HEADER).decode("utf-8")
                    _note(archive, links, place, posixpath.join(posixpath.dirname(place), target))
                else:
                    _write(archive, folder, place, stream, room)
    _link(archive, folder, links, room)


class _Bounded:
    """A stream whose reads are bounded, each and together: a tar file is read to learn what it holds."""

    def __init__(self, stream: IO[bytes], room: _Room) -> None:
        self._stream = stream
        self._left = 2 * room.bytes  # its headers take less than its content, or are no honest ones
        self._room = room

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _HEADER:
            raise tarfile.ReadError(f"an entry's header has {size} bytes")
        self._left -= size
        return self._stream.read(size if self._left >= 0 else self._room.exceeded())

    def seek(self, position: int) -> int:
        return self._stream.seek(position if position <= self._left else self._room.exceeded())

    def tell(self) -> int:
        return self._stream.tell()


def _decompressed(archive: Path) -> Any:
    import bz2
    import gzip
    import lzma

    name = archive.name.lower()
    for endings, opened in (
        ((".gz", ".tgz"), gzip.open),
        ((".bz2", ".tbz2"), bz2.open),
        ((".xz", ".txz"), lzma.open),
    ):
        if name.endswith(endings):
            return opened(archive, "rb")
    return archive.open("rb")


def _unpack_tar(archive: Path, folder: Path, room: _Room) -> None:
    links: dict[str, str] = {}
    with _decompressed(archive) as stream:
        bounded: Any = _Bounded(stream, room)
        opened: Any = tarfile.TarFile(archive, mode="r", fileobj=bounded)
        while (entry := opened.next()) is not None:
            opened.members.clear()  # which would hold all of them
            room.take_entry()
            if not (place := _place(archive, entry.name)):
                continue
            if entry.isdir():
                _make(archive, folder, place)
            elif entry.issym():
                _note(archive, links, place, posixpath.join(posixpath.dirname(place), entry.linkname))
            elif entry.islnk():
                _note(archive, links, place, entry.linkname)
            elif entry.isfile() and (content := opened.extractfile(entry)) is not None:
                _write(archive, folder, place, content, room)
            else:
                raise _refused(archive, entry.name, "is neither a file nor a folder")
        # The library takes a file that is cut between two entries, or has a damaged header, for a whole one.
        bounded.seek(opened.offset)
        if bounded.read(_TAR_BLOCK) != b"\0" * _TAR_BLOCK:
            raise tarfile.ReadError("it ends before its end, or an entry's header is damaged")
    _link(archive, folder, links, room)


def _place(archive: Path, name: str) -> str:
    r"""Returns the place of an entry; "" for one that is no part of the content, as a Mac adds them.

    >>> _place(Path("a.zip"), "./images\\1.jpg")
    'images/1.jpg'
    """
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name) or "\0" in name:
        raise _refused(archive, name, "is an absolute path")
    parts = [part for part in re.split(r"[\\/]", name) if part not in ("", ".")]
    if ".." in parts:
        raise _refused(archive, name, "leads out of the archive")
    if "__MACOSX" in parts or (parts and (parts[-1].startswith("._") or parts[-1] == ".DS_Store")):
        return ""
    return "/".join(parts)


def _note(archive: Path, links: dict[str, str], place: str, target: str) -> None:
    inside = posixpath.normpath(target.replace("\\", "/"))
    if inside.startswith(("/", "../")) or inside == "..":
        raise _refused(archive, place, "is a link out of the archive")
    if place in links:
        raise _refused(archive, place, "is there twice")
    links[place] = inside


def _link(archive: Path, folder: Path, links: dict[str, str], room: _Room) -> None:
    """Makes every link the file that it names, whichever of them comes first."""
    while links:
        ready = [place for place, target in links.items() if (folder / target).is_file()]
        if not ready:
            raise _refused(archive, next(iter(links)), "is a link to no file of the archive")
        for place in ready:
            with (folder / links.pop(place)).open("rb") as stream:
                _write(archive, folder, place, stream, room)


def _make(archive: Path, folder: Path, place: str) -> None:
    try:
        (folder / place).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise _refused(archive, place, "is there twice, as a file and as a folder") from None


def _write(archive: Path, folder: Path, place: str, content: IO[bytes], room: _Room) -> None:
    path = folder / place
    _make(archive, folder, posixpath.dirname(place))
    try:
        with path.open("xb") as out:  # never over another
            while block := content.read(_BLOCK):
                room.take(len(block))
                out.write(block)
    except (FileExistsError, IsADirectoryError):
        raise _refused(archive, place, "is there twice") from None
