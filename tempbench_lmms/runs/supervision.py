"""Ends a run that hangs at a question, and starts it again without the question that ended it.

A call that never returns, or that the kernel ends for its memory, cannot be mended in the process that made
it: native code may hold the interpreter. So `tempbench run` forks, before anything large is imported. The
child is the run; the parent knows by a pipe what is being asked, and how long that may take. It ends a child
that takes longer, with all processes that it left, and starts another. What was being asked when a child
ended is asked alone from then on; a question that ends a child again when it is alone has failed.

The parent notes what it learned in the run's folder (`Known`), so that a later start knows it too. Under
`torchrun`, which alone can start all processes anew, each process is watched so, and none is started again.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables

FOLDER = "asking"
_SECONDS_A_LOOK = 0.2
# Longer than a look takes on any machine: the rest is time in which nothing ran, as after Ctrl-Z.
_LONGEST_LOOK = 5.0
_SECONDS_TO_END = 10.0
_BY_ITSELF = {
    getattr(signal, name)
    for name in ("SIGKILL", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
    if hasattr(signal, name)
}
_PASSED_ON = [
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2") if hasattr(signal, name)
]
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

Tell = Callable[[Sequence[str], float | None, int], None]


@dataclass
class Known:
    """What ended processes of a run.

    Attributes:
        tries: How often a process ended while it was asking a question.
        failed: Questions that are not asked any more until the run has been at its end, with the reason.
    """

    tries: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def apart(self) -> set[str]:
        """The questions that are asked alone."""
        return {*self.tries, *self.failed}

    def add(self, asked: Sequence[str], reason: str) -> None:
        """Notes that a process ended while it was asking."""
        for name in asked:
            self.tries[name] = self.tries.get(name, 0) + 1
        if len(asked) == 1 and self.tries[asked[0]] > 1:
            self.failed[asked[0]] = reason


def read(output: Path) -> Known:
    """Returns what all processes of a run noted in its folder; what cannot be read is not known."""
    known = Known()
    for file in sorted((output / FOLDER).glob("*.json")):
        try:
            found = tables.parse_json(file.read_text(encoding="utf-8"))
            tries = {str(name): int(count) for name, count in found["tries"].items()}
            known.failed |= {str(name): str(why) for name, why in found["failed"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # the questions are asked as if nothing had happened, and what happens is noted again
        known.tries |= tries
    return known


def settle(output: Path) -> None:
    """Lets the next start ask again what failed, alone; called when a run is at its end."""
    known = read(output)
    for file in (output / FOLDER).glob("*"):
        file.unlink(missing_ok=True)
    if known.failed:
        _write(Known(tries=dict.fromkeys(known.failed, 1)), output)
    elif (output / FOLDER).is_dir():
        (output / FOLDER).rmdir()


def _write(known: Known, output: Path) -> None:
    folder = output / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"rank_{os.environ.get('RANK') or 0}.json"
    tables.write_json({"tries": known.tries, "failed": known.failed}, file)


def is_possible() -> bool:
    """Whether this process can be forked: it is a fresh one, and its streams are its own."""
    if not hasattr(os, "fork") or {"torch", "lmms_eval"} & sys.modules.keys():
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return threading.active_count() == 1


def supervised(output: Path) -> Tell:
    """Forks, and returns in the child alone; the parent ends as the child does.

    Args:
        output: The run's folder.

    Returns:
        What tells the parent of calls.

    Raises:
        SystemExit: In the parent, with the child's status.
    """
    restart = int(os.environ.get("WORLD_SIZE") or 1) < 2
    known = read(output)
    deaths = 0
    while True:
        child = _Child()
        if child.is_this:
            return child.tell
        status = child.wait()
        if status >= 0:
            raise SystemExit(status)
        reason = child.reason(-status)
        if reason is None:
            if not restart and -status == signal.SIGTERM:
                _say(
                    f"process {os.environ.get('RANK')} was ended by SIGTERM, as a launcher ends all when one "
                    "has ended; answers so far are kept, give the same command again to continue"
                )
            raise _end_likewise(-status)
        child.end_what_it_left()
        if not child.asked:
            _say(f"{reason} while no question was asked; answers so far are kept")
            raise SystemExit(128 - status)
        known.add(child.asked, reason)
        _write(known, output)
        deaths += 1
        more = f" and {len(child.asked) - 1} more" if len(child.asked) > 1 else ""
        what = f"{reason} (asked: {child.asked[0]}{more})"
        if not restart or deaths > 2 * child.borne + 3:
            if restart:
                settle(output)
            _say(f"{what}; answers so far are kept, give the same command again to continue")
            raise SystemExit(1)
        _say(f"{what}; starting again, and asking that apart")


class _Child:
    """The process that is the run, seen from its parent, and the parent, seen from it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.borne = 0
        self._limit: float | None = None
        self._late = False
        self._spent = 0.0
        self._unread = b""
        sys.stdout.flush()
        sys.stderr.flush()
        reading, writing = os.pipe()
        handlers = {number: signal.signal(number, self._pass_on) for number in _PASSED_ON}
        # Ctrl-C reaches the child too, which ends by it or not.
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, lambda number, frame: None)
        parent = os.getpid()
        _process_control(_PR_SET_CHILD_SUBREAPER, 1)
        self.process = os.fork()
        self.is_this = self.process == 0
        if self.is_this:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            _process_control(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            os.close(reading)
            self._pipe = writing
        else:
            self._handlers = handlers
            os.close(writing)
            self._pipe = reading

    def tell(self, names: Sequence[str], seconds: float | None, borne: int) -> None:
        """Tells the parent what is asked; called in the child."""
        message = json.dumps([list(names), seconds, borne]).encode() + b"\n"
        while message:
            message = message[os.write(self._pipe, message) :]

    def wait(self) -> int:
        """Waits for the child, and ends it where a call takes too long.

        Returns:
            Its exit status, or the negative number of the signal that ended it.
        """
        last = time.monotonic()
        while True:
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                while self._read():
                    pass
                os.close(self._pipe)
                for number, handler in self._handlers.items():
                    signal.signal(number, handler)
                return os.waitstatus_to_exitcode(status)
            if not self._read(_SECONDS_A_LOOK):
                time.sleep(_SECONDS_A_LOOK / 20)
            now = time.monotonic()
            self._spent += min(now - last, _LONGEST_LOOK)
            last = now
            if self.asked and self._limit is not None and self._spent > self._limit and not self._late:
                self._late = True
                os.kill(self.process, signal.SIGKILL)

    def _read(self, seconds: float = 0.0) -> bool:
        """Reads what the child told, for which it waits as long; returns whether there was anything."""
        if not select.select([self._pipe], [], [], seconds)[0]:
            return False
        found = os.read(self._pipe, 1 << 16)
        *lines, self._unread = (self._unread + found).split(b"\n")
        if lines:
            self.asked, self._limit, self.borne = json.loads(lines[-1])
            self._spent = 0.0
        return bool(found)

    def reason(self, number: int) -> str | None:
        """Returns why the child ended by a signal; None where somebody wanted it to."""
        if self._late:
            return f"no answer within {self._limit:,.0f} s"
        if number not in _BY_ITSELF:
            return None
        more = ", as the kernel ends what takes too much memory" if number == signal.SIGKILL else ""
        return f"the process was ended by {signal.Signals(number).name}{more}"

    def end_what_it_left(self) -> None:
        """Ends the child's own children, as an engine or loaders of data, which hold the memory of a GPU.

        Linux gives them to this process. Elsewhere they end by themselves, or not.
        """
        began = time.monotonic()
        while (left := _children()) and time.monotonic() - began < _SECONDS_TO_END:
            for process in left:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):  # it ended by itself
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, os.WNOHANG)
            time.sleep(_SECONDS_A_LOOK / 20)

    def _pass_on(self, number: int, frame: Any) -> None:
        os.kill(self.process, number)


def _children() -> list[int]:
    """Returns the processes whose parent is this one; none where there is no /proc."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(file.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # ended meanwhile
        if parent == os.getpid():
            found.append(int(file.parent.name))
    return found


def _process_control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _end_likewise(number: int) -> SystemExit:
    """Ends this process by a signal; returns what ends it where the signal does not."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return SystemExit(128 + number)


def _say(line: str) -> None:
    print(f"tempbench: {line}", file=sys.stderr, flush=True)
