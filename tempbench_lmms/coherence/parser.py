"""The answers of the video questions: an option letter, and for counts a number."""

import re
import string
from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Count, Reading
from tempbench_lmms.parsing.mentions.numbers import value_of

_OFFICIAL = re.compile(r"^Answer is:?[\(]?([A-Fa-f])[\)]?$")


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


def parse_official(reply: str, options: Sequence[str]) -> str | None:
    """Returns what TOMATO's own rules read, before it asks GPT-4o mini and then draws at random.

    Its faults are part of it: "Answer is: A" with a space, "A." and "(A)" are not read, "A: <option>" only
    where the option has no small letters, and the seventh letter, G, only alone. Source: `parse_result.py`.
    """
    reply = reply.strip()
    letters = letters_of(options)
    if len(reply) == 1 and reply.upper() in letters:
        return reply.upper()
    if reply.upper() in [f"{letter}: {option}" for letter, option in zip(letters, options, strict=True)]:
        return reply[0].upper()
    match = _OFFICIAL.match(reply)
    letter = match.group(1).upper() if match else ""
    return letter if letter and letter in letters else None


def number_official(reply: str, options: Sequence[str]) -> int | None:
    """Returns the number as the official code reads it, its call of Gemini replaced by our reader.

    A letter stands for its place in the alphabet (A is 1) and not for its option: so the official prompt and
    table. Source: `numeric_distance_metric.py`.
    """
    reply = str(reply)  # official numbers are of the text, whatever a second reader finds in it
    found = read(reply, options)
    letter, number = found.value or (None, None)
    said = reply[slice(*found.where)] if found.where else ""
    if letter and (number is None or re.search(rf"(?<!\w){letter}(?!\w)", said, re.IGNORECASE)):
        return letters_of(options).index(letter) + 1
    return number
