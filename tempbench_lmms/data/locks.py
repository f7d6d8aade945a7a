"""Locks on folders: writers exclude each other, and a writer excludes all readers.

The locks are POSIX record locks (`fcntl.lockf`), because `filelock` has no locks that readers share, and its
locks (`flock`) pass to children: an engine or a data loader that outlives a killed run would hold the run's.
Record locks belong to a process: the kernel frees them when it ends. They also work on shared drives. A
process may take a lock twice; the table `_held` prevents that.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data.roots import home_to_write
from tempbench_lmms.data.terminal import tell
from tempbench_lmms.errors import TempbenchError

_held: dict[
    str, tuple[int, bool]
] = {}  # by path, the descriptor of an open file, and whether readers share it
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
    home = home_to_write(benchmark).parent
    home.mkdir(parents=True, exist_ok=True)
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
    if root.name in _preparing and _held.get(os.path.realpath(_of_data(root)), (0, True))[1]:
        busy = f"a run is reading {root}; wait for its end or set TEMPBENCH_DATA to another folder"
        _take(_of_data(root), busy, shared=False)


def keep_reading(root: Path) -> None:
    """Prevents `prepare` from changing data until this process ends.

    If no lock exists and none can be made, as in a read-only folder, there is nothing to wait for.
    """
    with contextlib.suppress(OSError):
        _take(_of_data(root), f"{root} is being prepared by another command; wait for its end", shared=True)


def _of_data(root: Path) -> Path:
    # Beside the folder, because `prepare` removes everything from it that is not data.
    return root.with_name(f".{root.name}.lock")


def _take(file: Path, busy: str, shared: bool) -> None:
    name = os.path.realpath(file)
    opened, is_shared = _held.get(name, (-1, True))
    if opened >= 0 and shared:
        return
    if not is_shared:
        raise TempbenchError(busy)
    if opened < 0:
        try:
            opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            if not shared:
                raise
            opened = os.open(file, os.O_RDONLY)  # another user's file: a read lock is enough
    try:
        fcntl.lockf(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if name not in _held:
            os.close(opened)
        if error.errno in (errno.EACCES, errno.EAGAIN):
            raise TempbenchError(busy) from None
        what = f"{file.parent} is on a file system without locks ({error.strerror})"
        tell(f"{what}; start no second command there")
        return
    _held[name] = (opened, shared)


def _release(file: Path) -> None:
    opened, _ = _held.pop(os.path.realpath(file), (None, True))
    if opened is not None:
        os.close(opened)
