"""Files of lines that only grow: what was paid for stands in them as soon as it is there.

A line is there as a whole or not at all: one that a full disk cuts off is taken back, and one that a killed
process left behind is dropped by the next start.
"""

import errno
import os
from pathlib import Path

from tempbench_lmms.data import bounds


def append(file: Path, text: str) -> None:
    """Adds whole lines to a file; they are on the disk when this returns.

    Raises:
        OSError: They could not be added; the error names the file, which is as it was.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # Half a surrogate, as a reply may hold one, is written as its number: JSON is read as what it was.
    left = memoryview(text.encode(errors="backslashreplace"))
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
    before = os.fstat(opened).st_size
    try:
        while left:
            left = left[os.write(opened, left) :]
        os.fsync(opened)
    except BaseException as error:
        if left or isinstance(error, OSError):  # a whole line stays where the user ends the command
            os.ftruncate(opened, before)
        if isinstance(error, OSError):
            raise OSError(error.errno or errno.EIO, error.strerror, str(file)) from None
        raise
    finally:
        os.close(opened)


def drop_torn_line(file: Path) -> bytes:
    """Drops a last line without an end: its writer was ended before anybody was told that it is kept.

    Nothing is written, as the disk may be full.

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
