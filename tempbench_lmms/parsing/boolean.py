"""True or False."""

import re

from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.stated import stated_answer
from tempbench_lmms.parsing.text import normalise

_TRUE = ("true", "yes", "correct")
_FALSE = ("false", "no", "incorrect")
_BARE = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)
# The choice itself, repeated from the question, chooses nothing.
_ECHO = re.compile(r"\btrue\s*(?:or|/|\|)\s*false\b|\byes\s*(?:or|/|\|)\s*no\b", re.IGNORECASE)
_WORD = re.compile(r"\b(true|false)\b", re.IGNORECASE)
_NEGATED = re.compile(r"(?:\bnot|n't|\bneither|\bnor)\s+(?:\w+\s+)?$", re.IGNORECASE)
_OPENING = re.compile(r"^\W*(true|false|yes|no)\b(?=\s*(?:[.,;:!)\n*-]|because|since|$))", re.IGNORECASE)


def parse_boolean(reply: str) -> bool | None:
    """Returns whether a reply says True or False; "yes" and "no" count where they are the reply.

    Args:
        reply: The model's reply, reasoning included.

    Returns:
        None where the reply says neither, or both without saying which is its answer.

    >>> parse_boolean("The order is reasonable. Answer: True"), parse_boolean("True or False?")
    (True, None)
    """
    text = final_answer(reply)
    if text is None:
        return None
    text = _ECHO.sub(" ", normalise(text))
    if (stated := stated_answer(text)) is not None and (verdict := _read(stated)) is not None:
        return verdict
    return _read(text)


def _read(text: str) -> bool | None:
    bare = text.strip(" \t\r\n.,;:!?\"'()[]{}<>*#\\`").lower()
    if bare in _BARE:
        return _BARE[bare]
    if opening := _OPENING.match(text):
        return _BARE[opening.group(1).lower()]
    said = {
        (match.group(1).lower() == "true")
        # "Not true" is no word of its own, but it says False.
        != bool(_NEGATED.search(text[max(0, match.start() - 30) : match.start()]))
        for match in _WORD.finditer(text)
    }
    return said.pop() if len(said) == 1 else None
