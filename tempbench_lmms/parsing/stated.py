"""Where a reply says that its answer comes now."""

import re

_MARKER = re.compile(
    r"\b(?:final\s+answer|answer|final\s+order|correct\s+order|chronological\s+order|order|ranking)\b"
    r"\s*(?:should be|would be|is|=|:)+\s*:?",
    re.IGNORECASE,
)


def stated_answer(text: str) -> str | None:
    """Returns what follows the last "Answer:" or "The answer is" of a text; None where there is none.

    >>> stated_answer("Image 1 has fewer houses. Answer: 2, 1")
    '2, 1'
    """
    found = list(_MARKER.finditer(text))
    return (text[found[-1].end() :].strip() or None) if found else None
