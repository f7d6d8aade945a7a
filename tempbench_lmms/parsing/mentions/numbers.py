"""Finds numbers of images, and places in a row: "image three", "the last one", "the former"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from tempbench_lmms.parsing.expected import Item
from tempbench_lmms.parsing.lexicon import Word, numeral, roles
from tempbench_lmms.parsing.mentions import Mention, apart, row
from tempbench_lmms.parsing.tokens import Text

_SIGNS = " .,:;!?)\"'\n。"
_LONGEST = 400
_DIGITS = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/])#?(\d{1,4})(?![\d/%]|:\d|[^\W\d_\u2e80-\uffff]|\.\d|,\d{3}|[-–]\d)"
)
_BEHIND = re.compile(
    r"\s{0,2}(?:is\s|ist\s|est\s|es\s|è\s|は|が|是|为|n\.?[o°]\.?\s?|number\s|#|_)?"
    r"[:\s(\[\"'#]{0,4}(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_TO = re.compile(
    r"\s?(?:-|–|to|through|bis|à|a|al|至|到|から)\s?(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_SIGN = re.compile(r"\s*[^\s\w]|\s*$|\s*\n|\s+\d")
_NEAR = 16
_NOUNS, _LEADS = roles("image option"), roles("answer is choose conclude fill image")
_AFTER = roles(
    "is right wrong because deny than and or turn conclude likely hedge suppose back to all courtesy aux "
    "relative"
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
    found: list[Mention] = []
    for word in reversed(text.words):
        rank = place(word.roles, n)
        if rank is None or not 0 < rank <= n:
            continue
        ranks, word = _ranks(text, word, rank, n)
        end = _noun_end(text, word, nouns)
        listed = found and 0 < found[-1].start - end <= _NEAR and _joins(text, end, found[-1].start)
        one = text.text[word.start : word.end].endswith(" one")
        if one or end > word.end or listed or _stands(text, word):
            near = [*text.within(max(0, word.start - 8), word.start)[-1:], *text.within(end, end + 30)[:1]]
            ways = [role for w in near for role in ("from_right", "from_left") if role in w.roles]
            ranks = [n + 1 - one for one in ranks] if ways[:1] == ["from_right"] else ranks
            found += row(ranks, word.start, end, "place" if len(ranks) == 1 else "label")[::-1]
    return found[::-1]


def _ranks(text: Text, word: Word, rank: int, n: int) -> tuple[list[int], Word]:
    """Returns the places that a word means, and with a number behind it, several: "the last two"."""
    beside = _beside(text, word)
    among = text.opens(text.sentence(word.start)) & roles("prep total between from")  # "of the last two, C"
    if among or not beside or not beside.number or beside.ordinal or rank not in (1, n):
        return [rank], word
    ranks = [*range(1, n + 1)]
    return ranks[: beside.number] if rank == 1 else ranks[-beside.number :], word._replace(end=beside.end)


def _noun_end(text: Text, word: Word, nouns: frozenset[str]) -> int:
    """Returns the end of the noun behind a place, or that of the place."""
    beside = _beside(text, word)
    if beside is None or set(text.text[word.end : beside.start]) & set("(."):
        return word.end
    named = beside.roles & nouns or text.text[beside.start : beside.end] in ("one", "number")
    return beside.end if named else word.end


def _beside(text: Text, word: Word) -> Word | None:
    beside = next((w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}), None)
    return beside if beside and beside.start <= word.end + 2 else None


def _joins(text: Text, start: int, end: int) -> bool:
    """Returns whether only a comma or a joining word lies between two places: "the first and third image"."""
    between = text.without(start, end, "and or nor fill").strip()
    return between in ("", ",", "、") and (bool(between) or text.has("and or nor", start, end))


def _stands(text: Text, word: Word) -> bool:
    """Returns whether a place needs no noun: after "is", or alone in a sentence of words of the lexicon."""
    follows = "" if text.ends(word.end) else text.text[word.end : word.end + 1]
    before = text.within(max(0, word.start - _NEAR), word.start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        before.pop()
    lead = before[-1].roles if before else roles("")
    led = "prep" in lead and text.text[before[-1].end : word.start].strip().isalpha()
    stands = led or bool(lead & roles("is deny choose"))
    start, end = text.around(word.start)
    beside = _beside(text, word)
    goes_on = follows != " " or (
        beside is not None and beside.roles & roles("is right wrong because deny and or able")
    )
    if not stands and goes_on:
        stands = end - start <= _LONGEST and text.filled(start, end, text.said(text.sentence(word.start)))
    ends = not follows.strip(_SIGNS) or (follows >= "\u2e80" and text.has("is fill", word.end, word.end + 2))
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
    found += [*_digits(text), *places(text, item.upper, _NOUNS)]
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
        first, to = int(behind[1]), _TO.match(text.text, behind.end())
        last = max(first, int(to[1])) if to else first
        return row(range(first, last + 1), word.start, (to or behind).end(), "label")
    after = text.after(word.end, 1)
    number = after.number if after else None
    return [] if after is None or number is None else [Mention(number, word.start, after.end, "label")]
