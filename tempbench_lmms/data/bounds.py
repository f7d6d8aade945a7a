"""How much of a file is read: a few kilobytes can expand to all memory there is.

The limits are far above every official file. Who has a larger one raises them by an environment variable.
"""

import contextlib
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from tempbench_lmms.errors import TempbenchError

BYTES_VARIABLE = "TEMPBENCH_MAX_BYTES"
MAX_BYTES = 1_000_000_000
"""Of one file's content as it is read, after it is decompressed."""

MAX_ROWS = 10_000_000
"""Of one table."""

_MAX_BATCH = 256  # rows
_SCHEMA = 100_000_000  # bytes of a Parquet file's own description


def max_bytes() -> int:
    """Returns how many bytes of a file are read at most."""
    return whole_number(BYTES_VARIABLE, MAX_BYTES)


def whole_number(variable: str, default: int, least: int = 1) -> int:
    """Returns the whole number that an environment variable is set to; an empty one is as good as none."""
    value = os.environ.get(variable, "").strip().replace("_", "")
    if not value:
        return default
    if not re.fullmatch("[0-9]{1,18}", value) or int(value) < least:
        raise TempbenchError(f"{variable} is {value[:80]!r}; give a whole number of at least {least}")
    return int(value)


class NotText(ValueError):
    """A file is no text in UTF-8; the message says what it is and what to do, without the file's name."""


@contextlib.contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Opens a file that somebody hands in: UTF-8, with or without a byte order mark.

    A line ends at a line feed alone.

    Raises:
        TempbenchError: It is a folder.
        OSError: It cannot be read.
        NotText: It is no text in UTF-8; raised while it is read, too.
    """
    _check_no_folder(path)
    with path.open(encoding="utf-8-sig", newline="\n") as stream, _as_not_text():
        yield stream


def read_text(path: Path) -> str:
    """Returns the text of a file in UTF-8, without a byte order mark.

    Raises:
        TempbenchError: It is larger than the limit, or a folder.
        OSError: It cannot be read.
        NotText: It is no text in UTF-8.
    """
    _check_no_folder(path)
    most = max_bytes()
    with path.open("rb") as stream:  # not by its size alone: a device has none
        content = stream.read(most + 1)
    if len(content) > most:
        raise too_large(path)
    with _as_not_text():
        return content.decode("utf-8-sig")


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise TempbenchError(f"{path} is a folder; give a file")


@contextlib.contextmanager
def _as_not_text() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise NotText(
            f"is no text in UTF-8 (a byte is 0x{byte:02x}); save it as UTF-8, or unpack it"
        ) from None


def lines(stream: TextIO, path: Path) -> Iterator[str]:
    """Yields the lines of a text file."""
    most = max_bytes()
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise too_large(path, " in a line")
        yield line


def too_large(path: Path, what: str = "") -> TempbenchError:
    """Returns the error for a file, or a part of it, of more bytes than are read."""
    return TempbenchError(
        f"{path} holds more than {max_bytes():,} bytes{what}; check that it is the right file, or set "
        f"{BYTES_VARIABLE} to read more"
    )


def too_many_rows(path: Path) -> TempbenchError:
    """Returns the error for a table of more rows than are read."""
    return TempbenchError(f"{path} holds more than {MAX_ROWS:,} rows; check that it is the right file")


def open_parquet(path: Path) -> Any:
    """Returns a `pyarrow.parquet.ParquetFile` whose declared size is within the limits.

    Raises:
        TempbenchError: It declares more rows or bytes.
        pyarrow.ArrowException, OSError: It is not Parquet.
    """
    import pyarrow.parquet as pq

    found = pq.ParquetFile(path, thrift_string_size_limit=_SCHEMA, thrift_container_size_limit=_SCHEMA)
    if found.metadata.num_rows > MAX_ROWS:
        raise too_many_rows(path)
    return found


def batches(path: Path, found: Any, rows: int = _MAX_BATCH) -> Iterator[Any]:
    """Yields a Parquet file in batches of a few rows, none larger in memory than the limit.

    A value that stands once in the file may stand in a million rows, so what counts is what was decoded.
    """
    most = max_bytes()
    # No value is longer than all of its column: so many rows cannot be more than the limit.
    groups = [found.metadata.row_group(i) for i in range(found.num_row_groups)]
    longest = max(
        (group.column(j).total_uncompressed_size for group in groups for j in range(group.num_columns)),
        default=0,
    )
    for batch in found.iter_batches(batch_size=max(1, min(rows, most // max(longest, 1)))):
        decoded = _decoded(batch)
        if decoded.nbytes > most:
            raise too_large(path)
        yield decoded


def _decoded(batch: Any) -> Any:
    """Returns a batch as a table without dictionaries, in which a long text takes the room of a number."""
    import pyarrow as pa

    def plain(kind: Any) -> Any:
        if pa.types.is_dictionary(kind):
            return plain(kind.value_type)
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    schema = pa.schema([field.with_type(plain(field.type)) for field in batch.schema], batch.schema.metadata)
    table = pa.Table.from_batches([batch])
    return table if schema.equals(batch.schema) else table.cast(schema)


def read_parquet(path: Path, found: Any) -> list[dict[str, Any]]:
    """Returns all rows of a Parquet file."""
    most, read = max_bytes(), 0
    rows: list[dict[str, Any]] = []
    for batch in batches(path, found):
        read += batch.nbytes
        if read > most:
            raise too_large(path)
        rows.extend(batch.to_pylist())
    return rows


@contextlib.contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Opens a zip file whose members together are within the limit; of none is more read than it declares.

    Raises:
        TempbenchError: They are larger than the limit.
        OSError, zipfile.BadZipFile: It is no such file.
    """
    most = max_bytes()
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > most:
            raise too_large(path)
        yield archive
