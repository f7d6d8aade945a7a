"""Reads predictions and replies from elsewhere, as JSON Lines."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds
from tempbench_lmms.data.tables import RepeatedKeyError, first_line, parse_json
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError

_FIELDS = ("question_id", "reply")


def json_lines(file: Path, advice: str = "check the path") -> Iterator[tuple[int, str]]:
    """Yields the non-blank lines of a file with their numbers, starting at 1.

    Only a line feed ends a line: a reply may hold U+2028, U+0085 and other line ends.
    """
    try:
        with bounds.open_text(file) as stream:
            for number, line in enumerate(bounds.lines(stream, file), start=1):
                if line.strip():
                    yield number, line
    except bounds.NotText as error:
        raise TempbenchError(f"{file} {error}") from None
    except OSError as error:
        raise TempbenchError(f"{file} cannot be read ({error.strerror or error}); {advice}") from None


def json_values(file: Path, advice: str = "check the path") -> Iterator[tuple[str, Any]]:
    """Yields the values of JSON Lines, or of one JSON list, with their places: "line 3", "entry 3"."""
    lines = json_lines(file, advice)
    for number, line in lines:
        if line.lstrip().startswith("["):
            listed = _value(line + "".join(_bounded(lines, file)), f"{file}: the list")
            yield from ((f"entry {entry}", value) for entry, value in enumerate(listed, start=1))
            return
        yield f"line {number}", _value(line, f"{file}: line {number}")


def json_object(file: Path, advice: str) -> dict[str, Any]:
    """Returns the object that a JSON file holds.

    Raises:
        TempbenchError: It cannot be read, is not an object, or has a key twice.
    """
    try:
        found = parse_json(bounds.read_text(file), unique=True)
    except (OSError, ValueError) as error:
        raise TempbenchError(f"{file} cannot be read ({first_line(error)}); {advice}") from None
    if not isinstance(found, dict):
        raise TempbenchError(f"{file} is not a JSON object; {advice}")
    return found


def _bounded(lines: Iterator[tuple[int, str]], file: Path) -> Iterator[str]:
    most, size = bounds.max_bytes(), 0
    for _, line in lines:
        size += len(line)
        if size > most:
            raise bounds.too_large(file)
        yield line


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
    if not missing:
        return []
    return [
        f"scored {len(asked) - len(missing)} of {len(asked)} {what}; the others have no reply (first "
        f"{missing[0]!r})"
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
