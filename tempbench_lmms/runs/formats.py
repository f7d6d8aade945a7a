"""Readers of formats that belong to no benchmark: JSON Lines, VLMEvalKit's tables, Inspect's logs."""

import contextlib
import csv
import io
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds
from tempbench_lmms.data.checks import one_line
from tempbench_lmms.data.replies import json_lines
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.runs.importing import Answer, Reader, Source

_FAILED = "Failed to obtain answer"
"""How VLMEvalKit marks a request that failed, in place of a reply."""


def replies(source: Source) -> Iterator[Answer]:
    """Reads JSON Lines: `question_id` and `reply`, and `condition` where a task asks in several ways.

    A sample log of the harness is read too.
    """
    ids = source.ids()
    for number, text in json_lines(source.path, "give JSON lines"):
        where = f"line {number}"
        try:
            line = parse_json(text)
            key, reply = adapter.question_and_reply(line)
            name = f"{key}/{line['condition']}" if "condition" in line else key
        except (ValueError, KeyError, TypeError):
            key = reply = name = None
        if not isinstance(key, str) or not isinstance(reply, str):
            raise _wrong(source, where, "has no question_id and reply as text")
        yield Answer(ids.get(str(name), str(name)), reply, where)


def vlmevalkit(source: Source) -> Iterator[Answer]:
    """Reads a table with the columns `index` and `prediction`, as .xlsx, .tsv, .csv, .json or .jsonl.

    A row is the task's question whose id stands in `question_id`, `id` or `index`; where none does, the one
    whose text or prompt stands in `question`.
    """
    table = _TABLES.get(source.path.suffix.lower())
    if table is None:
        raise TempbenchError(f"{source.path} is not a table; give one of {', '.join(_TABLES)}")
    ids, texts = source.ids(), source.ids_by_text()
    for number, row in enumerate(_sound(table, source.path), start=1):
        where = f"row {number}"
        if "prediction" not in row:
            raise _wrong(source, where, "has no column prediction")
        names = [str(row[name]) for name in ("question_id", "id", "index") if row.get(name) not in (None, "")]
        asked = " ".join(str(row.get("question") or "").split())
        found = next((ids[name] for name in names if name in ids), None) or texts.get(asked)
        yield Answer(found or (names or [where])[0], _cell(row["prediction"]), where)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""  # pandas writes an empty reply as an empty cell
    text = str(value)
    return adapter.failure("VLMEvalKit got no answer") if text.startswith(_FAILED) else text


def _sound(table: Callable[[Path], Iterable[Mapping[str, Any]]], path: Path) -> Iterator[Mapping[str, Any]]:
    """Yields the rows of a table; turns whatever a damaged one leads to into one line."""
    rows = iter(_bounded(table, path))
    while True:
        with _readable(path):
            row = next(rows, None)
        if row is None:
            return
        yield row


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except TempbenchError:
        raise
    except (
        Exception
    ) as error:  # of any kind: zip, XML, JSON, csv, and what the spreadsheet's library makes of them
        raise TempbenchError(
            f"{path} cannot be read ({one_line(repr(error))[:200]}); check the file and its format"
        ) from None


def _bounded(table: Callable[[Path], Iterable[Mapping[str, Any]]], path: Path) -> Iterator[Mapping[str, Any]]:
    most = bounds.max_rows()
    for number, row in enumerate(table(path), start=1):
        if number > most:
            raise bounds.too_large(path, f"{most:,} rows", bounds.ROWS_VARIABLE)
        yield row


def _wrong(source: Source, where: str, what: str) -> TempbenchError:
    return TempbenchError(f"{source.path}: {where} {what}; correct it, or choose another format")


def _spreadsheet(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of the first sheet of an .xlsx, by the names in its first row."""
    from openpyxl import load_workbook

    with bounds.open_zip(path):
        pass  # its size is within the limit
    book = load_workbook(path, read_only=True, data_only=True)
    try:
        rows = book.worksheets[0].iter_rows(values_only=True)
        names = [str(name) for name in next(rows, ())]
        for row in rows:
            if any(value is not None for value in row):
                yield dict(zip(names, row, strict=False))
    finally:
        book.close()


def _separated(separator: str) -> Callable[[Path], Iterator[dict[str, Any]]]:
    def rows(path: Path) -> Iterator[dict[str, Any]]:
        text = bounds.read_text(path)
        before = csv.field_size_limit(max(len(text), 1))
        try:
            yield from csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        finally:
            csv.field_size_limit(before)

    return rows


def _json_table(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of a JSON list of objects, or of an object of columns, as pandas writes either."""
    data = parse_json(bounds.read_text(path))
    if isinstance(data, dict) and data and all(isinstance(column, dict) for column in data.values()):
        keys = list(next(iter(data.values())))
        data = [{name: column[key] for name, column in data.items()} for key in keys]
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise ValueError("not a list of rows")
    yield from data


def _json_lines_table(path: Path) -> Iterator[dict[str, Any]]:
    for number, text in json_lines(path):
        row = parse_json(text)
        if not isinstance(row, dict):
            raise ValueError(f"line {number} is not an object")
        yield row


_TABLES: dict[str, Callable[[Path], Iterator[dict[str, Any]]]] = {
    ".xlsx": _spreadsheet,
    ".tsv": _separated("\t"),
    ".csv": _separated(","),
    ".json": _json_table,
    ".jsonl": _json_lines_table,
}


def inspect(source: Source) -> Iterator[Answer]:
    """Reads a log of Inspect: an `.eval` archive or a `.json`, without its package.

    A sample is the task's question with its id, or with the `question_id` of its metadata.
    """
    header, samples = _inspect_log(source.path)
    source.model = source.model or _text_of(header, "eval", "model")
    ids = source.ids()
    for sample in samples:
        metadata = sample.get("metadata")
        other = metadata.get("question_id") if isinstance(metadata, dict) else None
        names = [str(name) for name in (sample.get("id"), other) if name is not None]
        where = f"sample {(names or ['?'])[0]}"
        if not names:
            raise _wrong(source, where, "has no id")
        found = next((ids[name] for name in names if name in ids), names[-1])
        yield Answer(found, _completion(source, sample, where), where)


def _completion(source: Source, sample: Mapping[str, Any], where: str) -> str:
    """Returns the reply of a sample; a failure notice where Inspect has logged an error."""
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices:
        if sample.get("error"):
            return adapter.failure("Inspect logged an error")
        raise _wrong(source, where, "has neither an output nor an error")
    try:
        content = choices[0]["message"]["content"]
        if isinstance(content, str):
            return content
        # Parts: the reasoning of a thinking model is one of its own, and no part of its answer.
        return "".join(part["text"] for part in content if part["type"] == "text")
    except (KeyError, TypeError, IndexError):
        raise _wrong(source, where, "has an output of another form") from None


def _inspect_log(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Returns what a log says of the run, and its samples."""
    with _readable(path):
        if zipfile.is_zipfile(path):
            log, samples = _inspect_archive(path)
        else:
            log = parse_json(bounds.read_text(path))
            samples = log["samples"]
        if not isinstance(log, dict) or not all(isinstance(sample, dict) for sample in samples):
            raise ValueError("a sample is not an object")
        return log, samples


def _inspect_archive(path: Path) -> tuple[Any, list[Any]]:
    with bounds.open_zip(path) as archive:
        names = archive.namelist()
        # A run that is not finished has no header, only what it started with.
        head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
        header = parse_json(archive.read(head).decode()) if head else {}
        samples = [
            parse_json(archive.read(name).decode())
            for name in sorted(names)
            if name.startswith("samples/") and name.endswith(".json")
        ]
    return header, samples


def _text_of(value: Any, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


READERS: dict[str, Reader] = {"replies": replies, "vlmevalkit": vlmevalkit, "inspect": inspect}
"""The formats of no benchmark, by the name that `tempbench import` takes."""
