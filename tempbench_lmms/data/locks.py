"""Locks on folders: two that write exclude each other, and one that writes excludes all that read.

The locks are POSIX record locks (`fcntl.lockf`). They belong to the process that took them: the kernel frees
them when it ends, however it ends, and no child inherits one, neither by a fork nor by an open file, so an
engine or a loader of data that outlives a killed run holds nothing. (`flock` belongs to the open file, which
children inherit.) A process number in a file would need a guess whether that process still is the one that
wrote it, and says nothing on another machine of a shared drive, where record locks hold. They let a process
take what it holds itself; the table `_held` keeps it from that.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.data.roots import data_home
from tempbench_lmms.errors import TempbenchError

try:
    import fcntl
except ImportError:  # Windows has none: nothing is kept out there
    fcntl = None  # type: ignore[assignment]


class NoLocksError(TempbenchError):
    """A file system has no locks."""


@dataclass
class _Held:
    file: int
    shared: bool
    process: int


_held: dict[str, _Held] = {}


@contextlib.contextmanager
def locked(file: Path, busy: str, wanted: bool = True) -> Iterator[None]:
    """Keeps every other writer and reader of a lock away.

    Args:
        file: The lock's file; it is made and stays, unless `preparing` leaves nothing else.
        busy: What to say where another one holds it.
        wanted: False takes no lock.

    Raises:
        TempbenchError: Another one holds it.
        NoLocksError: The file system has no locks.
    """
    if not wanted:
        yield
        return
    name = _take(file, busy, shared=False)
    try:
        yield
    finally:
        _release(name)


@contextlib.contextmanager
def preparing(benchmark: str, wanted: bool = True) -> Iterator[None]:
    """Keeps a second `prepare` of a benchmark away; `before_change` then keeps the runs away.

    Where it fails before it has written a file, no folder and no lock of it stays.

    Raises:
        TempbenchError: Another one is at work, the folder cannot be written, or it has no locks.
    """
    home = data_home(benchmark)
    lock, root = home / f".{benchmark}.prepare.lock", home / benchmark
    there = [folder for folder in (root, home) if folder.exists()]
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TempbenchError(
            f"{home} cannot be made ({error.strerror}); set TEMPBENCH_DATA to another folder"
        ) from None
    busy = (
        f"another command is preparing {benchmark} in {home}; wait for it or set TEMPBENCH_DATA to another "
        "folder"
    )
    with locked(lock, busy, wanted):
        if wanted:
            _preparing.add(benchmark)
        try:
            yield
        except BaseException:
            if not any(files for _, _, files in os.walk(root)):
                if root not in there:
                    shutil.rmtree(root, ignore_errors=True)
                # From here on another command can lock new files, and write into the folder.
                _remove(_of_data(root))
                _remove(lock)
                if home not in there:
                    with contextlib.suppress(OSError):  # what is in it is another command's
                        home.rmdir()
            raise
        finally:
            _preparing.discard(benchmark)
            _release(_name(_of_data(root)))


_preparing: set[str] = set()


def before_change(root: Path) -> None:
    """Makes sure that no run reads prepared data; called by `prepare` before it changes anything of it.

    No run begins to read it until the command is at its end.

    Args:
        root: The folder of the data.

    Raises:
        TempbenchError: A run reads it.
    """
    mine = _held.get(_name(_of_data(root)))
    if root.name in _preparing and (mine is None or mine.shared):
        busy = f"a run is reading {root}; wait for its end or set TEMPBENCH_DATA to another folder"
        _take(_of_data(root), busy, shared=False)


def keep_reading(root: Path) -> None:
    """Keeps `prepare` from changing data until this process ends.

    Where there is no lock and none can be made, as in a read-only folder, there is nothing to wait for.

    Args:
        root: The folder of the data.

    Raises:
        TempbenchError: It is being changed.
        NoLocksError: The file system has no locks.
    """
    busy = f"{root} is being prepared by another command; wait for its end"
    try:
        _take(_of_data(root), busy, shared=True)
    except PermissionError:
        return
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOENT):
            raise


def _of_data(root: Path) -> Path:
    # Beside the folder: what is in it is data, and `prepare` removes what is not.
    return root.with_name(f".{root.name}.lock")


def _take(file: Path, busy: str, shared: bool) -> str:
    """Takes a lock for this process, and returns the name under which it is held."""
    name = _name(file)
    mine = _held.get(name)
    if mine and mine.process != os.getpid():  # of the process that this one was forked from
        _held.pop(name)
        os.close(mine.file)
        mine = None
    if mine and shared:
        return name
    if mine and not mine.shared:
        raise TempbenchError(busy)
    if fcntl is None:
        return name
    opened = mine.file if mine else _opened(file, shared)
    _lock(opened, file, busy, shared, close=mine is None)
    while not _is_still(opened, file):
        # Who held it has removed it: what is locked now is a file that nobody else will find.
        _release(name) if mine else os.close(opened)
        mine, opened = None, _opened(file, shared)
        _lock(opened, file, busy, shared, close=True)
    _held[name] = _Held(opened, shared, os.getpid())
    return name


def _lock(opened: int, file: Path, busy: str, shared: bool, close: bool) -> None:
    """Locks an open file, or closes it and raises."""
    assert fcntl is not None
    try:
        fcntl.lockf(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if close:
            os.close(opened)
        if error.errno in (errno.EACCES, errno.EAGAIN):
            raise TempbenchError(busy) from None
        raise NoLocksError(
            f"{file.parent} is on a file system without locks ({error.strerror}), so nothing keeps a second "
            "command out; make sure that there is none and add --no-lock"
        ) from None


def _is_still(opened: int, file: Path) -> bool:
    """Returns whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(opened), os.stat(file))
    except FileNotFoundError:
        return False


def _remove(file: Path) -> None:
    """Removes a lock's file that this process holds alone; it is held until it is released."""
    mine = _held.get(_name(file))
    if mine and not mine.shared and mine.process == os.getpid():
        file.unlink(missing_ok=True)


def _name(file: Path) -> str:
    return os.path.realpath(file)


def _opened(file: Path, shared: bool) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if not shared:
            raise TempbenchError(
                f"{file.parent} cannot be written ({error.strerror}); choose another folder"
            ) from None
        return os.open(file, os.O_RDONLY)  # of another user: enough to read


def _release(name: str) -> None:
    mine = _held.pop(name, None)
    if mine and mine.process == os.getpid():
        os.close(mine.file)
