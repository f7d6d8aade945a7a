"""How `tempbench run` ends before its end: one line says how many answers are kept, and what to do."""

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
"""What a person or a launcher ends a run by."""
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1
_SECONDS_TO_END = 10.0
_TRIES = 3


def kept(output: Path) -> int:
    """Returns how many answers are stored in a run's folder, those of its interrupted starts included."""
    keys: set[str] = set()
    for file in (file for one in (output, *output.glob(f"{REPEAT}*")) for file in stores(one)):
        # A file that cannot be read now is read, and judged, by the next start (`harness.cache`).
        with contextlib.suppress(sqlite3.Error), contextlib.closing(opened(file)) as found:
            keys.update(key for (key,) in found.execute("SELECT cache_key FROM responses"))
    return len(keys)


def stores(output: Path) -> list[Path]:
    """Returns the files that may hold a run's answers, the first of them only where a start has ended."""
    return [output / "cache" / "cache.db", *(output / "cache").glob("runs/*/rank_*.db")]


def opened(file: Path) -> sqlite3.Connection:
    """Returns a file of answers, opened for reading."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)


def line(output: Path, number: int) -> str:
    """Returns what a run says that a signal ended."""
    return f"ended by {signal.Signals(number).name}; {advice(output)}"


def advice(output: Path, first: str = "") -> str:
    """Returns how many answers are kept, and what to do to go on."""
    if n := kept(output):
        what = f"{n:,} answer{'s are' if n > 1 else ' is'} kept in {output}"
        return f"{what}, {first}give the same command again to continue"
    return f"no answer is kept yet, {first}give the command again, as it is or corrected"


@contextlib.contextmanager
def told(output: Path) -> Iterator[None]:
    """Has SIGINT and SIGTERM end this process with the line, and all processes that it has started."""

    def end(number: int, frame: Any) -> None:
        end_children()
        say(output, number)
        end_likewise(number)

    adopt()
    try:
        before = {number: signal.signal(number, end) for number in SIGNALS}
    except ValueError:  # not in the main thread, which alone gets signals
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
    """Ends this process by a signal; returns what ends it where the signal does not."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return SystemExit(128 + number)


def adopt() -> None:
    """Has Linux give the children of a child that has ended to this process."""
    process_control(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Has Linux kill this process where its parent ends, however that does."""
    process_control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def process_control(option: int, value: int) -> None:
    """Sets an option of this process, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_children() -> None:
    """Ends all that this process has started, as an engine or loaders of data, which hold a GPU's memory.

    Linux gives the children of a child that has ended to this process (`adopt`).
    """
    import psutil

    for _ in range(_TRIES):  # what was started meanwhile comes next
        if not (left := psutil.Process().children(recursive=True)):
            return
        for process in left:
            with contextlib.suppress(psutil.Error):  # it ended by itself
                process.kill()
        psutil.wait_procs(left, timeout=_SECONDS_TO_END)
