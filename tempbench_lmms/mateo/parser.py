r"""The answers of MATEO: three Yes/No/I don't know answers, or the name of a class.

Source: section 3 (a class is predicted by Yes to its question and No to both others; every other combination
is the class Other) and appendix A.2 (the forms). The paper prints no pattern. `read` takes any clear
statement of the class; `parse_strict` takes the exact form of the prompt alone. Where a form is repeated the
last one counts, so that a prompt repeated at the beginning of a reply changes nothing; and a form that lists
alternatives ("<Yes/No/I don't know>", "Before or After") states none.
"""

import itertools
import re
from collections.abc import Sequence

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing import lines, plain, reader, relations
from tempbench_lmms.parsing.echo import may_repeat, without_placeholders, without_prompt
from tempbench_lmms.parsing.expected import Relation
from tempbench_lmms.parsing.final_answer import Part, before_next_question, final_answer, final_part
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.kinds import kind_of
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading, Reread, none
from tempbench_lmms.parsing.refusals import without_refusals
from tempbench_lmms.parsing.statements import corrects
from tempbench_lmms.parsing.text import LONGEST, holds, normalise, unboxed

OTHER = "other"
FORMS = ("triple", "cot", "reflection")

_ANSWER = r"yes|no|i\s+do(?:n.?t|\s+not)\s+know"
_TRIPLE = lazy(
    rf"\bQ(?:uestion)?\s*([123])\b\W*(?:the\s+answer\s+is\W*)?({_ANSWER})\b"
    rf"(?!\W*/|,?\s*(?:or|and)\s+(?:{_ANSWER})\b)",
    re.IGNORECASE,
)
_NAME = r"before|after|parallel|independent"
_CLASS = (
    rf"({_NAME})\b"
    # "Before, After, or Parallel" names no class.
    rf"(?![^\w/|,]*(?:or\b|and\b|[/|,])\W*(?:(?:or|and)\W+)?(?:{_NAME})\b)"
    # "The answer is after careful thought: ..." neither.
    r"(?!\s+(?:careful\w*|all|much|some|\w+ing)\b)"
)
_COT = lazy(rf"\bthe\s+answer\s+is\W*{_CLASS}", re.IGNORECASE)
_FINAL = lazy(rf"\bthe\s+final\s+answer(?:\s+is)?\W*{_CLASS}", re.IGNORECASE)
# Nothing but the form of the prompt, once.
_ONLY_TRIPLE = lazy(
    "".join(rf"\W*Q{n}\W*(?:the\s+answer\s+is\W*)?({_ANSWER})\b" for n in (1, 2, 3)) + r"\W*", re.IGNORECASE
)
# The three answers alone.
_BARE_TRIPLE = lazy(
    "|".join(
        r"[\s,.;]+".join(rf"{number}({_ANSWER})" for number in numbers) + r"\.?"
        for numbers in (("", "", ""), [rf"{n}[.):] ?" for n in (1, 2, 3)])
    ),
    re.IGNORECASE,
)
# How a reply ends where a model keeps to the prompt, and the signs of a text that needs no preparation.
_CLOSES = lazy(rf"(?:(?<=\n)|(?<=[.!] ))the (?:final )?answer(?: is)?: ({_NAME})\.?\Z", re.IGNORECASE)
_LONGEST_CLOSE = 40
_ONLY_PLAIN = lazy(r"[A-Za-z0-9 \n.,;:!'\"()/%&+=-]*")
_REFLECTION = lazy(r"\bReflection\W*:|\bthe\s+final\s+answer\b", re.IGNORECASE)

_REFLECTS = lazy(
    r"(?:\breflection|反思|反省|검토|reflexión|réflexion|riflessione|überprüfung)\W*[:：]", re.IGNORECASE
)
_REFLECTING = ("reflection", "reflexión", "réflexion", "riflessione", "überprüfung", "反思", "反省", "검토")
_CONFIRMS = lazy(
    r"\bconfirm\w*|\b(?:is|was|seems|remains|as)\s+(?:\w+\s+)?(?:correct|right|valid|sound|consistent)\b"
    r"|\bfollows?\s+(?:logically|from)|\bstands?\b|\bkeep\b"
    r"|\bno\s+(?:change|correction|revision)|\bnothing\s+to\s+(?:add|change|correct|revise)\b",
    re.IGNORECASE,
)
_INITIAL = lazy(r"\W*(?:initial|first|draft)(?:\s+\w+)?\W*:\s*", re.IGNORECASE)
# "The final answer: confirmed."
_KEEPS = lazy(
    r"\b(?:final|(?<!if\s)(?<!whether\s)(?<!that\s)(?<!say\s)(?<!is\s)(?:the|my)(?:\s+(?:initial|first))?)"
    r"\s+answer\W{0,8}"
    rf"(?:(?:is|remains|stays)\W{{1,4}})?(?:still\s+)?(?:confirmed|unchanged|the\s+same|stands|kept|as\s+(?:above|stated|given|before|it\s+is))\b[^\w?]{{0,8}}(?:({_NAME})[^\w?]{{0,8}})?$"
    # "Should I keep my answer?", "wrong if I keep my answer"
    r"|(?:^|[.!?;\n][\s\"'*]{0,4}|\b(?<!if )(?:so|therefore),?\s+)I(?:['’](?:m|ll)|\s+am|\s+will)?\s+"
    r"(?:stay|stick|keep|stand)(?:ing)?\s+(?:with\s+|to\s+|by\s+)?my\s+(?:(?:initial|first|original|previous)\s+)?answer[^\w?]*$",
    re.IGNORECASE,
)
_KEEPING = (
    *("confirmed", "unchanged", "same", "stand", "kept", "above", "stated", "given", "as b", "as\n"),
    *("stay", "stick", "keep"),
)
_DOUBTS = lazy(
    r"\bnot\b|n['’]t\b|\bwrong\b|\bhowever\b|\bincorrect\b|\boverlooked\b|\bshould\b|\bmistake\b",
    re.IGNORECASE,
)
# Where a model that has answered invents the next example.
_NEXT_EXAMPLE = lazy(
    r"\n\s*(?:Step A (?:description|picture)|Context|Example \d|Step A produces|Now)\b", re.IGNORECASE
)
# "Step A: Whip the cream.", behind three answers
_NEXT_STEPS = lazy(rf"{_NEXT_EXAMPLE.pattern}|\n\W*Step A\W{{0,3}}:", re.IGNORECASE)
_OPENS_WITH_EXAMPLE = lazy(r"\W*Examples?\b", re.IGNORECASE)
_MOST_EXAMPLES = 4
_ANSWERED = lazy(rf"\banswer(?:\s+is)?\W*(?:{_NAME})\b", re.IGNORECASE)


def _text(reply: str) -> str:
    return unboxed(normalise(final_answer(reply) or ""))


def _label(name: str) -> str:
    return "independent" if name.lower() == "parallel" else name.lower()


def read(reply: str, form: str, prompt: str | None = None, at_limit: bool = False) -> Reading[str]:
    """Reads the class that a reply states, in the form of the prompt or in another.

    Args:
        reply: The model's reply.
        form: One of `FORMS`. In a `reflection` the final answer counts; where there is none, the answer
            before it, if the reflection confirms it.
        prompt: The prompt, whose words in the reply are no answer.
        at_limit: Whether the reply ended because its token limit was reached.

    Returns:
        One of `CLASSES`, or "other" for three answers that make no class.

    Raises:
        ValueError: There is no such form.

    >>> read("Step A must be executed before Step B.", "cot").value
    'before'
    >>> read("Q1: The answer is: No. Q2: The answer is: No. Q3: The answer is: Yes.", "triple").value
    'independent'
    """
    if form not in FORMS:
        raise ValueError(f"{form!r} is not one of {', '.join(FORMS)}")
    if isinstance(reply, Reread):
        return reply.instead(Relation(form), read(str(reply), form, prompt, at_limit))
    if not may_repeat(reply, prompt) and (one_word := _of_one_word(reply, form)):
        return one_word
    part = final_part(reply)
    if part.cut_off:
        return none("cut_off")
    text = unboxed(normalise((part.tagged or part.wide) or ""))
    if not text:
        return none("cut_off" if at_limit else "empty")
    if form == "triple" and (label := _of_answers(text, prompt)):
        return Reading(label, "form", (part.start, part.end))
    if form != "triple":
        text = _without_next_example(text)
    if form == "reflection" and (reflection := _last_reflection(text)):
        read_in, found = _read_reflection(text, reflection, prompt, at_limit)
    else:
        read_in, found = text, _read_part(text, form, prompt, at_limit)
    return reader.within(found, read_in, reply, part)


def _of_one_word(reply: str, form: str) -> Reading[str] | None:
    """Returns the reading of a reply that is the name of a class; its marks, tag or box do not count here."""
    found = plain.read(reply, Relation(form))
    if found is None or found.how == "json" or (found.how == "whole" and "*" not in reply):
        return found if found is None or found.how == "whole" else None
    if reply[0] == "<":
        return Reading(found.value, "whole", found.where)
    text = reply.replace("**", "") if found.how == "whole" else unboxed(normalise(reply))
    place = reply.find(text)
    where = (place, place + len(text)) if place >= 0 else (0, len(reply))
    return Reading(found.value, "whole", where)


def _last_reflection(text: str) -> re.Match[str] | None:
    """Returns where a text last begins to reflect; None where it doesn't."""
    small, last = text.lower(), None
    for word in _REFLECTING:
        place = small.rfind(word)
        while place >= 0 and not (found := _REFLECTS.match(text, place)):
            place = small.rfind(word, 0, place)
        if place >= 0 and (last is None or last.start() < place):
            last = found
    return last


def _read_reflection(
    text: str, reflection: re.Match[str], prompt: str | None, at_limit: bool
) -> tuple[str, Reading[str]]:
    """Returns what was read, behind the reflection or before it, and its reading."""
    behind = text[reflection.end() :].strip()
    kept = _KEEPS.search(behind) if holds(behind.lower(), _KEEPING) else None
    if kept and not _ANSWERED.search(behind[: kept.start()]):
        before = text[: reflection.start()]
        first = reader.read(before, Relation("cot"), prompt, at_limit)
        return before, first if not kept[1] or first.value == _label(kept[1]) else none("several")
    final = _read_part(behind, "reflection", prompt, at_limit)
    if final.value is None and _CONFIRMS.search(behind) and not _DOUBTS.search(behind):
        initial = _INITIAL.match(text)
        before = text[initial.end() if initial else 0 : reflection.start()]
        return before, reader.read(before, Relation("cot"), prompt, at_limit)
    return behind, final


def _read_part(text: str, form: str, prompt: str | None, at_limit: bool) -> Reading[str]:
    return _closing(text, form, prompt) or reader.read(text, Relation(form), prompt, at_limit)


def _closing(text: str, form: str, prompt: str | None) -> Reading[str] | None:
    """Returns the reading of a text that ends as the prompt asks; None where more of it may count.

    So most replies end. The stages of `reader` read the same, with more looks at what stands before.
    """
    last = _CLOSES.search(text, max(0, len(text) - _LONGEST_CLOSE))
    if last is None or not reader.QUICK < len(text) <= LONGEST or may_repeat(text, prompt):
        return None
    start = last.start()
    if not _ONLY_PLAIN.fullmatch(text) or "onfiden" in text or lines.lead_end(text) >= start:
        return None
    if text[start - 1] == "\n":
        rows = lines.lines(text[:start])
        if not rows or text[:2] == "Q:" or before_next_question(Part(None, None, text, 0, len(text))):
            return None
        before = lines.sentences(rows[-1])[-1]
    else:
        parts = lines.sentences(text)
        if "\n" in text or len(parts) < 2 or parts[-1] != text[start:]:
            return None
        before = lines.sentences(parts[-2])[-1]
    if without_refusals(before)[1] or reader.by_itself(kind_of(Relation(form)), before):
        return None
    return Reading(_label(last[1]), "last line", (start, len(text)))


def _without_next_example(text: str) -> str:
    if not _NEXT_EXAMPLE.search(text):
        return text
    answered = _ANSWERED.search(text)
    following = _NEXT_EXAMPLE.search(text, answered.end()) if answered else None
    return text[: following.start()] if following else text


def _of_answers(text: str, prompt: str | None) -> str | None:
    """Returns the class that three answers make, "other" where they make none; None where one lacks."""
    if only := _ONLY_TRIPLE.fullmatch(text) or _BARE_TRIPLE.fullmatch(text):
        return _class_of(_unsure([answer for answer in only.groups() if answer]))
    text = _before_next_answers(text)
    answers = (
        _of_json(text)
        or relations.three_words(text)
        or relations.answers(without_placeholders(without_prompt(text, prompt)))
    )
    return None if answers is None else _class_of(answers)


def _before_next_answers(text: str) -> str:
    """Returns a text without the examples that the model invents behind its three answers."""
    if _OPENS_WITH_EXAMPLE.match(text):
        return text
    for following in itertools.islice(_NEXT_STEPS.finditer(text), _MOST_EXAMPLES):
        head = text[: following.start()]
        # Where it corrects itself, it looks at the same steps once more.
        if relations.answers(head):
            return text if corrects(text[following.start() :]) else head
    return text


def _class_of(answers: Sequence[str]) -> str:
    """Returns the class that three answers make, "other" where they make none."""
    return CLASSES[answers.index("yes")] if sorted(answers) == ["no", "no", "yes"] else OTHER


def _unsure(answers: Sequence[str]) -> tuple[str, ...]:
    """Returns answers in small letters, "unsure" for "I don't know"."""
    return tuple("unsure" if answer[0] in "iI" else answer.lower() for answer in answers)


def _of_json(text: str) -> tuple[str, str, str] | None:
    if "{" not in text:
        return None
    for value in reversed(json_values(text)):
        answers = relations.of_fields(value)
        if answers:
            return answers
    return None


def parse(reply: str, form: str) -> str | None:
    """Returns the value of `read`; None where no answer can be read, which is scored as "other" too.

    >>> parse("The answer is: Before. Reflection: ...", "reflection") is None
    True
    """
    return read(reply, form).value


def parse_strict(reply: str, form: str) -> str | None:
    """Returns the class that a reply states in the exact form of the prompt.

    Args:
        reply: The model's reply.
        form: One of `FORMS`. `reflection` reads the final answer alone, never the answer before it: the paper
            counts a reply without a final answer as a failure.

    Returns:
        One of `CLASSES`; "other" for three answers that make no class; None where no answer can be read.

    >>> parse_strict("Step A must be executed before Step B.", "cot") is None
    True
    """
    if form == "triple":
        answers = parse_answers(reply)
        if answers is None:
            return None
        return _class_of(answers)
    if form not in FORMS:
        raise ValueError(f"{form!r} is not one of {', '.join(FORMS)}")
    found = (_COT if form == "cot" else _FINAL).findall(_text(reply))
    return _label(found[-1]) if found else None


def parse_answers(reply: str) -> tuple[str, str, str] | None:
    """Returns the answers to the three questions in their exact form; None where one of them is not answered.

    Args:
        reply: The model's reply.

    Returns:
        Three of "yes", "no" and "unsure".

    >>> parse_answers("Q1: The answer is: Yes. Q2: The answer is: No. Q3: I don't know.")
    ('yes', 'no', 'unsure')
    """
    found = dict(_TRIPLE.findall(_text(reply)))
    if len(found) < 3:
        return None
    first, second, third = _unsure([found[number] for number in ("1", "2", "3")])
    return first, second, third


def parse_first(reply: str) -> str | None:
    """Returns the class that a reply with a reflection states before it reflects; None where it states none.

    >>> parse_first("The answer is: Before. Reflection: wrong. The final answer: After")
    'before'
    """
    text = _text(reply)
    reflection = _REFLECTION.search(text)
    found = _COT.findall(text[: reflection.start()] if reflection else text)
    return _label(found[-1]) if found else None
