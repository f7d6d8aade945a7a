"""Locks on folders: writers exclude each other, and a writer excludes all readers.

The locks are POSIX record locks (`fcntl.lockf`). They belong to a process: the kernel frees them when it
ends, and children do not inherit them, so an engine or a data loader that outlives a killed run holds no
lock. (`flock` belongs to the open file, which children inherit.) A process number in a file would be
unreliable: the number may be reused, and it means nothing on another machine of a shared drive, where record
locks work. A process may take a lock twice; the table `_held` prevents that.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.data.roots import data_home
from tempbench_lmms.data.terminal import tell
from tempbench_lmms.errors import TempbenchError

try:
    import fcntl
except ImportError:  # Windows has no such locks: nothing is locked there
    fcntl = None  # type: ignore[assignment]


@dataclass
class _Held:
    file: int
    shared: bool
    process: int


_held: dict[str, _Held] = {}
_preparing: set[str] = set()


@contextlib.contextmanager
def locked(file: Path, busy: str) -> Iterator[None]:
    """Excludes every other writer and reader of a lock."""
    _take(file, busy, shared=False)
    try:
        yield
    finally:
        _release(file)


@contextlib.contextmanager
def preparing(benchmark: str) -> Iterator[None]:
    """Excludes a second `prepare` of a benchmark; `before_change` then also excludes runs."""
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
    with locked(home / f".{benchmark}.prepare.lock", busy):
        _preparing.add(benchmark)
        try:
            yield
        finally:
            _preparing.discard(benchmark)
            _release(_of_data(home / benchmark))


def before_change(root: Path) -> None:
    """Ensures that no run reads prepared data; `prepare` calls it before it changes anything.

    No run can start to read the data until the command ends.
    """
    mine = _held.get(os.path.realpath(_of_data(root)))
    if root.name in _preparing and (mine is None or mine.shared):
        busy = f"a run is reading {root}; wait for its end or set TEMPBENCH_DATA to another folder"
        _take(_of_data(root), busy, shared=False)


def keep_reading(root: Path) -> None:
    """Prevents `prepare` from changing data until this process ends.

    If no lock exists and none can be made, as in a read-only folder, there is nothing to wait for.
    """
    try:
        _take(_of_data(root), f"{root} is being prepared by another command; wait for its end", shared=True)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.ENOENT, errno.EACCES, errno.EPERM):
            raise


def _of_data(root: Path) -> Path:
    # Beside the folder, because `prepare` removes everything from it that is not data.
    return root.with_name(f".{root.name}.lock")


def _take(file: Path, busy: str, shared: bool) -> None:
    """Takes a lock for this process."""
    name = os.path.realpath(file)
    mine = _held.get(name)
    if mine and mine.process != os.getpid():  # locks of the process from which this one was forked
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
        what = f"{file.parent} is on a file system without locks ({error.strerror})"
        tell(f"{what}; start no second command there")
        return
    _held[name] = _Held(opened, shared, os.getpid())


def _opened(file: Path, shared: bool) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if not shared:
            raise TempbenchError(
                f"{file.parent} cannot be written ({error.strerror}); choose another folder"
            ) from None
        return os.open(file, os.O_RDONLY)  # another user's file: a read lock is enough


def _release(file: Path) -> None:
    mine = _held.pop(os.path.realpath(file), None)
    if mine and mine.process == os.getpid():
        os.close(mine.file)
