"""Durations in words beside options that are ranges of time: "about 6 months" is in "91-365 days"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.words import CARDINAL

_SECONDS = {
    **dict.fromkeys(("second", "sekunde", "seconde", "segundo", "秒", "초"), 1.0),
    **dict.fromkeys(("minute", "minuto", "分钟", "分", "분"), 60.0),
    **dict.fromkeys(("hour", "stunde", "heure", "hora", "小时", "時間", "시간"), 3600.0),
    **dict.fromkeys(("day", "tag", "jour", "día", "天", "日", "일"), 86400.0),
    **dict.fromkeys(("week", "woche", "semaine", "semana", "周", "週間", "주"), 7 * 86400.0),
    **dict.fromkeys(
        ("month", "monat", "mois", "mes", "个月", "個月", "ヶ月", "か月", "개월"), 30.4 * 86400.0
    ),
    **dict.fromkeys(("year", "jahr", "an", "année", "año", "年", "년"), 365.0 * 86400.0),
}
_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_WORDS = "|".join(
    sorted(
        (
            word
            for word in CARDINAL
            if word.isascii() and len(word) > 2 and word not in ("no", "none", "once")
        ),
        key=len,
        reverse=True,
    )
)
_DURATION = re.compile(
    rf"(?:(?P<low>\d+(?:\.\d+)?|\b(?:{_WORDS}))\s*(?:-|–|to|and|or|bis|à|a|y|到|至"
    rf"|から)\s*)?(?P<n>\d+(?:\.\d+)?|\b(?:{_WORDS}|an?|half\s+an?)\b)\s*(?P<unit>{_UNIT})(?:e?s|en|n"
    rf"|e)?(?![^\W\d_\u3040-\uffff])",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more than|over|or more|at least|longer than|mehr als|plus de|más de)\b|以上|超过|이상",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less than|under|within|fewer than|weniger als|moins de|menos de)\b|以内|不到|이내|미만",
    re.IGNORECASE,
)
_SLACK = 1.02


def _amount(text: str) -> float:
    text = text.lower()
    if text in ("a", "an"):
        return 1.0
    if text.startswith("half"):
        return 0.5
    return float(CARDINAL[text]) if text in CARDINAL else float(text)


def _range(text: str) -> tuple[float, float] | None:
    """Returns the shortest and the longest duration, in seconds, that a text allows; None without one."""
    found = list(_DURATION.finditer(text))
    if not found:
        return None
    values = []
    for match in found:
        unit = _SECONDS[match["unit"].lower()]
        values += [_amount(number) * unit for number in (match["low"], match["n"]) if number]
    low, high = min(values), max(values)
    if _MORE.search(text):
        return low, float("inf")
    if _LESS.search(text):
        return 0.0, high
    return low, high


@lru_cache(maxsize=32)
def _ranges(texts: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    ranges = [_range(text) for text in texts]
    return tuple(found for found in ranges if found) if all(ranges) and len(ranges) > 1 else ()


def within(sentence: str, texts: Sequence[str]) -> list[int]:
    """Returns the place of the option whose range of time holds a duration; nothing where that isn't clear.

    >>> within("About 6 months", ["1-30 days", "31-90 days", "91-365 days"])
    [2]
    >>> within("6", ["1-30 days", "31-90 days"])
    []
    """
    ranges = _ranges(tuple(texts))
    said = _range(sentence) if ranges else None
    if said is None:
        return []
    low, high = said
    return [
        i
        for i, (start, end) in enumerate(ranges)
        if start / _SLACK <= low and min(high, 1e12) <= end * _SLACK
    ]
