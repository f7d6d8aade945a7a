"""An escape for replies that files cannot hold.

A Python string can hold lone surrogates, U+D800 to U+DFFF: halves of a character, left by a decoder that cut
a reply between two bytes. UTF-8 cannot represent them, so a log, a database and a page refuse the whole
reply. Each becomes one private character of the last plane, U+10F800 to U+10FFFF, which is also no letter,
digit or space for a parser. If a reply itself holds such a character, or the mark U+10F7FF, the mark is put
before it. So `original` restores every reply exactly, and a reply without such characters is unchanged.
"""

import re

_MARK = "\U0010f7ff"
_DISTANCE = 0x10F800 - 0xD800
_TO_ESCAPE = re.compile("[\ud800-\udfff\U0010f7ff-\U0010ffff]")
_ESCAPED = re.compile(f"{_MARK}(?P<itself>[\U0010f7ff-\U0010ffff])|(?P<half>[\U0010f800-\U0010ffff])")


def storable(text: str) -> str:
    r"""Returns a text that UTF-8 can hold, and from which `original` restores this one.

    >>> storable("The answer is B \ud83d").encode()[-4:]
    b'\xf4\x8f\xa0\xbd'
    >>> storable("B")
    'B'
    """
    return _TO_ESCAPE.sub(lambda found: _escaped(found[0]), text)


def original(text: str) -> str:
    r"""Returns the text from which `storable` made this one.

    >>> original(storable("B \ud83d")) == "B \ud83d"
    True
    """
    return _ESCAPED.sub(lambda found: found["itself"] or chr(ord(found["half"]) - _DISTANCE), text)


def _escaped(character: str) -> str:
    number = ord(character)
    return _MARK + character if number > 0xDFFF else chr(number + _DISTANCE)
