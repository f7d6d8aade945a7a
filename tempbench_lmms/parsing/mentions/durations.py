"""Finds amounts of time, and the options, themselves ranges of time, that they fall into."""

import math
import re
from functools import lru_cache

from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.mentions.places import ordinal
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

DAY = 86_400.0
SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": DAY,
    "week": 7 * DAY,
    "month": 30.4 * DAY,
    "year": 365.25 * DAY,
    "decade": 3652.5 * DAY,
}
_AMOUNT = lazy(
    r"(\d+(?:[.,]\d+)?)(?:\s?(?:-|–|to|bis|à|a|~|至|到|から|or|and|and\s)\s?(\d+(?:[.,]\d+)?))?\s?[+]?\s?-?$"
)


def _unit(word: Word) -> float | None:
    return next((SECONDS.get(role[5:]) for role in word.roles if role.startswith("unit.")), None)


def amounts(text: Text) -> list[tuple[float, float, int, int]]:
    """Returns the amounts of time in a text: least and most seconds, and where they stand."""
    found = []
    for word in text.words:
        unit = _unit(word)
        if unit is None:
            continue
        before = text.text[max(0, word.start - 24) : word.start]
        if match := _AMOUNT.search(before):
            low = float(match[1].replace(",", "."))
            high = float(match[2].replace(",", ".")) if match[2] else low
            found.append((low * unit, high * unit, word.start - len(match.group()), word.end))
            continue
        lead = [
            w
            for w in text.within(max(0, word.start - 20), word.start)
            if not text.text[w.end : word.start].strip(" -")
        ]
        said = next(
            (
                w
                for w in reversed(lead)
                if ordinal(w.roles, "number.") is not None or w.roles & {"half", "several", "one"}
            ),
            None,
        )
        if said is None and lead and "fill" not in lead[-1].roles:
            continue
        number = 1.0 if said is None else ordinal(said.roles, "number.")
        if said is not None and number is None:
            number = 0.5 if "half" in said.roles else 1.0
        if said is None and "unit.decade" in word.roles:
            found.append((unit, 6 * unit, word.start, word.end))
        elif said is not None and "several" in said.roles:
            found.append((2 * unit, 6 * unit, said.start, word.end))
        elif said is not None and number:
            found.append((number * unit, number * unit, said.start, word.end))
    return _joined(text, found)


def _joined(text: Text, found: list[tuple[float, float, int, int]]) -> list[tuple[float, float, int, int]]:
    """Returns amounts with those that are the two ends of a range as one."""
    joined: list[tuple[float, float, int, int]] = []
    for one in found:
        if joined and joined[-1][1] < one[0]:
            between = text.text[joined[-1][3] : one[2]].strip(" \\n,").lower()
            if between in {
                "and",
                "to",
                "-",
                "–",
                "or",
                "und",
                "bis",
                "y",
                "a",
                "et",
                "à",
                "和",
                "到",
                "至",
                "から",
                "에서",
            }:
                joined[-1] = (joined[-1][0], one[1], joined[-1][2], one[3])
                continue
        joined.append(one)
    return joined


@lru_cache(maxsize=256)
def ranges(texts: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Returns the range of time that each option is; nothing where one is none."""
    found = []
    for text in texts:
        said = amounts(Text(text.lower(), spans=False))
        if len(said) != 1:
            return ()
        found.append(_bounded(Text(text.lower(), spans=False), *said[0]))
    return tuple(found)


def _bounded(text: Text, low: float, high: float, start: int, end: int) -> tuple[float, float]:
    """Returns an amount with the bound beside it: "more than a year", "a year or more", "2+ years"."""
    near = [*text.within(max(0, start - 16), start), *text.within(end, end + 12)]
    said = frozenset[str]().union(*(word.roles for word in near))
    if "less" in said:
        return 0.0, high
    return (low * 1.0001, math.inf) if "more" in said or "+" in text.text[start:end] else (low, high)


def find(text: Text, options: tuple[tuple[float, float], ...], letters: str) -> list[Mention]:
    """Returns the amounts of time that fall into one option."""
    found = []
    for low, high, start, end in amounts(text):
        low, high = _bounded(text, low, high, start, end)
        inside = [i for i, (least, most) in enumerate(options) if _overlap(low, high, least, most)]
        if len(inside) == 1:
            found.append(Mention(letters[inside[0]], start, end, "words"))
    return found


_WHOLE = 0.9
_MARGIN = 0.03


def _overlap(low: float, high: float, least: float, most: float) -> bool:
    """Whether an amount lies in a range: nine tenths of it, and a point not at the range's very edge."""
    if math.isinf(high):
        return math.isinf(most) and low >= least * (1 - _MARGIN)
    if low == 0.0 < high:
        return least == 0.0 and high <= most * (1 + _MARGIN)
    if low == high:
        exact = low % DAY == 0 and low <= 2000 * DAY and low / DAY % 1 == 0
        spare = 0.0 if exact else _MARGIN
        return least * (1 + spare if least else 1) <= low <= most * (1 - spare)
    return min(high, most) - max(low, least) >= _WHOLE * (high - low)
