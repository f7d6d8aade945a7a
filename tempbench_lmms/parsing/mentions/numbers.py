"""Finds numbers of images, and places in a row: "image three", "the last one", "the former"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from tempbench_lmms.parsing.expected import Item
from tempbench_lmms.parsing.lexicon import Word, numeral, roles
from tempbench_lmms.parsing.mentions import Mention, apart
from tempbench_lmms.parsing.tokens import Text

_SIGNS = " .,:;!?)\"'\n。"
_GOES_ON = roles("is right wrong because deny and or")
_LONGEST = 400
_DIGITS = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/])#?(\d{1,4})(?![\d/%]|:\d|[^\W\d_\u2e80-\uffff]|\.\d|,\d{3}|[-–]\d)"
)
_BEHIND = re.compile(
    r"\s{0,2}(?:is\s|ist\s|est\s|es\s|è\s|は|が|是|为|n\.?[o°]\.?\s?|number\s|#|_)?"
    r"[:\s(\[\"'#]{0,4}(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_SIGN = re.compile(r"\s*[^\s\w]|\s*$|\s*\n|\s+\d")
_NOUNS, _LEADS = roles("image option"), roles("answer is choose conclude fill image")
_AFTER = roles(
    "is right wrong because deny than and or turn conclude likely hedge suppose back to all courtesy relative"
)


@lru_cache(maxsize=1 << 12)
def place(roles: frozenset[str], n: int) -> int | None:
    """Returns the place in a row of `n` that a word means."""
    ranks = {"rank.second_last": n - 1, "rank.middle": n // 2 + 1}
    ranks |= {"rank.former": 1, "rank.latter": 2} if n == 2 else {}
    rank = next((rank for role, rank in ranks.items() if role in roles), numeral(roles, "ordinal."))
    return n if rank is None and "last" in roles else rank


def places(text: Text, n: int, nouns: frozenset[str]) -> list[Mention]:
    """Returns places in a row of `n`, from 1: those before a noun, or before nothing that is counted."""
    found = []
    for word in text.words:
        rank = place(word.roles, n)
        if rank is None or not 0 < rank <= n:
            continue
        beside = next((w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}), None)
        beside = beside if beside and beside.start <= word.end + 2 else None
        end = word.end
        if beside and not set(text.text[end : beside.start]) & set("(."):
            noun = beside.roles & nouns or text.text[beside.start : beside.end] in ("one", "number")
            end = beside.end if noun else end
        one = text.text[word.start : word.end].endswith(" one")
        if one or end > word.end or _stands(text, word, beside):
            near = [*text.within(max(0, word.start - 8), word.start)[-1:], *text.within(end, end + 30)[:1]]
            ways = [role for w in near for role in ("from_right", "from_left") if role in w.roles]
            rank = n + 1 - rank if ways[:1] == ["from_right"] else rank
            found.append(Mention(rank, word.start, end, "place"))
    return found


def _stands(text: Text, word: Word, beside: Word | None) -> bool:
    """Returns whether a place needs no noun: after "is", or alone in a sentence of words of the lexicon."""
    follows = "" if text.ends(word.end) else text.text[word.end : word.end + 1]
    before = text.within(max(0, word.start - 12), word.start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        before.pop()
    stands = bool(before) and bool(before[-1].roles & roles("is deny"))
    number = text.sentence(word.start)
    start, end = text.sentences[number]
    goes_on = follows != " " or (beside is not None and beside.roles & _GOES_ON)
    if not stands and goes_on:
        stands = end - start <= _LONGEST and text.filled(start, end, text.said(number))
    ends = not follows.strip(_SIGNS) or (follows >= "\u2e80" and text.has("is", word.end, word.end + 2))
    return bool(stands and goes_on and ends)


def value_of(text: str) -> int | None:
    """Returns the number that is the whole text of an option; None for other texts."""
    found = re.fullmatch(r"\s*(-?\d{1,6})\s*\.?\s*", text)
    return int(found[1]) if found else None


def items(text: Text, item: Item) -> list[Mention]:
    """Returns the places that name one of some numbered images."""
    found: list[Mention] = []
    for word in text.words:
        number = word.number
        if word.roles & _NOUNS:
            found += _named(text, word)
        elif number is not None and number > 1 and (text.ends(word.end) or _SIGN.match(text.text, word.end)):
            before = text.before(word.start, 1)
            if before is None or before.roles & _LEADS:
                found.append(Mention(number, word.start, word.end, "number"))
    found += [*_digits(text), *places(text, item.upper, roles("image"))]
    found = [one for one in apart(found) if 0 < one.value <= item.upper]
    # "The last image is image 4": what a place is said to be, not the place.
    pairs = [(a, b.start) for a, b in pairwise(found) if a.form == "place" and text.has("is", a.end, b.start)]
    said = [one for one, end in pairs if text.filled(one.end, end, "is fill")]
    return [one for one in found if one not in said]


def _digits(text: Text) -> Iterator[Mention]:
    """Yields the numbers in digits that a sign, the end or a word of an answer follows."""
    for one in _DIGITS.finditer(text.text):
        start, end = one.span()
        lead, unit = text.before(start, 1), text.after(end, 1)
        if lead and "total" in lead.roles:
            continue
        if unit and unit.start == end and "counter" in unit.roles:
            yield Mention(int(one[1]), start, unit.end, "place")
        elif text.ends(end) or _SIGN.match(text.text, end) or (unit and unit.roles & _AFTER):
            yield Mention(int(one[1]), start, end, "number")


def _named(text: Text, word: Word) -> list[Mention]:
    """Returns the number after a noun: "image 3", "image three"."""
    if behind := _BEHIND.match(text.text, word.end):
        return [Mention(int(behind[1]), word.start, behind.end(), "label")]
    after = text.after(word.end, 1)
    number = after.number if after else None
    return [] if after is None or number is None else [Mention(number, word.start, after.end, "label")]
