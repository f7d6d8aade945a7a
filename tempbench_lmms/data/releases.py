"""Finds a release on the user's disk, by one rule for every benchmark, and unpacks its zip and tar files.

It is in the folder that the user names, or up to three levels below; for the Hub's cache, in its snapshot.
Suffixes may be in capitals.

Archives are unpacked into a hidden folder beside the prepared data, into which the source's other files are
linked. The folder is removed at the end; whatever is needed longer is copied from it. An archive's content
appears there completely or not at all, and the source does not change. The names in an archive are not
trusted. An archive is refused if an entry leads elsewhere, is not a file, appears twice, or does not fit on
the disk.
"""

import contextlib
import filecmp
import lzma
import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

from tempbench_lmms.data import hub, terminal
from tempbench_lmms.errors import TempbenchError

VIDEO_SUFFIXES = (
    *(".mp4", ".m4v", ".mov", ".3gp", ".3g2", ".mkv", ".webm", ".avi", ".flv", ".gif"),
    *(".mpg", ".mpeg", ".vob", ".ts", ".mts", ".m2ts", ".wmv", ".asf", ".ogv"),
)
"""Other files in a folder are ignored. A file's suffix has no further meaning."""

PICTURE_SUFFIXES = (
    *(".tif", ".tiff", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".avif"),
    *(".jp2", ".j2k", ".jpx", ".jpf", ".j2c", ".jpc"),
)
"""The same of pictures."""

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


SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


# The endings of the names of a set's archives: part_1.zip, part_2.zip; videos-00001-of-00004.tar.
_SET = re.compile(r"[-_. ]*\d+([-_. ]*of[-_. ]*\d+)?$", re.IGNORECASE)


@contextlib.contextmanager
def unpacked(source: Path, root: Path) -> Iterator[Path]:
    """Yields a folder with everything that a source holds; the source itself if it has no archive.

    An archive's content is beside the archive, in a folder with its name; parts of a set, such as
    `part_1.zip` and `part_2.zip`, share one. Content that the user has already unpacked beside it is taken
    once. The source's own files are links in the folder, so code that checks links must trust both the source
    and the folder.
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
                f"{folder} cannot be written ({error.strerror or error}); free space, set TEMPBENCH_DATA to "
                "another folder, or unpack the archives yourself"
            ) from None
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpacked_if_any(source: Path | None, root: Path) -> contextlib.AbstractContextManager[Path | None]:
    """Returns what `unpacked` does; a context with None without a source."""
    return unpacked(source, root) if source else contextlib.nullcontext()


def first_with_archives(places: Iterable[Path]) -> tuple[Path | None, list[Path]]:
    """Returns the first place with archives, and its archives; None and nothing if no place has any."""
    return next(((place, found) for place in places if (found := archives_in(place))), (None, []))


def archives_in(source: Path) -> list[Path]:
    """Returns the archives of a source by name, or the source itself if it is one."""
    if not source.is_dir():
        return [source] if stem(source) else []
    return sorted(path for path in _files(source) if stem(path))


def _files(source: Path) -> Iterator[Path]:
    """Yields the files below a folder; hidden folders do not belong to a release."""
    for folder, inner, names in os.walk(source):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def stem(path: Path) -> str:
    """Returns an archive's name without its suffix; "" for another file."""
    ending = next((one for one in sorted(SUFFIXES, key=len)[::-1] if path.name.lower().endswith(one)), "")
    return path.name[: -len(ending)] if ending else ""


def _prepare(source: Path, found: Sequence[Path], folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)  # left by a killed command
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
    own = stem(path)
    of_set = _SET.sub("", own)
    same = [one for one in found if one.parent == path.parent and _SET.sub("", stem(one)) == of_set]
    return of_set if of_set and len(same) > 1 else own


def _take_in(archive: Path, partial: Path, folder: Path, name: str) -> None:
    """Moves an archive's content to its place, without repeating a folder `name` around all of it."""
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
                raise TempbenchError(
                    f"{archive}: its {str(inside)[:120]!r} differs from the file of this name in another "
                    "archive or beside it; rename or remove one of them, or unpack the archives yourself"
                )
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, place)


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks one archive; a link in a tar file becomes the file that it names.

    Raises:
        TempbenchError: The archive is refused or damaged; files already unpacked are not removed.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True)
    room = shutil.disk_usage(folder).free
    is_zip = archive.name.lower().endswith(".zip")
    try:
        for name, size, content in (_of_zip if is_zip else _of_tar)(archive):
            if not (place := _place(archive, name)):
                continue
            if (room := room - size) < 0:
                raise TempbenchError(f"{archive} does not fit in {folder.parent}; free space and try again")
            try:
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                with (folder / place).open("xb") as out:  # never over another
                    shutil.copyfileobj(content, out, 1 << 20)
            except (FileExistsError, NotADirectoryError, IsADirectoryError):
                raise _refused(archive, name, "is there twice") from None
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # gzip and bz2 have no own error for damaged data
        why = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise TempbenchError(
            f"{archive} cannot be unpacked ({why}); download it again, or unpack it yourself"
        ) from None


_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, KeyError,
            RuntimeError, ValueError)  # fmt: skip


def _refused(archive: Path, name: str, why: str) -> TempbenchError:
    return TempbenchError(
        f"{archive}: the entry {name[:120]!r} {why}, so the archive is refused; download it again from its "
        "publisher, or unpack it yourself"
    )


def _place(archive: Path, name: str) -> str:
    r"""Returns the place of an entry; "" for entries that are not content, such as those that a Mac adds.

    >>> _place(Path("a.zip"), "./images\\1.jpg")
    'images/1.jpg'
    """
    parts = [part for part in re.split(r"[\\/]", name) if part not in ("", ".")]
    if ".." in parts or re.match(r"[\\/]|[A-Za-z]:[\\/]", name):
        raise _refused(archive, name, "leads out of the archive")
    is_of_a_mac = "__MACOSX" in parts or (parts and (parts[-1].startswith("._") or parts[-1] == ".DS_Store"))
    return "" if is_of_a_mac else "/".join(parts)


def _of_zip(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _refused(archive, entry.filename, "is no file")
            if not entry.is_dir():
                with opened.open(entry) as content:
                    yield entry.filename, entry.file_size, content


def _of_tar(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with tarfile.open(archive) as opened:
        for entry in opened:
            if not entry.isdir():
                content = opened.extractfile(entry)  # of a link, the file in the archive
                if content is None:
                    raise _refused(archive, entry.name, "is no file")
                size = content.seek(0, os.SEEK_END)
                content.seek(0)
                yield entry.name, size, content
        # The library accepts a file that is cut between two entries or has a damaged header.
        assert opened.fileobj is not None
        opened.fileobj.seek(opened.offset)
        if opened.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it is cut off, or the header of an entry is damaged")


def chosen(given: Iterable[str], offered: Collection[str], what: str) -> list[str]:
    """Returns the given names, in the order of the offered ones."""
    names = {name.strip() for name in given}
    if unknown := sorted(names - {*offered}):
        raise TempbenchError(f"{unknown[0]!r} is not a {what}; choose from {', '.join(offered)}")
    return [name for name in offered if name in names]
