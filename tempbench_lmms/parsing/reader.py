"""Reads the answer of a reply, in stages; `docs/reading_replies.md` has an example of each."""

from typing import Any

from tempbench_lmms.parsing import decide, fields
from tempbench_lmms.parsing.expected import Choice, Expected, Fields, TimeSpan
from tempbench_lmms.parsing.reading import Reading, Reread


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the one answer of a reply.

    Args:
        reply: The model's reply, reasoning included.
        expected: What kind of answer the question expects.
        prompt: The prompt, whose words in the reply are no answer; None where it isn't known.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> from tempbench_lmms.parsing.expected import Choice
    >>> read("I first thought A, but the answer is B.", Choice("AB")).value
    'B'
    >>> read("The answer could be either A or B.", Choice("AB")).reason
    'several'
    """
    if isinstance(expected, TimeSpan):
        both = Fields(Choice("ABCD"), expected)  # a letter beside a span is not part of it
        ours: Reading[Any] = fields.read(str(reply), both, prompt, at_limit)[1]
    else:
        ours = decide.read(str(reply), expected, prompt, at_limit)
    return reply.instead(expected, ours) if isinstance(reply, Reread) else ours
