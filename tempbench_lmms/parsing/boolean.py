"""True or False."""

import re

from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.stated import stated_answer
from tempbench_lmms.parsing.text import normalise, unboxed

_TRUE = ("true", "yes", "correct")
_FALSE = ("false", "no", "incorrect")
_BARE = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)
# The choice itself, repeated from the question, chooses nothing.
_ECHO = re.compile(r"\btrue\s*(?:or|/|\|)\s*false\b|\byes\s*(?:or|/|\|)\s*no\b", re.IGNORECASE)
_WORD = re.compile(r"\b(true|false)\b", re.IGNORECASE)
# "The statement is incorrect": so, and not in "the correct order", it says True or False.
_CALLED = re.compile(
    r"(?<!\bif )(?<!\bif the )(?<!\bwhether )(?<!\bwhether the )"
    r"\b(?:statement|claim|sentence|description|assertion|this|that|it)\b[\"']?\s+(?:is|was)\s+"
    r"(?:indeed\s+|therefore\s+|also\s+)?(not\s+)?(?:(correct|accurate)|incorrect|inaccurate|wrong)\b"
    r"(?!\s+(?:if|when|only|unless)\b)",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\b(?:can)?not|n't|\bneither|\bnor)\s+(?:\w+\s+)?$", re.IGNORECASE)
# "Whether it is true", "it may be true", "both are true": nothing is said.
_OPEN = re.compile(
    r"\b(?:whether|if)\s+(?:[\w']+\s+){1,4}$"
    r"|\b(?:may|might|could|would)\s+(?:(?:also|well|still|then)\s+)*be\s+(?:\w+\s+)?$"
    r"|\bboth\b[^.!?\n]*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[,:]\s*(yes|no)\W*$", re.IGNORECASE)
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
    text = _ECHO.sub(" ", unboxed(normalise(text)))
    if (stated := stated_answer(text)) is not None and (verdict := _read(stated)) is not None:
        return verdict
    return _read(text)


def _bare(text: str) -> str:
    return text.strip(" \t\r\n.,;:!?\"'()[]{}<>*#\\`").lower()


def _read(text: str) -> bool | None:
    if (whole := _BARE.get(_bare(text))) is not None:
        return whole
    if opening := _OPENING.match(text):
        verdict = _BARE[opening.group(1).lower()]
        # "True" and below it "False": both options, and no answer.
        return None if _BARE.get(_bare(text[opening.end() :]), verdict) != verdict else verdict
    if closing := _CLOSING.search(text):
        return _BARE[closing.group(1).lower()]
    said = set()
    for match in _WORD.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        if not _OPEN.search(before):
            # "Not true" is no word of its own, but it says False.
            said.add((match.group(1).lower() == "true") != bool(_NEGATED.search(before)))
    said |= {(match[2] is None) == (match[1] is not None) for match in _CALLED.finditer(text)}
    return said.pop() if len(said) == 1 else None
