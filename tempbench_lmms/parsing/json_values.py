"""JSON in a reply: in a fence or bare, and with the faults that models make in it."""

import json
import re
from typing import Any

_COMMENT = re.compile(r"(?m)(?<!:)//[^\n\"]*$")
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
# Quotes as a Python literal has them; an apostrophe inside a word is none.
_SINGLE_QUOTE = re.compile(r"(?<![A-Za-z])'|'(?![A-Za-z])")
_CURLY = str.maketrans("“”„‘’", '"""\'\'')
_DEEPEST = 400


def json_values(text: str) -> list[Any]:
    """Returns the outermost JSON objects and arrays in a text, in order.

    Comments, trailing commas, curly and single quotes are put right. What still is no JSON is left out.

    >>> json_values("Sure: {'a': [1, 2,]} // done")
    [{'a': [1, 2]}]
    """
    text = _TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", text.translate(_CURLY)))
    found = _decoded(text)
    return found or _decoded(_SINGLE_QUOTE.sub('"', text))


def _decoded(text: str) -> list[Any]:
    if max(text.count("["), text.count("{")) > _DEEPEST:
        # Thousands of opening brackets make every attempt below walk over the rest of the text.
        return []
    decoder = json.JSONDecoder()
    found = []
    place = 0
    while match := re.compile(r"[\[{]").search(text, place):
        try:
            value, place = decoder.raw_decode(text, match.start())
        except (json.JSONDecodeError, RecursionError):
            place = match.start() + 1
        else:
            found.append(value)
    return found
