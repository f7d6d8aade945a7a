"""Archives in a source: a release is read as it was downloaded, its zip and tar files unpacked.

They are unpacked into a hidden folder beside the prepared data, with the source's other files linked into
it, and it is removed at the end: what is needed for longer is copied out of it. An archive's content appears
there whole or not at all, and nothing in the source changes.

Whoever made an archive chose every name in it. An entry whose name or link leads elsewhere, that is a device,
stands twice, is encrypted or damaged refuses the archive; so does one that expands to more than is unpacked.
"""

import bz2
import contextlib
import filecmp
import gzip
import lzma
import os
import posixpath
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
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
    """
    found = archives_in(source)
    if not found:
        yield source
        return
    folder = root.with_name(f".{root.name}.unpacked")
    try:
        try:
            _prepare(source, found, folder)
        except OSError as error:
            raise TempbenchError(
                f"{folder} cannot be written ({error.strerror or error}); make room, set TEMPBENCH_DATA to "
                "another folder, or unpack the archives yourself"
            ) from None
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
    for path in sorted(one for one in content.rglob("*") if not one.is_dir()):
        inside = path.relative_to(content)
        for place in (folder / name / inside, folder / inside, folder / path.relative_to(partial)):
            if place.is_file() and filecmp.cmp(place, path, shallow=False):
                break
        else:
            place = folder / name / inside
            if place.exists():
                raise _Unpacking(archive, partial).refused(
                    str(inside), "is another file than the one that lies unpacked beside it"
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, place)


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks one archive.

    Raises:
        TempbenchError: The archive is refused or damaged; what of it is there already is not removed.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True)
    unpacking = _Unpacking(archive, folder)
    damaged = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError,
               NotImplementedError, OverflowError, ValueError)  # fmt: skip
    try:
        (_unpack_zip if archive.name.lower().endswith(".zip") else _unpack_tar)(unpacking)
        unpacking.link()
    except (*damaged, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # gzip and bz2 give none to damaged data
        why = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise TempbenchError(
            f"{archive} cannot be unpacked ({why}); get it again, or unpack it yourself"
        ) from None


class _Unpacking:
    """An archive that is being unpacked, and what it may still take."""

    def __init__(self, archive: Path, folder: Path) -> None:
        self.archive, self.folder = archive, folder
        self._most = bounds.whole_number(BYTES_VARIABLE, MAX_BYTES)
        self.left = min(self._most, _RATIO * archive.stat().st_size + _SLACK)
        self._entries = MAX_ENTRIES
        self._links: dict[str, str] = {}

    def refused(self, name: str, why: str) -> TempbenchError:
        return TempbenchError(
            f"{self.archive}: the entry {name[:120]!r} {why}, so nothing of it is taken; get it again "
            "from who publishes it, or unpack it yourself"
        )

    def exceeded(self) -> NoReturn:
        raise TempbenchError(
            f"{self.archive} expands to more than {self._most:,} bytes ({BYTES_VARIABLE}) or to more than "
            f"{_RATIO} times its size; if you trust it unpack it yourself"
        )

    def place(self, name: str) -> str:
        r"""Returns the place of an entry; "" for one that is no part of the content, as a Mac adds them.

        >>> _Unpacking(Path(__file__), Path()).place("./images\\1.jpg")
        'images/1.jpg'
        """
        self._entries -= 1
        if self._entries < 0:
            raise TempbenchError(
                f"{self.archive} has more than {MAX_ENTRIES:,} entries; if you trust it unpack it yourself"
            )
        if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name) or "\0" in name:
            raise self.refused(name, "is an absolute path")
        parts = [part for part in re.split(r"[\\/]", name) if part not in ("", ".")]
        if ".." in parts:
            raise self.refused(name, "leads out of the archive")
        if "__MACOSX" in parts or (parts and (parts[-1].startswith("._") or parts[-1] == ".DS_Store")):
            return ""
        return "/".join(parts)

    def make(self, place: str) -> None:
        try:
            (self.folder / place).mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise self.refused(place, "is there twice, as a file and as a folder") from None

    def write(self, place: str, content: IO[bytes]) -> None:
        self.make(posixpath.dirname(place))
        try:
            with (self.folder / place).open("xb") as out:  # never over another
                while block := content.read(_BLOCK):
                    self.left -= len(block)
                    if self.left < 0:
                        self.exceeded()
                    out.write(block)
        except (FileExistsError, IsADirectoryError):
            raise self.refused(place, "is there twice") from None

    def note_link(self, place: str, target: str) -> None:
        inside = posixpath.normpath(target.replace("\\", "/"))
        if inside.startswith(("/", "../")) or inside == "..":
            raise self.refused(place, "is a link out of the archive")
        if place in self._links:
            raise self.refused(place, "is there twice")
        self._links[place] = inside

    def link(self) -> None:
        """Makes every link the file that it names, whichever of them comes first."""
        while self._links:
            ready = [place for place, target in self._links.items() if (self.folder / target).is_file()]
            if not ready:
                raise self.refused(next(iter(self._links)), "is a link to no file of the archive")
            for place in ready:
                with (self.folder / self._links.pop(place)).open("rb") as stream:
                    self.write(place, stream)


def _unpack_zip(unpacking: _Unpacking) -> None:
    with zipfile.ZipFile(unpacking.archive) as opened:
        for entry in opened.infolist():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if entry.flag_bits & 1:
                raise unpacking.refused(entry.filename, "is encrypted")
            if not (place := unpacking.place(entry.filename)):
                continue
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                raise unpacking.refused(entry.filename, "is neither a file nor a folder")
            if entry.is_dir():
                unpacking.make(place)
                continue
            with opened.open(entry) as stream:
                if kind == stat.S_IFLNK:
                    target = stream.read(_HEADER).decode("utf-8")
                    unpacking.note_link(place, posixpath.join(posixpath.dirname(place), target))
                else:
                    unpacking.write(place, stream)


class _Bounded:
    """A stream whose reads are bounded, each and together: a tar file is read to learn what it holds."""

    def __init__(self, stream: IO[bytes], unpacking: _Unpacking) -> None:
        self._stream, self._unpacking = stream, unpacking
        self._left = 2 * unpacking.left  # its headers take less than its content, or are no honest ones

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _HEADER:
            raise tarfile.ReadError(f"an entry's header has {size} bytes")
        self._left -= size
        return self._stream.read(size if self._left >= 0 else self._unpacking.exceeded())

    def seek(self, position: int) -> int:
        return self._stream.seek(position if position <= self._left else self._unpacking.exceeded())

    def tell(self) -> int:
        return self._stream.tell()


def _unpack_tar(unpacking: _Unpacking) -> None:
    ending = unpacking.archive.suffix.lower()
    opener: Any = {
        **dict.fromkeys((".gz", ".tgz"), gzip.open),
        **dict.fromkeys((".bz2", ".tbz2"), bz2.open),
        **dict.fromkeys((".xz", ".txz"), lzma.open),
    }.get(ending, open)
    with opener(unpacking.archive, "rb") as stream:
        bounded: Any = _Bounded(stream, unpacking)
        opened: Any = tarfile.TarFile(unpacking.archive, mode="r", fileobj=bounded)
        while (entry := opened.next()) is not None:
            opened.members.clear()  # which would hold all of them
            if not (place := unpacking.place(entry.name)):
                continue
            if entry.isdir():
                unpacking.make(place)
            elif entry.issym():
                unpacking.note_link(place, posixpath.join(posixpath.dirname(place), entry.linkname))
            elif entry.islnk():
                unpacking.note_link(place, entry.linkname)
            elif entry.isfile() and (content := opened.extractfile(entry)) is not None:
                unpacking.write(place, content)
            else:
                raise unpacking.refused(entry.name, "is neither a file nor a folder")
        # The library takes a file that is cut between two entries, or has a damaged header, for a whole one.
        bounded.seek(opened.offset)
        if bounded.read(_TAR_BLOCK) != b"\0" * _TAR_BLOCK:
            raise tarfile.ReadError("it ends before its end, or an entry's header is damaged")
