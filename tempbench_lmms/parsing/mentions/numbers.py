"""Finds the numbers of images, and numbers at all."""

import re

from tempbench_lmms.parsing.expected import Item
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mention import Mention, apart
from tempbench_lmms.parsing.mentions import places
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_DIGITS = lazy(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/])#?(\d{1,4})(?![\d/%]|:\d|[^\W\d_\u2e80-\uffff]|\.\d|,\d{3})"
)
_BEHIND = lazy(
    r"\s{0,2}(?:is\s|ist\s|est\s|es\s|è\s|は|が|是|为|no\.?\s?|n[°º]\s?|number\s|#|_)?[:\s(\[\"'#]{0,4}(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_MORE = lazy(
    r"[\s,&]{1,3}(?:[^\W\d_]{1,4}\s)?(?:#|[^\W\d_]{5,9}\s)?(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_JOINED = lazy(r"\s?(?:,|and|und|et|y|&)\s?\d")
_JOINS = lazy(r"\d\s?(?:,|and|und|et|y|&)\s?$")
_SIGN = lazy(r"\s*[^\s\w]|\s*$|\s*\n|\s+\d")
_AFTER = frozenset(
    (
        "is",
        "right",
        "wrong",
        "because",
        "deny",
        "and",
        "or",
        "turn",
        "conclude",
        "likely",
        "hedge",
        "suppose",
        "back",
        "to",
        "all",
        "courtesy",
    )
)


def value_of(text: str) -> int | None:
    """Returns the number that an option's text is; None for any other text."""
    found = re.fullmatch(r"\s*(-?\d{1,6})\s*\.?\s*", text)
    return int(found[1]) if found else None


def _listed(text: Text, start: int, first: re.Match[str]) -> list[Mention]:
    """Returns the numbers behind a noun: "images 1, 4 and 6" names three."""
    found = [Mention(int(first[1]), start, first.end(), "label")]
    end = first.end()
    while following := _MORE.match(text.text, end):
        joins = text.within(end, following.start(1))
        if (
            "," not in following.group()
            and "&" not in following.group()
            and not (joins and joins[0].roles & {"and", "or"})
        ):
            break
        found.append(Mention(int(following[1]), following.start(1), following.end(), "label"))
        end = following.end()
    return found


def items(text: Text, item: Item) -> list[Mention]:
    """Returns the places that name one of some numbered images."""
    found: list[Mention] = []
    for word in text.words:
        if word.roles & {"image", "option", "answer"}:
            behind = _BEHIND.match(text.text, word.end)
            if behind and word.roles & {"image", "option"}:
                if not found or behind.start(1) >= found[-1].end:  # else the list before names it
                    found += _listed(text, word.start, behind)
                continue
            after = text.within(word.end, word.end + 16)
            if after and after[0].start <= word.end + 1 and "image" in word.roles:
                number = places.ordinal(after[0].roles, "number.")
                if number is not None:
                    found.append(Mention(number, word.start, after[0].end, "label"))
        number = places.ordinal(word.roles, "number.")
        if (
            number is not None
            and number > 1
            and (text.ends(word.end) or _SIGN.match(text.text, word.end))
            and "image" not in word.roles
        ):
            before = text.within(max(0, word.start - 20), word.start)
            if (
                not before
                or before[-1].end < word.start - 1
                or before[-1].roles & {"answer", "is", "choose", "conclude", "fill", "image"}
            ):
                found.append(Mention(number, word.start, word.end, "number"))
    for one in _DIGITS.finditer(text.text):
        lead = text.within(max(0, one.start() - 8), one.start())
        if lead and "total" in lead[-1].roles and lead[-1].end == one.start() - 1:
            continue
        unit = next(iter(text.within(one.end(), one.end() + 30)), None)
        joined = _JOINED.match(text.text, one.end()) or _JOINS.search(
            text.text, max(0, one.start() - 8), one.start()
        )
        if joined and found and abs(found[-1].end - one.start()) < 8:
            found.append(Mention(int(one[1]), one.start(), one.end(), "number"))
        elif unit and unit.start == one.end() and "counter" in unit.roles:
            found.append(Mention(int(one[1]), one.start(), unit.end, "place"))
        elif _ends(text, one) or (unit and unit.start in (one.end(), one.end() + 1) and unit.roles & _AFTER):
            found.append(Mention(int(one[1]), one.start(), one.end(), "number"))
    found += places.find(text, item.upper, roles("image"))
    return [one for one in apart(found) if 0 < one.value <= item.upper]


def _ends(text: Text, one: re.Match[str]) -> bool:
    """Whether a sign or the end of the sentence follows a number."""
    return text.sentences[text.sentence(one.start())].end <= one.end() + 1 or bool(
        _SIGN.match(text.text, one.end())
    )
