"""Refusals and questions back: sentences that say that no answer is given.

Such a sentence is taken out with whatever numbers it contains ("Based on the 16 frames provided, it is not
possible to determine the count"). What is left counts only where it calls something its answer.
"""

import re

from tempbench_lmms.parsing.lines import sentences

_CANNOT = (
    r"(?:can(?:\s?not|['’]?t)|could(?:\s+not|n['’]t)|won['’]t\s+be\s+able\s+to|(?:am|are|is|was|be|['’]m"
    r"|['’]s|i['’]m)\s+(?:still\s+)?(?:unable|not\s+able|impossible|not\s+possible|difficult|hard"
    r"|not\s+clear|not\s+feasible)"
    r"|isn['’]t\s+(?:possible|clear|feasible)|unable|impossible|not\s+possible|no\s+(?:way|means|basis"
    r"|possibility)|don['’]?t\s+know|do\s+not\s+know|did\s+not|didn['’]t|don['’]t|do\s+not)"
)
_ADVERBS = (
    r"(?:\s+(?:to|for\s+me\s+to|of|really|actually|even|reliably|definitively|accurately|clearly|fully"
    r"|conclusively|exactly|confidently|possibly|with\s+(?:\w+\s+)?(?:certainty|confidence)|precisely|directly"
    r"|be\s+able\s+to|simply|also|me)){0,4}"
)
_KNOW = (
    r"(?:determin\w*|tell|say|answer\w*|know\w*|see|view|watch\w*|identif\w+|decid\w+|count\w*|provid\w+"
    r"|access|confirm\w*|process|make\s+out|judge\w*|judging|assess\w*|infer\w*|choos\w+|pick|help|assist"
    r"|verify\w*|estimat\w+|give|locat\w+"
    r"|recogni\w+|distinguish\w*|analy\w+|conclude\w*|establish\w*|evaluat\w+|rank\w*|order|play"
    r"|discern\w*|resolv\w*|deduc\w*|pinpoint|work\s+out|figure|guess|observe|perceive|find|get|receive"
    r"|select|what|how|which|whether|where|when|have)"
)
_TOO_LITTLE = (
    r"(?:\b(?:not\s+(?:have\s+)?(?:enough|sufficient)|n['’]t\s+(?:have\s+)?(?:enough|sufficient|any)"
    r"|(?:no|without|lack(?:s|ing)?|need|insufficient|inadequate|missing|require|not\s+have)(?:\s+(?:the"
    r"|more|further|additional|any|enough|sufficient|such|actual|necessary|much|of))*)"
    r"(?:\s+\w+){0,2}?\s+(?:information|context|data|detail|details|evidence\s+to|access|clues|metadata"
    r"|dates)\b)"
)
_REFUSAL = re.compile(
    rf"\b{_CANNOT}\b{_ADVERBS}\s+{_KNOW}\b|{_TOO_LITTLE}"
    r"|\b(?:i(?:['’]d|\s+would)?|we)\s+(?:would\s+)?need\s+(?:the|to\s+(?:see|watch)|more|access)\b"
    r"|\bno\s+(?:audio|sound)\b|\bnot\s+enough\b|\b(?:is|are|remains?)\s+(?:\w+\s+)?(?:unclear|ambiguous"
    r"|unknown|uncertain|undecided)\b"
    r"|\b(?:cannot|can['’]?t|could\s+not|can\s+not|may\s+not)\s+be\s+(?:(?:reliably|definitively"
    r"|accurately|clearly|fully|conclusively|exactly)\s+)?(?:determined|answered|identified|verified|seen"
    r"|told|inferred|decided|established|counted|made\s+out|known|confirmed|assessed|judged)\b"
    r"|\bno\s+(?:images?|videos?|frames?|pictures?|pictures|information)\b[^.!?\n]{0,30}\b(?:provided"
    r"|given|attached|available|visible|shown|included|here|uploaded|received)"
    r"|\b(?:please|could\s+you)\s+(?:provide|upload|share|attach|send|clarify|give)|\b(?:am"
    r"|['’]m)\s+not\s+(?:\w+\s+)?(?:sure|certain|able)\b|\bi(?:['’]m|\s+am)\s+(?:sorry|uncertain|unsure"
    r"|undecided)\b|\bi\s+apologi[sz]e\b|\bas\s+an\s+ai\b"
    r"|\bnone\s+of\s+(?:the\s+)?(?:above|options|choices|these|them|listed|answers)|\bneither\s+(?:of\s+"
    r"|option|choice|answer)|\b(?:not|doesn['’]t|don['’]t|does\s+not|isn['’]t)\s+(?:\w+\s+){0,2}(?:among"
    r"|listed|match\s+any|any\s+of\s+the\s+options|one\s+of\s+the\s+options)"
    r"|\bundetermin\w+|\bindetermina\w+|\binconclusive|\bunanswerable",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"kann\s+(?:\w+\s+){0,6}?(?:nicht|keine)|nicht\s+(?:möglich|erkennbar|bestimmbar|zu\s+erkennen"
    r"|ersichtlich|beantwort\w+|feststell\w+|bestimm\w+)|lässt\s+sich\s+(?:\w+\s+){0,5}nicht"
    r"|weiß\s+(?:es\s+)?nicht|tut\s+mir\s+leid|unmöglich"
    r"|ne\s+(?:peux|peut|sais|permet\w*)\s+pas|n'est\s+pas\s+possible|impossible\s+de|désolée?"
    r"|no\s+(?:puedo|sé|es\s+posible|se\s+puede|hay\s+(?:suficiente|información|manera|forma))|imposible"
    r"|lo\s+siento"
    r"|non\s+(?:posso|so|è\s+possibile)|não\s+(?:posso|sei|é\s+possível|consigo)|не\s+(?:знаю|могу"
    r"|возможно)|невозможно"
    r"|无法|無法|不能(?:确定|判断|回答|看)|不可能(?:确定|判断)|不知道|不清楚|抱歉|对不起|看不到|没有(?:提供|足够|看到)|信息不足|不足以|没办法|難以判斷|难以"
    r"|わかりません|分かりません|わからない|分からない|判断できません|できません|不明|申し訳|すみません|見ることができ|判別でき|特定でき|決められ|見えません"
    r"|모르겠|알 수 없|수 없습니다|수 없어|판단할 수 없|죄송|불가능|확인할 수 없|볼 수 없|어렵습니다",
    re.IGNORECASE,
)
# Without one of these no English refusal is looked for.
_HINTS = (
    *(
        "can't",
        "cannot",
        "can not",
        "could not",
        "couldn't",
        "won't",
        "able",
        "possible",
        "difficult",
        "hard",
        "clear",
        "feasible",
        "no way",
        "no means",
        "no basis",
    ),
    *(
        "know",
        "did not",
        "didn't",
        "don't",
        "do not",
        "enough",
        "sufficient",
        "without",
        "lack",
        "need",
        "missing",
        "require",
        "no audio",
        "no sound",
        "ambiguous",
    ),
    *(
        "unknown",
        "uncertain",
        "undecided",
        "may not",
        "provide",
        "upload",
        "share",
        "attach",
        "send",
        "give",
        "sure",
        "certain",
        "sorry",
        "apolog",
        "as an ai",
    ),
    *(
        "none of",
        "neither",
        "among",
        "listed",
        "any of",
        "match any",
        "one of",
        "determin",
        "conclusive",
        "information",
        "context",
        "access",
    ),
)
_FOREIGN_HINTS = (
    "nicht",
    "kann",
    "leid",
    " pas",
    "impossib",
    "imposs",
    "désol",
    "no ",
    "siento",
    "non ",
    "não ",
)
# Whoever can't be certain, or can't rule the others out, still answers.
_NO_REFUSAL = re.compile(
    r"can(?:not|'t|’t)\s+be\s+(?:entirely\s+|completely\s+|fully\s+|absolutely\s+)?(?:certain|sure|true"
    r"|correct|ruled|excluded)|\bno\s+doubt\b|cannot\s+be\s+(?:true|right)|not\s+(?:clear|enough)\s+to\s+be|"
    r"(?:but|though|although|however),?\s+(?:i['’]m|i\s+am|it['’]s|this\s+is)\s+not\s+(?:\w+\s+)?(?:sure"
    r"|certain)|"
    r"without\s+(?:a\s+)?doubt|can(?:not|'t)\s+(?:see|find)\s+any\b|even\s+(?:though|if)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_ASKED = re.compile(r"\?\W*$")
_ASIDE = re.compile(
    r"\b(?:but|however|still|yet|nevertheless|so)\b[^.!?\n]*?(?:answer|guess|choose|pick|say|estimate"
    r"|go with|option|likely|probabl|possibly|perhaps|maybe)",
    re.IGNORECASE,
)
_MOST_WORDS_OF_A_QUESTION = 3


def refuses(text: str) -> bool:
    """Whether a text says somewhere that it can't answer."""
    return _find(text) is not None


def _find(text: str) -> re.Match[str] | None:
    small = text.lower()
    if any(hint in small for hint in _HINTS) and (found := _REFUSAL.search(text)):
        return found
    if text.isascii() and not any(hint in small for hint in _FOREIGN_HINTS):
        return None
    return _FOREIGN.search(text)


def without_refusals(text: str) -> tuple[str, bool]:
    """Returns a text without the sentences that refuse, and whether there were any.

    >>> without_refusals("I can't see 5 images. Option B.")
    ('Option B.', True)
    """
    if not refuses(text):
        return text, False
    kept, refused = [], False
    for sentence in _SENTENCES.split(text):
        found = _find(sentence)
        if found is None or _NO_REFUSAL.search(sentence):
            kept.append(sentence)
            continue
        # "I can't be sure, but I would guess B."
        if aside := _ASIDE.search(sentence, found.end()):
            kept.append(sentence[aside.start() :])
        else:
            refused = True
    return "\n".join(kept), refused


def without_questions(text: str) -> str:
    """Returns a text without its questions; a word or two and a question mark are an unsure answer."""
    if "?" not in text:
        return text
    kept = [
        part
        for part in sentences(text)
        if not _ASKED.search(part) or len(part.split()) <= _MOST_WORDS_OF_A_QUESTION
    ]
    return "\n".join(kept)
