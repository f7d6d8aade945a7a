"""Append-only files of lines, so that costly results are stored at once.

A line is complete or absent: a line cut off by a full disk is removed at once, and a line left by a killed
process at the next start.
"""

import errno
import os
from pathlib import Path

from tempbench_lmms.data import bounds


def append(file: Path, text: str) -> None:
    """Appends whole lines to a file; they are on the disk when this returns.

    Raises:
        OSError: They could not be added; the error names the file, which is unchanged.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # A lone surrogate, which a reply may hold, is written as an escape, which JSON readers restore.
    left = memoryview(text.encode(errors="backslashreplace"))
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
    before = os.fstat(opened).st_size
    try:
        while left:
            left = left[os.write(opened, left) :]
        os.fsync(opened)
    except BaseException as error:
        if left or isinstance(error, OSError):  # complete lines survive if the user ends the command
            os.ftruncate(opened, before)
        if isinstance(error, OSError):
            raise OSError(error.errno or errno.EIO, error.strerror, str(file)) from None
        raise
    finally:
        os.close(opened)


def drop_torn_line(file: Path) -> bytes:
    """Drops a last line without a line end: its writer was killed before it reported the line as stored.

    Nothing is written, because the disk may be full.

    Returns:
        The file's whole lines; none where there is no file.
    """
    if not file.is_file():
        return b""
    if file.stat().st_size > bounds.max_bytes():
        raise bounds.too_large(file)
    found = file.read_bytes()
    whole = found[: found.rfind(b"\n") + 1]
    if whole != found:
        os.truncate(file, len(whole))
    return whole
