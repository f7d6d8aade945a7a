"""Finds the numbers of images, and other numbers."""

import re
from collections.abc import Iterator

from tempbench_lmms.parsing.expected import Item
from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention, apart
from tempbench_lmms.parsing.mentions import places
from tempbench_lmms.parsing.tokens import Text

_DIGITS = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/])#?(\d{1,4})(?![\d/%]|:\d|[^\W\d_\u2e80-\uffff]|\.\d|,\d{3}|[-–]\d)"
)
_BEHIND = re.compile(
    r"\s{0,2}(?:is\s|ist\s|est\s|es\s|è\s|は|が|是|为|no\.?\s?|n[°º]\s?|number\s|#|_)?"
    r"[:\s(\[\"'#]{0,4}(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_SIGN = re.compile(r"\s*[^\s\w]|\s*$|\s*\n|\s+\d")
_NOUNS, _LEADS = roles("image option"), roles("answer is choose conclude fill image")
_AFTER = roles("is right wrong because deny and or turn conclude likely hedge suppose back to all courtesy")


def value_of(text: str) -> int | None:
    """Returns the number that is the whole text of an option; None for other texts."""
    found = re.fullmatch(r"\s*(-?\d{1,6})\s*\.?\s*", text)
    return int(found[1]) if found else None


def items(text: Text, item: Item) -> list[Mention]:
    """Returns the places that name one of some numbered images."""
    found: list[Mention] = []
    for word in text.words:
        number = word.number
        if word.roles & _NOUNS:
            found += _named(text, word)
        elif number is not None and number > 1 and _stands_alone(text, word):
            found.append(Mention(number, word.start, word.end, "number"))
    found += [*_digits(text), *places.find(text, item.upper, roles("image"))]
    return [one for one in apart(found) if 0 < one.value <= item.upper]


def _digits(text: Text) -> Iterator[Mention]:
    """Yields the numbers in digits that a sign, the end or a word of an answer follows."""
    for one in _DIGITS.finditer(text.text):
        start, end = one.span()
        lead, unit = text.before(start, 1), text.after(end, 1)
        if lead and "total" in lead.roles:
            continue
        if unit and unit.start == end and "counter" in unit.roles:
            yield Mention(int(one[1]), start, unit.end, "place")
        elif text.ends(end) or _SIGN.match(text.text, end) or (unit and unit.roles & _AFTER):
            yield Mention(int(one[1]), start, end, "number")


def _named(text: Text, word: Word) -> list[Mention]:
    """Returns the number after a noun: "image 3", "image three"."""
    if behind := _BEHIND.match(text.text, word.end):
        return [Mention(int(behind[1]), word.start, behind.end(), "label")]
    after = text.after(word.end, 1)
    number = after.number if after else None
    return [] if after is None or number is None else [Mention(number, word.start, after.end, "label")]


def _stands_alone(text: Text, word: Word) -> bool:
    """Returns whether a sign or the end follows a number, and the word before it is not counted."""
    before = text.before(word.start, 1)
    ends = text.ends(word.end) or _SIGN.match(text.text, word.end)
    return bool(ends) and (before is None or bool(before.roles & _LEADS))
