"""The answers of the motion-only questions: an option's letter."""

from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Reading

LETTERS = "ABCD"


def read(
    reply: str, options: Sequence[str], prompt: str | None = None, at_limit: bool = False
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter.

    >>> read("I see a ring, so it is B.", ("a square", "a ring")).value
    'B'
    """
    letters = LETTERS[: len(options)] or LETTERS
    return reader.read(reply, Choice(letters, tuple(options[: len(letters)])), prompt, at_limit)
