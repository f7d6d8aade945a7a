"""Names a run's files, checks that a result can be written before the work begins, and writes in one step."""

import contextlib
import errno
import glob
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

STATE = "tempbench_run.json"
"""The state of a run in its folder: its identity, and its results file once it is finished."""
CHECK = "check.json"
"""The result of `tempbench check-model`, in the folder of a run."""
LOCK = ".lock"
"""The lock of a folder, of a run or of a person who answers; its holder may write."""
REPEAT = "repeat_"
"""The prefix of the folders of repeats, before their number; each is a run."""
RESULTS = "_results.json"
"""The ending of the harness's results files."""

_STAMPED = re.compile(r"\d{8}_\d{6}\w*_(results\.json|(samples|reread)_.+)")
_LOG = re.compile(r".+_samples_.+\.jsonl")


def check_foreign(path: Path) -> None:
    """Checks that a file, or a link's target, does not belong to a run."""
    if path.is_file() and any(_is_of_run(path.resolve())):
        raise TempbenchError(f"{path} belongs to a run and is never overwritten; choose another name")


def _is_of_run(file: Path) -> Iterator[bool]:
    name, folder = file.name, file.parent
    yield name == STATE or bool(_STAMPED.fullmatch(name) or _LOG.fullmatch(name))
    # Renamed results, with their logs.
    stem = glob.escape(name.removesuffix(RESULTS))
    yield name.endswith(RESULTS) and any(folder.glob(f"{stem}_samples_*.jsonl"))
    is_locked = (folder / LOCK).exists()
    is_of_run = (folder / STATE).exists() or any(folder.glob(f"{REPEAT}*/{STATE}"))
    yield (is_locked or is_of_run) and name in (CHECK, LOCK)
    # A person's answers; a run's folder may hold other files of this kind, for submission.
    yield is_locked and not is_of_run and file.suffix == ".jsonl"
    yield any(above.name == "cache" and (above.parent / STATE).exists() for above in file.parents)


ELSEWHERE = "choose another place"
FULL = (errno.ENOSPC, errno.EDQUOT)
_DISK = (*FULL, errno.EFBIG, errno.EIO, errno.EROFS)
_ADVICE = {
    **dict.fromkeys(FULL, "free space and give the same command again; existing files are unchanged"),
    errno.EFBIG: "allow larger files (`ulimit -f`) and give the same command again",
}


@contextlib.contextmanager
def replacing(path: Path, follow: bool = True) -> Iterator[Path]:
    """Lets a block write a file in one step: a temporary file replaces it if the block succeeds.

    Otherwise the temporary file is removed and the old file is unchanged. An existing file keeps its mode.
    Devices and pipes are written directly.

    Args:
        path: The file; its folder is made.
        follow: Write the file that a symbolic link names, and keep the link; else the link is replaced.

    Yields:
        The path to write to.

    Raises:
        OSError: It cannot be written; the error names the file, which a plain write error does not.
    """
    partial = path
    try:
        target = _written(path) if follow else path
        if target is None:
            yield path
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = beside(target)
        partial.touch(exist_ok=False)
        if target.is_file() and not target.is_symlink():
            shutil.copymode(target, partial)
        yield partial
        os.replace(partial, target)
    except BaseException as error:
        if partial != path:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and _is_of(error, partial):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def _written(path: Path) -> Path | None:
    """Returns the regular file behind a path, existing or not; None if it is something else."""
    target = Path(os.path.realpath(path))
    # A pipe's link in /proc works, but the name that it gives does not exist.
    return None if path.exists() and not target.is_file() else target


def beside(path: Path) -> Path:
    """Returns an unused hidden name in a file's folder, for its temporary copy."""
    return path.with_name(f".tempbench-{secrets.token_hex(8)}.partial")


def is_of_disk(error: OSError) -> bool:
    """Returns whether an error means a full disk, whatever file it names."""
    return error.errno in _DISK


def _is_of(error: OSError, partial: Path) -> bool:
    """Returns whether an error is about the output, not the input; a full disk's error may name the input."""
    if error.filename is None:
        return is_of_disk(error)
    return str(error.filename) == str(partial) or error.errno in (*FULL, errno.EFBIG)


def refused(error: OSError) -> str:
    """Returns one line: what the system refused, for which file, and what to do."""
    name = f"{error.filename}: " if error.filename is not None else ""
    number = error.errno or 0
    # Libraries write whole paragraphs into their errors.
    is_known = number in errno.errorcode
    reason = os.strerror(number) if is_known else error.strerror or " ".join(repr(error).split())
    is_of_net = isinstance(error, (ConnectionError, TimeoutError)) and not name
    otherwise = "check the network" if is_of_net else "check the path, its permissions and the disk"
    return f"{name}{reason}; {_ADVICE.get(number, otherwise)}"


def check_file(path: Path, force: bool = False) -> None:
    """Checks that a file can be written; its folder must exist."""
    if path.is_dir():
        raise TempbenchError(f"{path} is a folder; give the name of a file")
    check_foreign(path)
    if path.exists() and not force:
        raise TempbenchError(f"{path} already exists; choose another name or add --force")
    if not path.parent.is_dir():
        raise TempbenchError(f"the folder {path.parent} does not exist; make it or choose another name")
    if (target := _written(path)) is not None:
        _try(target.parent, path, ELSEWHERE)


def check_room(folder: Path, wanted: float, what: str) -> None:
    """Checks that a disk has enough space."""
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise TempbenchError(
            f"{folder}: {free / 1e6:.0f} MB free, {wanted / 1e6:.0f} MB needed for {what}; free space or "
            "choose another --output"
        )


def check_folder(path: Path, advice: str = ELSEWHERE) -> None:
    """Checks that a folder can be made or written to, without making it."""
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        what = "is a file" if there == path else f"lies below the file {there}"
        raise TempbenchError(f"{path} {what}; {advice}")
    _try(there, path, advice)


def _try(folder: Path, wanted: Path, advice: str) -> None:
    # Permissions are not enough: consider root, a full disk, or /proc.
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".tempbench"):
            pass
    except OSError as error:
        raise TempbenchError(f"{wanted} cannot be written ({error.strerror or error}); {advice}") from None
