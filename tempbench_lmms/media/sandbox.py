"""Checks files in a separate process, so that a file that crashes a decoder crashes nothing else.

`prepare` and `verify` check every file through this module; a run sees only files that passed. The process
runs this module: it gets one request per line and gives one answer per line. `{"beat": n}` reports progress;
`{"found": ...}` and `{"problem": ...}` end a request. The decoders' output goes to a file, which is searched
for signs of patched frames.
"""

import atexit
import contextlib
import functools
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import av

from tempbench_lmms.data import child
from tempbench_lmms.data.bounds import whole_number
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import video
from tempbench_lmms.media.images import open_image
from tempbench_lmms.media.video import Facts

SECONDS_VARIABLE = "TEMPBENCH_PROBE_SECONDS"
MEMORY_VARIABLE = "TEMPBENCH_PROBE_MB"
_SECONDS, _MB = 60, 2_000
# The factor of the time limit for a whole file, as long as it keeps giving frames.
_TOTAL = 60
_MOST_PROCESSES = 8
# Checking fewer files takes no longer than starting a process.
_FILES_A_PROCESS = 4
# The slowest disk: for this many bytes a file gets one more second before its first frame.
_BYTES_A_SECOND = 5_000_000

_TOO_MUCH_MEMORY = "memory"
# Error messages of FFmpeg's decoders and demuxers when they replace damaged data. For intact files with open
# groups of pictures they print other messages ("mmco: unref short failure").
_PATCHED = (
    *("concealing", "corrupt", "error while decoding", "decode_slice_header error", "decode failed"),
    *("Could not find ref", "Frame num gap", "Frame num change", "Missing reference", "missing picture"),
    *("reference picture missing", "error y=", "error dc", "index out of range", "Failed to parse"),
    *("id out of range", "is outside the valid range", "Truncating packet", "ended prematurely"),
    *("as first byte of an EBML", "EBML number's first byte", "exceeds containing master element"),
    *("Unknown-sized element", "Packet mismatch", "Invalid track number", "CRC mismatch"),
    *("Error parsing frame sizes",),
    *("ignoring overflow", "dc overflow", "bytestream end mismatching"),
)
_BEAT_SECONDS = 0.2


class Inspector:
    """Checks files in a process that is restarted after a crash.

    Args:
        command: The command to start; the memory limit in MB is its last argument.
        seconds: Time without a new frame after which a file is given up.
        megabytes: Memory beyond that at the process's start; POSIX only.
    """

    def __init__(
        self,
        command: Sequence[str] = (sys.executable, "-m", "tempbench_lmms.media.sandbox"),
        seconds: float | None = None,
        megabytes: int | None = None,
    ) -> None:
        self._seconds = seconds or whole_number(SECONDS_VARIABLE, _SECONDS)
        self._megabytes = megabytes or whole_number(MEMORY_VARIABLE, _MB)
        limited = {**os.environ, "MALLOC_ARENA_MAX": "2"}
        self._child = child.Child([*command, str(self._megabytes)], limited)
        self.close = self._child.close
        self._lock = threading.Lock()

    def ask(self, path: Path, **request: Any) -> dict[str, Any]:
        """Returns the result for a file."""
        seconds, longest = self._seconds, self._seconds * _TOTAL
        try:
            with self._lock:
                first = path.stat().st_size / _BYTES_A_SECOND if path.is_file() else 0.0
                answer = self._child.ask({"path": str(path), **request}, seconds, longest, first)
        except EOFError as error:
            status = error.args[0]
            how = signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"
            problem = f"{path.name}: decoding it crashes the decoder's process ({how}); replace it"
            answer = {"problem": problem, "reason": "ends the decoder"}
        except TimeoutError:
            problem = (
                f"{path.name}: decoding it is stuck ({seconds:g} s without a frame, or {longest:g} s in "
                f"all); replace it, or set {SECONDS_VARIABLE} to more"
            )
            answer = {"problem": problem, "reason": "does not end"}
        if "found" in answer:
            return dict(answer["found"])
        if answer["problem"] == _TOO_MUCH_MEMORY:
            problem = (
                f"{path.name}: decoding it takes more than {self._megabytes} MB; replace it, or set "
                f"{MEMORY_VARIABLE} to more"
            )
            answer = {"problem": problem, "reason": "too much memory"}
        raise MediaError(answer["problem"], answer.get("reason") or "damaged")


@functools.cache
def _inspector() -> Inspector:
    found = Inspector()
    atexit.register(found.close)
    return found


def check_picture(path: Path, name: str) -> None:
    """Decodes a picture in a separate process."""
    _inspector().ask(path, kind="picture", name=name)


def check_video(path: Path) -> Facts:
    """Calls `video.check_video` in a separate process."""
    return Facts(**_inspector().ask(path, kind="video"))


def check_videos(paths: Sequence[Path]) -> Iterator[Facts | MediaError]:
    """Yields, for each video in order, what `check_video` returns or raises; several are checked at once."""
    n = min(_MOST_PROCESSES, os.cpu_count() or 1, len(paths) // _FILES_A_PROCESS)
    own = [Inspector() for _ in range(n)] if n > 1 else []
    idle: queue.SimpleQueue[Inspector] = queue.SimpleQueue()
    for inspector in own or [_inspector()]:
        idle.put(inspector)

    def work(path: Path) -> Facts | MediaError:
        inspector = idle.get()
        try:
            return Facts(**inspector.ask(path, kind="video"))
        except MediaError as error:
            return error
        finally:
            idle.put(inspector)

    pool = ThreadPoolExecutor(len(own) or 1)
    try:
        yield from pool.map(work, paths)
    finally:
        # A caller that stops early does not wait for the files in progress.
        pool.shutdown(wait=False, cancel_futures=True)
        for inspector in own:
            inspector.close()


def look(request: dict[str, Any], beat: child.Beat) -> dict[str, Any]:
    """Checks a video or a picture in this process."""
    path = Path(request["path"])
    if request["kind"] == "video":
        return asdict(video.check_video(path, beat))
    open_image(path, request["name"])
    return {}


def serve(looking: Callable[[dict[str, Any], child.Beat], dict[str, Any]]) -> None:
    """Answers requests until there are no more; `looking` also gets a function to report progress."""
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        _limit_memory(int(sys.argv[1]))
        child.serve(functools.partial(_answered, looking, said))


def _answered(
    looking: Callable[..., dict[str, Any]], said: Any, request: dict[str, Any], tell: child.Beat
) -> dict[str, Any]:
    last = 0.0

    def beat(n: int) -> None:
        nonlocal last
        if not n:  # from here on, everything is decoded from the start
            said.truncate(0)
            said.seek(0)
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            tell(n)

    try:
        beat(0)
        found = looking(request, beat)
    except MemoryError:
        return {"problem": _TOO_MUCH_MEMORY}
    except TempbenchError as error:
        lacking = "Cannot allocate memory" in str(error)
        return {
            "problem": _TOO_MUCH_MEMORY if lacking else str(error),
            "reason": getattr(error, "reason", ""),
        }
    said.seek(0)
    lines = said.read(1_000_000).decode(errors="replace").splitlines()
    if patched := next((line for line in lines if any(sign in line for sign in _PATCHED)), ""):
        name = request.get("name") or Path(request["path"]).name
        why = patched.partition("] ")[2] or patched
        return {"problem": f"{name}: the video is damaged ({why}); replace it"}
    return {"found": found}


def _limit_memory(megabytes: int) -> None:
    """Limits this process's memory to this much more than now; POSIX only."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    av.logging.restore_default_callback()
    av.logging.set_libav_level(av.logging.ERROR)
    serve(look)
