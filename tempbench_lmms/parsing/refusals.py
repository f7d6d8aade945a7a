"""Refusals and questions back: sentences that say that no answer is given.

Such a sentence is taken out with whatever numbers it contains ("Based on the 16 frames provided, it is not
possible to determine the count"). What is left counts only where it calls something its answer.
"""

import re
from functools import lru_cache

from tempbench_lmms.parsing.lines import MAY_END, sentences
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, shortest, table

_CANNOT = (
    r"(?:can(?:\s?not|['’]?t)|could(?:\s+not|n['’]t)|won['’]t\s+be\s+able\s+to|(?:am|are|is|was|be|['’]m"
    r"|['’]s|i['’]m)\s+(?:still\s+)?(?:unable|not\s+able|impossible|not\s+possible|difficult|hard"
    r"|not\s+clear|not\s+feasible)"
    r"|isn['’]t\s+(?:possible|clear|feasible)|unable|impossible|not\s+possible|no\s+(?:way|means|basis"
    r"|possibility))"
)
_DO_NOT = r"(?:(?:do|did)(?:\s+not|n['’]?t))"
_ADVERBS = (
    r"(?:\s+(?:to|for\s+me\s+to|of|really|actually|even|reliably|definitively|accurately|clearly|fully"
    r"|conclusively|exactly|confidently|possibly|with\s+(?:\w+\s+)?(?:certainty|confidence)|precisely|directly"
    r"|be\s+able\s+to|simply|also|me)){0,4}"
)
_KNOW = (
    r"(?:determin\w*|tell|say|answer\w*|know\w*|see|view|watch\w*|identif\w+|decid\w+|commit|settle|count\w*"
    r"|access|confirm\w*|process|make\s+out|judge\w*|judging|assess\w*|infer\w*|choos\w+|pick|assist"
    r"|verify\w*|estimat\w+|locat\w+"
    r"|recogni\w+|distinguish\w*|analy\w+|conclude\w*|establish\w*|evaluat\w+|rank\w*|order"
    r"|discern\w*|resolv\w*|deduc\w*|pinpoint|work\s+out|figure|guess|observe|perceive"
    r"|select|what|how|which|whether|where|when)"
)
# What things don't do, too: "The man does not have a hat" refuses nothing.
_HAVE = r"(?:have|provid\w+|give|get|receive|find|play|help)"
# Whoever answers, and what the answer is taken from.
_SOURCE = (
    r"(?:i|we|you|it|images?|pictures?|photos?|frames?|videos?|clips?|questions?|texts?|problem|prompt|information|data"
    r"|context|details?|descriptions?|options?|choices?|evidence|material|footage|audio|sound(?:track)?)"
)
_TOO_LITTLE = (
    r"(?:\b(?:not\s+(?:have\s+)?(?:enough|sufficient)|n['’]t\s+(?:have\s+)?(?:enough|sufficient|any)"
    r"|(?:no|without|lack(?:s|ing)?|need|insufficient|inadequate|missing|require|not\s+have)(?:\s+(?:the"
    r"|more|further|additional|any|enough|sufficient|such|actual|necessary|much|of))*)"
    r"(?:\s+\w+){0,2}?\s+(?:information|context|data|detail|details|evidence\s+to|access|clues|metadata"
    r"|dates)\b)"
)
# Whoever says "I can't" refuses, but for these verbs.
_I_CANT = (
    r"(?:(?:really|simply|honestly|just|also)\s+)?(?:can(?:\s?not|['’]?t)|could(?:\s+not|n['’]t)|(?:am|are)\s+(?:unable|not\s+able)\s+to)"
    r"(?:\s+(?:really|simply|honestly|even|yet|reliably|confidently|properly|fully))*"
)
_I_CAN = (
    r"(?:rule|exclude|be|help|fault|deny|disagree|agree|accept|support|see\s+any|find\s+any|find\s+a\s|spot|think|imagine|believe"
    r"|detect|notice|have)\b"
)
_Signed = tuple[tuple[str, ...], re.Pattern[str]]


def _signed(signs: str, pattern: str) -> _Signed:
    """Returns a pattern with signs, divided by bars: without one of them in a text it can't match."""
    return table(signs), lazy(pattern, re.IGNORECASE)


_LEFT_OPEN = lazy(
    r"(?:\bnot|n['’]t)\s+settle\b|\b(?:i|we)(?:['’]d|\s+would|\s+do|\s+still)?\s+hesitate\s+to\s+(?:pick|choose|name|commit)\b|\bleave\s+(?:it|this|that|the\s+(?:question|answer))\s+open\b",
    re.IGNORECASE,
)
_LEAVING = ("settle", "hesitate", "leave")

# "Neither of them makes a sound" says what is seen.
_NO_SOUND = r"(?!\s+(?:ever\s+|actually\s+)?(?:mak|play|produc|emit|sound)(?:es?|s|ed|ing)?\b)"
_REFUSALS = (
    _signed(
        "can't|cannot|can not|can’t|cant|could not|couldn|able|impossible|possib|difficult|hard|not clear"
        "|n't clear|n’t clear|feasible|no way|no means|no basis|know|did not|didn|don't|don’t|dont|do not",
        rf"\b(?:{_CANNOT}\b{_ADVERBS}\s+(?:{_KNOW}|{_HAVE})|{_DO_NOT}\b{_ADVERBS}\s+{_KNOW}"
        rf"|{_SOURCE}\s+(?:\w+\s+){{0,4}}?{_DO_NOT}\b{_ADVERBS}\s+{_HAVE})\b",
    ),
    _signed(
        "can't|cannot|can not|can’t|cant|unable|couldn|could not|not able",
        rf"\b(?:i|we)\s+{_I_CANT}\s+(?!{_I_CAN})\w+",
    ),
    _signed(
        "t be|not be|n be",
        r"\b(?:answer|position|order|direction|number|interval|pair|count|question|sequence|choice|decision|ranking|time)\b"
        r"(?:\s+\w+){0,6}?\s+(?:can(?:\s?not|['’]?t)|could(?:\s+not|n['’]t))\s+be\s+(?!true|right|correct|ruled|excluded|certain|sure|both)\w+",
    ),
    _signed(
        "please",
        r"\bplease\s+(?:choose|select|pick|specify|tell\s+me|let\s+me\s+know|confirm)\b(?!\s+(?:the\s+(?:correct|best|right)|an?\s+(?:answer|option)))[^.!?\n]*[.!?]?\s*$",
    ),
    _signed("information|context|access|enough|sufficient|without|lack|need|missing|require", _TOO_LITTLE),
    _signed(
        "possible",
        r"\bno\s+(?:count|answer|order|decision|choice|statement|judg\w+|determination)\s+(?:is|was)\s+possible\b",
    ),
    _signed(
        "settle|open",
        _LEFT_OPEN.pattern,
    ),
    _signed(
        "something",
        r"\b(?:is|are)(?:\s+not|n['’]t)\s+something\s+(?:that\s+)?(?:i|we|one)\s+(?:can|could|am\s+able)\b",
    ),
    _signed(
        "need|guess|more than",
        r"\b(?:i(?:['’]d|\s+would)?|we)\s+(?:would\s+)?need\s+(?:the|all|every|at\s+least|an?|to\s+(?:see|watch|look)|more|further|higher|better"
        r"|access)\b"
        r"|\b(?:no|any)\s+(?:count|answer|order|choice|number|figure|time)\s+(?:(?:i|we)\s+(?:\w+\s+){1,2})?(?:would|could|is|can)\s+(?:only\s+)?be\s+(?:anything|more|a\s+(?:pure\s+|mere\s+|wild\s+)?guess)",
    ),
    _signed(
        "depend",
        # "The answer is parallel, as neither depends on the other" answers.
        r"\banswer\b(?:\s+(?:to|here|in)\b[^.!?,:\n]{0,30}?)?(?:\s+(?:is|really|will|would|probably|entirely|always))*[\s:,]*"
        r"\b(?:(?:that|it)\s+(?:\w+ly\s+)?)?(?:depends?|is\s+dependent)\b"
        # A step or event depends on another one: "Before, since it depends on step A".
        r"|\b(?<!since\s)(?<!because\s)(?<!as\s)(?:it|that|this)\s+(?:(?:all|really|just|also|very\s+much)\s+)?depends?"
        r"(?:\s*(?:[.!?…]|$)|\s+(?:up)?on\s+(?:how|what|whether|which|where|when|who|why|your|one's|context|interpretation"
        r"|the\s+(?:recipe|cook|context|definition|interpretation|situation|perspective|angle|viewpoint|reader)\b))",
    ),
    _signed("no audio|no sound|not enough", r"\bno\s+(?:audio|sound)\b|\bnot\s+enough\b"),
    _signed(
        "unclear|ambiguous|unknown|uncertain|undecided",
        r"\b(?:is|are|remains?)\s+(?:\w+\s+)?(?:unclear|ambiguous|unknown|uncertain|undecided)\b",
    ),
    _signed(
        "not be|t be",
        r"\b(?:cannot|can['’]?t|could\s+not|can\s+not|may\s+not)\s+be\s+(?:(?:reliably|definitively|accurately"
        r"|clearly|fully|conclusively|exactly)\s+)?(?:determined|answered|identified|verified|seen|told|inferred"
        r"|decided|established|counted|made\s+out|known|confirmed|assessed|judged)\b",
    ),
    _signed(
        "no image|no video|no frame|no picture|no information",
        r"\bno\s+(?:images?|videos?|frames?|pictures?|information)\b[^.!?\n]{0,30}\b(?:provided|given|attached"
        r"|available|visible|shown|included|here|uploaded|received)",
    ),
    _signed(
        "please|could you",
        r"\b(?:please|could\s+you)\s+(?:provide|upload|share|attach|send|clarify|give)",
    ),
    _signed("sure|certain|able", r"\b(?:am|['’]m)\s+not\s+(?:\w+\s+)?(?:sure|certain|able)\b"),
    _signed(
        "sorry|uncertain|unsure|undecided", r"\bi(?:['’]m|\s+am)\s+(?:sorry|uncertain|unsure|undecided)\b"
    ),
    _signed("apolog|as an ai", r"\bi\s+apologi[sz]e\b|\bas\s+an\s+ai\b"),
    _signed(
        "none of|neither",
        rf"\bnone\s+of\s+(?:the\s+)?(?:above|options|choices|these|them|listed|answers)\b{_NO_SOUND}"
        rf"|\bneither\s+(?:of\s+(?:\w+\b{_NO_SOUND}|\W)|option|choice|answer)",
    ),
    _signed(
        "among|listed|match any|any of the options|one of the options",
        r"\b(?:not|doesn['’]t|don['’]t|does\s+not|isn['’]t)\s+(?:\w+\s+){0,2}(?:among|listed|match\s+any"
        r"|any\s+of\s+the\s+options|one\s+of\s+the\s+options)",
    ),
    _signed(
        "undetermin|indetermina|inconclusive|unanswerable",
        r"\bundetermin\w+|\bindetermina\w+|\binconclusive|\bunanswerable",
    ),
)
_FOREIGN = lazy(
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
_FOREIGN_SIGNS = (
    "nicht",
    "kann",
    "leid",
    "ne peu",
    "ne sais",
    "ne permet",
    "n'est pas",
    "impossib",
    "imposs",
    "imposib",
    "désol",
    "no puedo",
    "no es ",
    "no se ",
    "no hay",
    "siento",
    "non posso",
    "non so",
    "não ",
)
_SIGNS = shortest({*_FOREIGN_SIGNS, *(sign for signs, _ in _REFUSALS for sign in signs)})
_ONE_OF_THEM = (
    r"(?:(?:the\s+)?(?:first|second|third|fourth|fifth|last|other)\s+(?:image|picture|photo|option|one|video|clip|caption)"
    r"|(?:image|picture|photo|option|caption|pair)\s+(?-i:[A-H]|\d))"
)
# Whoever can't be certain, or can't rule the others out, still answers.
_NO_REFUSAL = lazy(
    r"can(?:not|'t|’t)\s+be\s+(?:entirely\s+|completely\s+|fully\s+|absolutely\s+)?(?:certain|sure|true"
    r"|correct|ruled|excluded)|\bno\s+doubt\b|cannot\s+be\s+(?:true|right)|not\s+(?:clear|enough)\s+to\s+be|"
    r"(?:but|though|although|however),?\s+(?:i['’]m|i\s+am|it['’]s|this\s+is)\s+not\s+(?:\w+\s+)?(?:sure"
    r"|certain)|"
    r"without\s+(?:a\s+)?doubt|can(?:not|'t)\s+(?:see|find)\s+(?:any|a\s+single)\b|even\s+(?:though|if)"
    # What can't be found is a reason against the answer.
    r"|\b(?:see|find|spot|detect|notice|identify)\s+an?(?:y(?:thing)?)?\b[^.!?\n]{0,40}?\b(?:contradict\w*|inconsisten\w*|against|opposite|violat\w*|disprov\w*|conflict\w*|wrong|mistakes?)\b"
    # What is to be done, and is done: "To find it, we need to look for a tower."
    r"|^(?:<s>)?\W*to\s[^.!?\n]*,\s*we\s+need\s+to\s+look\s+(?:for|at)\b"
    # One of the images lacks context, and not the question, unless it lacks what would tell.
    rf"|\b{_ONE_OF_THEM}\b[^.!?\n]*\black(?:s|ing)\b(?![^.!?\n]*\bto\s+(?:say|tell|determine|decide|know|judge|answer)\b)",
    re.IGNORECASE,
)
_SENTENCES = lazy(r"(?<=[.!?])\s+(?=\S)|\n+")
_ASKED = lazy(r"\?\W*$")
_ASIDE = lazy(
    r"\b(?:but|however|still|yet|nevertheless|so)\b[^.!?\n]*?(?:answer|guess|choose|pick|say|estimate"
    r"|go with|option|likely|probabl|possibly|perhaps|maybe|image\s+\d)"
    # "Without the images I have to guess: A."
    r"|\b(?:(?:have\s+to|must|will|can\s+only|could\s+only|['’]ll)\s+(?:just\s+)?guess|(?:make|take|hazard)\s+an?\s+(?:\w+\s+)?guess"
    r"|my\s+(?:best\s+)?guess(?:\s+is)?)\b\s*[:,]?(?=\s*[\w\"'(*\[])",
    re.IGNORECASE,
)
# "D: neither of them is being played": an option may say so itself.
_NONE_OF_THEM = lazy(
    r"\W{0,3}[A-H]\s?[:.)-]\s?-?\s?(?:neither|none)\b|\W{0,3}[A-H]\s-\s(?:neither|none)\b", re.IGNORECASE
)
# "I lean towards True, although image 3 is ambiguous."
_CONCEDED = lazy(r",\s*(?:although|though|even\s+though|albeit)\b[^.!?\n]*[.!?]?\s*$", re.IGNORECASE)
# "Hard to say from the door alone": one piece of evidence, and a later sentence concludes from another one.
_PARTIAL = lazy(
    r"\b(?:from|by|based\s+on|with|judging\s+by)\s+(?:[\w'’]+\s+){1,6}?(?:alone|only|by\s+(?:itself|themselves))\b",
    re.IGNORECASE,
)
_CONCLUDES = lazy(r"\W*(?:so|thus|therefore|hence|all\s+in\s+all|consequently)\b", re.IGNORECASE)
# "Note: I can't recognise people from their faces": of who is shown, and not of what is asked.
_WHO = (
    r"(?:(?:real|specific|actual|the|any|these|those|individual|private|named)\s+){0,3}"
    r"(?:people|persons?|individuals?|anyone|anybody|faces?|man|woman|identit(?:y|ies)|who\s+(?:the\s+\w+|he|she|they|it|this|that)\s+(?:is|are)"
    r"|\w+(?=\s+(?:from|by|based\s+on)\s+(?:his|her|their|the)\s+faces?))\b"
)
_OF_PERSONS = lazy(
    rf"\b(?:i|we)\s+(?:can(?:\s?not|['’]?t)|do(?:\s+not|n['’]t)|(?:am|are|['’]m)\s+(?:unable|not\s+able)\s+to)\s+(?:\w+ly\s+)?"
    rf"(?:identify|recogni[sz]e|name|verify|confirm|know|tell)\s+{_WHO}[^.,;:!?\n]*"
    rf"|\bi['’]m\s+(?:unable|not\s+able)\s+to\s+(?:\w+ly\s+)?(?:identify|recogni[sz]e|name)\s+{_WHO}[^.,;:!?\n]*"
    r"|\bich\s+kann\s+(?:keine\s+)?(?:(?:reale|echte|einzelne)n?\s+)?(?:personen|menschen|gesichter|niemanden)\b[^.,;:!?\n]*\b(?:erkennen|identifizieren|zuordnen|benennen)"
    r"|\bje\s+ne\s+peux\s+pas\s+(?:identifier|reconnaître)\s+(?:(?:les|des|de)\s+)?(?:vraies\s+)?(?:personnes|individus|gens|visages)[^.,;:!?\n]*"
    r"|\bno\s+puedo\s+(?:identificar|reconocer)\s+(?:a\s+)?(?:las\s+)?(?:personas|individuos|caras|rostros)[^.,;:!?\n]*"
    r"|我?(?:无法|不能|無法)(?:通过|根据|依据|從)?[^.,;:!?\n]{0,8}(?:识别|辨认|確認|确认)(?:出)?[^.,;:!?\n]{0,4}(?:人物|人的?身份|个人|身份|人脸)(?:的?身份)?"
    r"|(?:顔から)?人物を?[^.,;:!?\n]{0,6}(?:特定|識別)[^.,;:!?\n]{0,6}(?:できません|できない)",
    re.IGNORECASE,
)
# "Please note that the acquisition dates are not known to me": of when, and not of what is asked.
_NOTED = (" note", "in mind", "disclaimer", "caveat", "hinweis", "beachte")
_OF_DATES = lazy(
    r"\W*(?:(?:[^.!?\n]{1,120},\s+)?(?:(?:and|but)\s+)?(?:please\s+)?(?:(?:(?:do\s+)?note|keep\s+in\s+mind|bear\s+in\s+mind)(?:\s*:|,?\s+that)"
    r"|(?:note|disclaimer|caveat|hinweis)\s*:|(?:bitte\s+)?beachte\w*(?:\s+sie)?,\s+dass)\s*)"
    r"(?![^.!?\n]*[,;]\s*(?:but|however|so(?!\s+this)|yet|still|though|my|based|the|it|i)\b)(?=[^.!?\n]*\b(?:dates?|metadata|timestamps?|taken|captured|acquired|recorded|\w*daten|datum)\b)[^.!?\n]*[.!]?\W*",
    re.IGNORECASE,
)
# "Pair A. Or pair B, I can't decide."
_OR_ANOTHER = lazy(r"\W*(?:or|oder|ou|o)\b", re.IGNORECASE)
# Besides "Note:" and "as": "(Note: , so I relied on the suit)"
_SAYS = lazy(r"\w+\W+\w+\W+\w+")
_PERSONS = (
    *("identif", "recogni", " name", "verify", "confirm", " know", " tell", "person", "mensch", "gesicht"),
    *("niemand", "individu", " gens", "visage", "人", "身份"),
)
_MOST_WORDS_OF_A_QUESTION = 3
_LAST = 200


def leaves_open(text: str) -> bool:
    """Whether a text leaves its question open; at the end of a reply it voids all that was weighed before."""
    return holds(text.lower(), _LEAVING) and _LEFT_OPEN.search(text) is not None


def _of_persons(sentence: str) -> str | None:
    """Returns the words of a sentence that only say that nobody is recognised; None where there are none."""
    found = _OF_PERSONS.search(sentence) if holds(sentence.lower(), _PERSONS) else None
    return found.group() if found else None


def withdraws(text: str) -> bool:
    """Whether the last sentence of a text leaves its question open: "I can't settle on A or on B."."""
    last = sentences(text)[-1:]
    return bool(last and leaves_open(last[0]) and without_refusals(last[0]) == ("", True))


def refuses(text: str) -> bool:
    """Whether a text says somewhere that it can't answer."""
    return _find(text) is not None


def _may_refuse(small: str) -> bool:
    """Whether a text in lower case holds a sign of a refusal."""
    return not small.isascii() or holds(small, _SIGNS)


@lru_cache(maxsize=16)
def _find(text: str) -> re.Match[str] | None:
    """Returns the first words of a refusal in a text."""
    small = text.lower()
    if not _may_refuse(small):
        return None
    matches = (pattern.search(text) for signs, pattern in _REFUSALS if holds(small, signs))
    if found := min(filter(None, matches), key=lambda match: match.start(), default=None):
        return found
    if small.isascii() and not holds(small, _FOREIGN_SIGNS):
        return None
    return _FOREIGN.search(text)


def without_refusals(text: str) -> tuple[str, bool]:
    """Returns a text without the sentences that refuse, and whether there were any.

    >>> without_refusals("I can't see 5 images. Option B.")
    ('Option B.', True)
    """
    if not _may_refuse(text.lower()):
        return text, False
    parts = _SENTENCES.split(text) if MAY_END.search(text) else [text]
    sentences = [(sentence, _find(sentence)) for sentence in parts]
    if not any(found for _, found in sentences):
        return text, False
    kept, refused, noted = [], False, False
    for i, (sentence, found) in enumerate(sentences):
        if found is None or _NO_REFUSAL.search(sentence) or _NONE_OF_THEM.match(sentence):
            kept.append(sentence)
        elif (about := _of_persons(sentence)) and not _find(rest := sentence.replace(about, " ", 1)):
            noted = True
            kept += [rest] if _SAYS.search(rest) else []
        elif holds(f" {sentence.lower()}", _NOTED) and _OF_DATES.fullmatch(sentence):
            noted = True
        elif (conceded := _CONCEDED.search(sentence)) and conceded.start() < found.start():
            kept.append(sentence[: conceded.start()] + ".")
        # "I can't be sure, but I would guess B."
        elif _PARTIAL.search(sentence) and any(
            _CONCLUDES.match(later) and not _find(later) for later in parts[i + 1 :]
        ):
            continue
        elif (aside := _ASIDE.search(sentence, found.end())) and not _find(sentence[aside.start() :]):
            kept.append(sentence[aside.start() :])
        else:
            refused = True
            if _OR_ANOTHER.match(sentence):
                kept.clear()
    return "\n".join(kept), refused or (noted and not kept)


_ANSWER_IS_OPEN = lazy(
    r"\banswer\b(?:\s*\([^()\n]{1,30}\))?\s*(?:is|:)[\s:]*(?:it\s+depends|depend\w*|unknown|unclear|uncertain|not\s+(?:known|clear)|undetermin\w*|cannot\s+be\s+\w+)"
    r"\b[^.!?\n]*[.!]?\s*$",
    re.IGNORECASE,
)
_ASKS_BACK = lazy(
    r"\b(?:could|can|would)\s+you\s+(?:please\s+)?(?:provide|share|upload|send|attach|describe)\b"
    r"|\bplease\s+(?:provide|share|upload|send|attach)\b",
    re.IGNORECASE,
)


def answers_open(text: str) -> bool:
    """Whether a text ends in that its answer is open: "The answer is: it depends."."""
    return _ANSWER_IS_OPEN.search(text, max(0, len(text) - _LAST)) is not None


def asks_back(text: str) -> bool:
    """Whether a text asks for what it would answer from: "Could you share the image?"."""
    return ("lease" in text or " you " in text) and _ASKS_BACK.search(text) is not None


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
