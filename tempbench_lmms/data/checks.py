"""Checks that every data set has in common; a benchmark's `checks.py` adds its own."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError

Problem = str
RowCheck = Callable[[tables.Row], Iterable[str]]

MAX_TEXT = 200_000
"""Longest text of a field, in characters; nobody's question is longer, and no prompt holds it."""


def table_problems(table: Path, schema: Any, check: RowCheck) -> Iterator[Problem]:
    """Yields the problems of one Parquet file: columns, types, repeated ids, and what `check` finds.

    Args:
        table: The file.
        schema: The `pyarrow.Schema` that it must have. Columns that are not required to have a value are
            those whose field is marked by the metadata `{"optional": "1"}`.
        check: Takes a row and yields what is wrong with it, as "field: what".
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = f"{table.parent.name}/{table.name}"
    try:
        found = pq.ParquetFile(table).read()
    except (pa.ArrowInvalid, OSError) as error:
        yield f"{name}: cannot be read ({str(error).splitlines()[0]}); prepare the data again"
        return
    sound = True
    for field in schema:
        if field.name not in found.schema.names:
            yield f"{name}: the column {field.name} is missing; prepare the data again"
            sound = False
        elif not _same_type(found.schema.field(field.name).type, field.type):
            found_type = found.schema.field(field.name).type
            yield f"{name}: the column {field.name} is {found_type}, not {field.type}; prepare the data again"
            sound = False
    if not sound:
        return
    required = [field.name for field in schema if (field.metadata or {}).get(b"optional") != b"1"]
    seen: set[str] = set()
    for number, row in enumerate(found.to_pylist()):
        where = f"{name}: row {number} ({str(row.get('question_id'))[:80]}):"
        missing = [field for field in required if row[field] is None]
        for field in missing:
            yield f"{where} {field}: no value"
        if missing:
            continue
        for field, value in row.items():
            texts = value if isinstance(value, list) else [value]
            if any(isinstance(text, str) and len(text) > MAX_TEXT for text in texts):
                yield f"{where} {field}: longer than {MAX_TEXT} characters"
        if row["question_id"] in seen:
            yield f"{where} question_id: stands in an earlier row too"
        seen.add(row["question_id"])
        for problem in check(row):
            yield f"{where} {problem}"


def _same_type(found: Any, wanted: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_list(wanted):
        return pa.types.is_list(found) and _same_type(found.value_type, wanted.value_type)
    if pa.types.is_integer(wanted):
        return bool(pa.types.is_integer(found))
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    return bool(found.equals(wanted))


def collect_media(field: str, urls: Iterable[str], found: list[str]) -> Iterator[Problem]:
    """Adds to `found` the URLs of a row that stay in their data set, and yields a problem for the others."""
    for url in urls:
        try:
            resolve(url)
        except TempbenchError as error:
            yield f"{field}: {error}"
        else:
            found.append(url)


def media_problems(urls: Iterable[str], load: Callable[[str], Any]) -> Iterator[Problem]:
    """Yields the problems of the media at `urls`, each looked at once.

    Args:
        urls: `tempbench://` URLs.
        load: Decodes one; raises `TempbenchError` where it cannot.
    """
    for url in dict.fromkeys(urls):
        try:
            load(url)
        except TempbenchError as error:
            yield str(error)
