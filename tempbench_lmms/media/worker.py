"""The process that checks files for `sandbox`: one request per line in, one answer per line out.

`{"beat": n}` reports progress; `{"found": ...}` and `{"problem": ...}` end a request. The decoders' output
goes to a file, which is searched for signs of patched frames.
"""

import contextlib
import functools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import av

from tempbench_lmms.data import child
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media.images import open_image
from tempbench_lmms.media.video import check_video

Look = Callable[[dict[str, Any], child.Beat], dict[str, Any]]
"""Takes a request and a function to report progress; returns the result."""

TOO_MUCH_MEMORY = "memory"
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
"""Error messages of FFmpeg's decoders and demuxers when they replace damaged data.

For intact files with open groups of pictures they print other messages ("mmco: unref short failure").
"""

_BEAT_SECONDS = 0.2


def look(request: dict[str, Any], beat: child.Beat) -> dict[str, Any]:
    """Checks a video or a picture."""
    path = Path(request["path"])
    if request["kind"] == "video":
        return asdict(check_video(path, beat))
    open_image(path, request["name"])
    return {}


def serve(looking: Look) -> None:
    """Answers requests until there are no more."""
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        _limit_memory(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
        child.serve(functools.partial(_answered, looking, said))


def _answered(looking: Look, said: Any, request: dict[str, Any], tell: child.Beat) -> dict[str, Any]:
    last = 0.0
    said.truncate(0)
    said.seek(0)

    def beat(n: int) -> None:
        nonlocal last
        if not n:  # from here on, everything is decoded from the start
            said.truncate(0)
            said.seek(0)
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            tell(n)

    try:
        found = looking(request, beat)
    except MemoryError:
        return {"problem": TOO_MUCH_MEMORY}
    except TempbenchError as error:
        lacking = "Cannot allocate memory" in str(error)
        reason = error.reason if isinstance(error, MediaError) else ""
        return {"problem": TOO_MUCH_MEMORY if lacking else str(error), "reason": reason}
    if patched := _patched(said):
        name = request.get("name") or Path(request["path"]).name
        return {"problem": f"{name}: the video is damaged ({patched}); replace it"}
    return {"found": found}


def _patched(said: Any) -> str:
    """Returns the first line in which a decoder says that it filled a gap, or ""."""
    said.seek(0)
    lines = said.read(1_000_000).decode(errors="replace").splitlines()
    found = next((line for line in lines if any(sign in line for sign in _PATCHED)), "")
    return found.partition("] ")[2] or found


def _limit_memory(megabytes: int) -> None:
    """Limits this process's memory to this much more than now; POSIX only."""
    if not megabytes:
        return
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Checks videos and pictures."""
    av.logging.restore_default_callback()
    av.logging.set_libav_level(av.logging.ERROR)
    serve(look)


if __name__ == "__main__":
    main()
