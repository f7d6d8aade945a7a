"""The answers: an option's label, or yes or no."""

import re
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Item, Reading, Reread, Truth, none

YES_NO = ("yes", "no")

# "B. text" and " D. text" in multiple choice; "Caption A: text", "Sentence B: text" and "Option 1: text".
_OPTION = re.compile(r"\s*(?:(Caption|Sentence|Option) )?([A-G]|[1-9])[.:]\s*(.*)", re.DOTALL)
_NUMBERED = re.compile(
    r"(?P<before>\boptions?\s*[-#:]?\s*[\"'(\[*]*\s*|^[\s\"'(\[*]*|\banswer\s+is\s*:?\s*[\"'(\[*]*)"
    r"(?P<number>[1-9])(?![\w%]|[.,]\d)",
    re.IGNORECASE | re.MULTILINE,
)


class Option(NamedTuple):
    """An option as the question shows it; the noun is `caption`, `sentence`, `option` or ""."""

    noun: str
    label: str
    text: str


def option(line: str, number: int = 0) -> Option:
    """Returns the parts of an option; one without a label gets the letter of its place.

    >>> option("Caption A: A man runs."), option("B. left"), option("yes", 1)
    (Option(noun='caption', label='A', text='A man runs.'), Option(noun='', label='B', text='left'), \
Option(noun='', label='B', text='yes'))
    """
    found = _OPTION.fullmatch(line)
    if not found:
        return Option("", string.ascii_uppercase[number], line)
    return Option((found[1] or "").lower(), found[2], found[3].strip())


def options_of(question: str) -> list[str]:
    """Returns the answers on offer: the lines below the first one; yes and no where there is none."""
    return question.split("\n")[1:] or [*YES_NO]


def label_of(answer: str) -> str:
    """Returns what `read` returns for an official answer: its label; yes and no as they are."""
    return answer if answer in YES_NO else option(answer).label


def read(
    reply: str, options: Sequence[str], prompt: str | None = None, at_limit: bool = False
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is the label of an option, or `yes` or `no`.

    The options are as the question shows them, label included; `YES_NO` where it has none.
    """
    if tuple(options) == YES_NO:
        truth = reader.read(reply, Truth(), prompt, at_limit)
        return truth.map(lambda value: YES_NO[0] if value else YES_NO[1])
    if not options:
        return none("nothing")
    offered = [option(line, number) for number, line in enumerate(options)]
    texts, noun = tuple(one.text for one in offered), offered[0].noun
    labels = "".join(one.label for one in offered)
    if labels.isdigit():
        return _read_numbered(reply, texts, prompt, at_limit)
    return reader.read(reply, Choice(labels, texts, "" if noun == "option" else noun), prompt, at_limit)


def _read_numbered(reply: str, texts: tuple[str, ...], prompt: str | None, at_limit: bool) -> Reading[str]:
    """Reads a reply to numbered options as one to lettered options, number by number."""
    if isinstance(reply, Reread):
        ours = _read_numbered(str(reply), texts, prompt, at_limit)
        found: Reading[Any] = reply.instead(Item(len(texts), "option"), ours.map(int))
        return found.map(str)
    letters = string.ascii_uppercase[: len(texts)]
    # As long as before, so that places in the reply stay what they are.
    lettered = _lettered(reply, letters)
    read_ = reader.read(lettered, Choice(letters, texts), prompt and _lettered(prompt, letters), at_limit)
    return read_.map(lambda letter: str(letters.index(letter) + 1))


def _lettered(text: str, letters: str) -> str:
    def change(match: re.Match[str]) -> str:
        number = int(match["number"])
        return match["before"] + (letters[number - 1] if number <= len(letters) else match["number"])

    return _NUMBERED.sub(change, text)
