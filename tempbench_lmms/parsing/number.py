"""The number of an item in a reply such as "Image 3".

As for a letter, the most explicit form decides: the number that is the whole reply, the one that is stated
as the answer, the one that stands by the word for an item. A number in running text ("two dogs", "3 pm") is
no answer.
"""

import re

from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.text import normalise

_CARDINALS = CARDINALS[1:11]
# The first to the fifth or tenth, as adjectives of the word for a picture.
_ORDINALS = tuple(
    words.split()
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "première deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième",
        "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
        "prima seconda terza quarta quinta sesta settima ottava nona decima",
        "первое второе третье четвертое пятое шестое седьмое восьмое девятое десятое",
    )
)
_CJK_NUMERALS = "一二三四五六七八九"
_KOREAN = ("첫", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TH = {word: i for words in _ORDINALS for i, word in enumerate(words, start=1)}
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_TH)})\b", re.IGNORECASE)
_CJK_ORDINAL = re.compile(rf"第\s*([{_CJK_NUMERALS}])|({'|'.join(_KOREAN)})\s*번째")
_CARDINAL = re.compile(
    rf"(^\W*|\b(?:image|picture|photo|number|answer is|answer:)\s+)({'|'.join(_CARDINALS)})\b"
    r"(?=\W*$|[.,;:!\n])",
    re.IGNORECASE,
)
# A whole number of its own: no decimal, no share, no negative number, no part of a longer one.
_N = r"(?<![\d.])(?<!(?<!\w)[-−])(\d{1,3})(?![\d%]|[.,]\d)"
_NUMBER = re.compile(_N)
_ONLY_NUMBERS = re.compile(r"[\W_]*(?:(?:the|image)[\W_]+|image){0,2}(?:\d+(?!\d)(?:st|nd|rd|th)?[\W_]*)+")
_STATED = re.compile(
    r"(?:\\(?:fbox|boxed)\s*\{+\s*(?:image\s*)?"
    r"|(?:\b(?:answer|antwort|réponse|respuesta|risposta|option|choice|number|no\.|index|image_number)|答案|答え|정답)"
    r"[\"']*\s*(?:is|should be|would be|must be|ist|est|es|è|是|は|은|[:：=])*\s*:?\s*"
    r"(?:(?:the|image|picture|photo|number|no\.)\s*){0,8}[#\"'(\[{]*\s*)" + _N,
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"(?:\bnot|n't|\bneither|\bnor|\bthan|\bunlike)\s+(?:the\s+)?(?:image\s*)?$", re.IGNORECASE
)
_CORRECTION = re.compile(r"\b(?:wait|actually|correction|on second thought|instead)\b", re.IGNORECASE)
# "Image 2 or 3", "the first and the second image" name two.
_AND = r"(?:st|nd|rd|th)?\s*(?:,|or\b|and\b|&|/|-|to\b)\s*(?:the\s+)?(?:image\s*)?"
_LISTED_AFTER = re.compile(rf"{_AND}\d", re.IGNORECASE)
_LISTED_BEFORE = re.compile(rf"\d{_AND}$", re.IGNORECASE)


_NOUN = r"image|img|picture|photo|figure|panel|frame|bild|imagen|imagem|immagine|изображение"
# A number beside the word for a picture; in front of it, as an ordinal.
_NEAR = re.compile(
    rf"(?:\b(?:{_NOUN})s?|图像|图片|图|画像|이미지)(?:number|no\.?|index|id|is|[\s:#(\[\"'-])*{_N}"
    rf"|(?<![\d.])(\d{{1,3}})(?:st|nd|rd|th)?\s*(?:(?<=\w)\s(?:{_NOUN}|one)\b|张|枚|番目|번)",
    re.IGNORECASE,
)


def _in_digits(text: str) -> str:
    """Returns the text with number words as digits where they count or order items."""

    def cjk(match: re.Match[str]) -> str:
        place = _CJK_NUMERALS.index(match[1]) if match[1] else _KOREAN.index(match[2])
        return f"{place + 1}番目 "

    def ordinal(match: re.Match[str]) -> str:
        # Some letters match others without being their capitals ("fırst"): such a word stays.
        place = _TH.get(match[0].lower())
        return f"{place}th" if place else match[0]

    def cardinal(match: re.Match[str]) -> str:
        word = match[2].lower()
        return match[1] + str(_CARDINALS.index(word) + 1) if word in _CARDINALS else match[0]

    return _CARDINAL.sub(cardinal, _ORDINAL.sub(ordinal, _CJK_ORDINAL.sub(cjk, text)))


def parse_index(reply: str, upper: int, noun: str = "image") -> int | None:
    """Returns the 1-based number of the one item that a reply names.

    Args:
        reply: The model's reply, reasoning included.
        upper: The number of items.
        noun: What the items are called; "Image 3" is preferred to other numbers in the text.

    Returns:
        A number from 1 to `upper`, or None where the reply names none, several, or one not on offer.

    >>> parse_index("The 2nd image.", 5), parse_index("Image 2 or 3", 5)
    (2, None)
    """
    text = final_answer(reply)
    if text is None:
        return None
    text = re.sub(rf"\b{noun}", "image", normalise(text).replace("_", " "), flags=re.IGNORECASE)
    corrects = _CORRECTION.search(text)
    text = _in_digits(text)
    if _ONLY_NUMBERS.fullmatch(text.lower()):
        named = [int(number) for number in _NUMBER.findall(text)]
        # A decimal or a longer number among them: not a list of items.
        return _one(named if len(named) == len(re.findall(r"\d+", text)) else [], upper)
    for pattern in (_STATED, _NEAR):
        named = []
        for match in pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            before, after = text[max(0, start - 30) : start], text[end : end + 30]
            if _REJECTED.search(before):
                continue
            if _LISTED_AFTER.match(after) or _LISTED_BEFORE.search(before):
                return None
            named.append(int(text[start:end]))
        if named:
            return _one(named[-1:] if corrects else named, upper)
    return None


def _one(named: list[int], upper: int) -> int | None:
    return named[0] if len(set(named)) == 1 and 1 <= named[0] <= upper else None
