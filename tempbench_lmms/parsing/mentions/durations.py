"""Finds amounts of time, and the options, themselves ranges of time, that they fall into."""

import math
import re
from functools import lru_cache

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention
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
_AMOUNT = re.compile(
    r"(\d+(?:[.,]\d+)?)(?:\s?(?:-|–|~|to|or|and\s?|bis|à|a|至|到|から)\s?(\d+(?:[.,]\d+)?))?\s?[+]?\s?-?$"
)
_NUMBER, _JOINS = roles("half several one"), roles("and or to from fill")
_SOME = 6  # "a few", "decades": from two, or one, up to six
_WHOLE = 0.9
Amount = tuple[float, float, int, int]
"""Least and most seconds, and where they stand."""


def _unit(word: Word) -> float | None:
    return next((SECONDS.get(role[5:]) for role in word.roles if role.startswith("unit.")), None)


def amounts(text: Text) -> list[Amount]:
    """Returns the amounts of time in a text, the two ends of a range as one."""
    found: list[Amount] = []
    for word in text.words:
        amount = _amount(text, word)
        if amount is None:
            continue
        last = found[-1] if found else amount
        between = text.without(last[3], amount[2], _JOINS).strip(" -–,") if last[1] < amount[0] else "-"
        if last[0] == last[1] > amount[1] and not text.text[last[3] : amount[2]].strip():  # "2 months 3 days"
            found[-1] = (last[0] + amount[0], last[1] + amount[1], last[2], amount[3])
        elif between:
            found.append(amount)
        else:
            found[-1] = (last[0], amount[1], last[2], amount[3])
    return found


def _amount(text: Text, word: Word) -> Amount | None:
    """Returns the amount before a unit, in digits or words; None without one ("decades")."""
    if (unit := _unit(word)) is None:
        return None
    if match := _AMOUNT.search(text.text, max(0, word.start - 24), word.start):
        low = float(match[1].replace(",", "."))
        high = float(match[2].replace(",", ".")) if match[2] else low
        return low * unit, high * unit, match.start(), word.end
    lead = text.within(max(0, word.start - 20), word.start)
    lead = [w for w in lead if not text.text[w.end : word.start].strip(" -")]
    counted = (w for w in reversed(lead) if w.number is not None or w.roles & _NUMBER)
    said = next(counted, None)
    if said is None:
        alone = "unit.decade" in word.roles and not (lead and "fill" not in lead[-1].roles)
        return (unit, _SOME * unit, word.start, word.end) if alone else None
    if "several" in said.roles:
        return 2 * unit, _SOME * unit, said.start, word.end
    number = said.number or (0.5 if "half" in said.roles else 1.0)
    return number * unit, number * unit, said.start, word.end


@lru_cache(maxsize=256)
def ranges(texts: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Returns each option's range of time; empty unless all options are ranges."""
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


def _overlap(low: float, high: float, least: float, most: float) -> bool:
    """Returns whether a range contains nine tenths of an amount."""
    return min(high, most) - max(low, least) >= _WHOLE * (high - low)
