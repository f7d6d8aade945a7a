"""Several answers in one reply: the letter of an option and a time span.

A field that an object has is the answer, even where it says null; only one that it lacks is looked for in
the text around it.
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.parsing import decide, span_choice
from tempbench_lmms.parsing.clean import Part, clean
from tempbench_lmms.parsing.echo import without_options, without_prompt
from tempbench_lmms.parsing.expected import Fields, TimeSpan
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.mentions import spans
from tempbench_lmms.parsing.reading import UNLESS_CUT, Reading, Reread, none
from tempbench_lmms.parsing.tokens import Text

Span = tuple[float, float]
_HOW = "answer"


def read(
    reply: str, both: Fields, prompt: str | None = None, at_limit: bool = False
) -> tuple[Reading[str], Reading[Span]]:
    """Reads a letter and a span, with the parameters of `reader.read`.

    >>> from tempbench_lmms.parsing.expected import Choice, Fields, TimeSpan
    >>> letter, span = read("B, from 12 to 20 seconds", Fields(Choice("ABCD"), TimeSpan()))
    >>> letter.value, span.value
    ('B', (12.0, 20.0))
    """
    if isinstance(reply, Reread):
        ours = read(str(reply), both, prompt, at_limit)
        return reply.instead(both.choice, ours[0]), reply.instead(both.span, ours[1])
    letter: Reading[str] = decide.read(reply, both.choice, prompt, at_limit)
    return letter, _span(reply, both, letter.value, prompt, at_limit)


def _span(reply: str, both: Fields, letter: str | None, prompt: str | None, at_limit: bool) -> Reading[Span]:
    """Returns the span of the first part of a reply that has one."""
    asked = both.choice
    cleaned = clean(without_options(without_prompt(reply, prompt), asked.letters, asked.texts))
    reason = "cut_off" if cleaned.cut_off else "empty"
    for part in cleaned.parts:
        if part.text:
            found, reason = _of_part(part, both, letter)
            if found is not None:
                return found
            if reason not in UNLESS_CUT:
                break
    return none("cut_off" if at_limit and reason in UNLESS_CUT else reason)


def _of_part(part: Part, both: Fields, letter: str | None) -> tuple[Reading[Span] | None, str]:
    whole = part.where(0, len(part.text))
    for value in reversed(json_values(part.text)):
        if not isinstance(value, Mapping) and part.text[0] + part.text[-1] != "[]":
            continue  # "A [1, 5], B [12, 20]" are no lists of JSON
        stated = spans.of_json(value, both.span)
        if stated:
            return Reading(stated[0], "json", whole), ""
        if isinstance(value, Mapping) and spans.has_field(value):
            return None, "nothing"
    picked, reason = span_choice.read(Text(part.text), both.span, both.choice, letter)
    if picked is None:
        return None, reason
    return Reading(picked.value, _HOW, part.where(picked.start, picked.end)), ""


def others(reply: str, video: TimeSpan) -> list[Any]:
    """Returns all spans that a reply names, in order."""
    parts = [part for part in clean(reply).parts if part.text]
    return [one.value for one in spans.find(Text(parts[0].text), video)] if parts else []
