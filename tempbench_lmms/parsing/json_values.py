"""JSON in a reply: in a fence or bare, and with the faults that models make in it."""

import itertools
import json
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.patterns import lazy

_COMMENT = lazy(r"(?<!:)//")
_TRAILING_COMMA = lazy(r",(?=[\s\]}])(\s*[\]}])")
# Quotes as a Python literal has them; an apostrophe inside a word is none.
_SINGLE_QUOTE = lazy(r"(?<![A-Za-z])'|'(?![A-Za-z])")
_CURLY = str.maketrans("“”„‘’", '"""\'\'')
# A bracket that what follows it does not rule out.
_OPENING = lazy(r'\{(?=\s*["}])|\[(?=\s*[\[{\]"\d\-tfnNI])')
_BRACKET = lazy(r"[\[{\]}]")
_DEEPEST = 50
_PASSES = 10
_ATTEMPT = 50


def json_values(text: str) -> list[Any]:
    """Returns the outermost JSON objects and arrays in a text, in order.

    Comments, trailing commas, curly and single quotes are put right. What still is no JSON is left out, as is
    what is nested more than 50 deep.

    >>> json_values("Sure: {'a': 1,} // done")
    [{'a': 1}]
    """
    return [*_values(text)] if "{" in text or "[" in text else []


@lru_cache(maxsize=4)
def _values(text: str) -> tuple[Any, ...]:
    """Returns what `json_values` does; several fields are read in the same text."""
    if not text.isascii():
        text = text.translate(_CURLY)
    if "//" in text:
        text = "\n".join(map(_without_comment, text.split("\n")))
    if "," in text:
        text = _TRAILING_COMMA.sub(r"\1", text)
    found = _decoded(text)
    return tuple(found if found or "'" not in text else _decoded(_SINGLE_QUOTE.sub('"', text)))


def _without_comment(line: str) -> str:
    # Slashes before a quote stand in a string.
    comment = _COMMENT.search(line, line.rfind('"') + 1)
    return line[: comment.start()] if comment else line


def _decoded(text: str) -> list[Any]:
    found = []
    place = 0
    # Each opening bracket of what is no JSON may cost a walk over the rest of the text: so many are enough.
    walk = _PASSES * (len(text) + _ATTEMPT)
    while walk >= 0 and (match := _OPENING.search(text, place)):
        place = match.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            walk -= error.pos - place + _ATTEMPT
            place += 1
        except RecursionError:  # thousands of brackets
            return []
        except ValueError:  # a number of thousands of digits
            walk -= len(text) - place
            place += 1
        else:
            if end - place <= _DEEPEST or _depth(text[place:end]) <= _DEEPEST:
                found.append(value)
            place = end
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object; a field that it gives twice with two values says nothing."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = None if name in found and found[name] != value else value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def _depth(text: str) -> int:
    """Returns how deep brackets are nested; those in strings count, too."""
    signs = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    return max(itertools.accumulate(signs), default=0)
