"""What must not change a reading, and what must: changes of the labelled replies, for a test and a command.

A change makes of a row that is read right another reply with its label, where that makes sense.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.parsing.replies import Labelled

_SHORT = 80
_CLASSES = {"before": "Before", "after": "After", "independent": "Parallel"}
_MARKED = re.compile(r"[{}\\<>|`*$\n]")
_BARE = re.compile(r"(?!.*\b(?:no|not|none|neither|nor|nein|yes)\b)[A-Za-z0-9][\w .()-]{,23}", re.IGNORECASE)
# What may stand around an answer and says nothing else.
_FORM = re.compile(
    r"(?:\W|_|\b(?:the|my|final|correct|right|best|answer|is|option|image|choice|pair|number|order|letter|picture"
    r"|i|choose|pick|would|say|so|it|s|d|to|be|from|span|boxed|text|json)\b)*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b[aA]\b")
_REASONS = re.compile("think|thought|reason|analysis", re.IGNORECASE)
Made = tuple[Any, ...] | None
"""A reply and its label, or the labels that are right for it; None where a change makes no sense."""


def _another(label: str, labels: Sequence[str]) -> str:
    return labels[(labels.index(label) + 1) % len(labels)]


def other(row: Labelled) -> Any:
    """Returns another label of the same form as the row's; None where there is none."""
    label, shown = row.label, row.context
    letters = "ABCDEFGH"[: len(shown.get("options") or ()) or shown.get("n_images", 0) // 2]
    if label is None or label == "other" or (isinstance(label, dict) and None in label.values()):
        return None
    if row.kind == "count":
        letter = _another(label["letter"], letters)
        number = shown["options"][letters.index(letter)]
        return {"letter": letter, "number": int(number)} if number.isdigit() else None
    if isinstance(label, dict):
        start, end = label.get("span", (0, 2))
        letter = _another(label.get("letter", "A"), letters or "AB")
        return {name: {"letter": letter, "span": [start, (start + end) / 2]}[name] for name in label}
    if isinstance(label, bool):
        return not label
    for labels in (("True", "False"), tuple(_CLASSES), tuple(letters)):
        if label in labels:
            return _another(label, labels)
    if str(label).isdigit() and row.benchmark != "order":
        return type(label)(int(label) % shown["n_images"] + 1)
    between = ", " if "," in label else ""
    items = label.split(between) if between else label
    return between.join([*items[1:], items[0]])


def said(row: Labelled, label: Any) -> str:
    """Returns a label as a bare answer."""
    if row.kind == "count":
        return str(label["number"])
    if isinstance(label, dict):
        span = "{:g} to {:g} s".format(*label["span"]) if "span" in label else ""
        return ", ".join(filter(None, (label.get("letter"), span)))
    return ", ".join(label) if row.benchmark == "order" else _CLASSES.get(label, str(label))


def _varied(row: Labelled, wordings: tuple[str, ...]) -> str:
    return wordings[zlib.crc32(row.reply.encode()) % len(wordings)]


def _plain(row: Labelled) -> bool:
    return row.label is not None and len(row.reply) <= _SHORT and not _MARKED.search(row.reply)


def behind(between: str, *wordings: str) -> Callable[[Labelled], Made]:
    """Returns the change that says something of no account behind a reply."""

    def change(row: Labelled) -> Made:
        last = row.reply.rstrip().rpartition("\n")[2]
        ends = row.label is not None or last.endswith((".", "!", "?", "。"))
        if not ends or not last or (between == " " and last.startswith(("|", "```"))):
            return None
        return row.reply.rstrip() + between + _varied(row, wordings), row.label

    return change


def around(before: str, after: str) -> Callable[[Labelled], Made]:
    """Returns the change that puts marks around a short reply of one line."""
    return lambda row: (before + row.reply + after, row.label) if _plain(row) else None


def corrected(*wordings: str) -> Callable[[Labelled], Made]:
    """Returns the change that corrects a short reply behind it."""

    def change(row: Labelled) -> Made:
        if not _plain(row) or row.kind == "triple" or (label := other(row)) is None:
            return None
        return row.reply.rstrip() + _varied(row, wordings).format(said(row, label)), label

    return change


def _cased(fold: Callable[[str], str]) -> Callable[[Labelled], Made]:
    def change(row: Labelled) -> Made:
        unclear = "ß" in row.reply or (_ARTICLE.search(row.reply) and len(row.reply.split()) > 3)
        # There, a small letter is an image and a capital an option.
        unclear = unclear or row.kind in ("mt2", "mt3", "order", "orders")
        return (fold(row.reply), row.label) if _plain(row) and not unclear else None

    return change


def _denied(row: Labelled) -> Made:
    if not _plain(row) or not _BARE.fullmatch(row.reply) or len(row.reply.split()) > 3:
        return None
    options = len(row.context.get("options") or ()) or row.context.get("n_images", 0)
    of_two = isinstance(row.label, bool) or row.label in ("True", "False") or options == 2
    return f"not {row.reply}", None, *((other(row),) if of_two else ())


def _swapped(row: Labelled) -> Made:
    label = None if row.kind == "triple" else other(row)
    if label is None:
        return None
    before, now, after = row.reply.partition(said(row, row.label))
    if not now or not _FORM.fullmatch(before) or not _FORM.fullmatch(after):
        return None
    return before + said(row, label) + after, label


def _restated(row: Labelled) -> Made:
    options = row.context.get("options")
    if not options or not _plain(row):
        return None
    listed = [f"{letter}. {text}" for letter, text in zip("ABCDEFGH", options, strict=False)]
    return "The options:\n" + "\n".join(reversed(listed)) + f"\n\n{row.reply}", row.label


def _thought(row: Labelled) -> Made:
    if _REASONS.search(row.reply):
        return None
    doubt = f" It might be {said(row, label)}?" if (label := other(row)) is not None else ""
    return f"<think>Let me look at it first.{doubt} I have to look again.</think>\n\n{row.reply}", row.label


_QUESTIONS = ("Would you like me to explain it?", "Shall I go into detail?", "Does that make sense?")
_COURTESIES = ("I hope this helps!", "Let me know if you need anything else.", "Have a nice day!")
_CONFIDENCE = ("Confidence: 85%", "Confidence: high", "My confidence is 0.9.", "(confidence: 8/10)")
_NOTES = ("Note: I looked at the frames that were shown.", "Note: the pictures are small.")
_APOLOGIES = (" Sorry, I meant {}.", " Apologies, it should be {}.", " My mistake, it is {}.")
_MINDS = (" On second thought, {}.", " No, wait, it is {}.", " I change my answer to {}.")
CHANGES: dict[str, Callable[[Labelled], Made]] = {
    "a closing question, same line": behind(" ", *_QUESTIONS),
    "a closing question, next line": behind("\n", *_QUESTIONS),
    "a closing question, new paragraph": behind("\n\n", *_QUESTIONS),
    "a courtesy, same line": behind(" ", *_COURTESIES),
    "a courtesy, next line": behind("\n", *_COURTESIES),
    "a courtesy, new paragraph": behind("\n\n", *_COURTESIES),
    "a line of confidence": behind("\n", *_CONFIDENCE),
    "a note": behind("\n\n", *_NOTES),
    "capitals": _cased(str.upper),
    "small letters": _cased(str.lower),
    "CRLF": lambda row: (row.reply.replace("\n", "\r\n"), row.label) if "\n" in row.reply else None,
    "space around": lambda row: (f"\n\n {row.reply} \n", row.label),
    "a code fence": around("```\n", "\n```"),
    "bold": around("**", "**"),
    "a bullet": around("- ", ""),
    "said twice": lambda row: (f"{row.reply}\n\n{row.reply}", row.label) if _plain(row) else None,
    "the options before it, in another order": _restated,
    "thinking before it": _thought,
    '"not" before a bare answer': _denied,
    "an apology that corrects": corrected(*_APOLOGIES),
    "an edit behind it": corrected("\nEdit: {}", "\nCorrection: {}", "\n\nUpdate: {}"),
    "another mind": corrected(*_MINDS),
    "another answer in its place": _swapped,
}
"""Each change by name."""


def read_changed(name: str, rows: Iterable[Labelled]) -> Iterator[tuple[str, Labelled]]:
    """Yields each row that a change makes of some that are read right, and its verdict."""
    for row in rows:
        if made := CHANGES[name](row):
            changed = [replace(row, reply=made[0], label=label) for label in made[1:]]
            yield min(((one.verdict(), one) for one in changed), key=lambda one: one[0] != "right")
