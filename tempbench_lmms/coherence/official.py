"""The official readings of a reply to a video question."""

import re
from collections.abc import Sequence

from tempbench_lmms.coherence.parser import letters_of, read

_OFFICIAL = re.compile(r"^Answer is:?[\(]?([A-Fa-f])[\)]?$")


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
