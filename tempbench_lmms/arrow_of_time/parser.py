"""The direction that a reply states."""

import re

from tempbench_lmms.arrow_of_time.card import ANSWERS
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Reading

_WORD = re.compile(r"\b(?:for|back)wards?\b", re.IGNORECASE)
_OF_PLAYBACK = re.compile(r"\b(?:play|video|clip|footage|direction|answer|conclu)", re.IGNORECASE)


def read(reply: str, prompt: str | None = None, at_limit: bool = False) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is `F` or `B`.

    The words "forward" and "backward" count only if none may be about a motion: "A man steps forward."

    >>> read("The milk gathers in the middle, so it is played backward. B").value
    'B'
    """
    said = filter(_WORD.search, re.split(r"[.!?\n]", reply))
    is_clear = all(len(one.split()) <= 2 or _OF_PLAYBACK.search(one) for one in said)
    words = tuple(ANSWERS.values()) if is_clear else ()
    return reader.read(reply, Choice("".join(ANSWERS), words), prompt, at_limit)
