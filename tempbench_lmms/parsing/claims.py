"""What a sentence says of the statement asked about, with a verb of its own: "The claim doesn't hold"."""

import re

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds as signed
from tempbench_lmms.parsing.text import table
from tempbench_lmms.parsing.words import AGREES, CLAIM, DENIES, IN_ORDER, NOT, any_of

_DENIED = rf"(?P<neg>(?:{any_of(word for word in NOT if word not in ('than', 'versus', 'vs'))}|n['’]t\b))"
_ADVERBS = r"(?:\s+(?:do|does|did|quite|really|actually|fully|entirely|seem\s+to|seems\s+to|simply|\w+ly))*"
_VERB = lazy(
    rf"\b{any_of(CLAIM)}(?:\s*:?\s*[\"'][^\"\n]{{1,200}}[\"'])?[\"')]*,?{_ADVERBS}\s*{_DENIED}?{_ADVERBS}\s+"
    rf"(?:(?P<agrees>{any_of(AGREES)})|(?P<denies>{any_of(DENIES)}))",
    re.IGNORECASE,
)
# "Die Aussage stimmt mit den Bildern nicht überein.", "L'affirmation ne correspond pas aux images.",
# "该陈述与图片顺序不一致。": what denies stands on either side of the verb.
_ELSEWHERE = (
    (
        ("stimm", "passt", "trifft", "deckt", "entspricht"),
        r"(?:^\W*(?:das|dies)|\b(?:aussage|behauptung|beschreibung|satz|darstellung|feststellung))\b[\"')]*\s+(?:(?!ob\b|wenn\b|falls\b)\w+\s+){0,2}?"
        r"(?:stimmt|passt|deckt\s+sich|entspricht|trifft(?=[^.,;!?\n]*\bzu\b))(?P<rest>[^.,;!?\n]*)",
    ),
    (
        ("correspond", "concorde", "coincide", "concuerda", "corrisponde", "conforme"),
        r"\b(?:affirmation|énoncé|phrase|afirmación|declaración|enunciado|frase|oración|affermazione|dichiarazione)\b[\"')]*\s+"
        r"(?P<rest>(?:(?:ne|no|non)\s+)?(?:se\s+)?(?:correspond|concorde|corresponde|coincide|concuerda|corrisponde|(?:est|es|è)\s+conforme)(?![^\W\d_])[^.,;!?\n]*)",
    ),
    (
        ("correspond", "align", "coincide"),
        r"\b(?:statement|claim|sentence|description|caption)\b[\"')]*\s+(?P<rest>(?:(?:does|do)(?:\s+not|n['’]t)\s+)?(?:correspond|align|coincide)s?"
        r"\s+(?:to|with)\s+(?:the\s+)?(?:\w+\s+){0,2}?(?:order|sequence|images|pictures|events|scenes)\b)",
    ),
    (
        ("一致", "相符", "吻合", "일치"),
        r"(?:陈述|陳述|说法|句子|描述|命题|文(?:章|の内容)?[はが]|記述|主張|문장|진술|설명)"
        r"(?P<rest>[^.,;!?\n]{0,24}?(?:一致|相符|吻合|일치)[^.,;!?\n]{0,10})",
    ),
)
_SAID_ELSEWHERE = tuple((some, lazy(pattern, re.IGNORECASE)) for some, pattern in _ELSEWHERE)
_NEGATED = lazy(
    r"\b(?:not|nicht|keineswegs|kein\w*|ne|n'|pas|no|non)(?!\w)|n['’]t\b|不|没|ない|ません|않|おらず",
    re.IGNORECASE,
)
_HALF = lazy(
    r"\b(?:vielleicht|möglicherweise|wohl|teilweise|nur|kaum|fast|weitgehend|peut-être|partiellement|seulement|en\s+partie|s[oó]lo|en\s+parte|solamente|soltanto|partly|partially|in\s+part|only|if|whether|may|might|could|quizás?|tal\s+vez|parcialmente"
    r"|forse|in\s+parte|ob|si|bild(?:er)?\s+\d|images?\s+\d|imagen\s+\d)(?!\w)|是否|可能|也许|部分|并非不|不是不|没有不|かどうか|かもしれ|ば|일부|인지|는지",
    re.IGNORECASE,
)
# "This checks out." by itself; "this fits in a box" says nothing of the statement.
_THIS = lazy(
    rf"^\W*(?:this|that|it|these|they|both){_ADVERBS}\s*{_DENIED}?{_ADVERBS}\s+"
    rf"(?:(?P<agrees>{any_of(AGREES)})|(?P<denies>{any_of(DENIES)}))\W*$",
    re.IGNORECASE,
)
# "I agree", "I disagree with the statement", "That isn't right."
_AGREE = lazy(
    r"^\W*(?:(?:no|yes|so|then|thus),?\s+)?(?:i\s+(?:(?:fully|completely|totally|must|have\s+to|would|strongly)\s+)*(?:(?P<neg>disagree|(?:don['’]t|do\s+not|can['’]t|cannot)\s+agree)|agree)"
    r"(?:\s+with\s+(?:the\s+)?(?:statement|claim|this|that|it)|\s*[.,!;]|\s*$))",
    re.IGNORECASE,
)
# "That is exactly what happens.", "Quite the opposite.", "It gets the order backwards."
_SO = lazy(
    r"^\W*(?:so\s+|yes,?\s+)?(?:(?:that|this|which|it)\s+is\s+|that['’]s\s+|it['’]s\s+)?(?:exactly\s+|just\s+|indeed\s+|precisely\s+)?what\s+"
    r"(?:happens|happened|(?:is|was)\s+(?:shown|seen)|(?:we|i)\s+(?:can\s+)?see|the\s+(?:images|pictures)\s+show)\W*$"
    r"|\border\s+is\s+(?:exactly\s+|just\s+)?as\s+(?:stated|claimed|described|the\s+(?:statement|claim)\s+says)\W*$|^\W*indeed,?\s+it\s+(?:does|is)\W*$",
    re.IGNORECASE,
)
_CONTRARY = lazy(
    r"^\W*(?:no,?\s+)?(?:(?:that|this|it)\s+is\s+|(?:that|it)['’]s\s+)?(?:quite|just|exactly)?\s*the\s+(?:opposite|contrary|reverse)\b(?:\s+of\s+what[^.!?\n]*|\s+(?:is|was|holds|happens)[^.!?\n]*)?\W*$"
    r"|\b(?:gets?|has|states?|puts?|tells?)\s+(?:it|this|that|the\s+\w+)\s+(?:exactly\s+)?(?:backwards?|the\s+wrong\s+way|wrong|reversed|in\s+reverse)\b"
    r"|(?<!not )(?<!n['’]t )\b(?:exactly\s+|just\s+)?the\s+other\s+way\s+(?:a?round)"
    r"(?:\W*$|\s*[:;–—-]\s*\w|,\s*(?:as|because|since|given)\b)"
    r"|^\W*(?:no,?\s+|nein,?\s+|non,?\s+)?(?:es\s+ist\s+|c['’]est\s+|es\s+)?(?:genau\s+|gerade\s+|exactement\s+|todo\s+|justo\s+)?(?:umgekehrt|l['’]inverse|le\s+contraire|al\s+revés|lo\s+contrario)\W*$"
    r"|^\W*(?:事实|情况)?(?:正好|恰好|恰恰|刚好)?相反\W*$|^\W*(?:全く)?逆(?:です|だ)?\W*$",
    re.IGNORECASE,
)
# "They are jumbled", and why
_JUMBLED = lazy(
    r"^\W*(?:no,?\s+)?(?:they|these|it|all|(?:the\s+)?(?:images|pictures|photos))(?:['’](?:s|re)|\s+(?:are|is|were|have\s+been))(?P<neg>n['’]t|\s+not)?\s+(?:all\s+|completely\s+|clearly\s+)?"
    r"(?P<jumbled>jumbled|mixed\s+up|scrambled|shuffled)\b(?=\s*(?:[.,;:!]|$))",
    re.IGNORECASE,
)
_SUPPOSES = lazy(
    r"\W*(?:if|were|wenn|had)\b|[^.!?\n]*\b(?:one|you|we|it|they)\s+(?:could|might|may)\b", re.IGNORECASE
)
_SO_SIGNS = ("what ", "as stated", "as claimed", "as described", "as the", "indeed")
_CONTRARY_SIGNS = table(
    "opposite|contrary|reverse|backward|wrong|other way|umgekehrt|inverse|contraire|contrario|revés|相反|逆"
)
_ORDER = lazy(rf"^\W*{_DENIED}?{_ADVERBS}\s*{any_of(IN_ORDER)}\W*$", re.IGNORECASE)


def said(sentence: str, claim: str | None = None) -> list[bool]:
    """Returns whether a sentence calls its statement true or false; nothing where it does neither.

    Args:
        sentence: The sentence.
        claim: What the statement claims; "chronological" that the images are in order.

    >>> said("The claim doesn't hold."), said("Not in order.", "chronological"), said("Not in order.")
    ([False], [False], [])
    """
    if found := _AGREE.search(sentence):
        return [not found["neg"]]
    small = sentence.lower()
    for some, pattern in _SAID_ELSEWHERE:
        if signed(small, some) and (found := pattern.search(sentence)):
            before = _NEGATED.search(sentence, 0, found.start())
            is_open = before or _HALF.search(sentence) or sentence.endswith("?")
            return [] if is_open else [_NEGATED.search(found["rest"]) is None]
    if found := _VERB.search(sentence) or _THIS.match(sentence):
        return [bool(found["agrees"]) != bool(found["neg"])]
    if signed(small, _SO_SIGNS) and _SO.search(sentence):
        return [True]
    if signed(small, _CONTRARY_SIGNS) and _CONTRARY.search(sentence) and not _SUPPOSES.match(sentence):
        return [False]
    if claim == "chronological" and (found := _ORDER.match(sentence) or _JUMBLED.match(sentence)):
        return [bool(found["neg"]) == ("jumbled" in found.groupdict())]
    return []


# "It says that Pair 1 is longer, which is not the case."
_CASE = lazy(
    r"\b(?:which|this|that)\s+(?:is|was)(?P<neg>\s+not|n['’]t)?\s+(?:the\s+case|so|true|correct|right|what\s+(?:we|i)\s+see)\b",
    re.IGNORECASE,
)


def holds(sentence: str) -> list[bool]:
    """Returns whether a sentence says that what it repeats of the statement is the case.

    >>> holds("It says that Image 1 is older, which is not the case."), holds("Image 1 is older.")
    ([False], [])
    """
    found = _CASE.search(sentence)
    return [not found["neg"]] if found else []
