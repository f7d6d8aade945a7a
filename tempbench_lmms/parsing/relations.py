"""How two steps stand to each other: the name of a class, a sentence that says it, or three answers."""

import itertools
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing import steps
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import CaseBlind, holds, outer, signs
from tempbench_lmms.parsing.words import AFTER, ANSWER, BEFORE, FALSE, OPTION, PARALLEL, TRUE, any_of

_CLASSES = (("before", BEFORE), ("after", AFTER), ("independent", PARALLEL))
CLASSES = tuple(label for label, _ in _CLASSES)
_NAMES = {word.lower(): label for label, words in _CLASSES for word in words}
_NAME = CaseBlind(any_of(_NAMES))
_PARALLEL_SIGNS = signs(PARALLEL)
# "The answer is after careful thought: ..." names no class.
_NO_NAME = lazy(
    r",?[ ]+(?:careful\w*|all\b|much\b|some\b|(?:consider|review|analy[sz]|think|examin|look|check|compar"
    r"|weigh)\w*)",
    re.IGNORECASE,
)

_YES = rf"(?:{any_of((*(word for word in TRUE if word not in ('right', 'exact')), 'y'))}|[✓✔✅☑])"
_NO = rf"(?:{any_of((*FALSE, 'n'))}|[✗✘❌✖❎])"
_UNSURE = (
    r"i\s+do(?:n.?t|\s+not)\s+know|unknown|unsure|not\s+sure|uncertain|ich\s+weiß\s+(?:es\s+)?nicht"
    r"|je\s+ne\s+sais\s+pas|no\s+(?:lo\s+)?sé|non\s+lo\s+so|不知道|不确定|わかりません|分かりません|모르겠"
)
_ANSWERED = (
    rf"(?P<answer>(?P<unsure>{_UNSURE})|(?P<yes>{_YES})|(?P<no>{_NO}))"
    rf"(?![ ]*/\s*(?:yes|no|i\b)|,?\s*(?:or|and)\s+(?:yes|no|{_UNSURE})\b)"
)
_Q = lazy(
    rf"(?:\b(?:[qadfp]|questions?|answer|frage|pregunta|domanda|вопрос)\s*|问题|問題|質問|질문\s*|問|问|(?:^|\n"
    rf"|(?<=[.,;]\s))[ ]*[\"'(\[*-]*)(?P<number>[123])\b"
    rf"(?:[^?\n]{{0,120}}\?\s*(?:A\b)?)?\W*(?:(?:the\s+|my\s+|die\s+|la\s+|le\s+)?(?:(?:correct"
    rf"|final|right)\s+)?(?:answer|antwort|respuesta|réponse|risposta|答案|答え|回答|정답|답)\s*(?:to\s+(?:this"
    rf"|the)\s+question\s+|to\s+(?:q|question\s*)[123]\s+)?(?:is|lautet|ist|est|es|è|是|は|은"
    rf"|는)?\W*)?(?:step\s+[AB][^.\n]{{0,5}})?{_ANSWERED}",
    re.IGNORECASE,
)
_WORD = CaseBlind(rf"(?<!\w)(?:(?P<unsure>{_UNSURE})|(?P<yes>{_YES})|(?P<no>{_NO}))(?!\w)")

_HEAD = lazy(r"(?:^|\n)\W{0,4}(?:q|question|frage|pregunta|вопрос)\s*([123])\b", re.IGNORECASE)
_ASKED = lazy(r"\b(?:q|question)\s*([123])\b", re.IGNORECASE)
_CLOSING = lazy(rf"\banswer\s*(?:is\W{{0,3}}|:\s*){_ANSWERED}", re.IGNORECASE)
# Layouts of three answers beside "Q1: yes": "yes to Q1, no to the others", "Only the second one is yes".
_PART = lazy(
    rf"\b(?:[qarpf]|questions?|frage|fragen|pregunta|domanda|number|вопрос)\s*\.?\s*(?P<number>[123])\b"
    r"|(?<=\d)\s*(?:,|&|\band\b|\bund\b|\bet\b|\by\b)\s*(?P<also>[123])\b"
    r"|\b(?P<two>first|last)\s+two\b(?:\s+questions)?"
    rf"|(?:问题|問題|質問|질문)\s*(?P<cjk>[123])|\b(?P<ordinal>first|second|third|1st|2nd|3rd|last)\b(?:\s+(?:question|one))?"
    rf"|\b(?P<others>all\s+three(?:\s+(?:questions|answers))?|all\s+of\s+them|(?:all\s+|both\s+)?(?:the\s+)?(?:other\s+(?:two|ones?|questions)|others|rest))\b"
    rf"|(?<!\w)(?:(?P<unsure>{_UNSURE})|(?P<yes>{_YES}|可以)|(?P<no>不可以|不能|{_NO}))(?!\w)",
    re.IGNORECASE,
)
_PLACES = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "last": "3"}
_LONGEST = 300
_CLAUSES = lazy(r"[.;\n]+")
_ONLY = lazy(r"\W*(?:only|just|nur|seul\w*|solo|sólo|只有)\b", re.IGNORECASE)
_LINK = lazy(r"[\s,&]*(?:(?:and|und|et|y|e|the|both|to|for)\b\s*){0,3}", re.IGNORECASE)
_CLASSED = lazy(
    rf"(?P<name>{any_of(_NAMES)})(?:\s+(?:step\s+)?[AB])?[\s:?=.,)\"'*-]{{1,6}}(?:(?P<yes>{_YES}|[✓✔✅☑])|(?P<no>{_NO}|[✗✘❌✖❎]))",
    re.IGNORECASE,
)
_BESIDE = lazy(r"[\W_\d]|[qa](?=\d)|answers?|the|are|is|and", re.IGNORECASE)
_SHORT = 120
_ARE = lazy(r"\banswers\s+(?:are|would\s+be|must\s+be)\b", re.IGNORECASE)
# "Not Before. Not After.": a class that is a sentence by itself.
_ALONE = lazy(
    rf"(?:^|(?<=[.;:!]\s)|(?<=\bnot\s)|(?<=\bis\s))(?P<name>{any_of(_NAMES)})"
    r"(?=\s*(?:[.;!]|$|,\s*(?:and\s+)?not\b|,?\s*rather\s+than\b))",
    re.IGNORECASE,
)


def class_of(name: str) -> str | None:
    """Returns the class that a word names; None where it names none."""
    return _NAMES.get(name.lower())


def mentions(text: str) -> list[Mention]:
    """Returns the places of a text, its steps marked, that name a class or say how the steps stand."""
    found = steps.statements(text)
    taken = [(mention.start, mention.end) for mention in found]
    for match in outer(_NAME.finditer(text)):
        if not any(start <= match.start() < end for start, end in taken) and not _NO_NAME.match(
            text, match.end()
        ):
            alone = len(text) < _SHORT and _ALONE.match(text, match.start()) is not None
            found.append(Mention(class_of(match.group()), match.start(), match.end(), alone))
    return sorted(found, key=lambda mention: mention.start)


def stated(sentence: str) -> list[str]:
    """Returns the classes that a sentence about the two steps states."""
    return list(dict.fromkeys(said.value for said in steps.statements(sentence)))


def answers(text: str) -> tuple[str, str, str] | None:
    """Returns the answers to the three questions: "yes", "no" or "unsure"; None where one lacks.

    The last answer to a question counts: a reply may repeat the questions, or correct itself.
    """
    if "1" in text and "2" in text and "3" in text and (numbered := _numbered(text)):
        return numbered
    if len(text) <= _LONGEST and (by_name := _of_questions(text)):
        return by_name
    if concluded := _ARE.search(text):
        text = text[concluded.end() :]
    return three_words(text) or _spread(text) or _by_clause(text)


def _numbered(text: str) -> tuple[str, str, str] | None:
    """Returns the answers to questions that are named by their numbers, each with its own answer."""
    found = {match["number"]: _kind(match) for match in _Q.finditer(text)}
    if len(found) == 3:
        return found["1"], found["2"], found["3"]
    if by_block := _in_blocks(text):
        return by_block
    closing = list(itertools.islice(_CLOSING.finditer(text), len(_CLASSES) + 1))
    if (
        len(closing) == len(_CLASSES)
        and (asked := _ASKED.findall(text))
        and list(dict.fromkeys(asked)) == [*"123"]
    ):
        # "So for Q1 ..., the answer is: Yes. Q2 can't be a yes. The answer is: No. ..."
        first, second, third = map(_kind, closing)
        return first, second, third
    return None


def _in_blocks(text: str) -> tuple[str, str, str] | None:
    """Returns the answers where each question heads a paragraph that closes with its answer."""
    heads = list(_HEAD.finditer(text))
    if [head[1] for head in heads] != ["1", "2", "3"]:
        return None
    ends = [*(head.start() for head in heads[1:]), len(text)]
    said = [
        [_kind(match) for match in _CLOSING.finditer(text, head.end(), end)]
        for head, end in zip(heads, ends, strict=True)
    ]
    if not all(said):
        return None
    first, second, third = (answers[-1] for answers in said)
    return first, second, third


def _of_questions(text: str) -> tuple[str, str, str] | None:
    """Returns the answers behind the questions themselves: "... before Step B? No"."""
    if text.count("?") != len(_CLASSES):
        return None
    found = {class_of(match["name"]): "yes" if match["yes"] else "no" for match in _CLASSED.finditer(text)}
    return (found["before"], found["after"], found["independent"]) if len(found) == len(_CLASSES) else None


def _spread(text: str) -> tuple[str, str, str] | None:
    """Returns the answers where questions and answers take turns: "Yes to Q1, no to the other two"."""
    if len(text) > _LONGEST:
        return None
    answers: dict[str, str] = {}
    named: list[str] = []
    said: str | None = None
    answer_first = None
    end = 0
    for match in _PART.finditer(text):
        if match["unsure"] or match["yes"] or match["no"]:
            if answer_first is None:
                answer_first = True
            if not answer_first:
                answers.update(dict.fromkeys(named, _kind(match)))
            elif said and not named:
                return None
            named, said = [], _kind(match)
            continue
        answer_first = answer_first or False
        if named and not _LINK.fullmatch(text, end, match.start()):
            return None
        end = match.end()
        number = _number(match)
        some = [number] if number else [one for one in "123" if one not in answers]
        if match["two"]:
            some = ["1", "2"] if match["two"].lower() == "first" else ["2", "3"]
        if any(one in answers for one in some):
            return None
        named += some
        if answer_first and said:
            answers.update(dict.fromkeys(some, said))
    return (answers["1"], answers["2"], answers["3"]) if len(answers) == 3 else None


def _by_clause(text: str) -> tuple[str, str, str] | None:
    """Returns the answers where each clause has one for the questions that it names, on either side of it."""
    if len(text) > _LONGEST:
        return None
    answers: dict[str, str] = {}
    for clause in _CLAUSES.split(text):
        parts = list(_PART.finditer(clause))
        said = {_kind(part) for part in parts if part["unsure"] or part["yes"] or part["no"]}
        named = [number for part in parts if (number := _number(part))]
        if not said and not named:
            continue
        if len(said) != 1 or not named or any(part["two"] or part["others"] for part in parts):
            return None
        if any(number in answers for number in named):
            return None
        answers.update(dict.fromkeys(named, said.pop()))
        if len(named) == 1 and answers[named[0]] == "yes" and _ONLY.match(clause):
            # "Only the first gets a yes."
            answers = dict.fromkeys("123", "no") | answers
    return (answers["1"], answers["2"], answers["3"]) if len(answers) == 3 else None


def _number(part: re.Match[str]) -> str | None:
    """Returns the number of the question that a part of a text names."""
    return part["number"] or part["also"] or part["cjk"] or _PLACES.get((part["ordinal"] or "").lower())


def may_name_all(text: str) -> bool:
    """Whether a text may name all three classes: one without a word for the third can't."""
    return holds(text.lower(), _PARALLEL_SIGNS)


def by_class(text: str) -> str | None:
    """Returns the class that a text affirms where it denies the two others: "Before? No. After? No. ..."."""
    if len(text) > _LONGEST:
        return None
    found = {class_of(match["name"]): bool(match["yes"]) for match in _CLASSED.finditer(text)}
    affirmed = [name for name, said in found.items() if said]
    return affirmed[0] if len(found) == 3 and len(affirmed) == 1 else None


# "a) Before b) After c) Parallel", and behind it "Choice: c"
_OWN_LETTER = lazy(rf"(?<!\w)\(?(?P<letter>[a-cA-C1-3])[).:]\s*(?P<name>{any_of(_NAMES)})", re.IGNORECASE)
_CHOSEN = lazy(
    rf"{any_of((*ANSWER, *OPTION))}\s*(?:is\b|[:=])\s*\(?(?P<letter>[a-cA-C1-3])\b\W*$", re.IGNORECASE
)


def by_own_letter(text: str) -> str | None:
    """Returns the class that a text chooses by the letter that it has itself given to each class."""
    if len(text) > _LONGEST or (chosen := _CHOSEN.search(text)) is None:
        return None
    named = {match["letter"].lower(): class_of(match["name"]) for match in _OWN_LETTER.finditer(text)}
    return named.get(chosen["letter"].lower()) if len(set(named.values())) == len(_CLASSES) else None


@lru_cache(maxsize=8)
def three_words(text: str) -> tuple[str, str, str] | None:
    """Returns the answers where a text is three of them and nothing else: "Yes, No, No"."""
    if len(text) > _SHORT:
        return None
    words = list(itertools.islice(_WORD.finditer(text), len(_CLASSES) + 1))
    if len(words) != len(_CLASSES):
        return None
    ends = [0, *(word.end() for word in words)]
    starts = [*(word.start() for word in words), len(text)]
    beside = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    if len(_BESIDE.sub("", beside)) > 3:
        return None
    if re.findall("[123]", text) not in ([], ["1", "2", "3"]):
        return None
    first, second, third = map(_kind, words)
    return first, second, third


def _kind(match: re.Match[str]) -> str:
    return "unsure" if match["unsure"] else "yes" if match["yes"] else "no"


def of_fields(value: Any) -> tuple[str, str, str] | None:
    """Returns the three answers that a decoded object gives in fields "Q1" to "Q3"; None where one lacks."""
    if (
        isinstance(value, list)
        and len(value) == len(_CLASSES)
        and all(isinstance(one, Mapping) for one in value)
    ):
        # [{"question": 1, "answer": "No"}, ...]
        value = {str(one.get("question", one.get("q", one.get("id")))): one for one in value}
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
