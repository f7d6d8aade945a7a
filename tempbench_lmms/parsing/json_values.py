"""JSON in a reply: in a fence or bare, and with the faults that models make in it."""

import itertools
import json
import re
from functools import lru_cache
from typing import Any

# A bracket that what follows it does not rule out.
_OPENING = re.compile(r'\{(?=\s*["}])|\[(?=\s*[\[{\]"\d\-tfnNI])')
_BRACKET = re.compile(r"[\[{\]}]")
_DEEPEST = 50
_PASSES = 10
_ATTEMPT = 50


def json_values(text: str) -> list[Any]:
    """Returns the outermost JSON objects and arrays in a text, in order.

    Text that is not JSON is left out. If brackets are nested more than 50 deep, everything is.

    >>> json_values('Sure: {"a": 1}')
    [{'a': 1}]
    """
    return [*_values(text)] if "{" in text or "[" in text else []


@lru_cache(maxsize=4)
def _values(text: str) -> tuple[Any, ...]:
    """Does the work of `json_values`, with a cache, because several fields are read from one text."""
    return tuple(_decoded(text)) if _depth(text) <= _DEEPEST else ()


def _decoded(text: str) -> list[Any]:
    found = []
    place = 0
    # An opening bracket that begins no JSON may cost a pass over the rest of the text, so they are limited.
    walk = _PASSES * (len(text) + _ATTEMPT)
    while walk >= 0 and (match := _OPENING.search(text, place)):
        place = match.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            walk -= error.pos - place + _ATTEMPT
            place += 1
        except ValueError:  # a number of thousands of digits
            walk -= len(text) - place
            place += 1
        else:
            found.append(value)
            place = end
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object, without fields that it gives twice with different values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = None if name in found and found[name] != value else value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def _depth(text: str) -> int:
    """Returns how deep brackets are nested; those in strings count, too."""
    signs = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    return max(itertools.accumulate(signs), default=0)
