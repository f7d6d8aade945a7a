"""Which of several time spans stands with the option that a reply chooses.

A reply that looks at all options gives a span of each: "Option A happens from 5 to 9 s, B from 12 to 20 s.
So B." The span of the chosen one is that which is written to its letter, else the one left when those of
other letters are taken out, else the one in whose sentence its words stand.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tempbench_lmms.parsing import option_words
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.spans import Found

_NEAR = 24
_LETTER = lazy(r"(?<![^\W_])([A-H])(?![^\W_]|['’])")
# "A [5, 9]", "A, from 5 to 9", "Option A (5 to 9)"
_BEFORE = lazy(
    r"(?<![^\W_])([A-H])[\"')\]*]{0,3}(?:\s*[,:;.(\[|–—-]|\s)\s*(?:(?:at|from|between|with|for|in|during|von|de|del"
    r"|entre|zwischen|bei)\s+){0,2}[(\[]?\s*(?:from\s+|between\s+)?$"
)
# "5 to 9 s: A"
_AFTER = lazy(
    r"\s*(?:s|sec|seconds?)?[\s)\],;:|–—-]{0,4}(?:(?:answer|option)\s*:?\s*)?\(?([A-H])(?![^\W_]|['’])"
)
_SENTENCE_END = lazy(r"[.!?](?=\s)|[\n;]")
_BACK = lazy(r"\s*(?:this|that|it|which)\b", re.IGNORECASE)
_FEWEST = 0.5


class Chosen(NamedTuple):
    """The option that a reply chooses.

    Attributes:
        letter: Its letter; None where it chooses none.
        letters: All letters on offer.
        texts: The options' texts in the order of the letters; none where they aren't known.
    """

    letter: str | None
    letters: str
    texts: Sequence[str] = ()


def beside(tokens: str, found: Sequence[Found], chosen: Chosen) -> Found | None:
    """Returns the span that stands with an option; None where none or several do.

    Args:
        tokens: The text that the spans were found in, its times as tokens.
        found: Several spans, in their order.
        chosen: The option.
    """
    written = [one for one in found if chosen.letter in _written_to(tokens, one)]
    if one := _only(written):
        return one
    others = [one for one in found if _of_another(tokens, one, chosen)]
    left = [one for one in found if one not in others]
    if others and (one := _only(left)):
        return one
    return _with_words(tokens, left, chosen) if chosen.texts else None


def _only(found: Sequence[Found]) -> Found | None:
    return found[-1] if len({one.span for one in found}) == 1 else None


def _written_to(text: str, one: Found) -> set[str]:
    """Returns the letters written directly before or behind a span."""
    sides = _BEFORE.search(text[max(0, one.start - _NEAR) : one.start]), _AFTER.match(text, one.end)
    return {side[1] for side in sides if side}


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns where the sentence around a place begins and ends."""
    before = max((found.end() for found in _SENTENCE_END.finditer(text, 0, start)), default=0)
    behind = _SENTENCE_END.search(text, end)
    return before, behind.start() if behind else len(text)


def _of_another(text: str, one: Found, chosen: Chosen) -> bool:
    """Whether the sentence of a span names other letters, and not the chosen one."""
    start, end = _sentence(text, one.start, one.end)
    named = {letter for letter in _LETTER.findall(text, start, end) if letter in chosen.letters}
    # "A" may begin a sentence as an article.
    return bool(named - {chosen.letter}) and chosen.letter not in named


def _with_words(text: str, found: Sequence[Found], chosen: Chosen) -> Found | None:
    """Returns the one span whose sentence says most of the chosen option's words."""
    telling = option_words.telling_words(tuple(chosen.texts))
    own = set(telling[chosen.letters.index(chosen.letter)]) if chosen.letter else set()
    if not own:
        return None
    shares = [(len(own & set(option_words.stems(_words(text, one, found)))) / len(own), one) for one in found]
    most = max((share for share, _ in shares), default=0.0)
    best = [one for share, one in shares if share == most]
    return _only(best) if most >= _FEWEST else None


def _words(text: str, one: Found, found: Sequence[Found]) -> str:
    """Returns the words of a span's sentence; where others stand in it, those from one span to the next."""
    start, end = _sentence(text, one.start, one.end)
    if _BACK.match(text, start) and start:
        start = _sentence(text, start - 2, start - 2)[0]  # "This happens from 5 to 9 s."
    if text[one.start - 1 : one.start] == "(":
        end = one.end
    before = [other for other in found if start <= other.start < one.start]
    behind = [other for other in found if one.end <= other.start < end]
    if before:
        start = before[-1].end
    if behind:
        end = one.end
    return text[start:end]
