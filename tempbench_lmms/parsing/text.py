"""Bounds the length of a reply, and its white space."""

import re
from collections.abc import Iterable

from tempbench_lmms.parsing.patterns import lazy

_HEAD = 4_000
_TAIL = 4_000
# Between what is left of a long reply: a line of its own with a sign that no pattern skips.
_CUT = "\n@\n"
_LONGEST_WORD = 64
LONGEST = _HEAD + len(_CUT) + _TAIL
"""A longer reply is clipped."""
# All white space but a single space and a single end of line.
_SPACE = lazy(r"\s{2,}|[^\S\n ]")
# An ASCII text without one of these has no such run that would change.
_RUNS = ("  ", "\n\n\n", " \n", "\n ", *"\t\r\v\f\x1c\x1d\x1e\x1f")


def holds(text: str, signs: Iterable[str]) -> bool:
    """Whether one of some substrings is in a text."""
    for sign in signs:  # noqa: SIM110 - a generator takes three times as long
        if sign in text:
            return True
    return False


def clip(reply: str) -> str:
    """Returns the first and the last 4,000 characters of a longer reply, without the words that a cut halves.

    An answer stands in one of them. It bounds what every later pattern costs: a model that loops can fill its
    whole token budget.
    """
    if len(reply) <= LONGEST:
        return reply
    # The end of "OMEGA." could be read as "A.", and that of "12.5" as 5.
    left, right = _HEAD - _LONGEST_WORD, len(reply) - _TAIL + _LONGEST_WORD
    before = re.sub(r"\S+$", "", reply[left:_HEAD])
    after = re.sub(r"^\S+", "", reply[-_TAIL:right])
    return reply[:left] + before + _CUT + after + reply[right:]


def squeeze(text: str) -> str:
    r"""Returns a text with one space, one end of line or one empty line for each run of white space.

    Patterns with optional space in several places would try every way to share a long run among them.

    >>> squeeze("a \t b \n c \r\n\r\n\r\n d")
    'a b\nc\n\nd'
    """
    if text.isascii() and not holds(text, _RUNS):
        return text
    return _SPACE.sub(lambda run: "\n" * min(run.group().count("\n"), 2) or " ", text)
