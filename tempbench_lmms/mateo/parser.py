r"""The answers of MATEO: three Yes/No/I don't know answers, or the name of a class.

Source: section 3 (a class is predicted by Yes to its question and No to both others; every other combination
is the class Other) and appendix A.2 (the forms). The paper prints no pattern. Where a form is repeated the
last one counts, so that a prompt repeated at the beginning of a reply changes nothing; and a form that lists
alternatives ("<Yes/No/I don't know>", "Before or After") states none.
"""

import re

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.text import normalise, unboxed

OTHER = "other"
FORMS = ("triple", "cot", "reflection")

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


def _text(reply: str) -> str:
    return unboxed(normalise(final_answer(reply) or ""))


def _label(name: str) -> str:
    return "independent" if name.lower() == "parallel" else name.lower()


def parse_answers(reply: str) -> tuple[str, str, str] | None:
    """Returns the answers to the three questions; None where one of them is not answered.

    Args:
        reply: The model's reply.

    Returns:
        Three of "yes", "no" and "unsure".

    >>> parse_answers("Q1: The answer is: Yes. Q2: The answer is: No. Q3: I don't know.")
    ('yes', 'no', 'unsure')
    """
    found = {number: answer.lower() for number, answer in _TRIPLE.findall(_text(reply))}
    if len(found) < 3:
        return None
    first, second, third = (
        "unsure" if found[number].startswith("i") else found[number] for number in ("1", "2", "3")
    )
    return first, second, third


def parse(reply: str, form: str) -> str | None:
    """Returns the class that a reply states.

    Args:
        reply: The model's reply.
        form: One of `FORMS`. `reflection` reads the final answer alone, never the answer before it: the paper
            counts a reply without a final answer as a failure.

    Returns:
        One of `card.CLASSES`; "other" for three answers that make no class; None where no answer can be read,
        which is scored as "other" too.

    >>> parse("Q1: The answer is: No. Q2: The answer is: No. Q3: The answer is: Yes.", "triple")
    'independent'
    >>> parse("The answer is: Before. Reflection: ...", "reflection") is None
    True
    """
    if form == "triple":
        answers = parse_answers(reply)
        if answers is None:
            return None
        if sorted(answers) != ["no", "no", "yes"]:
            return OTHER
        return CLASSES[answers.index("yes")]
    if form not in FORMS:
        raise ValueError(f"{form!r} is not one of {', '.join(FORMS)}")
    found = (_COT if form == "cot" else _FINAL).findall(_text(reply))
    return _label(found[-1]) if found else None


def parse_first(reply: str) -> str | None:
    """Returns the class that a reply with a reflection states before it reflects; None where it states none.

    >>> parse_first("The answer is: Before. Reflection: wrong. The final answer: After")
    'before'
    """
    text = _text(reply)
    reflection = _REFLECTION.search(text)
    found = _COT.findall(text[: reflection.start()] if reflection else text)
    return _label(found[-1]) if found else None
