"""Numbers in a reply: which image it names, or how often it says that something happens.

A number in running text ("two dogs", "3 pm", "the 16 frames") names no image, and what it counts decides
whether it is a count.
"""

import itertools
import re
import unicodedata
from collections import deque
from functools import lru_cache

from tempbench_lmms.parsing.lines import bare
from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.patterns import UNSPACED, lazy
from tempbench_lmms.parsing.places import in_digits
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import CaseBlind, holds, outer
from tempbench_lmms.parsing.text import table as _table
from tempbench_lmms.parsing.words import (
    CARDINAL,
    CJK_DIGIT,
    IF,
    IMAGE,
    LAST,
    MAYBE,
    OPTION,
    ORDINAL,
    PENULTIMATE,
    TIMES,
    any_of,
)

_CJK_NUMBER = rf"[{''.join(sign for sign in CJK_DIGIT if len(sign) == 1)}]"
# A whole number of its own: no decimal, no share, no negative number, no part of a longer one.
_DIGITS = (
    r"(?=\d)(?<![\d.])(?<!\d,)(?<!(?<!\w)[-−])(?<![^\W_\u3040-\u9fff\uac00-\ud7af])\d{1,9}(?![\d%]|[.,]\d"
    r"|\s*percent)(?!['’-]?[A-Za-z]{3})"
)
_IMAGES = any_of(IMAGE)
_ORDINALS = any_of(ORDINAL)
_COUNTER = r"(?:\s*(?:张|張|枚|个|個|番|번)(?:目|째)?)"
_OF_ALL = r"(?:\s*(?:/|of|out of|von|sur|de)\s*(?:the\s+)?\d{1,2}\b(?!\s*[,/]))?"


def _number(text: str) -> int | None:
    """Returns the number that a word or digits stand for."""
    text = text.lower().strip()
    if text.isdecimal():
        return int(text) if len(text) < 10 else None
    if len(text) == 1 and text.isdigit():
        return unicodedata.digit(text)
    for table in (ORDINAL, CARDINAL, CJK_DIGIT):
        if text in table:
            return table[text]
    return None


# Images

_NO_SMALL_WORDS = [
    word
    for word in CARDINAL
    if word
    not in (
        "no",
        "none",
        "single",
        "un",
        "ein",
        "null",
        "one",
        "une",
        "una",
        "uno",
        "once",
        "twice",
        "thrice",
    )
]
# None of the forms begins within a word, where most signs of a text stand.
_ITEM = CaseBlind(
    r"(?!(?<=[a-z])[a-z])(?:"
    rf"(?:{_IMAGES}|#)(?:\s*(?:number|index|id|with number)\b|\s*(?:no|nr)(?:\.|\b)|\s*[–—]\s*(?=#)"
    rf"|\s*n\s?[°º]"
    rf"|[\s:#(\[\"'*-]){{0,4}}(?P<near>{_DIGITS}"
    rf"|(?:{any_of([*_NO_SMALL_WORDS, 'one'])}))(?!\s+by\s+one\b"
    rf"|\s*[-–]?\s*(?:images|pictures|photos|frames))(?:st|nd|rd|th)?{_OF_ALL}"
    rf"|{UNSPACED}(?:第\s*)(?P<cjk>{_DIGITS}|{_CJK_NUMBER}){_COUNTER}?|(?P<hangul>첫|두|세|네|다섯|여섯|일곱|여덟|아홉|{_DIGITS})\s*번째"
    rf"|(?P<kanji>{_CJK_NUMBER})(?:枚目|番目|张图|张照)"
    rf"|(?P<counted>{_DIGITS})(?:\s*(?:张|張|枚目|番目|번)|(?:st|nd|rd|th)\s+(?:{_IMAGES}|one)\b)"
    rf"|(?P<ordinal>{_ORDINALS})(?P<noun>\s+(?:and\s+(?:last|final)\s+)?(?:(?:satellite|given|provided"
    rf"|shown)\s+)?(?:{_IMAGES}|one)(?![^\W\d_]))?"
    rf"|(?P<last>{any_of(LAST)})\s+(?:{_IMAGES}|one)(?![^\W\d_])"
    rf"|(?P<alone>{_DIGITS}|(?<!\bthe\s)(?:{any_of([*_NO_SMALL_WORDS, 'one'])}))(?:st|nd|rd"
    rf"|th)?{_OF_ALL}(?=\s+after\s+\w+ing\b|\s*(?:[.,;:!?)\]}}*\"'/&\n-]|$|\b(?:or|and|oder|ou|because|since|as|not|rather|is|(?<!one\s)was"
    rf"|best|shows?|matches|where|which|in|due|but|to|given|based|that|who|alone|only|over|fits|does|doesn|sticks|breaks|stands|과|와|和)\b)|\s(?:です|である|입니다|이다)|[\u3040-\u9fff\uac00-\ud7af]))"
)
_LAST_ITEM = lazy(rf"(?:the\s+)?{any_of(LAST)}(?:\s+(?:{_IMAGES}|one))?", re.IGNORECASE)
_WHOLE_ITEM = lazy(
    rf"(?:(?:the|la|le|el|das|die|der|l'|第|option|answer)\s*)*(?:{_IMAGES}[\s:#_-]*)?(?:(?:number|no\.?"
    rf"|nr\.?|n°|#|is)\s*)*[\"'(\[*]*(?P<value>\d{{1,9}}|[²³¹]|[{''.join(CJK_DIGIT)}]|첫|두|세|네|다섯"
    rf"|{_ORDINALS}|{any_of([*_NO_SMALL_WORDS, 'one'])})[\"')\]*]*"
    rf"(?:st|nd|rd|th|\.|°|ª|º)?(?:\s*(?:/|of|out of|von|sur|de)\s*(?:the\s+)?(?P<all>\d{{1,2}}|two|three"
    rf"|four|five|six|seven|eight|nine|ten))?\s*(?:张"
    rf"|張|枚目|枚|番目|番|번째|번|个|個)?\s*(?:{_IMAGES}|one|です)?",
    re.IGNORECASE,
)


_LONGEST_ITEM = 120
_NO_ITEM = lazy(r"(?<!\w)[-−]\d|\d[.,]\d")  # negative, or no whole number
_ITEMS = lazy(r"\d{1,9}(?:[\s,;.@]+\d{1,9})+")
_FILE_NAME = lazy(r"\.(?:jpe?g|png|webp)\b", re.IGNORECASE)
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")


def whole_item(text: str, upper: int) -> list[int]:
    """Returns the numbers of the images that a text is by itself.

    >>> whole_item("the 2nd image", 5), whole_item("Image #3", 5), whole_item("2 dogs", 5)
    ([2], [3], [])
    """
    if len(text) > _LONGEST_ITEM or _NO_ITEM.search(text):
        return []
    text = bare(_FILE_NAME.sub("", text) if "." in text else text)
    if len(text) < 5 and text.upper() in _ROMAN:
        return [_ROMAN.index(text.upper()) + 1]
    if _ITEMS.fullmatch(text):
        return [int(number) for number in re.findall(r"\d+", text)]
    found = _WHOLE_ITEM.fullmatch(text)
    if not found or (found["all"] and _number(found["all"]) != upper):
        return [upper] if _LAST_ITEM.fullmatch(text) else []
    value = _number(found["value"])
    return [value] if value is not None else []


def item_mentions(text: str, upper: int, opens: bool = False) -> list[Mention]:
    """Returns the places of a text that name an image by its number.

    Args:
        text: The text.
        upper: The number of images.
        opens: Whether the text is a whole reply, which may open with its answer: "5. The couple dances".
    """
    found = []
    text = in_digits(text)
    heads = [(match.end(1), int(match[1])) for match in _LIST_HEAD.finditer(text)]
    if opens and len(heads) == 1 and heads[0][0] < 3:
        # "5. The couple is on the dance floor": the reply begins with its answer.
        found.append(Mention(heads[0][1], 0, heads[0][0], cue=1))
    places = {place for place, _ in heads}
    for match in outer(_ITEM.finditer(text)):
        if match.end() in places:
            continue
        kind = next(
            name
            for name in ("near", "cjk", "kanji", "hangul", "counted", "ordinal", "last", "alone")
            if match[name]
        )
        value = upper if kind == "last" else _number(match[kind])
        if value is None:
            continue
        sure = kind in ("near", "cjk", "kanji", "hangul", "counted", "last") or (
            (kind == "ordinal" and match["noun"] is not None)
            or (
                kind == "alone"
                and _SEEN_IN.search(text, max(0, match.start() - _CONTEXT), match.start()) is not None
            )
        )
        found.append(Mention(value, match.start(), match.end(), sure))
    return found


# "The hat is only in 4."
_SEEN_IN = lazy(
    r"\b(?:only|shown|seen|visible|found|depicted|appears?|happens?|occurs?|is|are)\s+in\s+$", re.IGNORECASE
)
# "1. A dog": the number of a list's entry.
_LIST_HEAD = lazy(r"(?:^|\n)[ ]*(\d{1,2})[.)](?=[ ]+\S)")

# Counts

_DIGIT = lazy(r"\d")
_UNIT = (
    r"(?:-?\s*(?:frames?|fps|seconds?|secs?|s|minutes?|min|%|percent|degrees?|°|o['’]clock|options?"
    r"|choices|images?|pictures|bilder|bildern|frames?n|cm|m|秒|帧|張|枚|フレーム|프레임|초|objects|people"
    r"|[x×]\s*\d+|x\s+(?:speed|faster|slower|zoom|magnif\w+|as)|persons|legs|hands|colou?rs|sides|times\s+as|fotogramas|sekunden|segundos|secondes|d\b))"
    r"(?![^\W\d_])"
)
_NO_COUNT = CaseBlind(
    r"\b(?:frames?|images?|steps?|options?|seconds?|t|at|phase|bild|frame_?|from|until|till|figure"
    r"|question|confidence|第|フレーム|帧|프레임|around|minute|second)\s*[:=#(]?\s*\d+(?:\.\d+)?(?:\s*(?:s"
    r"|sec)\b)?(?:\s*(?:-|–|to|and|,\s*and|,\s*&|,|→|->|&|bis|と)\s*(?:frames?\s*)?\d+(?:\.\d+)?)*(?!\s*(?:times|mal|次|回))"
    r"|\bout\s+of\s+(?:the\s+|all\s+)?\d+|\b\d+\s+other\b|\ball\s+but\s+\d+"
    r"|(?m:^[ ]*\d{1,2}[.)][ ]+(?=\S))|\bconfidence\b\W{0,3}\S*|\b\d+(?:\.\d+)?\s*(?:-|–|to)\s*\d+\s*(?:s"
    r"|sec|seconds)\b"
)
_COUNT_WORDS = [
    word
    for word in CARDINAL
    if word
    not in ("no", "none", "single", "un", "une", "una", "uno", "ein", "eine", "einen", "null", "zero", "a")
]
_TIMES = any_of(TIMES)
_COUNT = CaseBlind(
    rf"(?=[\dx×])(?<![\d\w.,])(?:[x×]\s?(?!\d+\s*=))?(?P<sum>(?:\d{{1,4}}\s*[+×*−–-]\s*){{1,8}}\d{{1,4}}\s*=\s*)?(?P<digits>\d{{1,9}})(?:\.0{{1,3}})?(?![\d%]|[.,]\d)|(?P<word>\b(?:{'|'.join(_COUNT_WORDS)})\b)"
    rf"|(?P<cjk>{_CJK_NUMBER})\s*(?:次|回|度|圈|个|個|번|회|页|頁|遍|下|轮|周|本|人|只)|(?<![\uac00-\ud7af])(?P<native>한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s*(?:개(?![의월별])|바퀴|차례)|\b(?P<never>no|zero|kein|keine|aucun|aucune|ningún"
    rf"|ninguna|never|none)\b"
)
# "once" is eleven beside Spanish words.
_SPANISH = lazy(r"\b(?:el|los|las|del|hace|hay|son|cuento|veces)\b", re.IGNORECASE)
_DIGIT_CJK = lazy(r"(?<=[\u3040-\u9fff\uac00-\ud7af])(\d{1,9})(?![\d.,%])")
_ONE_FOLD = lazy(
    r"\b(?:a|an|only|just|exactly|ein|une|un|una)\s+(?:one\s+|a\s+)?(?:single|einzige[rsn]?|einzelne[rsn]?|seule?|sol[ao]|únic[ao])\s+"
    r"(?!frame|image|option|person|man|woman|hand|one|word|letter|number|video)|"
    r"\bein\s+mal\b|\bune\s+(?:seule\s+)?fois\b|\buna\s+(?:sola\s+)?vez\b",
    re.IGNORECASE,
)
_NOT_ONE = lazy(
    r"\b(?:not\s+(?:even\s+)?(?:a\s+single|once|one\s+single)|kein\s+einziges)\b"
    r"|\b(?:does|did|do|is|are)\s*(?:not|n['’]t)\s+(?:\w+\s+){1,3}?any\s+(?!more|other|further|longer|sense|diff)\w+"
    r"|\b(?:does|did|do)(?:\s+not|n['’]t)\s+(?!(?:know|see|think|matter)\b)(?:\w+\s+){1,3}?at\s+all\b",
    re.IGNORECASE,
)
# "It did not blink even once."
_NOT_BEFORE_ONCE = lazy(
    r"\b(?:does|did|do|has|have)(?:\s+not|n['’]t)\s+(?!(?:just|only|more)\b)(?:(?!than\b)\w+\s+){1,3}$",
    re.IGNORECASE,
)
_ADDS_UP = lazy(r"\b(?:sums?|adds?|amounts|comes)\s+(?:up\s+)?to\s+(?:a\s+total\s+of\s+)?$", re.IGNORECASE)
_MINUS = lazy(r"(?:^|[\s(:=])[-−]$")
_BOUND = lazy(
    r"\b(?:more|fewer|less|greater|over|under|at\s+least|at\s+most|(?<!sums\s)(?<!adds\s)(?<!sum\s)(?<!add\s)(?<!comes\s)up\s+to|minimum\s+of|mehr\s+als"
    r"|plus\s+de|más\s+de)\s+(?:than\s+)?$|(?:超过|至少)\s*$",
    re.IGNORECASE,
)
_BOUND_ENDS = (
    "more",
    "fewer",
    "less",
    "greater",
    "over",
    "under",
    "least",
    "most",
    "to",
    "of",
    "als",
    "de",
    "than",
    "超过",
    "至少",
)
OF_WHICH = ("of which", ", dont ", ", davon ", ", von denen ", ", de los cuales ", ", de las cuales ")
"""Before a count that is taken from the one before it."""
_TOTALS = ("total", "all", "insgesamt")
_NO_NUMBER_BEFORE = lazy(
    r"\b(?:(?:the|this|that|last|first|each|which|no|another|second|correct|every|any|all\s+but)\s+(?:only\s+)?)$",
    re.IGNORECASE,
)
_NO_NUMBER_AFTER = lazy(
    r"\s+(?:by\s+one|of\s+the\b|other|another|hand|foot|side|direction|must\b|can\b|could\b|after\b|more\b|that\b|is\b)",
    re.IGNORECASE,
)
_NOTHING_AFTER = lazy(
    r"\s+[a-zé]+s?\b(?<!frame)(?<!frames)(?<!image)(?<!images)(?<!answer)(?<!option)(?<!options)(?<!information)(?<!way)(?<!evidence)(?<!doubt)(?<!other)(?<!more)(?<!longer)(?<!further)(?<!indication)(?<!clear)(?<!change)(?<!need)(?<!single)(?<!number)(?<!count)(?<!fewer)(?<!less)",
    re.IGNORECASE,
)
_UNIT_AFTER = lazy(_UNIT, re.IGNORECASE)
_CONTEXT = 24
# "the number of collisions is 3", "Total bounces: 6"
_NUMBER_IS = lazy(
    r"\b(?:(?:number|count)\s+of\s+(?:\w+\s+){0,2}\w+|total\s+(?:number\s+of\s+)?\w+(?:\s+\w+)?)\s*(?:is|was|are|comes\s+to|equals|[:=])\s*(?:therefore\s+|thus\s+|then\s+)?[\"'(*]*$",
    re.IGNORECASE,
)
_NEAR = 64
_NUMBER_OF = ("number of", "count of", "total")
_TOTAL_AFTER = lazy(
    r"\s*(?:\w+\s+){0,2}?(?:in\s+total|altogether|in\s+all|overall|insgesamt|au\s+total|en\s+total)\b",
    re.IGNORECASE,
)
_PLACE = lazy(
    rf"(?:the\s+)?(?P<ordinal>{_ORDINALS})\s+{any_of(OPTION)}|\b(?:option|choice)\s+(?:number|no\.)\s*(?P<nth>\d)\b"
    rf"|\b(?:(?:number|no\.|entry|item|#)\s*(?P<listed>\d)|the\s+(?P<place>{_ORDINALS})(?:\s+(?:one|entry|item))?)\s+(?:in|on|of|from)\s+(?:the|your|this)\s+list\b|第\s*(?P<cjk>{_CJK_NUMBER}|\d)\s*(?:个"
    rf"|個)?(?:选项|選項|の?選択肢)|(?P<hangul>첫|두|세|네|다섯|여섯|일곱)\s*번째\s*(?:선택지|보기|옵션)|(?P<n>\d)\s*(?:番目|つ目)の選択肢",
    re.IGNORECASE,
)


_PLACE_NOUNS = (
    "option",
    " list",
    "choice",
    "选项",
    "選項",
    "選択肢",
    "선택지",
    "보기",
    "옵션",
    "opción",
    "auswahl",
    "alternativ",
    "möglichkeit",
)
_LAST_OPTION = lazy(
    rf"(?:the\s+)?{any_of(LAST)}\s+{any_of(OPTION)}|最后一个(?:选项|選項)|最後の選択肢|마지막\s*(?:선택지|보기|옵션)",
    re.IGNORECASE,
)
_PENULTIMATE_OPTION = lazy(
    rf"(?:the\s+)?{any_of(PENULTIMATE)}(?:\s+(?:{any_of(OPTION)}|one))?", re.IGNORECASE
)
_PLACE_WORDS = (
    "penult",
    *(word for word in LAST if word != "final"),
    "number",
    "no.",
    *(word for word in ORDINAL if len(word) > 2),
    "第",
    "번째",
    "番目",
    "つ目",
)


_LABELLED = lazy(r"(?<![^\W_])([^\W\d_]{3,})[ ](\d{1,2})(?![\w%]|[.,:]\d|\s*(?:times|mal|fois|veces|volte))")
# "Spin 1 starts in frame 2."
_HEAD_LABEL = lazy(
    r"(?:(?<=[.;!?\n] )|(?<=\n)|^)([A-Z][a-z]{2,} )(\d{1,2})"
    r"(?=\s*(?:[:(]|starts?\b|begins?\b|ends?\b|occurs?\b|happens?\b|takes\b|in\s+frame))"
)
_NOT_LABELS = frozenset(
    _table(
        "option|frame|about|exactly|only|roughly|just|around|least|there|and|plus|then|are|the|total|count"
        "|answer|makes|left|right|und|counting|says|with"
    )
)


def _usable(text: str) -> str:
    """Returns a text with the numbers that count nothing blanked out, so that all places stay."""
    if not _DIGIT.search(text) and "confidence" not in text.lower():
        return text
    text = _without_labels(text)
    parts, place = [], 0
    for match in _NO_COUNT.finditer(text):
        parts += [text[place : match.start()], " " * (match.end() - match.start())]
        place = match.end()
    return "".join([*parts, text[place:]]) if parts else text


def _without_labels(text: str) -> str:
    """Returns a text with blanks for the numbers of what it numbers one by one: "Spin 1 ... Spin 2"."""
    text = _HEAD_LABEL.sub(
        lambda match: (
            match[1] + " " * len(match[2]) if match[1].strip().lower() not in _NOT_LABELS else match[0]
        ),
        text,
    )
    if " 1" not in text or " 2" not in text:
        return text
    named: dict[str, list[re.Match[str]]] = {}
    for match in outer(_LABELLED.finditer(text)):
        named.setdefault(match[1].lower(), []).append(match)
    for word, matches in named.items():
        numbers = list(dict.fromkeys(int(match[2]) for match in matches))
        if len(numbers) > 1 and word not in _NOT_LABELS and numbers == list(range(1, len(numbers) + 1)):
            for match in matches:
                start, end = match.span(2)
                text = text[:start] + " " * (end - start) + text[end:]
    return text


def count_mentions(text: str) -> list[Mention]:
    """Returns the places of a text that state how many.

    >>> [mention.value for mention in count_mentions("Based on the 16 frames, it happens three times.")]
    [3]
    """
    return list(_counted(text))


@lru_cache(maxsize=8)
def _counted(text: str) -> tuple[Mention, ...]:
    found = []
    text = _usable(text)
    small = text.lower()
    total = holds(small, _TOTALS)
    numbered = holds(small, _NUMBER_OF)
    which = max(map(small.rfind, OF_WHICH))
    for match in outer(_COUNT.finditer(text)):
        before = text[max(0, match.start() - _CONTEXT) : match.start()]
        value = _count_of(text, match, before)
        if value is None:
            continue
        if numbered and _NUMBER_IS.search(text[max(0, match.start() - _NEAR) : match.start()]):
            found.append(Mention(value, match.start(), match.end(), True, 2, open=_bounds(before)))
            continue
        # What a sum comes to is concluded: "three and then two more, 3 + 2 = 5".
        concluded = (
            match["sum"] or (total and _TOTAL_AFTER.match(text, match.end())) or _ADDS_UP.search(before)
        )
        cue = int(bool(concluded))
        found.append(
            Mention(
                value, match.start(), match.end(), True, cue, open=_bounds(before) or match.start() < which
            )
        )
    if not text.isascii():
        found += [
            Mention(int(match[1]), match.start(), match.end())
            for match in _DIGIT_CJK.finditer(text)
            if not _UNIT_AFTER.match(text, match.end())
        ]
    if not found:
        found = [Mention(0, match.start(), match.end()) for match in _NOT_ONE.finditer(text)]
    if not found:
        found = [Mention(1, match.start(), match.end()) for match in _ONE_FOLD.finditer(text)]
    found.sort(key=lambda mention: mention.start)
    return tuple(_summed(text, found) if 2 < len(found) <= _MOST_PARTS else found)


# "Bounce 1: frame 2", "#1 2-3", "1. at 0:05": one line for each that is counted.
_COUNTED_LINE = lazy(
    r"\W{0,4}(?P<label>(?:[^\W\d_]+[ ]){0,2})(?P<sign>#?)(?P<n>\d{1,2})(?:st|nd|rd|th)?"
    r"(?![\w%]|[.,:]\d)[ .):=|–-]*(?P<rest>.*)"
)
_NOT_COUNTED = _table("step|frame|frames|image|option|phase|question|part|scene|second|answer|count|total")
_LONGEST_LISTING = 1_000


# "The number of bars with a value below 40 is 3.", "... is 3 groups of 4 = 12 kites."
_STATED_NUMBER = lazy(
    rf"\bnumber\s+of\s+(?P<what>[^.!?\n;:]{{1,160}}?)\s(?:is|was|are|equals)\s+(?:(?:therefore|thus|then|only|exactly|just)\s+)?[\s*\"']*"
    rf"(?P<sum>[\d\s×x*+·-]+(?:[^\W\d_]+[\s\d×x*+·-]+)*=\s*)?(?P<n>\d{{1,3}}|{any_of(CARDINALS)})[*\"']*"
    r"(?(sum)(?:\s+[^\W\d_]+){0,3}|(?:\s+times?)?)[*\"']*\s*(?:[.!](?!\d)|$)",
    re.IGNORECASE,
)


_NOT_TOLD = lazy(
    rf"(?:the\s+)?(?:\w+\s+)?(?:frames?|images?|pictures?|options?|choices?|seconds?|minutes?)\b"
    rf"|{any_of((*MAYBE, *IF))}|\b(?:not?|never)\b|n['’]t\b",
    re.IGNORECASE,
)


_ANSWERED = lazy(r"\banswer(?:\s+is)?\s*:?[\s*(]*(?-i:[A-H]|\d+)\b", re.IGNORECASE)


def number_of(text: str) -> Mention | None:
    """Returns where a text says last what "the number of ..." is, whatever numbers it is told by.

    >>> number_of("So the number of bars above 40 is 3.").value, number_of("The number of bars is above 3.")
    (3, None)
    """
    if "umber of" not in text:
        return None
    found = deque(_STATED_NUMBER.finditer(text), 1)
    if not found or _NOT_TOLD.search(found[0]["what"]) or count_mentions(text[found[0].end() :]):
        return None
    if _ANSWERED.search(text, 0, found[0].start()):
        return None
    value = _number(found[0]["n"])
    return None if value is None else Mention(value, *found[0].span("n"))


def enumerated(text: str) -> int | None:
    r"""Returns how many numbered lines a reply is made of, each for one that it counts; else None.

    >>> enumerated("Clap 1: frame 2\nClap 2: frame 6"), enumerated("1. Watch the ball.\n2. Count.")
    (2, None)
    """
    if "\n" not in text or len(text) > _LONGEST_LISTING:
        return None
    labels: set[str] = set()
    n = 0
    for line in text.split("\n"):
        found = _COUNTED_LINE.fullmatch(line)
        if found is None:
            if n and _WORD_SIGN.search(line):
                return None
            continue
        label = found["label"].strip().lower()
        n += 1
        marked = label or found["sign"]
        if int(found["n"]) != n or label in _NOT_COUNTED or not _DIGIT.search(found["rest"]):
            return None
        labels.add(marked)
    return n if n > 1 and len(labels) == 1 else None


_WORD_SIGN = lazy(r"\w")
_MOST_PARTS = 9
_AT_FIRST = lazy(r"\b(?:first|initial|initially|originally)\b", re.IGNORECASE)
_NAMED_BY_LETTER = lazy(r"\b[A-H]\s*[:.)=]\s*$")


def _summed(text: str, found: list[Mention]) -> list[Mention]:
    """Returns the total alone of "once left and once right, which makes 2", and of "1, 2, 3"."""
    values = [mention.value for mention in found]
    if found[0].open:
        return found  # "6, of which 2 ..., so 4"
    if min(values) < 1 or any(_NAMED_BY_LETTER.search(text[: mention.start][-6:]) for mention in found):
        return found
    gaps = {text[one.end : other.start].strip() for one, other in itertools.pairwise(found)}
    counting = values == list(range(1, len(values) + 1)) and gaps <= {",", ", and", "...", "-", "and"}
    if counting or values[-1] == sum(values[:-1]):
        return found[-1:]
    return found[:1] if values[0] == sum(values[1:]) and not _AT_FIRST.search(text) else found


def _bounds(before: str) -> bool:
    """Whether the words before a number make it a bound: "more than 3"."""
    return before.rstrip().lower().endswith(_BOUND_ENDS) and _BOUND.search(before) is not None


def _count_of(text: str, match: re.Match[str], before: str) -> int | None:
    """Returns the count that a match states; None where its number counts something else."""
    if match["digits"]:
        if _UNIT_AFTER.match(text, match.end()):
            return None
        return -int(match["digits"]) if _MINUS.search(before) else int(match["digits"])
    if number := match["cjk"] or match["native"]:
        return _number(number)
    word = (match["word"] or match["never"]).lower()
    if match["never"]:
        return 0 if word in ("never", "none", "zero") or _NOTHING_AFTER.match(text, match.end()) else None
    if _UNIT_AFTER.match(text, match.end()) or _NO_NUMBER_AFTER.match(text, match.end()):
        return None
    if word == "one" and _NO_NUMBER_BEFORE.search(before):
        return None
    if word == "once" and _NOT_BEFORE_ONCE.search(before):
        return 0
    if word == "once" and _SPANISH.search(before + text[match.end() : match.end() + _CONTEXT]):
        return 11
    return CARDINAL[word]


def place_mentions(text: str) -> list[Mention]:
    """Returns where a text names an option by its place, from 1; 0 is the last, -1 the one before."""
    found: list[Mention] = []
    small = text.lower()
    if not holds(small, _PLACE_NOUNS) or not holds(small, _PLACE_WORDS):
        return found
    penultimate = [match.span() for match in _PENULTIMATE_OPTION.finditer(text)]
    found += [Mention(-1, *span) for span in penultimate]
    found += [
        Mention(0, *match.span())
        for match in _LAST_OPTION.finditer(text)
        if not any(start <= match.start() < end for start, end in penultimate)
    ]
    for match in _PLACE.finditer(text):
        place = _number(
            match["ordinal"]
            or match["cjk"]
            or match["hangul"]
            or match["n"]
            or match["nth"]
            or match["listed"]
            or match["place"]
        )
        if place is not None:
            found.append(Mention(place, match.start(), match.end()))
    return found


@lru_cache(maxsize=256)
def value_of(option: str) -> int | None:
    """Returns the number that an option is; None where it is none."""
    text = option.strip().rstrip(".")
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None
