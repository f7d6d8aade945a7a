"""A second opinion on multiple-choice tasks of others: our reader's letter beside the task's own score."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice

_LISTS = ("options", "choices", "candidates")
_ONE_BY_ONE = ("{}", "option_{}", "choice_{}", "option{}")
_LABEL = re.compile(r"\s*\(?([A-Z])\s*[.):]\s*")
_MOST = 10


@dataclass(frozen=True)
class Answer:
    """A reply to a question with options.

    Attributes:
        id: The question.
        reply: The reply.
        right: The letter of the right option.
        letter: The letter that our reader finds; None if there is none.
        score: The task's own score; above 0 for a right reply.
    """

    id: str
    reply: str
    right: str
    letter: str | None
    score: float

    @property
    def is_right(self) -> bool:
        """Whether our reader reads the right letter."""
        return self.letter == self.right

    @property
    def differs(self) -> bool:
        """Whether our reading gives another score."""
        return self.is_right != (self.score > 0)


def options_of(doc: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the options in a document, without their letters; empty if it has none.

    >>> options_of({"options": "['red', 'blue']"}), options_of({"A": "red", "B": "blue", "C": None})
    (('red', 'blue'), ('red', 'blue'))
    """
    for name in _LISTS:
        found = doc.get(name)
        if isinstance(found, str):
            try:
                found = ast.literal_eval(found)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
        if isinstance(found, Mapping):
            found = found.get("text")
        if isinstance(found, (list, tuple)) and 2 <= len(found) <= _MOST:
            return _unlabelled([str(one) for one in found])
    for form in _ONE_BY_ONE:
        for letters in (ascii_uppercase, ascii_uppercase.lower()):
            named = [doc.get(form.format(letter)) for letter in letters[:_MOST]]
            end = next((i for i, one in enumerate(named) if not isinstance(one, str)), _MOST)
            if end > 1:
                return _unlabelled([str(one) for one in named[:end]])
    return ()


def _unlabelled(texts: list[str]) -> tuple[str, ...]:
    labels = [_LABEL.match(text) for text in texts]
    if all(one and one[1] == letter for one, letter in zip(labels, ascii_uppercase, strict=False)):
        return tuple(_LABEL.sub("", text, count=1).strip() for text in texts)
    return tuple(text.strip() for text in texts)


def right_letter(options: tuple[str, ...], doc: Mapping[str, Any], target: str) -> str | None:
    """Returns the letter of the right option, from the log's target or the document; None if unclear.

    >>> right_letter(("red", "blue"), {"answer": 1}, ""), right_letter(("red", "blue"), {}, "A. red")
    ('B', 'A')
    """
    letters = ascii_uppercase[: len(options)]
    for said in (target, *(doc.get(name) for name in ("answer", "label", "answerKey", "gt"))):
        if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < len(options):
            return letters[said]
        words = str(said).strip()
        label = _LABEL.match(words)
        for letter, text in zip(letters, options, strict=True):
            if words in (letter, f"({letter})", text) or (label and label[1] == letter):
                return letter
    return None


def answer(
    id_: str, reply: str, prompt: str, doc: Mapping[str, Any], target: str, score: float
) -> Answer | None:
    """Returns a reply as our reader reads it; None if the question's options or right answer are unknown."""
    options = options_of(doc)
    right = right_letter(options, doc, target) if options else None
    if right is None:
        return None
    expected = Choice(ascii_uppercase[: len(options)], options)
    return Answer(id_, reply, right, reader.read(reply, expected, prompt).value, score)


def default_letter(answers: Iterable[Answer]) -> str | None:
    """Returns the letter that a task assigns to every reply without one; None if it does not do this.

    Among such replies, exactly those with this letter as the right answer count as right.
    """
    silent = [one for one in answers if one.letter is None]
    letters = [one.right for one in silent if one.score > 0]
    if len({*letters}) != 1 or len(letters) < 2:  # a single one may be a lucky guess
        return None
    return letters[0] if sum(one.right == letters[0] for one in silent) == len(letters) else None
