"""Reads users' files: predictions and replies as JSON Lines, and tables of spreadsheets and pandas.

A table's required column holds texts, which must not be cut, shifted or computed. So a row that does not fit
the columns is refused, with its line, and never guessed.
"""

import contextlib
import csv
import io
import itertools
import json
import math
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds
from tempbench_lmms.data.tables import RepeatedKeyError, Row, parse_json
from tempbench_lmms.data.terminal import counted, one_line
from tempbench_lmms.errors import TempbenchError

_FIELDS = ("question_id", "reply")


@contextlib.contextmanager
def readable(path: Path, advice: str = "check the path and the format") -> Iterator[None]:
    """Turns all errors from reading a damaged file into one line."""
    try:
        yield
    except TempbenchError:
        raise
    except bounds.NotText as error:
        raise TempbenchError(f"{path} {error}") from None
    # Errors of any kind: of the system, zip, XML, JSON and those of the spreadsheet library.
    except Exception as error:
        why = getattr(error, "strerror", None) or one_line(str(error) or repr(error))[:200]
        raise TempbenchError(f"{path} cannot be read ({why}); {advice}") from None


def json_lines(file: Path, advice: str = "check the path") -> Iterator[tuple[int, str]]:
    """Yields the non-blank lines of a file with their numbers, starting at 1.

    Only a line feed ends a line: a reply may hold U+2028, U+0085 and other line ends.
    """
    with readable(file, advice):
        lines = bounds.read_text(file).split("\n")
    yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def json_values(file: Path, advice: str = "check the path") -> Iterator[tuple[str, Any]]:
    """Yields the values of JSON Lines, or of one JSON list, with their places: "line 3", "entry 3"."""
    lines = json_lines(file, advice)
    for number, line in lines:
        if line.lstrip().startswith("["):
            listed = _value("\n".join([line, *(rest for _, rest in lines)]), f"{file}: the list")
            yield from ((f"entry {entry}", value) for entry, value in enumerate(listed, start=1))
            return
        yield f"line {number}", _value(line, f"{file}: line {number}")


def json_objects(file: Path, advice: str, *fields: str) -> Iterator[tuple[str, Row]]:
    """Yields what `json_values` does; raises `TempbenchError` for what is no object with these fields."""
    for where, value in json_values(file, advice):
        if not isinstance(value, dict) or not {*fields} <= value.keys():
            wanted = f" with {' and '.join(fields)}" if fields else ""
            raise TempbenchError(f"{file}: {where} is not an object{wanted}; correct it")
        yield where, value


def json_object(file: Path, advice: str) -> dict[str, Any]:
    """Returns the object that a JSON file holds.

    Raises:
        TempbenchError: It cannot be read, is not an object, or has a key twice.
    """
    with readable(file, advice):
        found = parse_json(bounds.read_text(file), unique=True)
    if not isinstance(found, dict):
        raise TempbenchError(f"{file} is not a JSON object; {advice}")
    return found


def _value(text: str, where: str) -> Any:
    try:
        return parse_json(text, unique=True)
    except RepeatedKeyError as error:
        raise TempbenchError(f"{where}: {error}; leave one") from None
    except ValueError as error:
        raise TempbenchError(
            f"{where}: not JSON ({error}); give one object per line, or one list of objects"
        ) from None


def question_and_reply(
    file: Path, where: str, value: Any, of: Callable[[Any], tuple[Any, Any]]
) -> tuple[str, str]:
    """Returns the question and the reply of one object; raises `TempbenchError` if one is not text."""
    try:
        key, reply = of(value)
    except KeyError as error:
        missing = [str(error.args[0])] if "record" in value else [n for n in _FIELDS if n not in value]
        raise TempbenchError(f"{file}: {where} has no {' and '.join(missing)}; correct it") from None
    except (TypeError, IndexError):
        raise TempbenchError(
            f"{file}: {where} is not an object with {' and '.join(_FIELDS)}; correct it"
        ) from None
    for name, found in zip(_FIELDS, (key, reply), strict=True):
        if not isinstance(found, str):
            raise TempbenchError(
                f"{file}: {where}: {name} is of type {type(found).__name__}, not a text; correct it"
            )
    return key, reply


def text_or_none(value: Any, name: str) -> str | None:
    """Returns a reply unchanged; None if the file has null or NaN instead."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value
    raise TempbenchError(
        f"{name} is of type {type(value).__name__}, not a text; give the model's reply unchanged"
    )


def check_complete(
    replies: Collection[str],
    asked: Collection[str],
    partial: bool,
    what: str = "questions",
    places: Mapping[str, str] | None = None,
) -> list[str]:
    """Compares the questions that have a reply with those that were asked.

    Args:
        replies: Ids of the questions with a reply.
        asked: Ids of all questions.
        partial: Whether questions may lack a reply.
        what: What the ids name.
        places: The place of each reply, for the message.

    Returns:
        A line about how many questions are not scored; nothing if all are.
    """
    unknown, missing = sorted(set(replies) - set(asked)), sorted(set(asked) - set(replies))
    if unknown:
        n, place = counted(len(unknown), "reply", "replies"), f" ({places[unknown[0]]})" if places else ""
        raise TempbenchError(
            f"{n} to unknown {what}, first {unknown[0]!r}{place}; score them with the data that the model "
            "was given"
        )
    if missing and not partial:
        raise TempbenchError(
            f"{len(missing)} of {len(asked)} {what} have no reply, first {missing[0]!r}; add --partial to "
            f"score the other {len(asked) - len(missing)}"
        )
    return [
        f"scored {len(asked) - len(missing)} of {len(asked)} {what}; the others have no reply (first {one!r})"
        for one in missing[:1]
    ]


_SURROGATE = re.compile("[\ud800-\udfff]")
_DISTANCE = 0x10F800 - 0xD800


def storable(text: str) -> str:
    r"""Returns a text that UTF-8 can hold.

    A Python string can hold lone surrogates: halves of a character, left by a decoder that cut a reply
    between two bytes. A log, a database and a page would refuse the whole reply. Each becomes a private
    character of the last plane, which is also no letter, digit or space for a parser.

    >>> storable("The answer is B \ud83d").encode()[-4:]
    b'\xf4\x8f\xa0\xbd'
    """
    return _SURROGATE.sub(lambda found: chr(ord(found[0]) + _DISTANCE), text)


_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}

Cells = Iterable[tuple[Any, Any]]
"""Names of columns with the values of a row."""

CELL = 32_767
"""The largest number of characters in a cell of an .xlsx file; longer texts were cut."""


def read_table(path: Path, needed: str, others: Sequence[str] = ()) -> Iterator[tuple[str, Row]]:
    """Yields the rows of a table with their places, such as "line 3", "row 3" or "entry 3".

    Args:
        path: The file; its ending gives the format.
        needed: The required column of texts, in upper or lower case.
        others: Further wanted columns; like the first, none may appear twice.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise TempbenchError(f"{path} is not a table; give one of {', '.join(_READERS)}")
    with readable(path):
        for number, (where, cells) in enumerate(reader(path, needed), start=1):
            if number > bounds.MAX_ROWS:
                raise bounds.too_many_rows(path)
            row = _named(path, where, cells, (needed, *others))
            if needed not in row:
                listed = ", ".join([one_line(name)[:30] for name in row][:8]) or "no columns"
                raise TempbenchError(
                    f"{path}: {where} has no column {needed} (it has {listed}); rename the column"
                )
            yield where, row


def _named(path: Path, where: str, cells: Cells, known: Sequence[str]) -> Row:
    """Returns a row by its columns' names; wanted names are recognised in upper or lower case."""
    row: Row = {}
    for number, (given, value) in enumerate(cells):
        name = "" if given is None else str(given).strip()
        name = name.casefold() if name.casefold() in known else name
        if name in known and name in row:
            raise TempbenchError(f"{path}: {where} has two columns {name}; remove one")
        # Only the first column may have no name: pandas writes row numbers there.
        if number and not name and value not in (None, ""):
            shown = one_line(str(value))[:40]
            raise TempbenchError(f"{path}: {where} has a cell in no column ({shown!r}); name the column")
        if name:
            row[name] = value
    return row


def _separated(path: Path, needed: str) -> Iterator[tuple[str, Cells]]:
    text = bounds.read_text(path)
    if "\0" in text:
        raise TempbenchError(f"{path} holds NUL characters; save the table as UTF-8 text")
    separator = _separator(path, text, needed)
    csv.field_size_limit(max(len(text), bounds.MAX_BYTES))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if names and len(cells) != len(names):
                    raise TempbenchError(
                        f"{path}: line {line} has {len(cells)} cells and the first {len(names)}; correct it, "
                        "or put texts with separators or ends of lines in quotes"
                    )
                if names:
                    yield f"line {line}", zip(names, cells, strict=True)
                names = names or cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise TempbenchError(
            f'{path}: line {line} has a quote (") that is not closed, or not doubled inside quotes '
            f"({error}); correct it (cells are separated by {_SEPARATORS[separator]})"
        ) from None
    if not names:
        raise TempbenchError(f"{path} is empty; give a table with the column {needed}")


def _separator(path: Path, text: str, needed: str) -> str:
    """Returns the separator of the first line: the usual one, or the one that yields the column.

    In many countries spreadsheets write semicolons into .csv files, because their numbers contain commas.
    """
    usual = "\t" if path.suffix.lower() == ".tsv" else ","
    first = next((line for line in io.StringIO(text) if line.strip()), "").casefold()
    names = {
        one: [name.strip().strip('"').strip() for name in first.split(one)] for one in (usual, *_SEPARATORS)
    }
    return next((one for one, found in names.items() if needed in found), usual)


def _spreadsheet(path: Path, needed: str) -> Iterator[tuple[str, Cells]]:
    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > bounds.max_bytes():
            raise bounds.too_large(path)
    with contextlib.closing(load_workbook(path, read_only=True)) as book:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # some writers record a wrong size
        rows = enumerate(sheet.iter_rows(), start=1)
        names = [cell.value for _, head in itertools.islice(rows, 1) for cell in head]
        for line, cells in rows:
            if line > bounds.MAX_ROWS + 1:  # the library adds blank rows up to a number that the file gives
                raise bounds.too_many_rows(path)
            where = f"row {line}"
            found = [
                (name, _cell(path, where, str(name).strip().casefold() == needed, cell))
                for name, cell in zip([*names, *[None] * (len(cells) - len(names))], cells, strict=False)
            ]
            if any(value is not None for _, value in found):
                yield where, found


def _cell(path: Path, where: str, is_text: bool, cell: Any) -> Any:
    """Returns a cell's value; a text that begins with "=" is stored as a formula."""
    from openpyxl.utils.escape import unescape

    value = getattr(cell.value, "text", cell.value)
    if cell.data_type == "f" and not is_text:
        raise TempbenchError(f"{path}: {where} has a formula; put its value into the cell (paste as values)")
    return unescape(value) if isinstance(value, str) else value


def _json_table(path: Path, needed: str) -> Iterator[tuple[str, Cells]]:
    found = _frame_rows(_json_or_lines(bounds.read_text(path)), needed)
    if found is None:
        raise TempbenchError(
            f"{path} is neither a list of rows nor a table as pandas writes it; give one of these"
        )
    for number, (name, row) in enumerate(found, start=1):
        has_index = any(column.casefold() == "index" for column in row)
        yield f"entry {number}", (row if has_index or not name else {"index": name} | row).items()


def _json_lines(path: Path, needed: str) -> Iterator[tuple[str, Cells]]:
    yield from ((where, row.items()) for where, row in json_objects(path, "give JSON lines"))


_READERS = {
    ".xlsx": _spreadsheet,
    ".tsv": _separated,
    ".csv": _separated,
    ".json": _json_table,
    ".jsonl": _json_lines,
}


def _json_or_lines(text: str) -> Any:
    """Returns the value of a JSON text, or a list of its lines' values.

    Raises:
        json.JSONDecodeError, RepeatedKeyError: As `parse_json`.
    """
    try:
        return parse_json(text, unique=True)
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [parse_json(line, unique=True) for line in lines]


def _frame_rows(data: Any, needed: str) -> list[tuple[str, Row]] | None:
    """Returns the rows of a data frame that pandas wrote as JSON, with their names.

    Args:
        data: The value: what `DataFrame.to_json` writes by columns, by rows or as records.
        needed: An existing column, which distinguishes `{column: {row: value}}` from `{row: {column:
            value}}`.

    Returns:
        Each row and its name ("" if it has none); None if the value is not a table.
    """
    if isinstance(data, list):
        return [("", row) for row in data] if all(isinstance(row, dict) for row in data) else None
    if not isinstance(data, dict) or not data or not all(isinstance(one, dict) for one in data.values()):
        return None
    if needed not in (str(name).casefold() for name in data):
        return list(data.items())
    keys = list(next(iter(data.values())))
    if any(list(column) != keys for column in data.values()):
        return None
    return [(key, {name: column[key] for name, column in data.items()}) for key in keys]
