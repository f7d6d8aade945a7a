"""An escape for replies that files cannot hold."""

import re

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
