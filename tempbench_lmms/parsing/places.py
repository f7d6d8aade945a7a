"""Places in a row: "the fourth from the left", "the penultimate image"."""

import re

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, shortest
from tempbench_lmms.parsing.words import FROM_END, FROM_START, IMAGE, LAST_PLACE, ORDINAL, PENULTIMATE, any_of

_NOUN = rf"(?:\s*{any_of((*IMAGE, 'one'))})?"
_ORDINAL = rf"(?P<place>{any_of(ORDINAL)})"
_END = lazy(rf"{any_of(PENULTIMATE)}{_NOUN}|{_ORDINAL}{_NOUN}\s*{any_of(FROM_END)}{_NOUN}", re.IGNORECASE)
_START = lazy(rf"{_ORDINAL}{_NOUN}\s*{any_of(FROM_START)}", re.IGNORECASE)
_LAST = lazy(any_of(LAST_PLACE) + _NOUN, re.IGNORECASE)
_EDGE = lazy(
    rf"\b(?:(?P<left>left-?most)|(?P<right>right-?most)|(?P<middle>middle|central|middlemost)){_NOUN}\b",
    re.IGNORECASE,
)
_EDGES = ("leftmost", "left-most", "rightmost", "right-most", "middle", "central")
_SIGNS = shortest({*_EDGES, *PENULTIMATE, *LAST_PLACE, *FROM_START, *FROM_END})


def numbered(text: str, upper: int) -> str:
    """Returns a text in which places in a row of images are the images' numbers.

    >>> numbered("Fourth from the left.", 5), numbered("the penultimate image", 5)
    ('image 4.', 'the image 4')
    >>> numbered("the second image from the right", 5)
    'the image 4'
    """
    if not holds(text.lower(), _SIGNS):
        return text

    def from_end(match: re.Match[str]) -> str:
        place = ORDINAL[match["place"].lower()] if match["place"] else 2
        return f"image {upper + 1 - place}"

    def edge(match: re.Match[str]) -> str:
        if match["middle"]:
            named = upper % 2 and match.group().lower() != match["middle"].lower()
            return f"image {(upper + 1) // 2}" if named else match.group()
        return f"image {1 if match['left'] else upper}"

    text = _EDGE.sub(edge, text)
    text = _LAST.sub(f"image {upper}", _END.sub(from_end, text))
    return _START.sub(lambda match: f"image {ORDINAL[match['place'].lower()]}", text)
