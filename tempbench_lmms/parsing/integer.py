"""The whole number that a reply states."""

import re

from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.text import normalise

_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<digits>-?\d{{1,9}})(?:\.0+)?(?![\w%]|[.,]\d)"
    rf"|\b(?P<word>{'|'.join(CARDINALS)}|once|twice|none)\b",
    re.IGNORECASE,
)
_VALUES = {word: value for value, word in enumerate(CARDINALS)} | {"once": 1, "twice": 2, "none": 0}


def integers(reply: str) -> list[int]:
    """Returns the whole numbers of a reply's final answer in order, written in digits or as words.

    >>> integers("First two, no: 3 times."), integers("3.5 or 50%")
    ([2, 3], [])
    """
    text = final_answer(reply)
    if text is None:
        return []
    return [
        int(match["digits"]) if match["digits"] else _VALUES[match["word"].lower()]
        for match in _NUMBER.finditer(normalise(text))
    ]
