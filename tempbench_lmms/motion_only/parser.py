"""The answers of the motion-only questions: an option's letter."""

from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice
from tempbench_lmms.parsing.reading import Reading

LETTERS = "ABCD"


def read(
    reply: str, options: Sequence[str], prompt: str | None = None, at_limit: bool = False
) -> Reading[str]:
    """Reads a reply; the value is a letter.

    Args:
        reply: The model's reply, reasoning included.
        options: The options' texts.
        prompt: The prompt, whose words in the reply are no answer.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> read("I see a ring, so it is B.", ("a square", "a ring")).value
    'B'
    """
    letters = LETTERS[: len(options)] or LETTERS
    return reader.read(reply, Choice(letters, tuple(options[: len(letters)])), prompt, at_limit)


def parse(reply: str, options: Sequence[str]) -> str | None:
    """Returns the letter that a reply chooses; None where it chooses none, or several."""
    return read(reply, options).value
