"""The answers of the video questions: an option letter, and for counts a number."""

import re
import string
from collections.abc import Sequence

from tempbench_lmms.parsing.choice import parse_choice
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.integer import integers
from tempbench_lmms.parsing.text import normalise

_LEAD_IN = re.compile(
    r"^(?:based on [^,]{0,80},\s*)?(?:so,?\s+|therefore,?\s+)?(?:the\s+)?"
    r"(?:correct\s+|final\s+|right\s+|best\s+)*(?:answer|option|choice)\s*(?:is|:)\s*:?\s*",
    re.IGNORECASE,
)
_OFFICIAL = re.compile(r"^Answer is:?[\(]?([A-Fa-f])[\)]?$")


def letters_of(options: Sequence[str]) -> str:
    """Returns the letters of the options: "ABCD" for four."""
    return string.ascii_uppercase[: len(options)]


def value_of(option: str) -> int | None:
    """Returns the number that an option is; None where it is none."""
    text = option.strip().rstrip(".")
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None


def _squash(text: str) -> str:
    words = " ".join(re.sub(r"[^\w-]+", " ", text).lower().split())
    # "Counter-clockwise" is "counterclockwise"; "-3" is not "3".
    return re.sub(r"(?<=[^\W\d])[- ](?=[^\W\d])", "", words)


def parse(reply: str, options: Sequence[str]) -> str | None:
    """Returns the letter of the option that a reply chooses; None where it chooses none, or several.

    By its letter, by its text, or, where all options are numbers, by the one number that the reply states.
    """
    letters = letters_of(options)
    text = final_answer(reply)
    if text is None:
        return None
    bare = _squash(_LEAD_IN.sub("", normalise(text)))
    same = [letter for letter, option in zip(letters, options, strict=True) if _squash(option) == bare]
    if len(same) == 1:
        return same[0]
    if (letter := parse_choice(text, letters, options)) is not None:
        return letter
    values = [value_of(option) for option in options]
    stated = set(integers(text))
    if None not in values and len(stated) == 1 and values.count(value := stated.pop()) == 1:
        return letters[values.index(value)]
    return None


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


def number(reply: str, options: Sequence[str]) -> int | None:
    """Returns the number that a reply to a counting question states.

    The value of the option that it chooses; else the last number in it.
    """
    text = final_answer(reply)
    if text is None:
        return None
    letter = parse(text, options)
    if letter is not None and (value := value_of(options[letters_of(options).index(letter)])) is not None:
        return value
    stated = integers(text)
    return stated[-1] if stated else None


def number_official(reply: str, options: Sequence[str]) -> int | None:
    """Returns the number as the official code reads it, its call of Gemini replaced by our parsers.

    A letter stands for its place in the alphabet (A is 1) and not for its option: so the official prompt and
    table. Source: `numeric_distance_metric.py`.
    """
    text = final_answer(reply) or ""
    letter = parse_choice(text, letters_of(options), ()) or parse_official(reply, options)
    if letter is not None:
        return string.ascii_uppercase.index(letter) + 1
    stated = integers(text)
    return stated[-1] if stated else None
