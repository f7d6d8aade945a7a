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

from tempbench_lmms.data.run_files import REPEAT

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""The signals with which a person or a launcher ends a run."""
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1
_SECONDS_TO_END = 10.0
_TRIES = 3


def kept(output: Path) -> int:
    """Returns the number of answers stored in a run's folder, including those of interrupted starts."""
    keys: set[str] = set()
    for file in (file for one in (output, *output.glob(f"{REPEAT}*")) for file in stores(one)):
        # The next start reads and checks a file that cannot be read now (`harness.cache`).
        with contextlib.suppress(sqlite3.Error), contextlib.closing(opened(file)) as found:
            keys.update(key for (key,) in found.execute("SELECT cache_key FROM responses"))
    return len(keys)


def stores(output: Path) -> list[Path]:
    """Returns the files that may hold a run's answers; the first one exists only after a start has ended."""
    return [output / "cache" / "cache.db", *(output / "cache").glob("runs/*/rank_*.db")]


def opened(file: Path) -> sqlite3.Connection:
    """Returns a file of answers, opened for reading."""
    # Nobody writes a file without `-wal`; SQLite would make one to read it.
    still = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro{still}", uri=True)


def line(output: Path, number: int) -> str:
    """Returns the line that a run prints when a signal ends it."""
    return f"ended by {signal.Signals(number).name}; {advice(output)}"


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
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(output: Path, number: int) -> None:
    """Prints the line."""
    print(f"tempbench: {line(output, number)}", file=sys.stderr, flush=True)


def end_likewise(number: int) -> SystemExit:
    """Ends this process by a signal; returns an exit status in case the signal does not end it."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return SystemExit(128 + number)


def adopt() -> None:
    """Makes this process, on Linux, the parent of its children's orphaned children."""
    process_control(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Makes Linux kill this process when its parent ends, for whatever reason."""
    process_control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def process_control(option: int, value: int) -> None:
    """Sets an option of this process, on Linux."""
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
