"""Finds places in a row: "the third image", "the last one", "the former", "image three"."""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text, is_empty

_NOUNS = roles("option image answer")
_SIGNS = " .,:;!?)\"'\n。"
_GOES_ON = roles("is right wrong because deny and or")
_DIGITS = lazy(r"(?<![\d.,:])\d{1,2}(?![\d.,:]\d)")
_JOINS = roles("and fill article image counter prep to")
_OF = roles("of prep total fill article") | {f"number.{n}" for n in range(1, 10)}
_BETWEEN = lazy(r"(?:between|amid|zwischen|entre|tra|fra|между)\s[^,.;:]{0,14}$|介于[^,。]{0,4}$")
_BETWEEN_BEHIND = lazy(r"[^,.。、\d]{0,10}?(?:之间|之間|中间|の間|사이)")
_SLOT_NUMBER = lazy(
    r"(?:position|slot|place|spot|posición|posição|posizione|位置)\s?(?:no\.?\s|number\s|#)?(\d{1,2})(?![\d.]\d)"
)
_ALONE = lazy(r"\W{0,3}(\d{1,2})\W{0,3}")
_NEAR = 16


def ordinal(roles: frozenset[str], kind: str = "ordinal.") -> int | None:
    """Returns the number that the roles of a word stand for."""
    return next((int(role[len(kind) :]) for role in roles if role.startswith(kind)), None)


_LONGEST = 400


def _alone(text: Text, start: int, end: int) -> bool:
    """Whether nothing but words without a meaning of their own stands beside a place in its sentence."""
    sentence = text.sentences[text.sentence(start)]
    if sentence.end - sentence.start > _LONGEST:
        return False
    rest, at = "", sentence.start
    for word in text.within(*sentence):
        if any(role.startswith("c.") or role == "pronoun" for role in word.roles):
            return False
        rest, at = rest + text.text[at : word.start], word.end
    return is_empty(rest + text.text[at : sentence.end])


def _is_noun(text: Text, word: Word, nouns: frozenset[str]) -> bool:
    return bool(word.roles & nouns) or text.text[word.start : word.end] in ("one", "number")


def _said(text: Text, start: int) -> bool:
    """Whether "is" stands right before a place: "the odd one is the second"."""
    before = text.within(max(0, start - 12), start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        start = before.pop().start
    return bool(before) and "is" in before[-1].roles and start - before[-1].end <= 1


def find(text: Text, n: int, nouns: frozenset[str] = _NOUNS) -> list[Mention]:
    """Returns places, counted from 1, of a row of `n`: where a noun follows, or nothing that is counted."""
    found = []
    for word in text.words:
        place = ordinal(word.roles)
        if "rank.second_last" in word.roles:
            place = n - 1
        elif "rank.middle" in word.roles and n % 2:
            place = n // 2 + 1
        elif n == 2 and word.roles & {"rank.former", "rank.latter"}:
            place = 1 + ("rank.latter" in word.roles)
        elif place is None and "last" in word.roles and "early" not in word.roles:
            place = n
        if place is None or not 0 < place <= n:
            continue
        end = word.end
        after = [w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}]
        ended = text.ends(word.end)
        follows = "" if ended else text.text[word.end : word.end + 1]
        beside = after[0] if after and after[0].start <= word.end + 2 and not ended else None
        goes_on = follows != " " or (beside and beside.start <= word.end + 1 and beside.roles & _GOES_ON)
        if (
            beside
            and not set(text.text[word.end : beside.start]) & set("(.")
            and _is_noun(text, beside, nouns)
        ):
            end = beside.end
        way = _way(text, word.start, end)
        if end > word.end or way or (_said(text, word.start) and not follows.strip(_SIGNS)):
            found.append(Mention(n + 1 - place if way == "from_right" else place, word.start, end, "place"))
        elif not follows.strip(_SIGNS) and _alone(text, word.start, word.end) and goes_on:
            found.append(Mention(place, word.start, end, "place"))
    return found


def _way(text: Text, start: int, end: int) -> str:
    """Returns the end of a row from which a place is counted: "the second image from the right"."""
    near = [*text.within(max(0, start - 8), start)[-1:], *text.within(end, end + 30)[:1]]
    close = [w for w in near if w.start <= end + 1 and w.end >= start - 1]
    return next((role for w in close for role in ("from_right", "from_left") if role in w.roles), "")


class Slot(NamedTuple):
    """A place between two neighbours of a row, and the number that it goes by itself."""

    number: int | None
    between: tuple[int, int]


def _numbered(word: Word) -> int | None:
    number = ordinal(word.roles)
    return ordinal(word.roles, "number.") if number is None else number


def _numbers(text: Text) -> list[tuple[int, int, int]]:
    """Returns the numbers and ordinals of a text, each with where it stands."""
    said = [(n, word.start, word.end) for word in text.words if (n := _numbered(word)) is not None]
    taken = {start for _, start, _ in said}
    digits = (one for one in _DIGITS.finditer(text.text) if one.start() not in taken)
    return sorted([*said, *((int(one.group()), *one.span()) for one in digits)], key=lambda one: one[1])


def _pairs(text: Text) -> list[tuple[tuple[int, int], int, int]]:
    """Returns the pairs of neighbours between which something is said to be."""
    found = []
    numbers = _numbers(text)
    for (one, start, end), (other, begin, last) in pairwise(numbers):
        rest, place = "", end
        for word in text.within(end, begin):
            if word.roles & _JOINS:
                rest, place = rest + text.text[place : word.start], word.end
        rest += text.text[place:begin]
        if other != one + 1 or not is_empty(rest.replace("第", "")):
            continue
        before, after = text.text[max(0, start - 24) : start].lower(), text.text[last : last + 14]
        if _BETWEEN.search(before) or _BETWEEN_BEHIND.match(after):
            found.append(((one, other), start, last))
    return found


@lru_cache(maxsize=256)
def slots(texts: tuple[str, ...]) -> tuple[Slot, ...]:
    """Returns the slot that each option is ("between the first and the second image"); or nothing."""
    found = []
    for said in texts:
        text = Text(said.lower(), spans=False)
        pairs = _pairs(text)
        number = _SLOT_NUMBER.search(text.text)
        if len(pairs) != 1:
            return ()
        found.append(Slot(int(number[1]) if number else None, pairs[0][0]))
    return tuple(found)


def in_slots(text: Text, row: tuple[Slot, ...]) -> list[Mention]:
    """Returns the places that name a slot, counted from 1: by its neighbours, its number or its rank."""
    between = {slot.between: i for i, slot in enumerate(row, 1)}
    numbers = {slot.number: i for i, slot in enumerate(row, 1) if slot.number}
    found = [
        Mention(between[pair], start, end, "words") for pair, start, end in _pairs(text) if pair in between
    ]
    if (alone := _ALONE.fullmatch(text.text)) and int(alone[1]) in numbers:
        return [Mention(numbers[int(alone[1])], *alone.span(1), "words")]
    for one in _SLOT_NUMBER.finditer(text.text.lower()):
        if int(one[1]) in numbers:
            found.append(Mention(numbers[int(one[1])], *one.span(), "words"))
    for noun, word in pairwise(text.words):
        number = ordinal(word.roles, "number.")
        if "slot" in noun.roles and number in numbers and word.start == noun.end + 1:
            found.append(Mention(numbers[number], noun.start, word.end, "words"))
    for i, word in enumerate(text.words):
        place = _ranked(word, len(row), numbers)
        behind = [w for w in text.words[i + 1 : i + 5] if w.start - word.end < _NEAR]
        if place is None or not behind or text.text[: word.start].lower().endswith((" an ", " a ")):
            continue
        while len(behind) > 1 and behind[0].roles & _OF and "slot" not in behind[0].roles:
            behind.pop(0)
        between_ = text.text[word.end : behind[0].start]
        if (
            "slot" in behind[0].roles
            and len(between_.split()) <= 3
            and not any(sign in between_ for sign in ",.;:")
        ):
            found.append(Mention(place, word.start, behind[0].end, "words"))
    return [one for one in found if not _or_else(text, one, found)]


def _or_else(text: Text, one: Mention, found: list[Mention]) -> bool:
    """Whether an alternative that is no mention itself stands right behind a mention."""
    behind = text.within(one.end, one.end + 5)
    alternative = bool(behind) and "or" in behind[0].roles
    return alternative and not any(one.end < other.start < one.end + _NEAR for other in found)


def _ranked(word: Word, n: int, numbers: dict[int, int]) -> int | None:
    """Returns the place in a row of `n` that a rank stands for; None where it may be a slot's own number."""
    number = ordinal(word.roles)
    if number is not None:
        own = numbers.get(number)
        return own if number > n else number if own is None else None
    if "rank.middle" in word.roles:
        return n // 2 + 1 if n % 2 else None
    if "early" in word.roles or "rank.former" in word.roles:
        return 1 if n == 2 else None
    if word.roles & {"late", "rank.latter"} and "last" not in word.roles:
        return 2 if n == 2 else None
    return 1 if "first" in word.roles else n if "last" in word.roles else None
