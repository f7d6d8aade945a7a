"""The option whose words a sentence states.

Words are compared by their stems; those that all options share say nothing. An option is stated where the
words that tell it from the others stand in the sentence in their order; where two are, the one whose words
include the other's ("clockwise then counter-clockwise" beside "clockwise").
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.letters import squash, squashed
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, mistyped_as
from tempbench_lmms.parsing.words import CARDINAL, CJK_DIGIT, IF, MAYBE, NOT, OR, ORDINAL, SAME_TIME, any_of

_JOINED = lazy(r"\b(counter|anti|time)[-\s](clockwise|lapse)")
# Colours and shapes, which are found within a text: Chinese, Japanese and Korean put no space between words.
_SIGNS = {
    **dict.fromkeys(("红", "紅", "赤", "빨간", "빨강"), "red"),
    **dict.fromkeys(("蓝", "藍", "青い", "青の", "파란", "파랑"), "blue"),
    **dict.fromkeys(("绿", "緑", "초록", "녹색"), "green"),
    **dict.fromkeys(("黄", "노란"), "yellow"),
    **dict.fromkeys(("白", "흰", "하얀"), "white"),
    **dict.fromkeys(("黑", "黒", "검은"), "black"),
    **dict.fromkeys(("三角形", "삼각형"), "triangle"),
    **dict.fromkeys(("圆形", "圓形", "円形", "円を", "원형", "원을 그"), "circle"),
    **dict.fromkeys(("正方形", "长方形", "長方形", "사각형"), "square"),
    **dict.fromkeys(("菱形", "ひし形", "마름모"), "diamond"),
    **dict.fromkeys(("星形", "五角星", "星星", "星を", "별"), "star"),
    **dict.fromkeys(("心形", "爱心", "ハート", "하트"), "heart"),
    **dict.fromkeys(("梯形", "台形", "사다리꼴"), "trapezoid"),
}
# Words of other languages for shapes and for places in a picture.
_TRANSLATED = {
    **dict.fromkeys(("dreieck", "triángulo", "triangolo"), "triangle"),
    **dict.fromkeys(("kreis", "cercle", "círculo", "cerchio"), "circle"),
    **dict.fromkeys(("quadrat", "carré", "cuadrado", "rechteck", "rectángulo"), "square"),
    **dict.fromkeys(("raute", "losange", "rombo"), "diamond"),
    **dict.fromkeys(("trapez", "trapèze", "trapecio"), "trapezoid"),
    **dict.fromkeys(("stern", "étoile", "estrella", "stella", "estrela", "звезда", "звезду"), "star"),
    **dict.fromkeys(("herz", "cœur", "coeur", "corazón", "cuore", "coração", "сердце"), "heart"),
    **dict.fromkeys(("треугольник", "triângulo"), "triangle"),
    **dict.fromkeys(("круг", "окружность"), "circle"),
    **dict.fromkeys(
        ("квадрат", "прямоугольник", "quadrato", "quadrado", "rettangolo", "retângulo"), "square"
    ),
    **dict.fromkeys(("ромб", "losango"), "diamond"),
    **dict.fromkeys(("трапеция", "trapezio", "trapézio"), "trapezoid"),
    **dict.fromkeys(("sinistra", "esquerda", "влево", "слева"), "left"),
    **dict.fromkeys(("destra", "direita", "вправо", "справа"), "right"),
    **dict.fromkeys(("links", "gauche", "izquierda"), "left"),
    **dict.fromkeys(("rechts", "droite", "derecha"), "right"),
}
# "bottom-left", "unten links", "en bas à gauche"; "off the bottom to the left" is no such place.
_SIDE = r"(?:left|right|links|rechts|gauche|droite|izquierda|derecha)"
_CORNER = lazy(
    rf"\b(?:(?P<up>top|oben|haut|arriba)|bottom|unten|bas|abajo)[-\s](?:(?:à|a)\s(?:la\s)?)?(?P<side>{_SIDE})\b"
    r"|\b(?P<before>links|rechts)\s(?:(?P<above>oben)|unten)\b"
)
_CORNERS = ("top", "bottom", "oben", "unten", "haut", "bas", "arriba", "abajo")
_NT = lazy(r"(?<=[a-z])n['’]t\b")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "and",
        "it",
        "its",
        "his",
        "her",
        "their",
        "he",
        "she",
        "they",
        "this",
        "that",
        "with",
        "for",
        "from",
        "as",
        "some",
        "there",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "one",
        "who",
        "which",
        "into",
        "onto",
        # What every option is about, where only one says so: "In the video, ..."
        "video",
    ]
)
# Words of one meaning, by their stems.
_ALIKE = {
    "anticlockwise": "counterclockwise",
    "harbour": "harbor",
    "colour": "color",
    "neighbour": "neighbor",
    "grey": "gray",
    "rectangle": "square",
    "immobile": "still",
    "no": "not",
    "movement": "move",
    "upward": "up",
    "downward": "down",
    "leftward": "left",
    "rightward": "right",
    "motion": "move",
    "motionless": "still",
    "firstly": "first",
    "secondly": "second",
    "began": "begin",
    "ran": "run",
    "fell": "fall",
    "ate": "eat",
    "rectangular": "square",
    "triangular": "triangle",
    "held": "hold",
    "went": "go",
    "gave": "give",
    "took": "take",
    "threw": "throw",
    "put": "put",
    "circular": "circle",
    "quicker": "faster",
    "speeding": "accelerate",
    **dict.fromkeys(("shrink", "shrunk", "deflat", "deflate", "smaller", "dwindl"), "decreas"),
    **dict.fromkeys(
        ("grow", "grew", "grown", "inflat", "inflate", "pump", "expand", "enlarg", "bigger", "larger"),
        "increas",
    ),
    "nobody": "not",
    "nothing": "not",
    "none": "not",
    "neither": "not",
    "never": "not",
    **dict.fromkeys(("began", "begun"), "begin"),
    **dict.fromkeys(("drew", "drawn"), "draw"),
    **dict.fromkeys(("sang", "sung"), "sing"),
    **dict.fromkeys(("hung", "hanged"), "hang"),
    **dict.fromkeys(("drank", "drunk"), "drink"),
    **dict.fromkeys(("rode", "ridden"), "ride"),
    **dict.fromkeys(("wrote", "written"), "write"),
    **dict.fromkeys(("drove", "driven"), "drive"),
    **dict.fromkeys(("swam", "swum"), "swim"),
    **dict.fromkeys(("stood", "standing"), "stand"),
    **dict.fromkeys(("sat", "sitting"), "sit"),
    **dict.fromkeys(("thrown", "throwing"), "throw"),
    **dict.fromkeys(("broke", "broken"), "break"),
    **dict.fromkeys(("flew", "flown"), "fly"),
    **dict.fromkeys(("caught",), "catch"),
    **dict.fromkeys(("swung",), "swing"),
    **dict.fromkeys(("shook", "shaken"), "shake"),
    **dict.fromkeys(("rose", "risen"), "rise"),
    **dict.fromkeys(("brought",), "bring"),
    **dict.fromkeys(("bought",), "buy"),
    **dict.fromkeys(("spun",), "spin"),
    **dict.fromkeys(("slid",), "slide"),
    **dict.fromkeys(("built",), "build"),
    **dict.fromkeys(("taken",), "take"),
    **dict.fromkeys(("given",), "give"),
    **dict.fromkeys(("eaten",), "eat"),
    **dict.fromkeys(("fallen",), "fall"),
    **dict.fromkeys(("gone",), "go"),
    **dict.fromkeys(("struck",), "strike"),
}
_NO = frozenset(("no", "none", "single", "once", "null"))
_SUFFIX = lazy(r"(?:ings?|ed|es|s|ally|ly|al)$")
_NOT = any_of(word for word in NOT if word not in ("than", "versus", "vs"))
_DENIED = lazy(rf"{_NOT}|n't\b", re.IGNORECASE)
# From the word that denies to the end of its clause.
_DENIED_PART = lazy(
    rf"(?:{_NOT}|n't\b)[^,;:.]*?(?=[,;:.]|\bbut\b|\brather\b(?! than)|\bsondern\b|$)", re.IGNORECASE
)
# "三角形ではなく、円": Japanese denies what stands before.
_DENIED_BEFORE = lazy(r"[^、。,.]*(?:ではなく|じゃなく|でなく|ではない|じゃない)て?[、,]?")
# What would be, and what something looked like at first: "Had it been a circle, ..."
_SUPPOSED = lazy(
    r"(?:^|(?<=[,;:.]))[^,;:.]*\bwould(?:n['’]t|\s+not)?\s+(?:have|need|show|look)\b[^,;:.]*|\b(?:[Hh]ad|[Ww]ere)\s+(?:it|he|she|this|that|they)\b[^,;:.]*,"
    r"|\b[Ii]f\s+(?:it|this|that)\s+(?:were|had)\b[^,;:.]*,|\b(?:[Aa]t\s+first|[Ii]nitially)\b[^,;:.]*\b(?:look|seem|thought|guess|took)\w*\b[^,;:.]*"
    r"|\b[^,;:.]*\b(?:look|seem)\w*\b[^,;:.]*\b(?:at\s+first|initially)\b[^,;:.]*|\bI\s+(?:first\s+)?(?:thought|guessed|took\s+it)\b[^,;:.]*(?=,)"
)
# "Painting is done on paper, which is not related to what he does": an option, and what is wrong with it.
_WHICH_NOT = lazy(
    r"[^.;:]*,\s*which\s+(?:is|are|was|does|do)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:relat|relevant|correct|right|fit|match|shown|seen|what\b|the\s+case)\w*[^.;:]*",
    re.IGNORECASE,
)
_SUPPOSING = (
    "would",
    "ad it",
    "ad he",
    "ad she",
    "ad th",
    "ere it",
    "ere th",
    "f it",
    "f th",
    "at first",
    "At first",
    "nitially",
    "I ",
)
_WORD = lazy(r"[^\W_]+(?:'[a-z]+)?")
_LETTERS = lazy(r"[a-z]+")
# With what the words that deny begin; the t is that of "n't".
_DENYING = frozenset(found[0] for word in NOT if (found := _LETTERS.match(word))) | {"t"}


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Returns a word without its ending, roughly: enough to compare "eats" with "eating".

    >>> stem("dunking"), stem("dunks"), stem("upwards"), stem("opened")
    ('dunk', 'dunk', 'up', 'open')
    """
    word = word.lower().removesuffix("'s")
    word = _ALIKE.get(word.removesuffix("s"), word)
    short = _SUFFIX.sub("", word)
    if len(short) < 3 and short != "up":
        short = word
    short = _ALIKE.get(short, short)
    if len(short) > 3 and short[-1] == short[-2] and short[-1] not in "lse":
        short = short[:-1]
    return short.removesuffix("e") if len(short) > 3 else short


def stems(text: str) -> list[str]:
    """Returns the stems of a text's words in their order, without those that say nothing."""
    text = text.lower()
    if "n't" in text or "n’t" in text:
        text = _NT.sub(" not", text)
    if "clockwise" in text or "lapse" in text:
        text = _JOINED.sub(r"\1\2", text)
    if "at all" in text:
        text = text.replace("at all", " ")
    if holds(text, _CORNERS):
        text = _CORNER.sub(_corner, text)
    words = _WORD.findall(text)
    if "then" in words:
        # "First to the left, then to the right" says no more than "left, then right".
        words = [word for word in words if word != "first"]
    found = [_reduced(word) for word in words if word not in _STOP]
    return found if text.isascii() else found + [stem(name) for sign, name in _SIGNS.items() if sign in text]


def _corner(match: re.Match[str]) -> str:
    """Returns "bottom-left" as "lower left"."""
    height = "upper" if match["up"] or match["above"] else "lower"
    return f"{height} {match['side'] or match['before']}"


@lru_cache(maxsize=4096)
def _reduced(word: str) -> str:
    """Returns what a word is compared by."""
    return _digits(word) or stem(_TRANSLATED.get(word, word))


def _digits(word: str) -> str | None:
    """Returns a number word in digits; None for what is none."""
    value = CARDINAL.get(word, ORDINAL.get(word)) if word not in _NO else None
    return None if value is None else str(value)


@lru_cache(maxsize=512)
def _full(texts: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Returns the stems of each option."""
    return tuple(tuple(stems(text)) for text in texts)


@lru_cache(maxsize=512)
def telling_words(texts: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Returns the stems that tell each option from the others; all of an option's where nothing does."""
    all_stems = _full(texts)
    shared = set.intersection(*map(set, all_stems)) if all_stems else set()
    return tuple(tuple(word for word in words if word not in shared) or tuple(words) for words in all_stems)


@lru_cache(maxsize=512)
def _heads(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what the options begin with, up to a comma, where that tells them apart: "position 4"."""
    heads = tuple(text.partition(",")[0] for text in texts)
    return heads if len(set(heads)) == len(texts) and all("," in text for text in texts) else ()


_NUMBERED = lazy(r"([^\W\d_]+)\s+(\d+)")
_IMAGE = lazy(r"\b(?:image|picture|photo|bild|imagen|foto)|图|画像|写真|이미지|사진", re.IGNORECASE)
_BETWEEN = lazy(r"\b(?:between|zwischen|entre)\b|之间|の間|사이", re.IGNORECASE)
# In scripts that put "between" behind: "第二张和第三张图像之间", "두 번째와 세 번째 이미지 사이"
_BEHIND = ("之间", "の間", "사이")
_CJK_PLACE = lazy(
    r"第?(?P<sign>[一二三四五六七八九1-9])\s?(?:张|張|幅|个|枚|番)|(?P<korean>첫|두|세|네|다섯|여섯|[1-9])\s?번|(?<!\d)(?P<digit>[1-9])(?![\d年년])",
)
_KOREAN = {"첫": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6}
_NUMBER = rf"\d+|{any_of(word for word in (*CARDINAL, *ORDINAL) if word.isascii() or word[0] < chr(0x2E80))}"
_POSITION = lazy(
    rf"(?:\b(?:position|place|slot|spot|posición|posicion|platz|stelle|number|no\.)|位置|위치)\s*(?:is\s+|number\s+|no\.?\s*|#|:)?\s*(?P<after>{_NUMBER})"
    rf"|(?P<before>{_NUMBER})(?:e|er|ª|º|st|nd|rd|th)?\s+(?:position|place|slot|spot|posición|platz|stelle)\b|第\s?(?P<cjk>\d+)(?:个|の)?(?:位|位置)",
    re.IGNORECASE,
)

_OR_PLACE = lazy(rf"\s*(?:{any_of(OR)}|/)\s*(?:position\s+)?(\d+)\b")


@lru_cache(maxsize=64)
def _positions(texts: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Returns the number that each option begins with, and the words of its rest that tell it apart.

    Nothing where options don't begin with a noun and a number: "position 4, between the second and ...".
    """
    heads = [_NUMBERED.fullmatch(head) for head in _heads(texts)]
    if not heads or not all(heads) or len({head[1] for head in heads if head}) > 1:
        return ()
    rests = tuple(text.partition(",")[2] for text in texts)
    tails = telling_words(rests)
    # Both neighbours count: "between the third and the fourth" isn't the second and the third.
    own = [frozenset(word for word in words if word.isdigit()) for words in _full(rests)]
    return tuple(
        (head[2], numbers.union(tail)) for head, tail, numbers in zip(heads, tails, own, strict=True) if head
    )


def has_positions(texts: Sequence[str]) -> bool:
    """Whether options are positions in a row: "position 4, between the second and the third image"."""
    return bool(_positions(tuple(texts)))


def _by_position(sentence: str, positions: Sequence[tuple[str, frozenset[str]]]) -> list[int]:
    """Returns the options whose number, or whose neighbours, a sentence names."""
    small = sentence.lower()
    places = list(_POSITION.finditer(small))
    named = {
        _digits(word) or word
        for match in places
        if (word := match["after"] or match["before"] or match["cjk"])
    }
    # "Position 2 or 4"
    named |= {also[1] for match in places if (also := _OR_PLACE.match(small, match.end()))}
    found = [i for i, (number, _) in enumerate(positions) if number in named]
    if len(found) > 1 and "," in sentence:
        return _by_position(sentence.partition(",")[0], positions)
    if found:
        return found
    said = set(stems(sentence))
    if found := _between_behind(sentence, positions):
        return found
    if between := _BETWEEN.search(sentence):
        clause = re.split(r",|\bbecause\b|\bsince\b", sentence[between.start() :])[0]
        said = set(stems(clause))
        return [i for i, (_, tail) in enumerate(positions) if tail and tail <= said]
    if _IMAGE.search(sentence):
        return []
    return [i for i, (number, _) in enumerate(positions) if number in said]


def _between_behind(sentence: str, positions: Sequence[tuple[str, frozenset[str]]]) -> list[int]:
    """Returns the option whose neighbours stand before a "between" that comes behind them."""
    if not (signs := [sign for sign in _BEHIND if sign in sentence]) or sentence.count(signs[0]) > 1:
        return []
    clause = re.split(r"[,.;:、，。]", sentence[: sentence.index(signs[0])])[-1]
    numbers = [
        CJK_DIGIT.get(sign) or _KOREAN.get(sign) or int(sign)
        for match in _CJK_PLACE.finditer(clause)
        if (sign := match["sign"] or match["korean"] or match["digit"])
    ]
    said = {str(number) for number in numbers}
    return [i for i, (_, tail) in enumerate(positions) if len(said) == 2 and tail and tail <= said]


def _in_order(words: Sequence[str], text: Sequence[str]) -> bool:
    place = iter(text)
    return all(word in place for word in words)


def _fullest(found: list[int], telling: Sequence[Sequence[str]]) -> list[int]:
    """Returns, of several stated options, the one that says all that the others say."""
    most = max(found, key=lambda i: len(set(telling[i])))
    others = [i for i in found if i != most]
    return [most] if all(set(telling[i]) < set(telling[most]) for i in others) else found


def _of_words(words: Sequence[str], telling: Sequence[tuple[str, ...]]) -> list[int]:
    said = set(words)
    found = [i for i, own in enumerate(telling) if own and said.issuperset(own)]
    if len(found) > 1:
        found = _fullest(found, telling)
    if len(found) > 1 and len({frozenset(telling[i]) for i in found}) == 1:
        # The same words in another order are another answer.
        found = [i for i in found if _in_order(telling[i], words)]
    return found


def _by_own_words(said: set[str], telling: Sequence[tuple[str, ...]]) -> list[int]:
    """Returns the option of which at least half is said, where nothing is said that only another one says."""
    found = []
    for i, own in enumerate(telling):
        others = {word for j, other in enumerate(telling) if j != i for word in other}
        # Half of a date is another date.
        whole = set(own) <= said or not all(word.isdecimal() for word in own)
        if said & (set(own) - others) and ("not" not in own or "not" in said) and whole:
            found.append(i)
    return (
        found
        if len(found) == 1 and 2 * len(said & set(telling[found[0]])) > len(set(telling[found[0]]))
        else []
    )


def stated(sentence: str, texts: Sequence[str]) -> list[int]:
    """Returns the places of the options that a sentence states; one, if it states just one.

    >>> stated("The man is dunking a basketball.", ["dunking a basketball", "passing a basketball"])
    [0]
    >>> stated("It is no circle but a square.", ["Circle.", "Square."])
    [1]
    >>> stated("left or right", ["Left", "Right"])
    [0, 1]
    >>> stated("They start at the same time.", ["Guitar.", "Drum.", "Both begin simultaneously."])
    [2]
    >>> stated("The drum starts at the same time as the song.", ["Flute.", "Drum.", "Both simultaneously."])
    [1]
    >>> stated("The drum starts first, followed by the guitar.", ["Guitar.", "Drum."])
    [1]
    """
    if positions := _positions(tuple(texts)):
        return _by_position(_affirmed(sentence), positions)
    if in_time := _at_once(sentence, tuple(texts)) or _put_first(sentence, tuple(texts)):
        return in_time
    telling = telling_words(tuple(texts))
    found = _of_words(stems(_affirmed(sentence)), telling)
    if found and _concluded_none(sentence, texts) and not any("not" in telling[i] for i in found):
        return []  # "The cello is silent, so neither one makes a sound"
    if not found and (heads := _heads(tuple(texts))):
        return _of_words(stems(_affirmed(sentence.partition(",")[0])), telling_words(heads))
    if not found:
        found = _by_own_words(set(stems(_affirmed(sentence))), telling)
    if not found and denies(sentence) and set(stems(sentence)) - {"not"}:
        begins = _DENIED.match(sentence.lstrip()) is not None
        found = [
            i
            for i in _of_words(stems(sentence), telling)
            if "not" in telling[i] and (begins or set(telling[i]) != {"not"})
        ]
    return found or _of_all(sentence, texts) or _of_none(sentence, texts) or _of_cause(sentence, texts)


_SAME_TIME = any_of(word for word in SAME_TIME if word != "side by side")
_AT_ONCE = lazy(_SAME_TIME, re.IGNORECASE)
_ALL_AT_ONCE = lazy(rf"\W*(?:(?:both|all|they)\b.*)?{_SAME_TIME}\W*", re.IGNORECASE)
# "at the same time as the man waves", "almost at the same time"
_NOT_ALL = lazy(r"\s*(?:as|that|when|with|while|wie|que|but|except)\b", re.IGNORECASE)
_NEARLY = lazy(
    r"\b(?:almost|nearly|roughly|approximately|about|fast|beinahe|presque|casi)\s+$", re.IGNORECASE
)
_BEGINS_FIRST = lazy(
    r"\b(?:starts?|started|begins?|began|commences?|goes|went|comes|came|plays?|played|sings?|sang|sounds?|enters?|entered"
    r"|appears?|appeared|arrives?|arrived|moves?|moved|speaks?|spoke|talks?|talked|acts?|acted|is|was)"
    r"(?:\s+to\s+\w+)?\s+first\s*(?:\([^()]*\)\s*)?[,;]?\s*(?:and\s+(?:is\s+)?)?(?:followed\s+by|then|before)\b",
    re.IGNORECASE,
)
_DOUBTED = lazy(rf"{any_of((*IF, *OR, *MAYBE))}|\beither\b", re.IGNORECASE)
_PLACES_IN_TIME = lazy(r"\b(?:first|last|then|before|after|followed|second)\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def _together(texts: tuple[str, ...]) -> int | None:
    """Returns the place of the one option that says of all that they are at once; else None."""
    found = [i for i, text in enumerate(texts) if _ALL_AT_ONCE.fullmatch(text)]
    return found[0] if len(found) == 1 else None


def _at_once(sentence: str, texts: tuple[str, ...]) -> list[int]:
    """Returns the option that says of all that they are at once, where a sentence does."""
    one = _together(texts)
    if one is None or not (said := _AT_ONCE.search(text := _affirmed(sentence))) or _DOUBTED.search(text):
        return []
    if _NOT_ALL.match(text, said.end()) or _NEARLY.search(text, 0, said.start()):
        return []
    if _PLACES_IN_TIME.search(text):
        return []  # "First waving, then, at the same time, clapping"
    words = set(stems(text))
    named = [i for i, own in enumerate(telling_words(texts)) if i != one and words.issuperset(own)]
    return [one] if len(named) != 1 else []


def _put_first(sentence: str, texts: tuple[str, ...]) -> list[int]:
    """Returns the option that a sentence puts first in time and another one behind it."""
    found = _BEGINS_FIRST.search(sentence) if "first" in sentence else None
    if not found or denies(sentence) or _DOUBTED.search(sentence):
        return []
    if any(_PLACES_IN_TIME.search(text) for text in texts):
        return []  # "First the drum, then the guitar" is an option
    telling = telling_words(texts)
    head, tail = (_of_words(stems(part), telling) for part in sentence.split(found.group(), 1))
    return head if len(head) == len(tail) == 1 and head != tail else []


_QUANTITY = lazy(r"\W*(both|neither|all|none)\b", re.IGNORECASE)


# "Nobody touches the keys, so neither one makes a sound"; "so neither is first" says only when.
_SO_NONE = lazy(
    r"[,;:]\s*(?:and\s+|so\s+|hence\s+|thus\s+|therefore\s+)*(?P<none>neither|none)\b"
    r"(?![^.!?;]*\b(?:first|last|before|after|earlier|later|can|could|clear\w*|obvious\w*|longer|other)\b)",
    re.IGNORECASE,
)
_NONE = ("neither", "none")
_DOES = lazy(r"\s*(?:one\s+|of\s+them\s+)?(?:does|do|did|plays?|played)\W*", re.IGNORECASE)


def _of_none(sentence: str, texts: Sequence[str]) -> list[int]:
    """Returns the one option that says none of all, where a clause concludes it and no other is named."""
    none = _concluded_none(sentence, texts)
    return _of_all(none, texts) if none else []


def _concluded_none(sentence: str, texts: Sequence[str]) -> str | None:
    """Returns a sentence that ends in "so neither does" with that word in front; None for any other one."""
    if not holds(sentence, _NONE) or (concluded := _SO_NONE.search(sentence)) is None:
        return None
    own = [_QUANTITY.match(text) for text in texts]
    found = [text for text, match in zip(texts, own, strict=True) if match and match[1].lower() in _NONE]
    said = sentence[concluded.end("none") :]
    if len(found) != 1 or not (_DOES.fullmatch(said) or {*stems(said)} & {*stems(found[0])} - {"not"}):
        return None  # "and neither makes a mistake"
    return f"{found[0].split()[0]} {sentence[: concluded.start()]} {said}"


_BECAUSE_OF = lazy(
    r"\W*(?:(?:it|that|this)(?:['’]s|\s+is|\s+was)\s+)?(?:because\s+of|due\s+to|owing\s+to|on\s+account\s+of)\s+"
    r"(?P<cause>[^.!?,;]+?)(?=\s+(?:which|that|who|so|and|or|but)\b|[.!?,;]|$)",
    re.IGNORECASE,
)


def _of_cause(sentence: str, texts: Sequence[str]) -> list[int]:
    """Returns the one option with the words behind "because of", where no other option has a word said."""
    found = (
        _BECAUSE_OF.match(sentence)
        if holds(sentence.lower(), ("because of", "due", "owing", "account"))
        else None
    )
    if found is None or denies(found["cause"]) or _DOUBTED.search(sentence):
        return []
    cause, said = set(stems(found["cause"])), set(stems(sentence))
    telling = telling_words(tuple(texts))
    having = [i for i, own in enumerate(telling) if cause.intersection(own)]
    others = {word for i, own in enumerate(telling) if i not in having for word in own}
    # "because" and "because of" are no words of the matter.
    return having if len(having) == 1 and not (said - {"becaus", "becau", "du", "due"}) & others else []


def _of_all(sentence: str, texts: Sequence[str]) -> list[int]:
    """Returns the option that speaks of both, all or none, where a sentence begins so and names no other."""
    begins = _QUANTITY.match(sentence)
    if begins is None:
        return []
    own = [_QUANTITY.match(text) for text in texts]
    found = [i for i, match in enumerate(own) if match and match[1].lower() == begins[1].lower()]
    telling = telling_words(tuple(texts))
    said = set(stems(sentence))
    others = {word for i, words in enumerate(telling) if i not in found for word in words}
    return found if len(found) == 1 and not said & (others - set(telling[found[0]])) else []


def repeated(text: str, texts: Sequence[str]) -> list[int]:
    """Returns the options of which a short reply says nothing but a part: "First" of "The first image"."""
    words = stems(text)
    said = set(words)
    if not said - {"not"} or ((_IMAGE.search(text) or _BETWEEN.search(text)) and _positions(tuple(texts))):
        return []
    full = _full(tuple(texts))
    found = [i for i, all_words in enumerate(full) if said.issubset(all_words)]
    if not found:
        return []
    telling = telling_words(tuple(texts))
    found = [i for i in found if 2 * len(said.intersection(telling[i])) >= len(set(telling[i]))]
    return found if len(found) < 2 else [i for i in found if _in_order(words, full[i])]


def mistyped(word: str, texts: Sequence[str]) -> list[int]:
    """Returns the one option of a single word that a word with a typing mistake means.

    >>> mistyped("agriculturl", ["agricultural", "beach"]), mistyped("bench", ["agricultural", "beach"])
    ([0], [])
    """
    said = squash(word)
    if not said.isalpha():
        return []
    own = squashed(tuple(texts))
    if any(said in option.split() for option in own):
        return []
    found = [i for i, option in enumerate(own) if any(mistyped_as(said, one) for one in option.split())]
    return found if len(found) == 1 and " " not in own[found[0]] else []


def same(text: str, texts: Sequence[str]) -> list[int]:
    """Returns the places of the options that a text repeats word for word."""
    own = _joined(tuple(texts))
    # Most texts begin or end with another letter than every option.
    if text.isascii() and text[:1].isalnum() and text[-1:].isalnum():
        first, last = text[0].lower(), text[-1].lower()
        if not any(option.startswith(first) and option.endswith(last) for option in own):
            return []
    joined = squash(text).replace(" ", "")
    return [i for i, option in enumerate(own) if joined == option] if joined else []


@lru_cache(maxsize=512)
def _joined(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.replace(" ", "") for text in squashed(texts))


def denies(sentence: str) -> bool:
    """Whether a sentence says "not" somewhere."""
    if sentence.isascii() and _DENYING.isdisjoint(_LETTERS.findall(sentence.lower())):
        return False
    return _DENIED.search(sentence) is not None


def _affirmed(sentence: str) -> str:
    """Returns a sentence without what it denies."""
    if "ない" in sentence or "なく" in sentence or "なくて" in sentence:
        sentence = _DENIED_BEFORE.sub("", sentence)
    if holds(sentence, _SUPPOSING):
        sentence = _SUPPOSED.sub(" ", sentence)
    if "hich " in sentence:
        sentence = _WHICH_NOT.sub(" ", sentence)
    return _DENIED_PART.sub(" ", sentence) if denies(sentence) else sentence
