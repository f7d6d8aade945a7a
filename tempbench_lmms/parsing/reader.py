"""Reads the answers of a reply, in stages; `docs/reading_replies.md` has an example of each.

Of a letter and a time span in one reply, a field of an object is the answer, even if it is null; only missing
fields are looked for in the text around the object. There, a span before or after the event, or of the whole
video, counts only if there is no other. If options have spans, the chosen option's span counts.
"""

from typing import Any

from tempbench_lmms.parsing import decide, exact
from tempbench_lmms.parsing.clean import clean
from tempbench_lmms.parsing.expected import Choice, Count, Expected, Fields, Reading, Reread, TimeSpan, Truth
from tempbench_lmms.parsing.finders import beside, finder_of
from tempbench_lmms.parsing.mentions import spans
from tempbench_lmms.parsing.tokens import Text


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the one answer of a reply.

    Args:
        reply: The model's reply, reasoning included.
        expected: What kind of answer the question expects.
        prompt: The prompt, whose words in the reply are no answer; None where it isn't known.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> read("I first thought A, but the answer is B.", Choice("AB")).value
    'B'
    >>> read("The answer could be either A or B.", Choice("AB")).reason
    'several'
    """
    if isinstance(expected, Fields):
        letter, span = read_both(reply, expected, prompt, at_limit)
        pair = None if letter.value is None is span.value else (letter.value, span.value)
        return Reading(
            pair, letter.how or span.how, letter.where or span.where, None if pair else letter.reason
        )
    if isinstance(expected, TimeSpan):
        choice = Choice("ABCD")  # a letter beside a span is not part of it
        find = beside(choice, expected, lambda: _one(str(reply), choice, prompt, at_limit).value)
        ours: Reading[Any] = decide.read(clean(str(reply), prompt, choice.letters), find, at_limit)
    else:
        ours = _one(str(reply), expected, prompt, at_limit)
    return reply.instead(expected, ours) if isinstance(reply, Reread) else ours


def _one(reply: str, expected: Expected, prompt: str | None, at_limit: bool) -> Reading[Any]:
    shown = (expected.letters, expected.texts) if isinstance(expected, (Choice, Count)) else ()
    if isinstance(expected, Truth):
        expected = Truth(expected.claim or prompt or "")
    elif isinstance(expected, Choice):
        expected = expected._replace(asks=expected.asks or prompt or "")
    return decide.read(clean(reply, prompt, *shown), finder_of(expected, decide.of_text), at_limit)


Span = tuple[float, float]


def read_both(
    reply: str, both: Fields, prompt: str | None = None, at_limit: bool = False
) -> tuple[Reading[str], Reading[Span]]:
    """Reads a letter and a span, with the parameters of `read`.

    >>> letter, span = read_both("B, from 12 to 20 seconds", Fields(Choice("ABCD"), TimeSpan()))
    >>> letter.value, span.value
    ('B', (12.0, 20.0))
    """
    if isinstance(reply, Reread):
        ours = read_both(str(reply), both, prompt, at_limit)
        return reply.instead(both.choice, ours[0]), reply.instead(both.span, ours[1])
    asked = both.choice
    cleaned = clean(reply, prompt, asked.letters, asked.texts)
    letter: Reading[str] = decide.read(cleaned, finder_of(asked, decide.of_text), at_limit)
    return letter, decide.read(cleaned, beside(*both, lambda: letter.value), at_limit)


def others(reply: str, video: TimeSpan) -> list[Any]:
    """Returns all spans that a reply names, in order."""
    parts = [part for part in clean(reply).parts if part.text]
    values = exact.json_values(parts[0].text) if parts else []
    return [one for value in values for one in spans.of_json(value, video)] or [
        one.value for part in parts[:1] for one in spans.find(Text(part.text), video)
    ]
