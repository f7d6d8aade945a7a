"""Ends a run that hangs at a question, and starts it again without that question.

A process cannot recover from its own call that never returns or that the kernel kills for its memory: native
code may hold the interpreter. So `tempbench run` forks before it imports anything large. The child is the
run; a pipe tells the parent what is being asked and how long that may take. The parent ends a child that
takes longer, with all its processes, and starts another. The questions that were being asked are then asked
one at a time; a question that ends a child again has failed. The parent stores this in the run's folder
for later starts. Under `torchrun`, which must restart all processes itself, each process is watched
in this way, but none is restarted.
"""

import contextlib
import ctypes
import functools
import json
import math
import os
import select
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import outputs, tables, terminal

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # with which a person or a launcher ends a run
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
    return len(
        {key for one in (output, *output.glob(f"{outputs.REPEAT}*")) for key in stored(one, "cache_key")}
    )


def advice(output: Path, first: str = "") -> str:
    """Returns how many answers are stored, and how to continue."""
    if n := kept(output):
        return (
            f"{n:,} answer{'s are' if n > 1 else ' is'} stored in {output}, {first}give the same command "
            "again to continue"
        )
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
    terminal.tell(f"ended by {signal.Signals(number).name}; {advice(output)}")


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


FOLDER = "asking"
_SECONDS_A_LOOK = 0.2
_BY_ITSELF = {
    getattr(signal, name)
    for name in ("SIGKILL", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
    if hasattr(signal, name)
}

Tell = Callable[[Sequence[str], float | None, int], None]


def ended_questions(output: Path) -> dict[str, list[str]]:
    """Returns, by question, why processes of a run ended while they were asking it."""
    known: dict[str, list[str]] = {}
    for file in sorted((output / FOLDER).glob("*.json")):
        # Questions in a file that cannot be read are asked as usual, and new failures are recorded.
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            for name, reasons in tables.read_json(file).items():
                known[name] = max(known.get(name, []), [*map(str, reasons)], key=len)
    return known


def failed(known: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Returns the questions that are not asked again before the run reaches its end, with the reason."""
    return {name: reasons[-1] for name, reasons in known.items() if len(reasons) > 1}


def settle(output: Path) -> None:
    """Lets the next start ask failed questions again, one at a time; called at the end of a run."""
    left = {name: [reason] for name, reason in failed(ended_questions(output)).items()}
    for file in (output / FOLDER).glob("*"):
        file.unlink(missing_ok=True)
    if left:
        _write(left, output)
    elif (output / FOLDER).is_dir():
        (output / FOLDER).rmdir()


def _write(known: Mapping[str, Sequence[str]], output: Path) -> None:
    folder = output / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    tables.write_json(known, folder / f"rank_{os.environ.get('RANK') or 0}.json")


def is_possible() -> bool:
    """Returns whether this process can be forked: it is fresh, and its streams are its own."""
    # The harness's list of models, which checks a model's name, is light.
    if not hasattr(os, "fork") or {"torch", "lmms_eval.evaluator"} & sys.modules.keys():
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return threading.active_count() == 1


def supervised(output: Path) -> Tell:
    """Forks; returns in the child what reports calls to the parent, which exits with the child's status."""
    restart = int(os.environ.get("WORLD_SIZE") or 1) < 2
    known = ended_questions(output)
    deaths = 0
    while True:
        reading, writing = os.pipe()
        if not (process := _forked()):
            os.close(reading)
            return functools.partial(_tell, writing)
        os.close(writing)
        child = _Child(process, reading)
        status = child.wait()
        if status >= 0:
            raise SystemExit(status)
        reason = child.reason(-status)
        end_children()
        if reason is None:
            say(output, -status)
            raise end_likewise(-status)
        if not child.asked:
            terminal.tell(f"{reason} while no question was being asked; answers so far are stored")
            raise SystemExit(128 - status)
        for name in child.asked:
            known.setdefault(name, []).append(reason)
        _write(known, output)
        deaths += 1
        more = f" and {len(child.asked) - 1} more" if len(child.asked) > 1 else ""
        what = f"{reason} (asked: {child.asked[0]}{more})"
        if not restart or deaths > 2 * child.borne + 3:
            if restart:
                settle(output)
            terminal.tell(f"{what}; answers so far are stored, give the same command again to continue")
            raise SystemExit(1)
        terminal.tell(f"{what}; restarting, and asking this question separately")


def _forked() -> int:
    """Forks; returns 0 in the child, which ends with its parent and lets the parent print messages."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    adopt()
    if process := os.fork():
        return process
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    end_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    return 0


def _tell(pipe: int, names: Sequence[str], seconds: float | None, borne: int) -> None:
    message = json.dumps([list(names), seconds, borne]).encode() + b"\n"
    while message:
        message = message[os.write(pipe, message) :]


class _Child:
    """The child process of a run, as its parent sees it."""

    def __init__(self, process: int, pipe: int) -> None:
        self.asked: list[str] = []
        self.borne = 0
        self._process, self._pipe = process, pipe
        self._limit = self._end = math.inf
        self._late, self._unread = False, b""

    def wait(self) -> int:
        """Waits for the child, and ends it if a call takes too long; returns its status as `Popen` does."""
        while True:
            done, status = os.waitpid(self._process, os.WNOHANG)
            if done:
                while self._read():
                    pass
                os.close(self._pipe)
                return os.waitstatus_to_exitcode(status)
            if not self._read(_SECONDS_A_LOOK):
                time.sleep(_SECONDS_A_LOOK / 20)
            if self.asked and time.monotonic() > self._end and not self._late:
                self._late = True
                os.kill(self._process, signal.SIGKILL)

    def _read(self, seconds: float = 0.0) -> bool:
        """Waits for reports of the child and reads them; returns whether there were any."""
        if not select.select([self._pipe], [], [], seconds)[0]:
            return False
        found = os.read(self._pipe, 1 << 16)
        *lines, self._unread = (self._unread + found).split(b"\n")
        if lines:
            self.asked, limit, self.borne = json.loads(lines[-1])
            self._limit = math.inf if limit is None else limit
            self._end = time.monotonic() + self._limit
        return bool(found)

    def reason(self, number: int) -> str | None:
        """Returns why a signal ended the child; None if somebody ended it on purpose."""
        if self._late:
            return f"no answer within {self._limit:,.0f} s"
        if number not in _BY_ITSELF:
            return None
        more = ", as the kernel does if memory runs out" if number == signal.SIGKILL else ""
        return f"the process was ended by {signal.Signals(number).name}{more}"
