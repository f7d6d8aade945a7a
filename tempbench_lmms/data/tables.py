"""Reads and writes Parquet tables, JSON files and append-only files of lines.

Costly results are appended at once. A line is complete or absent: a line cut off by a full disk is removed at
once, and a line left by a killed process at the next start.
"""

import errno
import filecmp
import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds, outputs
from tempbench_lmms.errors import TempbenchError

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Returns the rows of one Parquet file, or of every `*.parquet` of a folder in name order."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise TempbenchError(f"no Parquet file in {path}; prepare the data again")
    return [row for file in files for row in read_table(file)[1]]


def read_table(file: Path) -> tuple[Any, list[Row]]:
    """Returns the `pyarrow.Schema` and the rows of one Parquet file."""
    import pyarrow as pa

    size = 0
    rows: list[Row] = []
    try:
        found = bounds.open_parquet(file)
        for batch in bounds.batches(file, found):
            size += batch.nbytes
            if size > bounds.max_bytes():
                raise bounds.too_large(file)
            rows += batch.to_pylist()
        return found.schema_arrow, rows
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise TempbenchError(f"{file} cannot be read ({first_line(error)}); prepare the data again") from None


class RepeatedKeyError(ValueError):
    """A JSON object has a key twice; readers would silently keep the last one."""


def parse_json(text: str, unique: bool = False) -> Any:
    """Returns the value of a JSON text from elsewhere.

    Args:
        text: The text.
        unique: Whether repeated keys are an error: for users' files, whose keys are ids.

    Raises:
        json.JSONDecodeError: It is not JSON, is nested too deeply, or holds a whole number that is too large.
        RepeatedKeyError: An object has a key twice.
    """
    try:
        return json.loads(text, parse_int=_whole, object_pairs_hook=_once_each if unique else None)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", text[:80], 0) from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((repeated, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"the key {repeated[:80]!r} appears twice in one object")
    return found


def _whole(digits: str) -> int:
    # 10**308 is the largest power of ten that is a float; longer numbers raise wherever they are used.
    if len(digits) > 308:
        raise json.JSONDecodeError(f"a number of {len(digits)} digits", digits[:80], 0)
    return int(digits)


def read_json(path: Path) -> Any:
    """Returns the value of a JSON file.

    Raises:
        TempbenchError: It is larger than the limit of `bounds`.
        OSError: It cannot be read.
        ValueError: It is not JSON in UTF-8.
    """
    return parse_json(bounds.read_text(path))


def object_in(path: Path) -> dict[str, Any]:
    """Returns the object in one of our JSON files; empty if it cannot be read."""
    try:
        found = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def first_line(error: Exception) -> str:
    """Returns a library's error message as one line."""
    return (str(error).splitlines() or [repr(error)])[0]


def write_rows(rows: Iterable[Row], path: Path, schema: Any) -> None:
    """Writes rows as one Parquet file, replacing it in one step so that no half-written file is left.

    Args:
        rows: Dicts with the schema's columns.
        path: The file; its folder is made.
        schema: A `pyarrow.Schema`. No Hugging Face metadata is added: files that carry a `List` feature
            cannot be read by datasets < 4.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(list(rows), schema=schema)
    with outputs.replacing(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def write_json(value: Any, path: Path) -> None:
    """Writes `value` as indented JSON in one step."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Writes a text file in one step."""
    with outputs.replacing(path) as partial:
        # Half a surrogate, as a reply may hold one, is written as its number: JSON is read as what it was.
        partial.write_text(text, encoding="utf-8", errors="backslashreplace")


def copy_file(source: Path, target: Path) -> None:
    """Copies a file in one step, unless the target has its bytes already and is no second name of it."""
    is_other = target.is_file() and not os.path.samefile(source, target)
    if is_other and filecmp.cmp(source, target, shallow=False):
        return
    # A link may name the source itself.
    with outputs.replacing(target, follow=False) as partial:
        shutil.copyfile(source, partial)


def link_file(source: Path, target: Path) -> bool:
    """Makes `target` a second name of a file (a hard link) in one step, or a copy if the disk has no links.

    A hard link takes no space, survives the removal of the source, and is a plain file for the checks against
    links out of a data set. It works only on the same disk. Writing into the source changes it, which its
    checksum reveals.

    Returns:
        Whether it is a link.
    """
    if target.is_file() and os.path.samefile(source, target):
        return True
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = outputs.beside(target)
    try:
        os.link(source.resolve(), partial)  # of a symbolic link, the file that it names
    except OSError:  # another disk, another owner, or a file system without links
        copy_file(source, target)
        return False
    os.replace(partial, target)
    return True


def keep_only(files: Iterable[Path], folder: Path) -> None:
    """Removes every other file below `folder`, left by an earlier or interrupted preparation."""
    kept = set(files)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept:
            path.unlink()


def listing_of(source: Path) -> str:
    """Returns one SHA-256 over the names, sizes and times of a file or of all files below a folder.

    It shows without reading whether a source has changed.
    """
    files = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for file in files:
        status = file.stat()
        name = file.relative_to(source).as_posix()
        digest.update(f"{name}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def sha256_of(files: Sequence[Path]) -> str:
    """Returns one SHA-256 over the contents of `files`, in the order given."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


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
