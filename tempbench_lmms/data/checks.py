"""Checks common to all data sets; a benchmark's `rows.py` says what its tables must hold."""

import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import SCHEME, resolve
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

NumberedRow = tuple[int, tables.Row]

MAX_TEXT = 200_000
"""The longest text of a field, in characters; no real question is longer."""


@dataclass(frozen=True)
class Table:
    """A table and its checks."""

    benchmark: str  # whose data set it is; its media are of the same
    path: Path  # the Parquet file
    # the `pyarrow.Schema` that it must have. Columns that may be without a value are those whose field is
    # marked by the metadata `{"optional": "1"}`.
    schema: Any
    # takes a row of the right types and yields what is wrong with it, as "field: what"
    check: Callable[[tables.Row], Iterable[str]]
    media: tuple[str, ...]  # the columns that hold URLs
    # takes all numbered rows and yields (number, "field: what") for problems between rows
    together: Callable[[Sequence[NumberedRow]], Iterable[tuple[int, str]]] = field(default=lambda rows: ())

    @property
    def name(self) -> str:
        """The table's name in messages: its folder and its file."""
        return f"{self.path.parent.name}/{self.path.name}"


def table_problems(table: Table, media: dict[str, Path]) -> Iterator[str]:
    """Yields the problems of one table, one line each: columns, types, values, ids, and its own checks.

    `media` collects the media that its rows name, by URL.
    """
    for other in sorted(table.path.parent.glob("*.parquet")):
        if other != table.path:
            yield one_line(f"{table.name}: {other.name} beside it would be read as part of it; remove it")
    try:
        schema, rows = tables.read_table(table.path)
    except TempbenchError as error:
        yield one_line(str(error))
        return
    wrong = [*_column_problems(table, schema)]
    if not wrong and not rows:
        wrong = [f"{table.name}: has no rows; prepare the data again"]
    yield from map(one_line, wrong)
    if wrong:
        return
    required = {column.name for column in table.schema if (column.metadata or {}).get(b"optional") != b"1"}
    found: list[tuple[int, str]] = []
    sound: list[NumberedRow] = []
    for number, row in enumerate(rows):
        of_row = [
            (number, f"{name}: {what}")
            for name in table.schema.names
            if (what := _value_problem(row[name], name in required))
        ]
        found += of_row or ([] if row["question_id"] else [(number, "question_id: empty")])
        if not of_row and row["question_id"]:
            sound.append((number, row))
    found += duplicates(sound)
    for number, row in sound:
        found += ((number, problem) for problem in table.check(row))
        found += ((number, problem) for problem in _media_problems(table, row, media))
    found += table.together(sound)
    for number, problem in sorted(found, key=lambda one: one[0]):
        id_ = str(rows[number]["question_id"])[:80]
        yield one_line(f"{table.name}: row {number} ({id_}): {problem}")


def duplicates(rows: Iterable[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the number of every row that repeats an earlier id, and the message about it."""
    seen: dict[str, int] = {}
    for number, row in rows:
        first = seen.setdefault(row["question_id"], number)
        if first != number:
            yield number, f"question_id: duplicate of row {first}"


def in_words(error: Exception) -> str:
    """Returns a message about a foreign value from Python's error about it.

    >>> in_words(KeyError("record"))
    'it has no record'
    """
    if isinstance(error, KeyError):
        return f"it has no {one_line(str(error.args[0]))}"
    if isinstance(error, json.JSONDecodeError):
        return "it is not JSON" if error.pos or error.doc.strip() else "it is empty"
    if isinstance(error, OSError):
        return error.strerror or one_line(repr(error))
    return one_line(str(error))[:200]


def _column_problems(table: Table, schema: Any) -> Iterator[str]:
    for column in table.schema:
        found = [given.type for given in schema if given.name == column.name]
        if [_kind(one) for one in found] != [_kind(column.type)]:
            yield (
                f"{table.name}: the column {column.name} is {' and '.join(map(str, found)) or 'missing'}, "
                f"not {column.type}; prepare the data again"
            )


def _kind(of_column: Any) -> str:
    """Returns a column's type without the sizes of whole numbers, texts and lists, which do not matter."""
    name = re.sub(r"large_| not null|(?<=<)\w+: ", "", str(of_column))
    return re.sub(r"u?int\d+", "int", name)


def _value_problem(value: Any, required: bool) -> str | None:
    if value is None:
        return "no value" if required else None
    if isinstance(value, list):
        return next((f"{what} in the list" for one in value if (what := _value_problem(one, True))), None)
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"longer than {MAX_TEXT} characters"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number"
    return None


def _media_problems(table: Table, row: tables.Row, media: dict[str, Path]) -> Iterator[str]:
    for column in table.media:
        for url in [row[column]] if isinstance(row[column], str) else row[column]:
            if url in media:
                continue
            try:
                path = resolve(url)
            except (TempbenchError, OSError, RuntimeError) as error:  # also long names and circular links
                yield f"{column}: {error}"
                continue
            if url.removeprefix(SCHEME).split("/")[0] != table.benchmark:
                yield f"{column}: {url!r} belongs to another data set; correct the row that names it"
            else:
                media[url] = path


def reply_problems(
    row: tables.Row, read: Callable[[str], str | None], answer: str = "answer"
) -> Iterator[str]:
    """Yields the problems of a row's answer and of its possible replies for the respondents.

    Args:
        row: With the columns `target` (the reply that is right) and `choices` (all that choose something).
        read: The benchmark's parser, for this row.
        answer: The column with what the target must be read as.
    """
    read = functools.cache(read)  # every run checks every row before it begins
    yield from choice_problems(row, read)
    known = [said for reply in row["choices"] if (said := read(reply)) is not None]
    if row[answer] not in known:
        yield f"{answer}: {row[answer][:80]!r} is not one of {', '.join(dict.fromkeys(known))}"
    said = read(row["target"])
    if said is None or (said != row[answer] and row[answer] in known):
        yield f"target: {row['target'][:80]!r} is not the answer {row[answer][:80]!r}"


def choice_problems(row: tables.Row, read: Callable[[str], str | None]) -> Iterator[str]:
    """Yields the problems of the replies that choose something; arguments as above."""
    if not row["choices"]:
        yield "choices: none"
    if unread := [reply for reply in row["choices"] if read(reply) is None]:
        yield f"choices: {unread[0][:80]!r} cannot be read as an answer"
    if len(set(row["choices"])) < len(row["choices"]):
        yield "choices: two are the same"


def text_problems(row: tables.Row, *names: str, **known: Iterable[str]) -> Iterator[str]:
    """Yields columns with an empty text, and columns with a text that is not one of the known ones.

    A column may hold a list of texts, or no value.
    """
    given = {name: row[name] for name in (*names, *known) if row[name] is not None}
    own = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    yield from (f"{name}: empty" for name in names if any(not text.strip() for text in own.get(name, ())))
    for name, values in known.items():
        listed = [*values]
        if unknown := [text for text in own.get(name, ()) if text not in listed]:
            yield f"{name}: {unknown[0]!r} is not one of {', '.join(listed)}"


def present(problems: Mapping[str, object]) -> Iterator[str]:
    """Yields the problems whose condition, their value, holds."""
    return (problem for problem, is_there in problems.items() if is_there)


def option_problems(options: Sequence[str], least: int, most: int) -> Iterator[str]:
    """Yields the problems of the texts of a question's options."""
    wanted = f"{least}" if least == most else f"{least} to {most}"
    yield from present(
        {
            f"options: {len(options)}, a question has {wanted}": not least <= len(options) <= most,
            "options: two are the same": len(set(options)) < len(options),
            "options: one is empty": any(not option.strip() for option in options),
        }
    )
