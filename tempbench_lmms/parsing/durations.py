"""Durations in words beside options that are ranges of time: "about 6 months" is in "91-365 days"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.number_words import cjk_value
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds
from tempbench_lmms.parsing.words import CARDINAL, CJK_DIGIT

_SECONDS = {
    **dict.fromkeys(("second", "sekunde", "seconde", "segundo", "秒", "초"), 1.0),
    **dict.fromkeys(("minute", "minuto", "分钟", "分", "분"), 60.0),
    **dict.fromkeys(("hour", "stunde", "heure", "hora", "小时", "時間", "시간"), 3600.0),
    **dict.fromkeys(("day", "tag", "jour", "día", "天", "日", "일"), 86400.0),
    **dict.fromkeys(("week", "woche", "semaine", "semana", "周", "週間", "주"), 7 * 86400.0),
    **dict.fromkeys(
        ("month", "monat", "mois", "mes", "个月", "個月", "ヶ月", "か月", "개월"), 30.4 * 86400.0
    ),
    **dict.fromkeys(("decade", "jahrzehnt", "décennie", "década"), 3650.0 * 86400.0),
    **dict.fromkeys(("century", "jahrhundert", "siècle", "siglo"), 36500.0 * 86400.0),
    **dict.fromkeys(("year", "jahr", "an", "année", "año", "年", "년"), 365.0 * 86400.0),
}
_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_WORDS = "|".join(
    sorted(
        (
            word
            for word in CARDINAL
            if word < "\u2e80" and len(word) > 2 and word not in ("no", "none", "once")
        ),
        key=len,
        reverse=True,
    )
)
# Not from within a number: what matches there does from its first digit, and each try costs the digits left.
_DURATION = lazy(
    rf"(?<!\d)(?:(?P<low>\d+(?:\.\d+)?|\b(?:{_WORDS}))\s*(?:-|–|to|and|or|bis|à|a|y|到|至"
    rf"|から)\s*)?(?P<n>\d+(?:\.\d+)?|\b(?:{_WORDS}|an?|half\s+an?)\b)\s*(?P<unit>{_UNIT})(?:e?s|en|n"
    rf"|e)?(?![^\W\d_\u3040-\uffff])",
    re.IGNORECASE,
)
_MORE = lazy(
    r"\b(?:more than|over|or more|at least|longer than|mehr als|plus de|más de)\b|以上|超过|이상",
    re.IGNORECASE,
)
_LESS = lazy(
    r"\b(?:less than|under|within|fewer than|at most|no more than|not more than|weniger als"
    r"|höchstens|moins de|menos de)\b"
    r"|以内|不到|이내|미만",
    re.IGNORECASE,
)
# "Not less than three years" is at least three.
_NO_LESS = lazy(
    r"\b(?:not?|nicht|pas|no)\s+(?:less|fewer|shorter|under|weniger|moins|menos)\b|不少于", re.IGNORECASE
)
_NO_MORE = lazy(
    r"\b(?:not?|nicht|pas|no)\s+(?:more|longer|over|mehr|plus|más)\b|不超过|不多于", re.IGNORECASE
)
_VAGUE = lazy(
    rf"\b(?:(?:a|just a|only a)\s+)?(?P<word>few|several|couple(?:\s+of)?|some|einige|wenige|mehrere|etliche"
    rf"|ein\s+paar|quelques|plusieurs"
    rf"|unos(?:\s+pocos)?|unas(?:\s+pocas)?|algun[oa]s|var[io][oa]s)\s+(?P<unit>{_UNIT})(?:e?s|en|n|e)?(?![^\W\d_\u3040-\uffff])"
    rf"|(?P<cjk>几|数|몇\s?)(?P<unit_cjk>{_UNIT})",
    re.IGNORECASE,
)
_FEWEST, _MANIEST = 2.5, 8.0
_SMALLEST = lazy(
    r"\b(?:shortest|smallest|lowest|briefest|narrowest)\b(?!\s+\w+\s+(?:side|line|shadow))"
    r"|\bkürzeste\w*|\bplus court\w*|\bmás cort[oa]|最短|가장 짧은",
    re.IGNORECASE,
)
_LARGEST = lazy(
    r"\b(?:longest|largest|highest|greatest)\b|\blängste\w*|\bplus long\w*|\bmás larg[oa]|最长|最長|가장 긴",
    re.IGNORECASE,
)
_CLASS = lazy(
    r"\b(?:options?|intervals?|ranges?|class(?:es)?|categor\w+|brackets?|choices?|periods?|spans?"
    r"|listed|offered|given|of (?:the|all)"
    r"|kategorie|klasse|intervall\w*|intervalle|intervalo|categoría)\b|选项|区间|選択肢|範囲|구간|보기|범위",
    re.IGNORECASE,
)
_DENIED = lazy(r"\b(?:not|nor|neither|too)\b|n['’]t\b|不|没|ない|않|아니", re.IGNORECASE)
_SLACK = 1.02
# Without regard to case a pattern finds "sıx" too, which is no key of a dict.
_FOLDED = str.maketrans("ıİſ", "iIs")


_ONE = r"(?:an?|one|1|une?|eine?[rn]?|una)"
# "a year and a half", "un an et demi"; "two and a half years"; "half a year", "ein halbes Jahr"
_AND_HALF = lazy(
    rf"\b{_ONE}\s+(?P<unit>{_UNIT})\s+(?:and\s+a\s+half|et\s+demie?|y\s+medi[oa])\b|\b(?P<n>\d|{_WORDS})\s+(?:and\s+a\s+half|y\s+medi[oa]|et\s+demie?)\s+(?={_UNIT})"
    rf"|\b(?P<n_de>ein|zwei|drei|vier|fünf)einhalb\s+(?={_UNIT})|\b(?P<more>anderthalb|eineinhalb)\s+(?={_UNIT})"
    rf"|\b(?:{_ONE}\s+)?(?:halbe[snr]?|demi[e-]|medi[oa])[\s-]?(?=(?:{_UNIT})(?:e|n|en|s)?\b)"
    r"|\b(?:(?:several|many|some|a\s+few|mehrere|plusieurs|varias)\s+)?(?:decades|centuries|jahrzehnte|décennies|décadas|jahrhunderte)\b"
    r"|\b(?:an?|one|une?|eine)\s+(?:whole\s+|ganze\s+)?(?P<generation>generation|génération|generación)\b",
    re.IGNORECASE,
)
_OPEN = lazy(r"\b(?:or|oder|ou|not|no|nicht|for|since)\b", re.IGNORECASE)
_HALVES = (
    "half",
    "halb",
    "demi",
    "medi",
    "decades",
    "centuries",
    "jahrzehnte",
    "décennies",
    "décadas",
    "jahrhunderte",
    "genera",
    "généra",
)
_CJK_UNIT = "个月|個月|ヶ月|か月|年|天|日|周|週間|小时|時間|分钟|秒"
_CJK_ONES = "[一二两兩三四五六七八九]"
_CJK_AMOUNT = lazy(
    r"(?<![个個上下前后後])(?P<half>半)(?:个(?=小时))?(?=个月|年|月|天|小时)"
    rf"|(?P<n>{_CJK_ONES}?十{_CJK_ONES}?|{_CJK_ONES}{{1,2}})(?=\s?(?:{_CJK_UNIT}|个半))"
)
# "1年半", "1个半小时"
_CJK_HALF = lazy(r"(\d)(年|个月|個月|天|小时|時間)半|(\d)个半(?:(月)|(小时))")


def _in_figures(text: str) -> str:
    """Returns a text with halves and Chinese numerals in figures, and decades as 20 years."""

    def figures(match: re.Match[str]) -> str:
        if match["unit"]:
            return f"1.5 {match['unit']}s"
        if match["n"] or match["n_de"]:
            return f"{_amount(match['n'] or match['n_de']) + 0.5} "
        if match["generation"]:
            return "25 years"
        if match.group().lower().endswith(("s", "te")):
            return match.group() if _OPEN.search(text) else "more than 20 years"
        return "1.5 " if match["more"] else "0.5 "

    if holds(text.lower(), _HALVES):
        text = _AND_HALF.sub(figures, text)
    if text.isascii():
        return text
    text = _CJK_AMOUNT.sub(lambda match: "0.5" if match["half"] else _numeral(match["n"]), text)
    return _CJK_HALF.sub(_with_half, text)


def _numeral(signs: str) -> str:
    """Returns a Chinese numeral below 100, or two that follow each other ("two or three"), in figures."""
    return str(cjk_value(signs)) if "十" in signs else "-".join(str(CJK_DIGIT[sign]) for sign in signs)


def _with_half(match: re.Match[str]) -> str:
    return f"{match[1] or match[3]}.5{match[2] or ('个月' if match[4] else '小时')}"


def _amount(text: str) -> float:
    text = text.lower()
    if text in ("a", "an"):
        return 1.0
    if text.startswith("half"):
        return 0.5
    return float(CARDINAL[text]) if text in CARDINAL else float(text)


def _range(text: str) -> tuple[float, float] | None:
    """Returns the shortest and the longest duration, in seconds, that a text allows; None without one."""
    text = _in_figures(text.translate(_FOLDED))
    found = list(_DURATION.finditer(text))
    if not found:
        return _vague(text)
    values = []
    for match in found:
        unit = _SECONDS[match["unit"].lower()]
        values += [_amount(number) * unit for number in (match["low"], match["n"]) if number]
    low, high = min(values), max(values)
    if _NO_LESS.search(text) or (_MORE.search(text) and not _NO_MORE.search(text)):
        return low, float("inf")
    if _LESS.search(text) or _NO_MORE.search(text):
        return 0.0, high
    return low, high


def _vague(text: str) -> tuple[float, float] | None:
    """Returns the range of "a few days" in seconds; None where a text holds no such words, or several."""
    found = list(_VAGUE.finditer(text))
    if len(found) != 1:
        return None
    unit = _SECONDS[(found[0]["unit"] or found[0]["unit_cjk"]).lower()]
    if (found[0]["word"] or "").lower().startswith("couple"):
        return 2 * unit, 2 * unit
    return _FEWEST * unit, _MANIEST * unit


def amount(text: str) -> float | None:
    """Returns the one duration that a text names, in seconds; the middle of a range; None without one.

    >>> amount("about 2 weeks"), amount("sıx minutes"), amount("no idea")
    (1209600.0, 360.0, None)
    """
    said = _range(text)
    if said is None or said[1] == float("inf"):
        return None
    return (said[0] + said[1]) / 2


def _of_ends(sentence: str, ranges: Sequence[tuple[float, float]]) -> list[int]:
    """Returns the shortest or the longest of the options, where a sentence names it by that."""
    small, large = _SMALLEST.search(sentence), _LARGEST.search(sentence)
    if bool(small) == bool(large) or not _CLASS.search(sentence) or _DENIED.search(sentence):
        return []
    order = sorted(range(len(ranges)), key=lambda i: ranges[i])
    place = next(
        (n for word, n in (("second", 1), ("third", 2), ("fourth", 3)) if word in sentence.lower()), 0
    )
    if "one of" in sentence.lower() or place >= len(order):
        return []
    return [order[place] if small else order[-1 - place]]


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
        return _of_ends(sentence, ranges) if ranges else []
    low, high = said
    least = min(start for start, _ in ranges)
    return [
        i
        for i, (start, end) in enumerate(ranges)
        if (start / _SLACK <= low or start == least) and min(high, 1e12) <= end * _SLACK
    ]
