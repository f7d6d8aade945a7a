"""What a text says of two steps in a sentence of its own: "B can't start until A is done".

The steps are marked first, by whatever name ("step A", "(B)", "the former", "step 2"), so that one pattern
for each way to relate them does for all names and languages.
"""

import re
from collections.abc import Callable, Iterator

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import CaseBlind, holds, signs, table
from tempbench_lmms.parsing.words import (
    AFTER_STEP,
    BEFORE_STEP,
    DEPENDS,
    FREE_ORDER,
    NEEDED_FOR,
    SAME_TIME,
    any_of,
)

FIRST, SECOND = "ȺɃ"
"""The marks of the two steps."""

_NOUN = (
    r"(?i:\b(?:steps?|schritte?s?|[ée]tapes?|pasos?|passos?|fase|picture)\s*|步骤|步驟|ステップ|手順|단계\s*)"
)
_VERBS = table(
    "is|are|was|must|can|cannot|has|have|had|needs?|comes?|came|goes|happens?|occurs?|before|after|depends"
    "|relies|requires|uses|builds|precedes|follows|to|and|or|nor|first|last|then|should|could|may|might|does"
    "|doesn|isn|only|earlier|later|prior|until|once|as|on|but|so|since|because|produces|provides|gets|takes"
    "|would|will|ist|sind|muss|kann|vor|nach|und|est|doit|avant|après|et|debe|tiene|es|y|antes|después|è|deve"
    "|prima|dopo|e|in|at|leads|enables|be|must|waits|cannot|when|while|if|waits|done|finished|begins?|starts?"
)
_NAME = lazy(
    rf"{_NOUN}[\"'(\[]*(?P<named>[ABab])[\"')\]]*(?![^\W\u2e80-\uffff])"
    rf"|(?P<numbered>(?i:\bsteps?\s*#?(?:1|2|one|two)\b|\b(?:first|second)\s+step\b|\b(?:former|latter)\b(?:\s+(?:step|one)\b)?))"
    rf"|(?<![^\W\u2e80-\uffff]|['’.])\(?(?:(?P<other>B)|(?P<bare>A)(?![ ](?!(?:{'|'.join(_VERBS)})\b)[a-z]))"
    r"\)?(?![^\W\u2e80-\uffff]|['’.]\w)"
)
_FEWEST_APART = 4
_SPELLED = lazy(rf"(?<!\w)[A-Za-z](?:[ .-][A-Za-z]){{{_FEWEST_APART},12}}(?!\w)")
_APART = lazy(r"[ .-]")
_PLACES = table("step 1|step 2|step one|step two|first step|second step|former|latter|steps 1")
_DEFINITION = lazy(
    r"(?m)^[\W\d]*(?:before|after|parallel|independent)[\"')]*\s*(?::|means|=|-|–)[^\n]*\b(?:if|when|means|would"
    r"|wenn)\b[^\n]*$",
    re.IGNORECASE,
)

_S = f"[{FIRST}{SECOND}]"
_INNER = rf"[^{FIRST}{SECOND}.;!?\n]"
_WORDS = (
    r"(?:(?!(?:and|or|while|whereas|but|not|nor|y|und|et)\b)"
    rf"[^\s{FIRST}{SECOND}.;:!?\n,]+\s+){{0,6}}?"
)
_KINDS = (
    ("before", (*BEFORE_STEP, *NEEDED_FOR)),
    ("after", AFTER_STEP),
    ("depends", DEPENDS),
    ("until", ("until", "till", "unless", "without", "bevor nicht", "hasta que", "avant que")),
    ("once", ("once", "as soon as", "when", "sobald", "dès que", "una vez que", "wenn", "if")),
)
_RELATION = "|".join(rf"(?P<{name}>{any_of(words)})" for name, words in _KINDS)
_RELATED = lazy(
    rf"(?P<one>{_S})(?P<gap>{_INNER}{{0,70}}?)(?:{_RELATION})\s*{_WORDS}[\"'(]*(?:l['’])?(?P<other>{_S})",
    re.IGNORECASE,
)
_LEADING = lazy(
    rf"(?:^|[.,;:(\n]\s*|\b(?:so|since|that|because|means|and|but)\s+)(?:wait\s+(?:for\s+)?|only\s+)*(?:(?P<before>before"
    rf"|prior\s+to|bevor|vor|avant|antes\s+de|prima\s+di)|(?P<after>after|once|as\s+soon\s+as|until|only\s+when|wait\s+for"
    rf"|wait\s+until|nach|nachdem|sobald|après|después\s+de|dopo))\b\s*{_WORDS}(?P<one>{_S})(?P<gap>{_INNER}{{0,70}}?)"
    rf"(?P<other>{_S})",
    re.IGNORECASE,
)
_ROW = lazy(
    rf"(?P<one>{_S})(?P<gap>{_INNER}{{0,30}}?)(?:\s*(?:[-=–—]+>|→|➔|➜|⇒|>)|[,:]?\s*(?:and\s+)?(?:then|afterwards|after\s+that|next|dann|danach|puis"
    rf"|ensuite|luego|después|poi|followed\s+by|再|然后|接着|次に))\s*(?:(?:the|do|comes?|execute|of)\s+|做|进行|執行|执行)*(?P<other>{_S})",
    re.IGNORECASE,
)
_PLACED = lazy(
    rf"(?P<one>{_S})(?P<gap>{_INNER}{{0,50}}?)(?<!\w)(?:(?P<before>(?:at\s+)?first|zuerst|d'abord|en\s+premier|primero|먼저)"
    r"|(?P<after>last|lastly|later|afterwards|second|zuletzt|danach|ensuite|después))\b(?!\s+(?:step|picture|image|question"
    r"|one|than|part|of))",
    re.IGNORECASE,
)
# Chinese, Japanese and Korean put the relation behind the step that it goes with.
_BEHIND = lazy(
    rf"(?P<one>{_S})(?P<gap>{_INNER}{{0,24}}?)(?P<other>{_S})\s*(?:步骤|の)?\s*(?:(?P<before>之前|以前|前|より先|より前|より早|전에|이전|보다\s?먼저"
    r"|보다\s?앞)|(?P<after>之后|之後|以后|後|后|のあと|より後|후에|이후|다음|뒤에|보다\s?나중))"
)
_DIRECTLY = lazy(
    rf"(?P<one>{_S})\s*(?:完成|の|が終わった|가\s*끝난|를\s*한)?\s*(?:(?P<after>之前|以前|の前|전에)|(?P<before>之后|之後|以后|后才?能?|の後|のあと|후에|다음에))"
    rf"(?P<gap>{_INNER}{{0,24}}?)(?P<other>{_S})"
)
_CANNOT = lazy(
    r"\b(?:cannot|can['’]?t|can\s+not|must\s+not|mustn['’]t|may\s+not|couldn['’]t|impossible|not\s+possible|isn['’]t\s+possible"
    r"|kann\s+nicht|ne\s+peut\s+pas|no\s+puede|non\s+può)\b|不能|不可|できな|할 수 없",
    re.IGNORECASE,
)
_NOT = lazy(
    r"\b(?:not|no|nothing|none|nowhere|neither|nor|never|nichts|rien|nada|nicht|kein\w*|pas|non|without|hardly|independent\w*)\b|n['’]t\b|不|没|ない|않|아니",
    re.IGNORECASE,
)
_MAY = lazy(
    r"\b(?:can|could|may|might|possibly|perhaps|maybe|kann|puede|peut|può)\b|可以|可能", re.IGNORECASE
)
_ONLY = lazy(
    r"\b(?:only|not\s+\w+\s+until|nur|erst|seul\w*|sólo|solo|solamente)\b|才能|只能|しか", re.IGNORECASE
)
_SUPPOSED = lazy(
    r"\b(?:if|whether|would|assum\w*|suppos\w*|means\s+that|wenn|ob|falls|were)\b|是否|如果|もし|かどうか|만약",
    re.IGNORECASE,
)
_SENTENCE = lazy(r"(?<=[.!?。])\s+|;\s*|\n+")
_WAITS = lazy(r"\b(?:wait\w*|hold\w*)\b", re.IGNORECASE)
_FREE = CaseBlind(any_of(FREE_ORDER))
_FREE_SIGNS = signs(FREE_ORDER)
_TOGETHER = CaseBlind(any_of(SAME_TIME))
_TOGETHER_SIGNS = signs(SAME_TIME)
_ORDER_FREE = lazy(
    r"\border\b[^.;!?\n]{0,60}?(?:(?:does\s*n['o]?[o’']?t|doesn['’]t|not)\s+(?:really\s+|actually\s+)?(?:matter|important|relevant"
    r"|fixed)|\b(?:arbitrary|irrelevant|unimportant|interchangeable|free|of\s+no\s+importance|makes\s+no\s+difference"
    r"|immaterial|flexible)\b)|\b(?:either|any)\s+(?:of\s+(?:them|the\s+two)\s+|one\s+|step\s+)?(?:can|may|could|might)\s+(?:go|come|be\s+(?:done|performed|executed|taken|made)|happen|start)\s+first"
    r"|\bneither\b[^.;!?\n]{0,50}?\b(?:depends?|needs?|needed|requires?|required|necessary|has\s+to"
    r"|must|relies|uses?|influences|affects|prerequisite)\b|\b(?:swap|swapped|interchanged?|switch|switched)\b"
    r"|\bl['’]ordre\b[^.;!?\n]{0,50}?\b(?:pas|peu)\b|\bpeu\s+importe\s+l['’]ordre|\b(?:el\s+orden|l['’]ordine|a\s+ordem)\b"
    r"[^.;!?\n]{0,40}?\b(?:no|non|não)\s+(?:importa|es\s+importante)|\breihenfolge\b[^.;!?\n]{0,40}?\b(?:egal|keine\s+rolle"
    r"|beliebig|unwichtig|nicht)\b|(?:顺序|順序|次序)[^。.;!?\n]{0,10}?(?:无所谓|不重要|没有关系|任意|互换|不限|不影响|は問|は関係|はどちら|を問)"
    r"|순서[^.;!?\n]{0,10}?(?:상관|중요하지|관계)",
    re.IGNORECASE,
)
_ORDER_SIGNS = table(
    "order|neither|either|swap|interchang|switch|ordre|orden|ordine|ordem|reihenfolge|顺序|順序|次序|순서"
)
_DENIED = lazy(
    r"(?:\b(?:cannot|can['’]?t|can\s+not|not|never|nor|nicht|pas|no|non)\b|n['’]t\b)[^.;\n]{0,40}$|(?:不能|不可|无法|没法)[^。\n]{0,12}$",
    re.IGNORECASE,
)
_DENIED_BEHIND = lazy(r"[^.;\n。]{0,8}(?:できない|できません|할 수 없|아닙|不行|ではな)")
_IF = lazy(r"[^.]{0,40}\b(?:if|wenn|si)\b", re.IGNORECASE)
_CLAUSE = lazy(r"[,:;(]|\b(?:because|since|as|so|that)\b", re.IGNORECASE)
_CALLED_OFF = lazy(
    r"[^.,;]{0,12}\b(?:is|would\s+be|isn['’]t|not)\s+(?:impossible|possible|wrong|needed|necessary)\b",
    re.IGNORECASE,
)
_FREE_PATTERNS: tuple[tuple[tuple[str, ...], CaseBlind | re.Pattern[str], bool], ...] = (
    (_FREE_SIGNS, _FREE, True),
    (_TOGETHER_SIGNS, _TOGETHER, True),
    (_ORDER_SIGNS, _ORDER_FREE, False),
)
_OPPOSITE = {"before": "after", "after": "before"}
_MOST = 4_000


def named(text: str) -> str:
    """Returns a text with marks for the two steps, and without its definitions of the classes.

    >>> named("(A) needs the stock of step B"), named("A bowl")
    ('Ⱥ needs the stock of Ƀ', 'A bowl')
    """
    if len(_DEFINITION.findall(text)) > 1:
        text = _DEFINITION.sub(" ", text)
    if "A" not in text and "B" not in text and not holds(text.lower(), ("step", *_PLACES)):
        return text
    return _NAME.sub(_mark, text)


def joined(text: str) -> str:
    """Returns a text with spelled words as words.

    >>> joined("P-a-r-a-l-l-e-l")
    'Parallel'
    """
    if text.count(" ") + text.count(".") + text.count("-") < _FEWEST_APART:
        return text
    return _SPELLED.sub(lambda match: _APART.sub("", match.group()), text)


def _mark(match: re.Match[str]) -> str:
    if match["numbered"]:
        name = match["numbered"].lower()
        return FIRST if holds(name, ("1", "one", "first", "former")) and "latter" not in name else SECOND
    return FIRST if (match["named"] or match["other"] or "A").upper() == "A" else SECOND


def statements(text: str) -> list[Mention]:
    """Returns the places of a text, its steps marked, that say how the two steps stand to each other.

    >>> [said.value for said in statements(named("B can't start until A is done."))]
    ['before']
    >>> [said.value for said in statements(named("Their order does not matter."))]
    ['independent']
    """
    found: list[Mention] = []
    place = 0
    for sentence in _SENTENCE.split(text[:_MOST]):
        place = max(place, text.find(sentence, place))
        found += [
            Mention(said.value, said.start + place, said.end + place) for said in _of_sentence(sentence)
        ]
        place += len(sentence)
    return found


def _of_sentence(sentence: str) -> list[Mention]:
    if sentence.endswith("?"):
        return []
    small = sentence.lower()
    for looked_for, pattern, may_be_denied in _FREE_PATTERNS:
        if not holds(small, looked_for):
            continue
        match = pattern.search(sentence)
        if not match:
            continue
        if _IF.match(sentence, match.end()):
            return []
        denied = _DENIED.search(sentence, 0, match.start()) or _DENIED_BEHIND.match(sentence, match.end())
        if not (may_be_denied and denied):
            return [Mention("independent", match.start(), match.end())]
    if FIRST not in sentence and SECOND not in sentence:
        return []
    return sorted(_directed(sentence), key=lambda said: said.start)


_LONGEST_CLAUSE = 600


def _directed(sentence: str) -> Iterator[Mention]:
    """Yields what comes before what: each pattern adds what no earlier one covers."""
    taken: list[tuple[int, int]] = []
    both = FIRST in sentence and SECOND in sentence
    for pattern, reads in _READERS if both else _READERS[-1:]:
        for match in pattern.finditer(sentence):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            if match.groupdict().get("other", "") == match["one"]:
                continue
            pre = _CLAUSE.split(sentence[max(0, match.start() - _LONGEST_CLAUSE) : match.start()])[-1]
            off = _SUPPOSED.search(pre + match["gap"]) or _CALLED_OFF.match(sentence, match.end())
            name = None if off else reads(match, pre)
            taken.append(match.span())
            if name:
                yield Mention(
                    name if match["one"] == FIRST else _OPPOSITE[name], match.start("one"), match.end()
                )


def _related(match: re.Match[str], pre: str) -> str | None:
    said = pre + match["gap"]
    kind = next(name for name, _ in _KINDS if match[name])
    if kind == "until":
        return "after" if _NOT.search(said) or _CANNOT.search(said) or _WAITS.search(said) else None
    if kind in ("before", "after") and _CANNOT.search(said) and not _ONLY.search(said):
        return _OPPOSITE[kind]
    if kind == "once":
        word = match["once"].lower()
        if word in ("when", "wenn", "if") and not _ONLY.search(said):
            return None
        return None if _NOT.search(said) else "after"
    if _NOT.search(said) or (kind != "depends" and _MAY.search(said) and not _ONLY.search(said)):
        return None
    return "after" if kind == "depends" else kind


def _leading(match: re.Match[str], pre: str) -> str | None:
    if _NOT.search(match["gap"]) or (match["before"] and _CANNOT.search(match["gap"])):
        return None
    return "after" if match["before"] else "before"


def _in_a_row(match: re.Match[str], pre: str) -> str | None:
    return None if _NOT.search(pre + match["gap"]) else "before"


def _placed(match: re.Match[str], pre: str) -> str | None:
    said = pre + match["gap"]
    if _NOT.search(said) or re.search(rf"{_S}\W*(?:\s*(?:or|and|nor|et|ou|oder|und)\s*)?\W*$", pre):
        return None
    if _MAY.search(said) and not _ONLY.search(said):
        return None
    return "before" if match["before"] else "after"


def _behind(match: re.Match[str], pre: str) -> str | None:
    said = pre + match["gap"]
    if _CANNOT.search(said):
        return "after" if match["before"] else "before"
    if _NOT.search(said) or (_MAY.search(said) and not _ONLY.search(said)):
        return None
    return "before" if match["before"] else "after"


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str | None]], ...] = (
    (_LEADING, _leading),
    (_RELATED, _related),
    (_DIRECTLY, _behind),
    (_BEHIND, _behind),
    (_ROW, _in_a_row),
    (_PLACED, _placed),
)
