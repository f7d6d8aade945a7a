"""Short replies that are one word, with the usual words, marks, tag, box or field around it.

A model that keeps to its prompt replies so. One pattern tells such a reply, and it needs none of the stages
of `reader`, by which it would be read the same way.
"""

from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.expected import Choice, Expected, Item, Order, Truth
from tempbench_lmms.parsing.kinds import kind_of
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading

LONGEST = 48
"""A longer reply has another form."""
# "I" is the pronoun more often than a number.
_WORD = r"(?:(?!I\b)[A-Za-z]+|\d{1,2})"
_LEAD = (
    r"(?:(?P<lead>(?:[Tt]he |[Mm]y )?(?:(?:[Ff]inal|[Cc]orrect) )?[Aa]nswer(?: is)?:? "
    r"|\*\*(?:Final )?[Aa]nswer(?::\*\*|\*\*:) )?(?:[Oo]ption (?=[A-H]\b))?)"
)
_FORM = lazy(
    rf"{_LEAD}(?:(?P<word>{_WORD})\.?|\((?P<bracket>{_WORD})\)\.?|\*\*(?P<bold>{_WORD})\*\*\.?"
    rf"|[Ii]mage (?P<image>\d{{1,2}})\.?|\$?\\boxed\{{(?P<box>{_WORD})\}}\$?\.?)"
    rf'|\{{"answer": ?(?:"(?P<field>{_WORD})"|(?P<value>\d{{1,2}}|true|false))\}}'
    rf'|```json\n\{{"answer": ?"(?P<fenced>{_WORD})"\}}\n```'
    rf"|<answer>(?P<tag>{_WORD})</answer>"
)
_HOW = {"fenced": "json", "tag": "box", "box": "box"}


# "The answer is correct" says of it that it is right, and "Answer: i" may be any list's.
_BEHIND_LEAD = frozenset(("true", "false", "yes", "no"))


def form_of(reply: str) -> tuple[str, str, bool] | None:
    """Returns of a reply that is one word its form, the word, and whether a lead announces it; else None.

    >>> form_of("The answer is B."), form_of("<answer>True</answer>"), form_of("B or C")
    (('word', 'B', True), ('tag', 'True', False), None)
    """
    found = _FORM.fullmatch(reply) if len(reply) <= LONGEST else None
    if found is None or not found.lastgroup:
        return None
    return found.lastgroup, found[found.lastgroup], bool(found["lead"])


def value_of(word: str, expected: Expected) -> Any:
    """Returns the value that a word is whatever the options say; None where it is none on offer."""
    if isinstance(expected, Choice):
        return word.upper() if len(word) == 1 and word.upper() in expected.letters else None
    return None if isinstance(expected, Order) else _value_of(word, expected)


@lru_cache(maxsize=1024, typed=True)
def _value_of(word: str, expected: Expected) -> Any:
    kind = kind_of(expected)
    found = kind.whole(word)
    return found[0] if len(found) == 1 and kind.offers(found[0]) else None


def read(reply: str, expected: Expected) -> Reading[Any] | None:
    """Reads a reply that is one word; None where it isn't, or the word names no value.

    >>> from tempbench_lmms.parsing.expected import Choice
    >>> read("The answer is B.", Choice("AB"))
    Reading(value='B', how='whole', where=(0, 16), reason=None)
    """
    found = form_of(reply)
    if found is None or (found[0] == "image" and not isinstance(expected, Item)):
        return None
    form, word, is_led = found
    if is_led and (word == "i" or (isinstance(expected, Truth) and word.lower() not in _BEHIND_LEAD)):
        return None
    if (value := value_of(word, expected)) is None:
        return None
    how = _HOW.get(form, "whole")
    start = reply.find(word) if how == "box" else 0
    return Reading(value, how, (start, start + len(word)) if how == "box" else (0, len(reply)))
