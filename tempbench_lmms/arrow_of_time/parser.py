"""The direction that a reply states."""

from tempbench_lmms.arrow_of_time.card import ANSWERS
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice
from tempbench_lmms.parsing.reading import Reading


def read(reply: str, prompt: str | None = None, at_limit: bool = False) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is `F` or `B`.

    >>> read("The milk gathers in the middle, so it is played backward. B").value
    'B'
    """
    return reader.read(reply, Choice("".join(ANSWERS), tuple(ANSWERS.values())), prompt, at_limit)
