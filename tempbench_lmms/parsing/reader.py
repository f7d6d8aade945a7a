"""Reads the answers of a reply, in stages; `docs/reading_replies.md` has an example of each.

Of a letter and a time span in one reply, a field of an object is the answer, even if it is null; only missing
fields are looked for in the text around the object. There, a span before or after the event, or of the whole
video, counts only if there is no other. If options have spans, the chosen option's span counts.
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.parsing import decide
from tempbench_lmms.parsing.clean import Part, clean
from tempbench_lmms.parsing.exact import json_values
from tempbench_lmms.parsing.expected import (
    UNLESS_CUT,
    Choice,
    Expected,
    Fields,
    Reading,
    Reread,
    TimeSpan,
    none,
)
from tempbench_lmms.parsing.finders import finder_of
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mentions import Mention, options, spans
from tempbench_lmms.parsing.stance import Judged, Stance, Terms, judge
from tempbench_lmms.parsing.tokens import Text


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the one answer of a reply.

    Args:
        reply: The model's reply, reasoning included.
        expected: What kind of answer the question expects.
        prompt: The prompt, whose words in the reply are no answer; None where it isn't known.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> read("I first thought A, but the answer is B.", Choice("AB")).value
    'B'
    >>> read("The answer could be either A or B.", Choice("AB")).reason
    'several'
    """
    if isinstance(expected, TimeSpan):
        both = Fields(Choice("ABCD"), expected)  # a letter beside a span is not part of it
        ours: Reading[Any] = read_both(str(reply), both, prompt, at_limit)[1]
    else:
        ours = decide.read(str(reply), expected, prompt, at_limit)
    return reply.instead(expected, ours) if isinstance(reply, Reread) else ours


Span = tuple[float, float]
_HOW = "answer"
_FILL = roles("fill prep article is near from at idiom likely and")
_BEGINS = roles("and or prep to from article at")
_NEAR = 4  # signs between a span and the letter behind it


def read_both(
    reply: str, both: Fields, prompt: str | None = None, at_limit: bool = False
) -> tuple[Reading[str], Reading[Span]]:
    """Reads a letter and a span, with the parameters of `read`.

    >>> letter, span = read_both("B, from 12 to 20 seconds", Fields(Choice("ABCD"), TimeSpan()))
    >>> letter.value, span.value
    ('B', (12.0, 20.0))
    """
    if isinstance(reply, Reread):
        ours = read_both(str(reply), both, prompt, at_limit)
        return reply.instead(both.choice, ours[0]), reply.instead(both.span, ours[1])
    letter: Reading[str] = decide.read(reply, both.choice, prompt, at_limit)
    return letter, _span(reply, both, letter.value, prompt, at_limit)


def _span(reply: str, both: Fields, letter: str | None, prompt: str | None, at_limit: bool) -> Reading[Span]:
    asked = both.choice
    cleaned = clean(reply, prompt, asked.letters, asked.texts)
    reason = "cut_off" if cleaned.cut_off else "empty"
    for part in cleaned.parts:
        if part.text:
            found, reason = _of_part(part, both, letter)
            if found is not None:
                return found
    return none("cut_off" if at_limit and reason in UNLESS_CUT else reason)


def _of_part(part: Part, both: Fields, letter: str | None) -> tuple[Reading[Span] | None, str]:
    values = json_values(part.text)
    for value in reversed(values):
        if not isinstance(value, Mapping) and (len(values) > 1 or part.text[0] + part.text[-1] != "[]"):
            continue  # "A [1, 5], B [12, 20]" are no lists of JSON
        if stated := spans.of_json(value, both.span):
            return Reading(stated[0], "json", part.where(0, len(part.text))), ""
        if isinstance(value, Mapping) and spans.has_field(value):
            return None, "nothing"
    text = Text(part.text)
    found = spans.find(text, both.span)
    if both.choice.texts and found:  # times in an option's own text are no span
        own = options.texts(text, both.choice)
        found = [m for m in found if not any(one.start <= m.end <= one.end for one in own)]
    picked, reason = _picked(text, found, both, letter) if found else (None, "nothing")
    if picked is None:
        return None, reason
    where = part.where(picked.mention.start, picked.mention.end)
    return Reading(picked.mention.value, _HOW, where), ""


def _picked(text: Text, found: list[Mention], both: Fields, letter: str | None) -> tuple[Judged | None, str]:
    """Returns the span that a text gives beside options, one of them perhaps chosen; or None, and why."""
    live = decide.alive(text, judge(text, found, Terms()))
    last = (both.span.duration or spans.MAX_SECONDS) - 1
    part = [one for one in live if one.mention.value[0] > 0 or one.mention.value[1] < last]
    live = part or live
    if letter and len({one.mention.value for one in live}) > 1:
        named = [one for one in options.find(text, both.choice) if one.form in ("label", "letter")]
        letters = {one.mention: _letter_of(text, found, named, one.mention) for one in live}
        mine = [one for one in live if letters[one.mention] == letter]
        if len({one.mention.value for one in mine}) == 1:
            return mine[-1], ""
    if len({one.mention.value for one in live}) != 1:
        return decide.decide(text, live, finder_of(both.span))
    said = max(one.stance for one in live) > Stance.NAMED
    return (live[-1], "") if said or not _breaks_off(text, live[-1].mention) else (None, "cut_off")


def _breaks_off(text: Text, mention: Mention) -> bool:
    """Returns whether a text ends after a span and a word that begins something else."""
    last = text.before(len(text.text), 0)
    return last is not None and mention.end < last.start and bool(last.roles & _BEGINS)


def _letter_of(text: Text, found: list[Mention], named: list[Mention], mention: Mention) -> str | None:
    """Returns the letter that a span belongs to: the last one before it, else the one directly after it."""
    start = text.sentences[text.sentence(mention.start)].start
    left = max([start, *(one.end for one in found if one.end <= mention.start)])
    right = min([mention.end + _NEAR, *(one.start for one in found if one.start >= mention.end)])
    before = [one for one in named if left <= one.start and one.end <= mention.start]
    behind = [one for one in named if mention.end <= one.start < right]
    return str((before or behind[:1])[-1].value) if before or behind else None


def others(reply: str, video: TimeSpan) -> list[Any]:
    """Returns all spans that a reply names, in order."""
    parts = [part for part in clean(reply).parts if part.text]
    return [one.value for one in spans.find(Text(parts[0].text), video)] if parts else []
