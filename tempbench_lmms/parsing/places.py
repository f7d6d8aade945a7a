"""Places in a row: "the fourth from the left", "the penultimate image"."""

import re

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, shortest
from tempbench_lmms.parsing.words import (
    CARDINAL,
    CJK_DIGIT,
    FROM_END,
    FROM_START,
    IMAGE,
    LAST,
    LAST_PLACE,
    ORDINAL,
    PENULTIMATE,
    any_of,
)

_NOUN = rf"(?:\s*{any_of((*IMAGE, 'one'))})?"
_ORDINAL = rf"(?P<place>{any_of(ORDINAL)})"
_END = lazy(rf"{any_of(PENULTIMATE)}{_NOUN}|{_ORDINAL}{_NOUN}\s*{any_of(FROM_END)}{_NOUN}", re.IGNORECASE)
_START = lazy(rf"{_ORDINAL}{_NOUN}\s*{any_of(FROM_START)}", re.IGNORECASE)
_LAST = lazy(any_of(LAST_PLACE) + _NOUN, re.IGNORECASE)
# "in the last of the five images"; not "image 2 is the last of the five images", which names two, and not
# "the last of the images that show it".
_OF_ALL = lazy(
    rf"(?P<lead>\b(?:in|on)\s+(?:the\s+)?|^\W*(?:(?:it\s+is|it['’]s)\s+)?(?:the\s+)?)(?:{any_of(LAST)}|{_ORDINAL})\s+of\s+(?:the|these|those|all)\s+(?:(?P<n>\d{{1,2}}|{any_of(CARDINAL)})\s+)?(?:(?:given|shown|provided)\s+)?"
    r"(?:images|pictures|photos|frames|scenes|panels)\b(?!\s+(?:that|which|where|with|in|of|from|showing|depicting|taken|containing)\b)",
    re.IGNORECASE,
)
_EDGE = lazy(
    rf"\b(?:(?P<left>left-?most)|(?P<right>right-?most)|(?P<middle>middle|central|middlemost)){_NOUN}\b",
    re.IGNORECASE,
)
# "the picture in the middle" of an odd number
_MIDDLE = lazy(
    r"\b(?:the\s+|das\s+|l['’]|la\s+)?(?:(?:images?|picture|photo|one|panel)\s+in\s+the\s+(?:very\s+)?(?:middle|centre|center)(?:\s+of\s+the\s+(?:row|series|sequence|set))?(?!\s+of\b|\s+is\s+(?:the|a)\s+(?:boy|girl|man|woman|child|dog|cat)\b)"
    r"|mittlere[ns]?\s+(?:bild|foto)|(?:bild|foto)\s+in\s+der\s+mitte|(?:image|photo)\s+(?:du\s+milieu|centrale)|(?:imagen|foto)\s+(?:del?\s+(?:en\s+)?medio|central))\b"
    r"|(?:中间|中間)的?(?:那)?(?:一)?[张張]?(?:图片|图像|图|圖)|真ん中の(?:画像|写真)|가운데\s?(?:이미지|사진)",
    re.IGNORECASE,
)
_MIDDLES = ("in the ", "mittlere", "mitte", "milieu", "central", "medio", "中间", "中間", "真ん中", "가운데")
_EDGES = ("leftmost", "left-most", "rightmost", "right-most", "middle", "central")
_OF_SIGNS = (" of the ", " of these ", " of those ", " of all ")
_SIGNS = shortest({*_EDGES, *PENULTIMATE, *LAST_PLACE, *FROM_START, *FROM_END, *_OF_SIGNS})


def numbered(text: str, upper: int) -> str:
    """Returns a text in which places in a row of images are the images' numbers.

    >>> numbered("Fourth from the left.", 5), numbered("the penultimate image", 5)
    ('image 4.', 'the image 4')
    >>> numbered("the second image from the right", 5)
    'the image 4'
    >>> numbered("in the last of the five images", 5), numbered("in the last of the two images of a dog", 5)
    ('in the image 5', 'in the last of the two images of a dog')
    """
    small = text.lower()
    if upper % 2 and holds(small, _MIDDLES):
        text = _MIDDLE.sub(f"image {(upper + 1) // 2}", text)
    if not holds(small, _SIGNS):
        return text

    def from_end(match: re.Match[str]) -> str:
        place = ORDINAL[match["place"].lower()] if match["place"] else 2
        return f"image {upper + 1 - place}"

    def edge(match: re.Match[str]) -> str:
        if match["middle"]:
            named = upper % 2 and match.group().lower() != match["middle"].lower()
            return f"image {(upper + 1) // 2}" if named else match.group()
        return f"image {1 if match['left'] else upper}"

    def of_all(match: re.Match[str]) -> str:
        n = match["n"] or str(upper)
        if (int(n) if n.isdecimal() else CARDINAL[n.lower()]) != upper:
            return match.group()  # of some of them
        return f"{match['lead']}image {ORDINAL[match['place'].lower()] if match['place'] else upper}"

    if holds(text, _OF_SIGNS):
        text = _OF_ALL.sub(of_all, text)
    text = _EDGE.sub(edge, text)
    text = _LAST.sub(f"image {upper}", _END.sub(from_end, text))
    return _START.sub(lambda match: f"image {ORDINAL[match['place'].lower()]}", text)


# "图一", "二枚目"; "图一样" says that they are alike, "图片一共" how many there are.
_SIGN = r"[一二三四五六七八九]"
_IN_SIGNS = lazy(
    rf"(?:(?<=图)|(?<=圖)|(?<=图片)|(?<=图像)|(?<=画像)|(?<=写真)){_SIGN}(?![一二三四五六七八九十样樣张張幅共些起直定般致个個个人])"
    rf"|(?<![一二三四五六七八九十]){_SIGN}(?=枚目|番目)"
)


def in_digits(text: str) -> str:
    """Returns a text, as long as before, in which Chinese numerals that name images are digits.

    >>> in_digits("图一先发生"), in_digits("二枚目の画像"), in_digits("两张图一样")
    ('图1先发生', '2枚目の画像', '两张图一样')
    """
    if text.isascii():
        return text
    return _IN_SIGNS.sub(lambda match: str(CJK_DIGIT[match.group()]), text)
