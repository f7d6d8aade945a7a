"""Checks files in a separate process, so that a file that crashes a decoder crashes nothing else.

`prepare` and `verify` check every file through this module; a run sees only files that passed.
"""

import atexit
import functools
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tempbench_lmms.data.child import Child
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.video import Facts
from tempbench_lmms.media.worker import TOO_MUCH_MEMORY

SECONDS_VARIABLE = "TEMPBENCH_PROBE_SECONDS"
MEMORY_VARIABLE = "TEMPBENCH_PROBE_MB"
_SECONDS = 60.0
_MB = 2_000.0
_TOTAL = 60
"""The factor of the time limit for a whole file, as long as it keeps giving frames."""
_MOST_PROCESSES = 8
_FILES_A_PROCESS = 4
"""Checking fewer files takes no longer than starting a process."""
_BYTES_A_SECOND = 5_000_000
"""The slowest disk: for this many bytes a file gets one more second before its first frame."""


class Inspector:
    """Checks files in a process that is restarted after a crash.

    Args:
        command: The command to start; the memory limit in MB is its last argument.
        seconds: Time without a new frame after which a file is given up.
        megabytes: Memory beyond that at the process's start; POSIX only.
    """

    def __init__(
        self,
        command: Sequence[str] = (sys.executable, "-m", "tempbench_lmms.media.worker"),
        seconds: float | None = None,
        megabytes: float | None = None,
    ) -> None:
        self._seconds = seconds or _number(SECONDS_VARIABLE, _SECONDS)
        self._megabytes = megabytes or _number(MEMORY_VARIABLE, _MB)
        limited = {**os.environ, "MALLOC_ARENA_MAX": "2"}
        self._child = Child([*command, str(int(self._megabytes))], limited)
        self.close = self._child.close
        self._lock = threading.Lock()

    def ask(self, path: Path, **request: Any) -> dict[str, Any]:
        """Returns the result for a file."""
        with self._lock:
            answer = self._answer(path, request)
        if "problem" not in answer:
            return dict(answer["found"])
        if answer["problem"] == TOO_MUCH_MEMORY:
            raise MediaError(
                f"{path.name}: decoding it takes more than {self._megabytes:.0f} MB; replace it, or set "
                f"{MEMORY_VARIABLE} to more",
                "too much memory",
            )
        raise MediaError(answer["problem"], answer.get("reason") or "damaged")

    def _answer(self, path: Path, request: dict[str, Any]) -> dict[str, Any]:
        seconds, longest = self._seconds, self._seconds * _TOTAL
        asked = {"path": str(path), **request}
        try:
            return self._child.ask(asked, seconds, seconds + _size(path) / _BYTES_A_SECOND, longest)
        except EOFError as error:
            return {"problem": _ended(path, error.args[0]), "reason": "ends the decoder"}
        except TimeoutError:
            return {
                "problem": f"{path.name}: decoding it is stuck ({seconds:g} s without a frame, or "
                f"{longest:g} s in all); replace it, or set {SECONDS_VARIABLE} to more",
                "reason": "does not end",
            }


def _ended(path: Path, status: int) -> str:
    how = f"exit status {status}"
    if status < 0:
        how = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"{path.name}: decoding it crashes the decoder's process ({how}); replace it"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # the check itself reports the error
        return 0


def _number(variable: str, default: float) -> float:
    try:
        value = float(os.environ.get(variable, default))
    except ValueError:
        value = 0.0
    if not value > 0:
        raise TempbenchError(f"{variable} is {os.environ[variable]!r}; give a number above 0")
    return value


@functools.cache
def _inspector() -> Inspector:
    found = Inspector()
    atexit.register(found.close)
    return found


def check_video(path: Path) -> Facts:
    """Calls `integrity.check_video` in a separate process."""
    return Facts(**_inspector().ask(path, kind="video"))


def check_videos(paths: Iterable[Path], processes: int | None = None) -> Iterator[Facts | MediaError]:
    """Yields, for each video in order, what `check_video` returns or raises; several are checked at once."""
    for found in _asked([(path, {"kind": "video"}) for path in paths], processes):
        yield found if isinstance(found, MediaError) else Facts(**found)


def _asked(
    requests: Sequence[tuple[Path, dict[str, Any]]], processes: int | None
) -> Iterator[dict[str, Any] | MediaError]:
    """Yields the answer to each request in order; several requests run at once."""
    n = processes or min(_MOST_PROCESSES, os.cpu_count() or 1, len(requests) // _FILES_A_PROCESS)
    if n < 2:
        yield from (_answer_of(_inspector(), request) for request in requests)
        return
    inspectors = [Inspector() for _ in range(n)]
    idle: queue.SimpleQueue[Inspector] = queue.SimpleQueue()
    for inspector in inspectors:
        idle.put(inspector)

    def work(request: tuple[Path, dict[str, Any]]) -> dict[str, Any] | MediaError:
        inspector = idle.get()
        try:
            return _answer_of(inspector, request)
        finally:
            idle.put(inspector)

    pool = ThreadPoolExecutor(n)
    try:
        yield from pool.map(work, requests)
    finally:
        # A caller that stops early does not wait for the files in progress.
        pool.shutdown(wait=False, cancel_futures=True)
        for inspector in inspectors:
            inspector.close()


def _answer_of(inspector: Inspector, request: tuple[Path, dict[str, Any]]) -> dict[str, Any] | MediaError:
    path, what = request
    try:
        return inspector.ask(path, **what)
    except MediaError as error:
        return error


def check_picture(path: Path, name: str) -> None:
    """Decodes a picture in a separate process."""
    _inspector().ask(path, kind="picture", name=name)
