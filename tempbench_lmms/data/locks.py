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
_preparing: set[str] = set()


@contextlib.contextmanager
def locked(file: Path, busy: str, wanted: bool = True) -> Iterator[None]:
    """Keeps every other writer and reader of a lock away."""
    if not wanted:
        yield
        return
    _take(file, busy, shared=False)
    try:
        yield
    finally:
        _release(file)


@contextlib.contextmanager
def preparing(benchmark: str, wanted: bool = True) -> Iterator[None]:
    """Keeps a second `prepare` of a benchmark away; `before_change` then keeps the runs away."""
    home = data_home(benchmark)
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
    with locked(home / f".{benchmark}.prepare.lock", busy, wanted):
        if wanted:
            _preparing.add(benchmark)
        try:
            yield
        finally:
            _preparing.discard(benchmark)
            _release(_of_data(home / benchmark))


def before_change(root: Path) -> None:
    """Makes sure that no run reads prepared data; called by `prepare` before it changes anything of it.

    No run begins to read it until the command is at its end.
    """
    mine = _held.get(os.path.realpath(_of_data(root)))
    if root.name in _preparing and (mine is None or mine.shared):
        busy = f"a run is reading {root}; wait for its end or set TEMPBENCH_DATA to another folder"
        _take(_of_data(root), busy, shared=False)


def keep_reading(root: Path) -> None:
    """Keeps `prepare` from changing data until this process ends.

    Where there is no lock and none can be made, as in a read-only folder, there is nothing to wait for.
    """
    try:
        _take(_of_data(root), f"{root} is being prepared by another command; wait for its end", shared=True)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOENT, errno.EACCES, errno.EPERM):
            raise


def _of_data(root: Path) -> Path:
    # Beside the folder: what is in it is data, and `prepare` removes what is not.
    return root.with_name(f".{root.name}.lock")


def _take(file: Path, busy: str, shared: bool) -> None:
    """Takes a lock for this process."""
    name = os.path.realpath(file)
    mine = _held.get(name)
    if mine and mine.process != os.getpid():  # of the process that this one was forked from
        os.close(_held.pop(name).file)
        mine = None
    if mine and shared:
        return
    if mine and not mine.shared:
        raise TempbenchError(busy)
    if fcntl is None:
        return
    opened = mine.file if mine else _opened(file, shared)
    try:
        fcntl.lockf(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if not mine:
            os.close(opened)
        if error.errno in (errno.EACCES, errno.EAGAIN):
            raise TempbenchError(busy) from None
        raise NoLocksError(
            f"{file.parent} is on a file system without locks ({error.strerror}), so nothing keeps a second "
            "command out; make sure that there is none and add --no-lock"
        ) from None
    _held[name] = _Held(opened, shared, os.getpid())


def _opened(file: Path, shared: bool) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if not shared:
            raise TempbenchError(
                f"{file.parent} cannot be written ({error.strerror}); choose another folder"
            ) from None
        return os.open(file, os.O_RDONLY)  # of another user: enough to read


def _release(file: Path) -> None:
    mine = _held.pop(os.path.realpath(file), None)
    if mine and mine.process == os.getpid():
        os.close(mine.file)
