r"""The answers of MATEO: three Yes/No/I don't know answers, or the name of a class.

Source: section 3 (a class is predicted by Yes to its question and No to both others; every other combination
is the class Other) and appendix A.2 (the forms). The paper prints no pattern. `read` takes any clear
statement of the class; `parse_strict` takes the exact form of the prompt alone. Where a form is repeated the
last one counts, so that a prompt repeated at the beginning of a reply changes nothing; and a form that lists
alternatives ("<Yes/No/I don't know>", "Before or After") states none.
"""

import re
from collections.abc import Sequence

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.clean import clean
from tempbench_lmms.parsing.expected import Relation
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading

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
_REFLECTION = lazy(r"\bReflection\W*:|\bthe\s+final\s+answer\b", re.IGNORECASE)

_BOX = lazy(r"\\(?:fbox|boxed)\s*\{+")


def _text(reply: str) -> str:
    parts = clean(reply).parts
    return _BOX.sub("", parts[-1].text) if parts else ""


def _label(name: str) -> str:
    return "independent" if name.lower() == "parallel" else name.lower()


def read(reply: str, form: str, prompt: str | None = None, at_limit: bool = False) -> Reading[str]:
    """Reads the class that a reply states, in the form of the prompt or in another, as `reader.read` does.

    `form` is one of `FORMS`. In a `reflection` the final answer counts; where there is none, the answer
    before it, if the reflection confirms it. The value is one of `CLASSES`, or "other" for three answers
    that make no class.

    Raises:
        ValueError: There is no such form.

    >>> read("Step A must be executed before Step B.", "cot").value
    'before'
    >>> read("Q1: The answer is: No. Q2: The answer is: No. Q3: The answer is: Yes.", "triple").value
    'independent'
    """
    if form not in FORMS:
        raise ValueError(f"{form!r} is not one of {', '.join(FORMS)}")
    return reader.read(reply, Relation(form, CLASSES), prompt, at_limit)


def _class_of(answers: Sequence[str]) -> str:
    """Returns the class that three answers make, "other" where they make none."""
    return CLASSES[answers.index("yes")] if sorted(answers) == ["no", "no", "yes"] else OTHER


def _unsure(answers: Sequence[str]) -> tuple[str, ...]:
    """Returns answers in small letters, "unsure" for "I don't know"."""
    return tuple("unsure" if answer[0] in "iI" else answer.lower() for answer in answers)


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
