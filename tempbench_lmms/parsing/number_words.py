"""Numbers in words where they tell a time: "one minute thirty-seven", "the twenty-first second", "三十秒"."""

import re

from tempbench_lmms.parsing.numerals import CARDINALS, NTH, TENS
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds

_ONES = CARDINALS[:20]
_VALUES = {word: i for i, word in enumerate(_ONES)} | {word: 10 * i for i, word in enumerate(TENS, start=2)}
_FIRST_20 = "|".join(sorted(_ONES, key=len, reverse=True))
_SMALL = rf"(?:{'|'.join(TENS)})(?:[-\s](?:{'|'.join(_ONES[1:10])}))?|(?:{_FIRST_20})"
_WORD = rf"(?:(?:(?:a|{'|'.join(_ONES[1:10])})\s+)?hundred(?:\s+(?:and\s+)?(?:{_SMALL}))?|{_SMALL})"
_BEFORE_UNIT = lazy(
    rf"\b{_WORD}(?=[-\s]*(?:(?:seconds?|secs?|minutes?|mins?|percent|%|to|and|until|till|through)\b"
    r"|and\s+a\s+half\s+minutes?))",
    re.IGNORECASE,
)
_AFTER_MINUTE = lazy(rf"\b(minutes?\s+(?:and\s+)?)({_WORD})\b(?!\s*(?:minute|hour|%))", re.IGNORECASE)
_NTH_WORDS = {word: i for i, word in enumerate(NTH, start=1)}
_FIRST_NTH = "|".join(sorted(NTH, key=len, reverse=True))
_ORDINAL = rf"(?:(?:{'|'.join(TENS)})[-\s](?:{'|'.join(NTH[:9])})|(?:{_FIRST_NTH}))"
_NTH_SECOND = lazy(
    rf"\b({_ORDINAL})(?=(?:\s+(?:to|until|till|through|and)\s+(?:the\s+)?{_ORDINAL})?\s+second\b)",
    re.IGNORECASE,
)
_SIGNS = (*TENS, *_ONES, "hundred")
# German, French and Spanish words up to 99, read only before their own word for seconds.
_DE, _FR, _ES = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
    " siebzehn achtzehn neunzehn",
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept"
    " dix-huit dix-neuf",
    "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
    " diecisiete dieciocho diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco"
    " veintiséis veintisiete veintiocho veintinueve",
)
_TENS_DE = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _european() -> dict[str, int]:
    """Returns what German, French and Spanish number words stand for."""
    german, french, spanish = (words.split() for words in (_DE, _FR, _ES))
    found = {word: i for words in (german, french, spanish) for i, word in enumerate(words, start=1)}
    for ten, word in zip(range(20, 100, 10), _TENS_DE.split(), strict=True):
        found |= {word: ten} | {f"{one}und{word}": ten + i for i, one in enumerate(german[:9], start=1)}
    for ten, word in zip(
        range(20, 70, 10), ("vingt", "trente", "quarante", "cinquante", "soixante"), strict=True
    ):
        found |= {word: ten, f"{word} et un": ten + 1, f"{word} et une": ten + 1}
        found |= {f"{word}-{one}": ten + i for i, one in enumerate(french[:9], start=1)}
    found |= {f"soixante-{one}": 60 + i for i, one in enumerate(french, start=1)} | {"soixante et onze": 71}
    found |= {f"quatre-vingt-{one}": 80 + i for i, one in enumerate(french, start=1)} | {"quatre-vingts": 80}
    tens = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
    for ten, word in zip(range(30, 100, 10), tens, strict=True):
        found |= {word: ten} | {f"{word} y {one}": ten + i for i, one in enumerate(spanish[:9], start=1)}
    return found


_EUROPEAN = _european()
_EUROPEAN_WORD = rf"(?:{'|'.join(sorted(_EUROPEAN, key=len, reverse=True))})"
_EUROPEAN_UNITS = ("sekunde", "seconde", "segundo")
_EUROPEAN_SECONDS = lazy(
    rf"(?<![\w-])({_EUROPEAN_WORD})(?=(?:\s+(?:bis|und|à|et|a|y|hasta)\s+{_EUROPEAN_WORD})?\s+(?:sekunden|secondes|segundos)\b)",
    re.IGNORECASE,
)
_CJK = "零〇一二三四五六七八九十百两兩"
_CJK_NUMBER = lazy(
    rf"(?<![{_CJK}])[{_CJK}]+(?=\s*(?:秒|分钟|分鐘|分(?:[{_CJK}\d]+秒)))|(?<=分)[{_CJK}]+(?=\s*秒)"
)
_CJK_VALUES = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_SINO_KOREAN = lazy(r"(?<![\uac00-\ud7af])([일이삼사오육칠팔구십백]+)(?=\s*(?:초|분))")
_SINO = str.maketrans("일이삼사오육칠팔구십백", "一二三四五六七八九十百")


def _value(words: str) -> int:
    """Returns the number that some English words stand for."""
    total = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word == "hundred":
            total = max(1, total) * 100
        elif word in _VALUES:
            total += _VALUES[word]
        elif word in _NTH_WORDS:
            total += _NTH_WORDS[word]
    return total


def cjk_value(signs: str) -> int:
    """Returns the number that Chinese signs stand for: 三十二 is 32."""
    if not any(sign in "十百" for sign in signs):
        return int("".join(str(_CJK_VALUES[sign]) for sign in signs))
    total, digit = 0, 0
    for sign in signs:
        if sign in "十百":
            total += (digit or 1) * (10 if sign == "十" else 100)
            digit = 0
        else:
            digit = _CJK_VALUES[sign]
    return total + digit


def with_digits(text: str) -> str:
    """Returns a text whose number words are digits where they tell a time.

    >>> with_digits("from one minute two to one minute thirty-seven")
    'from 1 minute 2 to 1 minute 37'
    >>> with_digits("the twenty-first to the thirty-fourth second"), with_digits("三十二秒")
    ('the 21th to the 34th second', '32秒')
    """
    small = text.lower()
    if holds(small, _SIGNS) or "second" in small:
        if "minute" in small:
            text = _AFTER_MINUTE.sub(lambda match: f"{match[1]}{_value(match[2])}", text)
        text = _NTH_SECOND.sub(lambda match: f"{_value(match[1])}th", text)
        text = _BEFORE_UNIT.sub(lambda match: str(_value(match.group())), text)
    if holds(small, _EUROPEAN_UNITS):
        text = _EUROPEAN_SECONDS.sub(lambda match: str(_EUROPEAN[match[1].lower()]), text)
    if not text.isascii():
        if "秒" in text or "分" in text:
            text = _CJK_NUMBER.sub(lambda match: str(cjk_value(match.group())), text)
        if "초" in text or "분" in text:
            text = _SINO_KOREAN.sub(lambda match: str(cjk_value(match[1].translate(_SINO))), text)
    return text
