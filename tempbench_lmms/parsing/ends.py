"""Which end of an order comes first: "from latest to earliest", "newest first", "最新から", "back in time".

Two words for the ends with nothing but a link between them say it, in the order in which they stand; so does
a word for one end that is called the first, and a phrase for the whole direction.
"""

from functools import lru_cache

from tempbench_lmms.parsing.patterns import WORD_BEGINS
from tempbench_lmms.parsing.text import CaseBlind, holds

_EARLY = (
    r"(?:earliest|oldest|older|earlier|youngest\s+date|ältest\w*|älter\w*|frühest\w*|früher\w*"
    r"|(?:plus\s+)?ancien(?:ne)?s?|(?:más\s+)?antigu[oa]s?|(?:più\s+)?vecchi[aoe]?|(?:più\s+)?antic[aho]\w*|(?:mais\s+)?antig[ao]s?|стар\w*|ранн\w*|最早|最旧|最古|最老|较早|早|旧|古い?|오래된|이른|과거|옛)"
)
_LATE = (
    r"(?:latest|newest|newer|later|most\s+recent|more\s+recent|recent|neuest\w*|neuer\w*|jüngst\w*|spätest\w*|später\w*"
    r"|(?:plus\s+)?récente?s?|(?:más\s+)?recientes?|(?:más\s+)?nuev[oa]s?|(?:più\s+|mais\s+)?recent[ei]s?|(?:più\s+)?nuov[aoie]\w*|(?:mais\s+)?nov[ao]s?|нов\w*|поздн\w*|最新|最晚|最近|较晚|晚|新しい?|新|최신|최근|늦은|나중|현재)"
)
_SHORT = (
    r"(?:shortest|smallest|shorter|smaller|least|lowest|fewest|kürzest\w*|kleinst\w*|kürzer\w*"
    r"|(?:plus\s+)?court(?:e)?s?|(?:más\s+)?cort[oa]s?|menor|最短|较短|短い?|가장 짧은|짧은)"
)
_LONG = (
    r"(?:longest|largest|greatest|longer|larger|biggest|most|highest|längst\w*|größt\w*|länger\w*"
    r"|(?:plus\s+)?long(?:ue)?s?|(?:más\s+)?larg[oa]s?|mayor|最长|最長|较长|长|長い?|가장 긴|긴)"
)
_LINK = (
    r"(?:\s*(?:image|images|one|ones|pair|interval|time|date|imagen|bild|paire|par|图|图像|画像|이미지|것|もの|的|시간)\b)?[\s\"')]*"
    r"(?:к|до|ao|à|alla?|to|towards?|back\s+to|down\s+to|up\s+to|bis|zum|zur|hin|à|au|vers|hasta|al?|到|至|から|에서|부터|->|→|>|-|–|/)+"
    r"[\s\"'(]*(?:(?:the|zu[mr]?|la|le|el|the|den|der|más|plus|più|mais|самым|самой|最|가장|zum|to|most)\s*)*"
)
_TIME_FIRST = (
    r"reverse(?:d)?\s+chronological|reverse-chronological|anti-?chronological|inverse\s+chronological"
    r"|(?:going|go|goes|moving|working|counting|running|stepping|looking)\s+back(?:wards?)?(?:\s+(?:in|through)\s+time)?"
    r"|back(?:wards?)?\s+(?:in|through)\s+time|backwards?\s+from|in\s+descending\s+order\s+of\s+(?:date|time|recency)"
    r"|zeitlich\s+rückwärts|rückwärts|umgekehrt\w*\s+(?:chronologisch\w*|zeitlich\w*)"
    r"|ordre\s+(?:anti-?chronologique|chronologique\s+inverse)|orden\s+cronológico\s+inverso"
    r"|(?:hacia|vers\s+l['’])\s*(?:atrás|arrière)|倒序|逆序|时间倒|逆時系列|時系列の逆|逆順|新しい順|新しいものから順|最新顺|역순|최신\s?순|최근\s?순"
)
_SIZE_FIRST = (
    r"descending|decreasing|absteigend\w*|décroissant\w*|descendente|降序|降順|長い順|长到短|내림차순|긴\s?순"
)
_FIRST = (
    r"[\s\"')]*(?:one|image|pair|interval|time)?s?\s*(?:first\b|zuerst|en\s+premier|primero|在前|先|on\s+the\s+left"
    r"|at\s+the\s+(?:start|top|beginning|left))"
)
_STARTING = (
    r"(?:start(?:ing|s)?|begin(?:ning|s)?|beginnend|angefangen)"
    r"\s+(?:with|from|at|mit|bei)\s+(?:the\s+|der\s+|dem\s+)?"
)
_SIGNS = [
    "latest",
    "newest",
    "newer",
    "later",
    "recent",
    "neu",
    "jüngst",
    "spät",
    "récent",
    "recient",
    "nuev",
    "longest",
    "largest",
    "greatest",
    "longer",
    "larger",
    "biggest",
    "most",
    "highest",
    "läng",
    "größt",
    "long",
    "larg",
    "mayor",
    "descend",
    "decreas",
    "absteig",
    "décroiss",
    "back",
    "revers",
    "anti",
    "rückwärts",
    "umgekehrt",
    "invers",
    "atrás",
    "arrière",
]


@lru_cache(maxsize=2)
def _patterns(quantities: bool) -> tuple[CaseBlind, CaseBlind]:
    early, late = (_SHORT, _LONG) if quantities else (_EARLY, _LATE)
    phrase = _SIZE_FIRST if quantities else _TIME_FIRST

    def goes(first: str, second: str) -> str:
        return rf"{WORD_BEGINS}{first}(?:{_LINK}{second}|{_FIRST})|{_STARTING}{first}"

    return CaseBlind(rf"{goes(late, early)}|{phrase}"), CaseBlind(goes(early, late))


def backwards(text: str, quantities: bool = False) -> bool | None:
    """Whether a text says that an order begins at its late or long end; None where it names no direction.

    >>> backwards("from the newest to the oldest"), backwards("oldest to newest"), backwards("an order")
    (True, False, None)
    >>> backwards("longest > shortest", quantities=True), backwards("최신에서 오래된 순서")
    (True, True)
    """
    if text.isascii() and not holds(text.lower(), _SIGNS):
        return None
    back, forth = _patterns(quantities)
    if back.search(text):
        return None if forth.search(text) else True
    return False if forth.search(text) else None
