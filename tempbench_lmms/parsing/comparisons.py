"""What a sentence says of a claim by comparing or judging: "Image 2 is older", "can be rejected".

Of two images, or two pairs, the one that is the subject is compared with the other; of an order, every word
that denies turns the claim round.
"""

import re
from functools import lru_cache

from tempbench_lmms.parsing.patterns import UNSPACED, WORD_BEGINS, WORD_ENDS, lazy
from tempbench_lmms.parsing.places import in_digits
from tempbench_lmms.parsing.text import holds, table

_FIRST = r"first|1st|erste[nrsm]?|première|primera|primer"
_SECOND = r"second|2nd|zweite[nrsm]?|deuxième|seconde|segund[ao]"


def _entity(nouns: str, cjk: str) -> str:
    """Returns a pattern for the first or the second of two things: group 1 to 4 tell which."""
    return (
        rf"(?:{WORD_BEGINS}(?:(?:{nouns})(?:\s+number)?|number)|(?:{cjk}))\s*#?\s*(?:(?P<a>1|one)|(?P<b>2|two))(?![A-Za-z\d]|\.\d)"
        rf"|{WORD_BEGINS}(?:(?P<c>{_FIRST})|(?P<d>{_SECOND}))\s+(?:(?:one|shown|given)\s+)?(?:{nouns}|one){WORD_ENDS}"
        rf"|第\s?(?:(?P<e>[一1])|(?P<f>[二2]))(?:张|幅|個|个|组|枚|对|の)?(?:目の)?(?:{cjk})?|(?:(?P<g>1)|(?P<h>2))(?:枚目|番目)の?(?:{cjk})?"
        rf"|(?:(?P<i>첫)|(?P<j>두))\s?번째\s?(?:{cjk})"
    )


_TIME_NOUNS = ("images?|pictures?|photos?|bild|imagen|foto|l'image", "图像?|图片|圖|画像|写真|이미지|사진")
_PAIR_NOUNS = ("pairs?|paar(?:es)?|paire|par|pareja", "组|对|配对|组合|ペア|쌍")
# A word before its object, and one that stands anywhere.
_WORDS = {
    "first before second": (
        (
            r"before|precede[sd]?|predate[sd]?|prior\s+to|ahead\s+of|vor|avant|précède|antes\s+(?:de|que)|early|anterior\s+a",
            True,
        ),
        (
            r"after|follows|followed|postdate[sd]?|succeed(?:s|ed)|nach|après|después\s+de|posterior\s+a",
            False,
        ),
        (
            r"earlier|older|oldest|earliest|previous|früher\w*|älter\w*|ältest\w*|plus\s+ancien\w*|antérieure?|más\s+antigu[oa]|anterior|happened\s+first|(?:was|were)\s+there\s+first(?!\s+in\b)|taken\s+first|came\s+first"
            r"|comes\s+first|(?:is|be|was)\s+(?:the\s+)?first|更早|较早|早于|先于|之前|以前|より前|より先|古い|先|最初(?:に[な撮起来写現あ発]|な)|먼저|이전|오래된|더\s?이른",
            True,
        ),
        (
            r"later|newer|newest|latest|more\s+recent|most\s+recent|younger|später\w*|neuer\w*|jünger\w*|plus\s+récente?|postérieure?|más\s+reciente|posterior|taken\s+(?:second|last)|came\s+(?:second|last)"
            r"|comes\s+(?:second|last)|更晚|较晚|晚于|之后|以后|更新|后发生的是|より後|後に[起撮]|最後(?:に[な来写現あ発]|な)|新しい|나중|이후|최근",
            False,
        ),
    ),
    "first longer": (
        (r"exceeds?|outlasts?", True),
        (
            r"more\s+time|longer|longest|larger|largest|greater|greatest|bigger|biggest|mehr\s+zeit|länger\w*|längst\w*|größer\w*|größt\w*|plus\s+longue?|plus\s+de\s+temps|más\s+tiempo|más\s+larg[oa]|mayor"
            r"|更长|更多|更久|最长|较长|長い|더\s?길|더\s?긴|더\s?오래|더\s?많",
            True,
        ),
        (
            r"less\s+time|shorter|shortest|smaller|smallest|weniger\s+zeit|kürzer\w*|kürzest\w*|kleiner\w*|plus\s+courte?|moins\s+de\s+temps|menos\s+tiempo|más\s+cort[oa]|menor"
            r"|更短|更少|最短|较短|短い|더\s?짧|더\s?적",
            False,
        ),
    ),
}
_SIGNS = {
    "first before second": table(
        "before|earl|old|preced|predate|ahead|prior|previous|first|vor|früh|ält|avant|antes|ancien|anté|anti|anter|after|late|new|follow|recent"
        "|postd|succe|nach|spät|neuer|jüng|après|récent|poster|young|second|last|antes|despu"
    ),
    "first longer": table(
        "more|long|large|great|big|mehr|läng|größ|plus|más|mayor|less|short|small|wenig|kürz|klein|moins|menos|menor|exceed|outlast"
    ),
}
_NEG = r"(?:not|never|cannot|neither|nor|nicht|kein\w*|pas|nunca|tampoco|hardly)"
_DENIED = lazy(
    rf"{WORD_BEGINS}{_NEG}{WORD_ENDS}|n['’]t\b|\bno\s+(?:es|est\w+|fue|son|hay|se|sigue\w*|coincide\w*|corresponde\w*)\b|不|没|並非|ない|ません|아니|않",
    re.IGNORECASE,
)
# "...のは1枚目ではありません": the image before it is denied.
_IS_NOT_IT = lazy(r"的不是[^,;]*$|のは[^、,]*(?:では|じゃ)(?:ない|ありません)(?:です)?[。.\s]*$")
_NONE = lazy(
    r"\b(?:no\s+(?:other|image|picture|one|pair|frame|single)|nothing|none|nowhere|nobody|nichts|rien|nada)\b",
    re.IGNORECASE,
)
_DOUBT = lazy(
    rf"{WORD_BEGINS}(?:or|either|maybe|perhaps|possibly|might|could|whether|if|unless|seems?|oder|ou|vielleicht|first\s+thought|wait|actually|equal(?:ly)?|same|both){WORD_ENDS}"
    r"|一样|同じ|같|或|または|또는",
    re.IGNORECASE,
)
_COMPARED_WITH = lazy(
    r"(?:compared\s+(?:to|with)|in\s+comparison\s+(?:to|with)|than|unlike|im\s+vergleich\s+zu|comparad[oa]\s+con|比起|相比)\s*(?:the\s+)?$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4)
def _of_claim(claim: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    nouns = _PAIR_NOUNS if claim == "first longer" else _TIME_NOUNS
    groups = _WORDS[claim]
    words = "|".join(
        rf"(?P<w{i}>{WORD_BEGINS}(?:{'|'.join(w for w in words.split('|') if w[0] < chr(0x2E80))}){WORD_ENDS}"
        + (
            rf"|{UNSPACED}(?:{cjk})"
            if (cjk := "|".join(w for w in words.split("|") if w[0] >= chr(0x2E80)))
            else ""
        )
        + ")"
        for i, (words, _) in enumerate(groups)
    )
    return lazy(_entity(*nouns), re.IGNORECASE), lazy(words, re.IGNORECASE)


# "The second was taken after the first."
_TWO_PLACES = lazy(
    r"\bthe\s+(first|second)((?:\s+\w+){1,3}?\s+(?:before|after|earlier\s+than|later\s+than)\s+)the\s+(first|second)(?=\s*(?:[.,;!]|$))",
    re.IGNORECASE,
)
_CLAUSE = lazy(r"[,;，]\s*|\b(?:while|whereas|but|während|aber|mais|pero)\b", re.IGNORECASE)


def compared(sentence: str, claim: str) -> list[bool] | None:
    """Returns whether the first of two is the earlier, or longer, one by a sentence that compares them.

    Nothing where it leaves that open, None where it compares nothing.

    >>> compared("Image 2 is older than image 1.", "first before second")
    [False]
    >>> compared("图2比图1更早", "first before second")
    [False]
    >>> compared("More time lies between the images of Pair 2.", "first longer")
    [False]
    """
    sentence = in_digits(sentence)
    if claim == "first before second":
        sentence = _TWO_PLACES.sub(r"the \1 one\2the \3 one", sentence)
    small = sentence.lower()
    if claim not in _WORDS or len(sentence) > 400 or (small.isascii() and not holds(small, _SIGNS[claim])):
        return None
    found: list[bool] = []
    some = False
    for clause in _CLAUSE.split(sentence):
        said = _clause(clause, claim)
        if said is None:
            continue
        some = True
        found += said
    if not some:
        return None
    if _DOUBT.search(sentence) or _NONE.search(sentence):
        return []
    return found[:1] if len(set(found)) == 1 else []


def _clause(clause: str, claim: str) -> list[bool] | None:
    entity, words = _of_claim(claim)
    entities = [
        (match.start(), match.end(), bool(match["a"] or match["c"] or match["e"] or match["g"] or match["i"]))
        for match in entity.finditer(clause)
    ]
    if not entities:
        return None
    taken = [(start, end) for start, end, _ in entities]
    comparisons = [
        (match.start(), match.end(), int((match.lastgroup or "w0")[1:]))
        for match in words.finditer(clause)
        if not any(start <= match.start() < end for start, end in taken)
    ]
    if not comparisons:
        return None
    kinds = {_WORDS[claim][kind][1] for _, _, kind in comparisons}
    if len(kinds) > 1 or len({which for _, _, which in entities}) < min(2, len(entities)):
        return []
    start, end, kind = comparisons[0]
    # "...のは1枚目です", "...的是第一张": the last one is the subject.
    subject = entities[-1 if clause[: entities[-1][0]].rstrip().endswith(("のは", "的是", "的不是")) else 0]
    is_object = _COMPARED_WITH.search(clause[: subject[0]]) or (
        kind < (2 if claim == "first before second" else 1)
        and start < subject[0]
        and re.fullmatch(r"\s*(?:the\s+|der\s+|dem\s+|la\s+|l')?", clause[end : subject[0]])
    )
    if is_object:
        if len(entities) < 2:
            return []
        subject = entities[1]
    elif claim == "first before second" and len(entities) == 1 and kind < 2 and clause[end:].strip(" .!"):
        return []  # "Image 1 was taken before the road was built"
    value = subject[2] == kinds.pop()
    if _IS_NOT_IT.search(clause):
        return [not value]
    denials = list(_DENIED.finditer(clause))
    if not denials:
        return [value]
    if (
        len(denials) == 1
        and len(clause[denials[0].end() : start].split()) <= 4
        and denials[0].start() < start
    ):
        return [not value]
    return []


# The claim that images are in order.

_CORE = lazy(
    rf"{WORD_BEGINS}(?:(?:anti)?chronolog\w+|cronológic\w+|(?:correct|right|proper|temporal|time|logical)\s+(?:temporal\s+|time\s+|chronological\s+)?(?:order|sequence)){WORD_ENDS}"
    r"|时间顺序|時間順|时间先后|時系列|시간\s?순",
    re.IGNORECASE,
)
_WEAK = lazy(
    rf"{WORD_BEGINS}(?:order(?:ing|ed)?|sorted|sequence|progression|timeline|reihenfolge|abfolge|ordre|séquence|orden|secuencia){WORD_ENDS}|顺序|順序|順番|次序|순서",
    re.IGNORECASE,
)
_GOOD = lazy(
    rf"{WORD_BEGINS}(?:holds?(?:\s+up)?|correct|right|fine|ok(?:ay)?|consistent|valid|kept|preserved|respected|maintained|plausible|makes\s+sense|checks?\s+out|true|accurate"
    rf"|stimmt|richtig|korrekt|passt|correcte?|juste|exacte?|correct[oa]|bien|coherente){WORD_ENDS}|正确|正確|没问题|没有问题|合理|正しい|合って|맞|올바",
    re.IGNORECASE,
)
_BAD = lazy(
    rf"{WORD_BEGINS}(?:0\s?%|zero\s+(?:chance|percent|probability)|no\s+(?:chance|way)|reject(?:ed|s)?|refute[sd]?|den(?:y|ied|ies)|dispro(?:ve[sdn]?|of)|dismiss(?:ed)?|false|untrue|wrong|incorrect|inaccurate|invalid"
    rf"|disagree|contradict\w*|violat\w+|breaks?|broken|fails?|falls\s+apart|out\s+of|far\s+from|anything\s+but|unlikely|implausible|impossible|inconsistent|revers\w+|swapp\w+|shuffl\w+|mixed\s+up|jumbled|scrambled"
    rf"|inverted|disrupt\w*|disturb\w*|interrupt\w*|other\s+way\s+(?:a?round)|goes\s+wrong|except|apart\s+from|falsch|widerlegt|vertauscht|durcheinander|gestört|umgekehrt|fausse?|inversée?|mélangé\w*|falso|falsa|incorrect[oa]|invertid[oa]|desordenad[oa]s?"
    rf"|mal|nonchronological|non-chronological|unordered|unsorted){WORD_ENDS}|0\s?%|错|誤|間違|不符|颠倒|相反|混乱|打乱|逆|틀|거짓|뒤바뀌|뒤섞|반대",
    re.IGNORECASE,
)
_PARTLY = lazy(
    rf"{WORD_BEGINS}(?:first|last)\s+(?:two|three|four|five|few|\d)|{WORD_BEGINS}images?\s+\d\s*(?:to|and|-|–|through|,)\s*\d|{WORD_BEGINS}(?:partly|partially|mostly|nearly|almost|roughly|would|some|most|only|until|up\s+to|should|statement\s+that|claim\s+that|whether"
    rf"|if|or|maybe|perhaps|might|could|correct\s+order\s+(?:is|would)|right\s+order\s+(?:is|would)|not\s+sure|i\s+doubt){WORD_ENDS}|应该是|正确的?顺序[是为]|正しい順序は|올바른\s?순서는",
    re.IGNORECASE,
)
_PARTS = lazy(
    rf"{WORD_BEGINS}(?:but|however|though|aber|jedoch|mais|pero|except|apart\s+from)(?={WORD_ENDS})|但|可是|しかし|하지만",
    re.IGNORECASE,
)
_CHRONO_SIGNS = table(
    "chronol|cronol|order|sequence|progression|timeline|reihenfolge|abfolge|ordre|séquence|orden|secuencia|sorted"
)


def ordered(sentence: str) -> list[bool] | None:
    """Returns whether a sentence says that the images are in order; None where it says nothing of it.

    >>> ordered("0% chance that this is chronological."), ordered("Die Reihenfolge stimmt.")
    ([False], [True])
    >>> ordered("The order holds for images 1 to 3, but breaks at image 4.")
    [False]
    >>> ordered("Images 1 to 3 are in chronological order.")
    []
    """
    head = re.split(r"[:;]\s", sentence, maxsplit=1)[0]
    if head != sentence and _CORE.search(head) and _DENIED.search(head):
        sentence = head  # "They are not in chronological order: image 4 should come before image 2."
    small = sentence.lower()
    if len(sentence) > 400 or (small.isascii() and not holds(small, _CHRONO_SIGNS)):
        return None
    core = _CORE.search(sentence)
    if core is None and _WEAK.search(sentence) is None:
        return None
    parts = _judged_parts(sentence, core is not None)
    if not parts:
        return None if core is None else []
    partly = _PARTLY.search(sentence) is not None
    if partly and not (len(parts) > 1 and not parts[-1]) and not re.search(r"\bshould\b[^.]*\brevers", small):
        return []
    if all(parts):
        return [True]
    return [False] if not parts[-1] else []


def _judged_parts(sentence: str, strong: bool) -> list[bool]:
    """Returns what each part of a sentence, cut at "but", says of the order."""
    found: list[bool] = []
    start = 0
    cuts = [
        match.start() if re.match("except|apart", match.group(), re.IGNORECASE) else match.end()
        for match in _PARTS.finditer(sentence)
    ]
    for place, cut in enumerate([*cuts, len(sentence)]):
        part = sentence[start:cut]
        start = cut
        # What follows a comma tells why: "不是按时间顺序排列的，第三张应该在第二张之前".
        core = _CORE.search(part) or _WEAK.search(part)
        head = re.split(
            r"[,;:，]|\b(?:because|since|as(?!\s+(?:shown|presented|given|displayed|stated)\b))\b", part
        )
        clause = (
            next((piece for piece in head if _CORE.search(piece) or _WEAK.search(piece)), head[0])
            if core
            else part
        )
        if core is None and place == 0:
            continue
        denials = len(_DENIED.findall(clause)) + len(_NONE.findall(clause)) + len(_BAD.findall(clause))
        if denials or _CORE.search(clause) or (core and _GOOD.search(clause)):
            found.append(denials % 2 == 0)
    return found
