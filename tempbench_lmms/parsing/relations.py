"""How two steps stand to each other: the name of a class, a sentence that says it, or three answers."""

import re
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import outer
from tempbench_lmms.parsing.words import AFTER, BEFORE, DEPENDS, FALSE, PARALLEL, TRUE, any_of

_CLASSES = (("before", BEFORE), ("after", AFTER), ("independent", PARALLEL))
_NAMES = {word.lower(): label for label, words in _CLASSES for word in words}
_NAME = re.compile(any_of(_NAMES), re.IGNORECASE)
_DO = (
    r"(?:executed|done|performed|carried\s+out|completed|happen|happens|occur|occurs|come|comes"
    r"|take\s+place|run|be|is|go|goes|precede|made|prepared|ausgeführt|exécutée?|ejecutarse)"
)
# "Step A must be executed before Step B": what comes first stands in front of the word.
_STEPS = re.compile(
    rf"(?:\b(?:step|schritt|étape|paso|passo)\s*|步骤|ステップ|단계\s*"
    rf"|手順)(?P<one>[AB])\b(?P<not>[^.\n]{{0,60}}?(?:\bnot\b|n['’]t|\bno\b|\bneither\b"
    rf"|不)[^.\n]{{0,30}}?)?(?:(?!\b(?:step"
    rf"|schritt)\s*[AB])[^.\n]){{0,60}}?(?P<name>{any_of((*BEFORE, *AFTER))}"
    rf"|{any_of(DEPENDS)})"
    r"\W+(?:the\s+)?(?:(?:outcome|result|output|product)s?\s+(?:of|from)\s+)?"
    r"(?:\b(?:step|schritt|étape|paso|passo)\s*|步骤|ステップ|단계\s*)(?P<other>[AB])\b",
    re.IGNORECASE,
)
_DEPENDS = re.compile(any_of(DEPENDS), re.IGNORECASE)
_INDEPENDENT = re.compile(
    r"\b(?:in\s+(?:any|either|whichever|whatever|no\s+particular)\s+order|in\s+parallel|at\s+the\s+same\s+time|simultaneously"
    r"|independent(?:ly)?\s+of\s+(?:each\s+other|one\s+another)|"
    r"(?:are|is)\s+independent|no\s+dependency|neither\s+(?:step\s+)?depends)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:cannot|can['’]?t|can\s+not|not|n['’]t|never)\b[^.;\n]{0,40}$", re.IGNORECASE)

# "The answer is after careful thought: ..." names no class.
_NO_NAME = re.compile(
    r",?[ ]+(?:careful\w*|all\b|much\b|some\b|(?:consider|review|analy[sz]|think|examin|look|check|compar"
    r"|weigh)\w*)",
    re.IGNORECASE,
)

_YES = any_of(word for word in TRUE if word not in ("right", "exact"))
_NO = any_of(FALSE)
_UNSURE = (
    r"i\s+do(?:n.?t|\s+not)\s+know|unknown|unsure|not\s+sure|uncertain|ich\s+weiß\s+(?:es\s+)?nicht"
    r"|je\s+ne\s+sais\s+pas|no\s+(?:lo\s+)?sé|non\s+lo\s+so|不知道|不确定|わかりません|分かりません|모르겠"
)
_ANSWERED = (
    rf"(?P<answer>(?P<unsure>{_UNSURE})|(?P<yes>{_YES})|(?P<no>{_NO}))"
    rf"(?![ ]*/\s*(?:yes|no|i\b)|,?\s*(?:or|and)\s+(?:yes|no|{_UNSURE})\b)"
)
_Q = re.compile(
    rf"(?:\b(?:[qa]|question|answer|frage|pregunta|domanda)\s*|问题|問題|質問|질문\s*|問|问|(?:^|\n"
    rf"|(?<=[.,;]\s))[ ]*[\"'(\[*-]*)(?P<number>[123])\b"
    rf"(?:[^?\n]{{0,120}}\?\s*(?:A\b)?)?\W*(?:(?:the\s+|my\s+|die\s+|la\s+|le\s+)?(?:(?:correct"
    rf"|final|right)\s+)?(?:answer|antwort|respuesta|réponse|risposta|答案|答え|回答|정답|답)\s*(?:to\s+(?:this"
    rf"|the)\s+question\s+|to\s+(?:q|question\s*)[123]\s+)?(?:is|lautet|ist|est|es|è|是|は|은"
    rf"|는)?\W*)?(?:step\s+[AB][^.\n]{{0,5}})?{_ANSWERED}",
    re.IGNORECASE,
)
_WORD = re.compile(rf"(?<!\w)(?:(?P<unsure>{_UNSURE})|(?P<yes>{_YES})|(?P<no>{_NO}))(?!\w)", re.IGNORECASE)

_BESIDE = re.compile(r"[\W_\d]|[qa](?=\d)|answers?|the|are|is|and", re.IGNORECASE)
_SHORT = 120


def class_of(name: str) -> str | None:
    """Returns the class that a word names; None where it names none."""
    return _NAMES.get(name.lower())


def mentions(text: str) -> list[Mention]:
    """Returns the places of a text that name a class, alone or in a sentence about Step A and Step B."""
    found = []
    for match in outer(_STEPS.finditer(text)):
        one, other = match["one"].upper(), match["other"].upper()
        if one == other or match["not"]:
            continue
        name = "after" if _DEPENDS.fullmatch(match["name"]) else class_of(match["name"])
        if one == "B":
            name = {"before": "after", "after": "before"}.get(name or "")
        found.append(Mention(name, match.start(), match.end(), True, 0))
    taken = [(mention.start, mention.end) for mention in found]
    for match in outer(_NAME.finditer(text)):
        if not any(start <= match.start() < end for start, end in taken) and not _NO_NAME.match(
            text, match.end()
        ):
            found.append(Mention(class_of(match.group()), match.start(), match.end(), False))
    return sorted(found, key=lambda mention: mention.start)


def stated(sentence: str) -> list[str]:
    """Returns the classes that a sentence about the two steps states."""
    said = [mention.value for mention in mentions(sentence) if mention.sure]
    if (found := _INDEPENDENT.search(sentence)) and not _DENIED.search(sentence[: found.start()]):
        said.append("independent")
    return list(dict.fromkeys(said))


def answers(text: str) -> tuple[str, str, str] | None:
    """Returns the answers to the three questions: "yes", "no" or "unsure"; None where one lacks.

    The last answer to a question counts: a reply may repeat the questions, or correct itself.
    """
    found = {match["number"]: _kind(match) for match in _Q.finditer(text)}
    if len(found) == 3:
        return found["1"], found["2"], found["3"]
    return three_words(text)


def three_words(text: str) -> tuple[str, str, str] | None:
    """Returns the answers where a text is three of them and nothing else: "Yes, No, No"."""
    if len(text) > _SHORT:
        return None
    words = list(_WORD.finditer(text))
    if len(words) != 3 or len(_BESIDE.sub("", _WORD.sub("", text))) > 3:
        return None
    first, second, third = map(_kind, words)
    return first, second, third


def _kind(match: re.Match[str]) -> str:
    return "unsure" if match["unsure"] else "yes" if match["yes"] else "no"


def of_fields(value: Any) -> tuple[str, str, str] | None:
    """Returns the three answers that a decoded object gives in fields "Q1" to "Q3"; None where one lacks."""
    if not isinstance(value, Mapping):
        return None
    found = {}
    for key, answer in value.items():
        number = re.fullmatch(r"\D*([123])\D*", str(key))
        if isinstance(answer, Mapping):
            answer = next((item for name, item in answer.items() if "answer" in str(name).lower()), None)
        said = "yes" if answer is True else "no" if answer is False else None
        match = _WORD.search(str(answer)) if said is None and answer is not None else None
        if number and (said or match):
            found[number.group(1)] = said or _kind(match)  # type: ignore[arg-type]
    return (found["1"], found["2"], found["3"]) if len(found) == 3 else None
