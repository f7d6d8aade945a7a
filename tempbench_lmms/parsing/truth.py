"""True and False: the words, their denials, and statements about the statement."""

import re
from functools import lru_cache

from tempbench_lmms.parsing.comparisons import compared, ordered
from tempbench_lmms.parsing.lines import bare
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import holds, mistyped_as, outer, signs, table
from tempbench_lmms.parsing.words import ASSENT, DISSENT, FAILS, FALSE, HOLDS, IF, TRUE, any_of

_BARE = (
    {word.lower(): True for word in TRUE}
    | {word.lower(): False for word in FALSE}
    | {"t": True, "f": False}
    | dict.fromkeys("✅✓✔☑👍", True)
    | dict.fromkeys("❌✗✘❎👎", False)
)
_NEGATION = (
    r"(?:\b(?:not|never|hardly|cannot|can\s?not|neither|nor|nicht|pas|no|non)\b|n['’]t\b)\s+"
    r"(?:be\s+)?(?:(?:entirely|fully|completely|quite|actually|really|necessarily|totally|strictly"
    r"|exactly|wholly|the|in|a)\s+)*"
)
_WORD = lazy(
    rf"(?P<neg>{_NEGATION})?(?<![-\w])(?P<word>true|false|wahr|falsch|vrai|vraie|faux|fausse|verdader[oa]"
    rf"|fals[oa]|vero|verdadeir[oa]|правда|верно|неверно|unwahr|untrue)(?![-\w])",
    re.IGNORECASE,
)
_WORD_SIGNS = ("true", "fals", "wahr", "vrai", "fau", "ver", "верно", "правда")
_SUBJECT = (
    r"(?:statement|claim|sentence|description|assertion|order|sequence|proposition|aussage|behauptung"
    r"|affirmation|énoncé|afirmación|declaración|enunciado|this|that|it|images?|which"
    r"|(?:given|stated|shown|presented|proposed)\s+one)\b"
)
_CALLED = lazy(
    rf"\b{_SUBJECT}[\"')]*(?:\s+[\"'(][^\"\n]{{1,200}}[\"')]"
    rf"|:\s*\"[^\"\n]{{1,200}}\")?(?:\s+(?:as\s+a\s+whole|above|shown|given|itself|overall|in\s+question"
    rf"|(?:about|on|regarding|that)\s+(?:\w+\s+){{0,4}}?\w+))?,?\s+(?:is|was|are|seems|appears|remains|holds|ist|est"
    rf"|es)(?P<aux>n['’]t)?\s+(?:to\s+be\s+)?(?:(?:indeed|therefore|also|thus|hence|then|clearly|likely"
    rf"|probably|most\s+likely|only)\s+)*"
    rf"(?P<neg>(?:not|nicht|pas|no)\s+)?(?:(?:indeed|entirely|fully|completely|quite|totally|factually"
    rf"|actually|perfectly|logically|temporally|in)\s+)*(?P<word>{any_of((*HOLDS, *FAILS))})"
    r"(?!\s+(?:if|when|only|unless|order)\b)",
    re.IGNORECASE,
)
_MATCHES = lazy(
    r"\bstatement(?:\s+[\"'][^\"\n]{1,200}[\"'])?\s+(?:(?:fully|clearly|correctly|accurately|therefore"
    r"|also)\s+)*(?P<neg>does\s+not\s+|doesn['’]t\s+|do\s+not\s+|cannot\s+)?(?:(?:fully|entirely"
    r"|completely|accurately|correctly)\s+)*"
    r"(?P<word>hold|holds|matches|match|agrees|agree|reflects|reflect|describes|describe|contradicts"
    r"|contradict|fails|misrepresents)\b",
    re.IGNORECASE,
)
_CJK = lazy(
    r"(?P<neg>不(?:是)?)?(?P<word>正确|正確|真实|属实|错误|錯誤|不符|正しくありません|正しくない|正しい|誤り|誤って|間違い|間違って|偽|真です|真である|为真|为假"
    r"|為真|為假|是真|是假|是对的|是错的|맞습니다|맞다|참입니다|거짓|틀렸|틀립|참이|올바르지\s?않|올바릅)(?!\s*(?:答案|选项|順序|顺序|的顺序|순서|答え|な?順))"
)
_CJK_FALSE = (
    "错误",
    "錯誤",
    "不符",
    "正しくありません",
    "正しくない",
    "誤り",
    "誤って",
    "間違い",
    "間違って",
    "偽",
    "为假",
    "為假",
    "是假",
    "是错的",
    "거짓",
    "틀렸",
    "틀립",
    "올바르지",
)
_BOTH = lazy(r"\bboth\b[^.!?\n]*$|\bpart(?:ly|ially)\s*$", re.IGNORECASE)
_NIL = lazy(
    r"(?:\b0\s?%|\bzero|\bno)\s+(?:chance|probability|likelihood|way)\b[^.,;!?\n]{0,40}$|\b(?:far\s+from|anything\s+but)\s+(?:being\s+)?$",
    re.IGNORECASE,
)
_YES_NO = lazy(
    r"(?:^|(?<=[.!?:\n]\s)|(?<=\n)|[,:(]\s*|\b(?:actually|wait|rather|sorry|hmm)\s+)[\"'(\[]*(?P<word>yes|no|ja|nein|oui|non|sí|correct|incorrect"
    r"|yeah|nope|はい|いいえ|예|네|아니오|아니요|是的|不是|对|不对)(?=\s*(?:[.,;:!)\"'\]\n–—-]|because\b|since\b|$|[、]))",
    re.IGNORECASE,
)
# "The answer is no, it does not", "So yes, they are"
_SAID_SO = lazy(
    r"\b(?:(?:so|thus|therefore|hence)|(?:answer|response|verdict)(?:\s*\([^()\n]{1,30}\))?\s+(?:is|would\s+be|must\s+be|should\s+be))"
    r"\s+[\"'(\[*]*(?P<word>yes|no|ja|nein|oui|non|sí)(?=[\"')*]*\s*(?:[.,;:!]|because\b|since\b|$))(?![\"')*]*,?\s*not\b)",
    re.IGNORECASE,
)
_CLAUSE = 200
_IF_BEFORE = lazy(rf"{any_of(IF)}[^.!?\n]*$", re.IGNORECASE)
_YES_NO_SIGNS = table("yes|no|ja|nein|oui|sí|correct|yeah|はい|いいえ|예|네|아니|是|对")
_FALSE_WORDS = frozenset(word.lower() for word in (*FALSE, *FAILS)) | {
    "fausse",
    "falsa",
    "untrue",
    "contradicts",
    "contradict",
    "fails",
    "misrepresents",
}

_IMAGE_1, _IMAGE_2 = (
    rf"(?:image|picture|bild|imagen|图像|图片|图|画像|이미지|l'image)\s*{n}|{word}\s+(?:image|picture)"
    for n, word in ((1, "first"), (2, "second"))
)
_EARLIER = (
    r"(?:before|earlier|older|precedes|preceded|oldest|earliest|vor|früher|älter|avant|antes|之前|以前|更早"
    r"|早于|より前|먼저)"
)
_LATER = (
    r"(?:after|later|newer|follows|more\s+recent|latest|nach|später|neuer|après"
    r"|después|之后|更晚|晚于|より後|나중)"
)
_MORE = r"(?:more|longer|larger|greater|bigger|mehr|länger|plus|más|更长|更多|長い|더)"
_LESS = r"(?:less|shorter|smaller|fewer|weniger|kürzer|moins|menos|更短|更少|短い|덜)"
_GAP = r"[^.!?\n]{0,60}?"
_NOT = (
    r"(?P<neg>\b(?:not|never|isn['’]t|wasn['’]t|aren['’]t|doesn['’]t|nicht|pas|no)\b"
    r"|n['’]t\b|不是|不|没有|ない)?"
)
_CLAIMS: dict[str, tuple[tuple[str, bool], ...]] = {
    "chronological": (
        (
            rf"{_NOT}\s*(?:(?:all|shown|presented|arranged|displayed|indeed|actually|strictly|entirely|in"
            rf"|a|the|correct|right|proper|correctly|consistent"
            rf"|with)\s+){{0,6}}(?:in\s+)?(?:chronological(?:ly)?|correct\s+(?:temporal\s+)?order"
            rf"|right\s+order|temporal\s+order|时间顺序|時系列順|시간\s?순서)",
            True,
        ),
        (
            rf"\b(?:{_NOT}\s*)(?:out\s+of\s+(?:chronological\s+)?order|shuffled|reversed|reverse"
            rf"|not\s+sequential)",
            False,
        ),
    ),
    "first before second": (
        (rf"(?:{_IMAGE_1}){_GAP}{_NOT}{_GAP}{_EARLIER}", True),
        (rf"(?:{_IMAGE_1}){_GAP}{_NOT}{_GAP}{_LATER}", False),
        (rf"(?:{_IMAGE_2}){_GAP}{_NOT}{_GAP}{_EARLIER}", False),
        (rf"(?:{_IMAGE_2}){_GAP}{_NOT}{_GAP}{_LATER}", True),
    ),
    "first longer": tuple(
        (
            rf"(?:{pair})(?:(?!pair|paar)[^.!?\n]){{0,60}}?{_NOT}(?:(?!pair"
            rf"|paar)[^.!?\n]){{0,40}}?\b{word}\b",
            (n == 1) == (word == _MORE),
        )
        for n in (1, 2)
        for pair in (rf"(?:pair|paar|paire|par|配对|ペア)\s*{n}|{('first', 'second')[n - 1]}\s+pair",)
        for word in (_MORE, _LESS)
    ),
}


_COMPARED = (
    "before|earl|old|preced|vor|früher|älter|avant|antes|之前|以前|更早|早于|より前|먼저|after|late|new|follow|recent|nach"
    "|später|neuer|après|después|之后|晚|より後|나중"
)
_CLAIM_SIGNS = {
    "chronological": table("chronolog|order|shuffled|revers|sequential|时间顺序|時系列順|시간"),
    "first before second": table(_COMPARED),
    "first longer": table("pair|paar|par|配对|ペア"),
}


@lru_cache(maxsize=8)
def _claim(claim: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple((lazy(pattern, re.IGNORECASE), says) for pattern, says in _CLAIMS.get(claim, ()))


# Without one of its signs a pattern is not looked for.
_SIGNED = (
    (_WORD_SIGNS, _WORD),
    (signs((*HOLDS, *FAILS)), _CALLED),
    (_YES_NO_SIGNS, _YES_NO),
    (_YES_NO_SIGNS, _SAID_SO),
    (("statement",), _MATCHES),
)


def whole(text: str) -> list[bool]:
    """Returns the truth value that a text is by itself.

    >>> whole("**Yes**"), whole("not true"), whole("True or False")
    ([True], [False], [])
    """
    said = bare(text).lower() or text.strip()
    if (value := _BARE.get(said)) is not None:
        return [value]
    if said.startswith("not ") and (value := _BARE.get(said[4:])) is not None:
        return [not value]
    return [False] if mistyped_as(said, "false") else []


# "It is.", "No, they aren't.", "Indeed it does.", "I don't think so."
_SO = lazy(
    r"(?:(?:yes|no|indeed|certainly|well|sure)[,.]?\s+)?(?:(?:it|he|she|they|there|this|that|one|we)\s+(?:really\s+|certainly\s+|definitely\s+|clearly\s+|indeed\s+)?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would)(?P<neg>\s*n['’]t|\s+not|not)?(?:,?\s+indeed)?"
    r"|i\s+(?P<doubt>do\s*n['’]?o?t\s+)?(?:think|believe|would\s+say|suppose|guess)\s+(?:so|(?P<no>not))"
    r"|(?:that|it)(?:['’]s|\s+is)\s+(?:(?P<not>not)\s+)?(?:right|correct|true|so|the\s+case|it))",
    re.IGNORECASE,
)
_LONGEST_SO = 48
_ASSENTS = {**dict.fromkeys(ASSENT, True), **dict.fromkeys(DISSENT, False)}


def in_short(text: str) -> bool | None:
    """Returns what a whole reply of a few words says to a question for yes or no; None for any other text.

    >>> in_short("It is."), in_short("Definitely not."), in_short("Pas du tout !"), in_short("It is red.")
    (True, False, False, None)
    """
    # "It is neither true nor false" without "true or false" is "It is .", and no reply.
    if len(text) > _LONGEST_SO or " ." in text or "  " in text or text[:1] in (" ", ","):
        return None
    said = " ".join(bare(text).lower().replace("’", "'").split())
    if said in _ASSENTS:
        return _ASSENTS[said]
    found = _SO.fullmatch(said)
    return None if found is None else not any(found[name] for name in ("neg", "doubt", "no", "not"))


_OPENED = lazy(r"[\W_]*(yes|no|true|false|ja|nein|oui|non|sí)\s*[,.:;!–—]", re.IGNORECASE)


def opened(line: str) -> bool | None:
    """Returns what a line says that begins with yes or no, and goes on; None for any other line.

    >>> opened("Yes, it moves up. Why is not clear."), opened("No doubt it moves.")
    (True, None)
    """
    found = _OPENED.match(line)
    return None if found is None else _BARE.get(found[1].lower())


def mentions(text: str) -> list[Mention]:
    """Returns the places of a text that say True or False."""
    found = []
    small = text.lower()
    both = "both" in small or "part" in small
    nil = holds(small, ("chance", "probab", "likel", "far from", "anything but", "no way"))
    patterns = [pattern for signs, pattern in _SIGNED if holds(small, signs)]
    if not text.isascii():
        patterns.append(_CJK)
    for pattern in patterns:
        for match in outer(pattern.finditer(text)):
            groups = match.groupdict()
            word = groups["word"].lower()
            value = not (word in _FALSE_WORDS or word.startswith(_CJK_FALSE))
            if pattern is _SAID_SO and _IF_BEFORE.search(
                text, max(0, match.start() - _CLAUSE), match.start()
            ):
                continue
            if both and _BOTH.search(text, max(0, match.start() - 60), match.start()):
                continue
            denied = bool(groups.get("neg")) != bool(groups.get("aux"))
            if nil and _NIL.search(text, max(0, match.start() - 60), match.start()):
                denied = not denied
            # "Yes... actually no": the word before it is none of its own.
            start = (
                match.start("word")
                if pattern in (_YES_NO, _SAID_SO) and text[match.start()].isalpha()
                else match.start()
            )
            found.append(Mention(value != denied, start, match.end()))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if kept and mention.start < kept[-1].end:
            continue
        kept.append(mention)
    return kept


def claimed(sentence: str, claim: str) -> list[bool]:
    """Returns whether a sentence repeats a statement or denies it; nothing where it does neither.

    >>> claimed("The images are not in chronological order.", "chronological")
    [False]
    """
    if claim == "chronological" and (in_order := ordered(sentence)) is not None:
        return in_order
    if claim and (compares := compared(sentence, claim)) is not None:
        return compares
    if claim == "first before second" and (in_order := ordered(sentence)):
        return in_order
    said: list[bool] = []
    if not holds(sentence.lower(), _CLAIM_SIGNS.get(claim, ())):
        return said
    for pattern, says in _claim(claim):
        for match in pattern.finditer(sentence):
            said.append(says != (match["neg"] is not None))
            break
    return list(dict.fromkeys(said))
