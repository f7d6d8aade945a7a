"""The answers of TimeBlind: Yes or No, or one of two letters."""

import re
import unicodedata
from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Reading, Truth

FIRST, SECOND, UNREAD = 1, 0, -1
"""What the official code makes of a reply: Yes or A, No or B, neither."""

_KEYWORD = r"(?:final(?: answer)?|answer|prediction)"
_SPACES = re.compile(r"\s+")
_WORD = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (rf"{_KEYWORD}\s*[:：]\s*(yes|no)\b", r"\b(yes|no)\b(?=[\s.,!?)]|$)")
)
_LETTER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_KEYWORD}\s*[:：]\s*([AB])\b",
        r"(?:option|choice)\s*[:：]?\s*([AB])\b",
        r"[(\[{]\s*([AB])\s*[)\]}]",
        r"\b([AB])\s*[.)]\b",
    )
)
_ALONE = re.compile(r"(?<![A-Za-z0-9/])([AB])(?![A-Za-z0-9/])", re.IGNORECASE)
_AROUND = re.compile(rf"\b{_KEYWORD}\b", re.IGNORECASE)


def read(
    reply: str, options: Sequence[str] = (), prompt: str | None = None, at_limit: bool = False
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter, or Yes or No where there are no options.

    >>> read("Is it faster? No, wait: yes. Answer: Yes").value
    'Yes'
    """
    if options:
        return reader.read(reply, Choice("ABCD"[: len(options)], tuple(options[:4])), prompt, at_limit)
    return reader.read(reply, Truth(), prompt, at_limit).map(lambda true: "Yes" if true else "No")


def parse_official(reply: str, options: Sequence[str] = ()) -> int:
    """Returns what the official rules read: `FIRST`, `SECOND` or `UNREAD`.

    Their faults are part of it: without "Answer:" the first "yes" or "no" counts, that of the reasoning too;
    of letters the first "a" that stands alone, the article too. Source: `utils.py`.
    """
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", reply)).strip()
    if not options:
        found = next(filter(None, (rule.search(text) for rule in _WORD)), None)
        return UNREAD if found is None else FIRST if found[1].lower() == "yes" else SECOND
    found = next(filter(None, (rule.search(text) for rule in _LETTER)), None) or _letter_alone(text)
    return UNREAD if found is None else FIRST if found[1].upper() == "A" else SECOND


def _letter_alone(text: str) -> re.Match[str] | None:
    """Returns the first letter before the first "answer", else the first one behind it."""
    keyword = _AROUND.search(text)
    parts = [text[: keyword.start()], text[keyword.end() :]] if keyword else []
    return next(filter(None, map(_ALONE.search, [*parts, text])), None)
