r"""Readings that take only the exact forms of the prompts; the paper prints no pattern for them.

Where a form is repeated the last one counts, so that a prompt repeated at the beginning of a reply changes
nothing; and a form that lists alternatives ("<Yes/No/I don't know>", "Before or After") states none.
"""

import re

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.mateo.parser import OTHER
from tempbench_lmms.parsing.clean import clean

_ANSWER = r"yes|no|i\s+do(?:n.?t|\s+not)\s+know"
_TRIPLE = re.compile(
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
_COT = re.compile(rf"\bthe\s+answer\s+is\W*{_CLASS}", re.IGNORECASE)
_FINAL = re.compile(rf"\bthe\s+final\s+answer(?:\s+is)?\W*{_CLASS}", re.IGNORECASE)
_REFLECTION = re.compile(r"\bReflection\W*:|\bthe\s+final\s+answer\b", re.IGNORECASE)

_BOX = re.compile(r"\\(?:fbox|boxed)\s*\{+")


def _text(reply: str) -> str:
    parts = clean(reply).parts
    return _BOX.sub("", parts[-1].text) if parts else ""


def parse_strict(reply: str, form: str) -> str | None:
    """Returns the class that a reply states in the exact form of the prompt; None where it states none.

    `form` is one of `FORMS`. For a `triple` the value may be "other". `reflection` reads the final answer
    alone, never the answer before it: the paper counts a reply without a final answer as a failure.

    >>> parse_strict("Step A must be executed before Step B.", "cot") is None
    True
    """
    if form == "triple":
        said = dict(_TRIPLE.findall(_text(reply)))
        answers = [said[number].lower() for number in "123"] if len(said) == 3 else []
        if sorted(answers) == ["no", "no", "yes"]:
            return CLASSES[answers.index("yes")]
        return OTHER if answers else None
    return _last(_COT if form == "cot" else _FINAL, _text(reply))


def parse_first(reply: str) -> str | None:
    """Returns the class that a reply with a reflection states before it reflects; None where it states none.

    >>> parse_first("The answer is: Before. Reflection: wrong. The final answer: After")
    'before'
    """
    return _last(_COT, _REFLECTION.split(_text(reply))[0])


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    said = [name.lower() for name in pattern.findall(text)]
    return None if not said else "independent" if said[-1] == "parallel" else said[-1]
