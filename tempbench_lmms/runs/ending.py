"""Ends `tempbench run` at a signal: one line says how many answers are stored, and what to do."""

import contextlib
import ctypes
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.data.outputs import REPEAT
from tempbench_lmms.data.terminal import tell

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""The signals with which a person or a launcher ends a run."""
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1
_SECONDS_TO_END = 10.0
_TRIES = 3


def stored(folder: Path, columns: str) -> list[tuple[Any, ...]]:
    """Returns these columns of each answer stored in a run's folder, also of interrupted starts."""
    rows: list[tuple[Any, ...]] = []
    for file in (folder / "cache" / "cache.db", *(folder / "cache").glob("runs/*/rank_*.db")):
        # Nobody writes a file without `-wal`; SQLite would make one to read it.
        still = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
        address = f"{file.absolute().as_uri()}?mode=ro{still}"
        # The next start reads and checks a file that cannot be read now (`harness.cache`).
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(address, uri=True)) as found,
        ):
            rows += found.execute(f"SELECT {columns} FROM responses")
    return rows


def kept(output: Path) -> int:
    """Returns the number of answers stored in a run's folder, with those of its repeats."""
    return len({key for one in (output, *output.glob(f"{REPEAT}*")) for key in stored(one, "cache_key")})


def advice(output: Path, first: str = "") -> str:
    """Returns how many answers are stored, and how to continue."""
    if n := kept(output):
        what = f"{n:,} answer{'s are' if n > 1 else ' is'} stored in {output}"
        return f"{what}, {first}give the same command again to continue"
    return f"no answer is stored yet, {first}give the command again, as it is or corrected"


@contextlib.contextmanager
def told(output: Path) -> Iterator[None]:
    """Makes SIGINT and SIGTERM print the line and end this process and all processes that it started."""

    def end(number: int, frame: Any) -> None:
        end_children()
        say(output, number)
        end_likewise(number)

    adopt()
    try:
        before = {number: signal.signal(number, end) for number in SIGNALS}
    except ValueError:  # only the main thread gets signals
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(output: Path, number: int) -> None:
    """Prints the line that a run prints when a signal ends it."""
    tell(f"ended by {signal.Signals(number).name}; {advice(output)}")


def end_likewise(number: int) -> SystemExit:
    """Ends this process by a signal; returns an exit status in case the signal does not end it."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return SystemExit(128 + number)


def adopt() -> None:
    """Makes this process, on Linux, the parent of its children's orphaned children."""
    _control(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Makes Linux kill this process when its parent ends, for whatever reason."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_children() -> None:
    """Ends all processes that this one started, such as an engine or data loaders, which hold GPU memory.

    On Linux this includes the orphaned children of its children (`adopt`).
    """
    import psutil

    for _ in range(_TRIES):  # processes started meanwhile come next
        if not (left := psutil.Process().children(recursive=True)):
            return
        for process in left:
            with contextlib.suppress(psutil.Error):  # it ended by itself
                process.kill()
        psutil.wait_procs(left, timeout=_SECONDS_TO_END)
