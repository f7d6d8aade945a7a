"""Limits on the size of files and pictures to read: a few kilobytes can expand to fill all memory.

The limits are far above every official file. An environment variable raises them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError

BYTES_VARIABLE = "TEMPBENCH_MAX_BYTES"
MAX_BYTES = 1_000_000_000
"""The limit for one file's content after decompression."""

MAX_ROWS = 10_000_000
"""Of one table."""

PIXELS_VARIABLE = "TEMPBENCH_MAX_PIXELS"
MAX_PIXELS = 64_000_000
"""Of one picture or frame."""

_MAX_BATCH = 256  # rows
_SCHEMA = 100_000_000  # bytes of a Parquet file's metadata


def max_bytes() -> int:
    """Returns the largest number of bytes to read from a file."""
    return whole_number(BYTES_VARIABLE, MAX_BYTES)


def max_pixels() -> int:
    """Returns the largest number of pixels of a picture or frame."""
    return whole_number(PIXELS_VARIABLE, MAX_PIXELS)


def whole_number(variable: str, default: int, least: int = 1) -> int:
    """Returns the whole number in an environment variable; an empty one counts as unset."""
    value = os.environ.get(variable, "").strip().replace("_", "")
    if not value:
        return default
    if not re.fullmatch("[0-9]{1,18}", value) or int(value) < least:
        raise TempbenchError(f"{variable} is {value[:80]!r}; give a whole number of at least {least}")
    return int(value)


class NotText(ValueError):
    """A file is not UTF-8 text; the message says what to do, without the file's name."""


def read_text(path: Path) -> str:
    """Returns the text of a user's file in UTF-8, with or without a byte order mark.

    Raises:
        TempbenchError: It is larger than the limit, or a folder.
        OSError: It cannot be read.
        NotText: It is not UTF-8 text.
    """
    if path.is_dir():
        raise TempbenchError(f"{path} is a folder; give a file")
    most = max_bytes()
    with path.open("rb") as stream:  # not only by its size: a device has none
        content = stream.read(most + 1)
    if len(content) > most:
        raise too_large(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise NotText(
            f"is not UTF-8 text (it has the byte 0x{byte:02x}); save it as UTF-8, or unpack it"
        ) from None


def too_large(path: Path, what: str = "") -> TempbenchError:
    """Returns the error for a file, or a part of it, above the limit of bytes."""
    return TempbenchError(
        f"{path} holds more than {max_bytes():,} bytes{what}; check that it is the right file, or set "
        f"{BYTES_VARIABLE} to read more"
    )


def too_many_rows(path: Path) -> TempbenchError:
    """Returns the error for a table above the limit of rows."""
    return TempbenchError(f"{path} holds more than {MAX_ROWS:,} rows; check that it is the right file")


def open_parquet(path: Path) -> Any:
    """Returns a `pyarrow.parquet.ParquetFile` whose declared size is within the limits.

    Raises:
        TempbenchError: It declares more rows or bytes than the limits.
        pyarrow.ArrowException, OSError: It is not Parquet.
    """
    import pyarrow.parquet as pq

    found = pq.ParquetFile(path, thrift_string_size_limit=_SCHEMA, thrift_container_size_limit=_SCHEMA)
    if found.metadata.num_rows > MAX_ROWS:
        raise too_many_rows(path)
    return found


def batches(path: Path, found: Any, rows: int = _MAX_BATCH) -> Iterator[Any]:
    """Yields a Parquet file in small batches, none larger in memory than the limit.

    One stored value may appear in a million rows, so the decoded size counts.
    """
    most = max_bytes()
    # No value is longer than its whole column, so this many rows cannot exceed the limit.
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
    """Returns a batch as a table without dictionaries, in which a long text takes the space of a number."""
    import pyarrow as pa

    def plain(kind: Any) -> Any:
        if pa.types.is_dictionary(kind):
            return plain(kind.value_type)
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    schema = pa.schema([field.with_type(plain(field.type)) for field in batch.schema], batch.schema.metadata)
    table = pa.Table.from_batches([batch])
    return table if schema.equals(batch.schema) else table.cast(schema)
