"""One escape for replies that no file can hold as they are.

A Python string can hold lone surrogates, U+D800 to U+DFFF: halves of a character, as a decoder leaves them
that cuts a reply between two bytes. UTF-8 has no form for them, so a log, a database and a page refuse the
whole reply. Each becomes one private character of the last plane, U+10F800 to U+10FFFF, which a parser takes
for what a surrogate is too: no letter, no digit, no space. Where a reply itself holds such a character, or
the mark U+10F7FF, the mark stands before it. So `original` gives every reply back as it came, and a reply
without such characters stays as it is.
"""

import re

_MARK = "\U0010f7ff"
_DISTANCE = 0x10F800 - 0xD800
_TO_ESCAPE = re.compile("[\ud800-\udfff\U0010f7ff-\U0010ffff]")
_ESCAPED = re.compile(f"{_MARK}(?P<itself>[\U0010f7ff-\U0010ffff])|(?P<half>[\U0010f800-\U0010ffff])")


def storable(text: str) -> str:
    r"""Returns a text that UTF-8 can hold, from which `original` makes the same text again.

    >>> storable("The answer is B \ud83d").encode()[-4:]
    b'\xf4\x8f\xa0\xbd'
    >>> storable("B")
    'B'
    """
    return _TO_ESCAPE.sub(lambda found: _escaped(found[0]), text)


def original(text: str) -> str:
    r"""Returns the text of which `storable` made this one.

    >>> original(storable("B \ud83d")) == "B \ud83d"
    True
    """
    return _ESCAPED.sub(lambda found: found["itself"] or chr(ord(found["half"]) - _DISTANCE), text)


def _escaped(character: str) -> str:
    number = ord(character)
    return _MARK + character if number > 0xDFFF else chr(number + _DISTANCE)
