"""The answers of the video questions: an option letter, and for counts a number."""

import string
from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Count, Reading
from tempbench_lmms.parsing.mentions.numbers import value_of


def letters_of(options: Sequence[str]) -> str:
    """Returns the letters of the options: "ABCD" for four."""
    return string.ascii_uppercase[: len(options)]


def expected(options: Sequence[str]) -> Choice | Count:
    """Returns what a question with these options expects: a count where all of them are numbers."""
    letters, texts = letters_of(options), tuple(options)
    if texts and all(value_of(text) is not None for text in texts):
        return Count(letters, texts)
    return Choice(letters, texts)


def read(
    reply: str, options: Sequence[str], prompt: str | None = None, at_limit: bool = False
) -> Reading[tuple[str | None, int | None]]:
    """Reads a reply as `reader.read` does; the value is the letter, and for a count its number.

    Letter and number come from one reading: they can't disagree. The letter is None where the number is none
    of the options, the number where the options are no numbers.
    """
    wanted = expected(options)
    found = reader.read(reply, wanted, prompt, at_limit)
    return found if isinstance(wanted, Count) else found.map(lambda letter: (letter, None))
