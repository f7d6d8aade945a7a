"""Several answers in one reply: the letter of an option and a time span.

JSON is decoded once, and both fields come from one object. A field that the object has is the answer, even
where it says null; only one that it lacks is looked for in the text around it.
"""

import re
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.echo import without_placeholders, without_prompt
from tempbench_lmms.parsing.expected import Choice, Fields, TimeSpan
from tempbench_lmms.parsing.final_answer import final_part
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.kinds import kind_of
from tempbench_lmms.parsing.reading import Reading, Reread, none
from tempbench_lmms.parsing.refusals import without_questions, without_refusals
from tempbench_lmms.parsing.text import normalise
from tempbench_lmms.parsing.timespan import fields_of, has_span_key, spans_of_text, without_times

_TAG = re.compile(r"<((?:\w*span|time\w*|segment|interval|glue|window))>([^<]{1,200})</\1>", re.IGNORECASE)
_TABLE = re.compile(
    r"^[ ]*\|(?P<head>[^\n]+)\|[ ]*\n[ ]*\|[-:| ]+\|[ ]*\n[ ]*\|(?P<row>[^\n]+)\|[ ]*$", re.MULTILINE
)
_OBJECT = re.compile(r"(?:```(?:json)?\s*)?\{[\s\S]*\}(?:\s*```)?")


def read(
    reply: str, both: Fields, prompt: str | None = None, at_limit: bool = False
) -> tuple[Reading[str], Reading[tuple[float, float]]]:
    """Reads a letter and a span.

    Args:
        reply: The model's reply, reasoning included.
        both: The options and the video.
        prompt: The prompt, whose words in the reply are no answer.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> from tempbench_lmms.parsing.expected import Choice, Fields, TimeSpan
    >>> letter, span = read("B, from 12 to 20 seconds", Fields(Choice("ABCD"), TimeSpan()))
    >>> letter.value, span.value
    ('B', (12.0, 20.0))
    """
    if isinstance(reply, Reread):
        letter, span = read(str(reply), both, prompt, at_limit)
        return reply.instead(both.choice, letter), reply.instead(both.span, span)
    part = final_part(reply)
    if part.cut_off:
        return none("cut_off"), none("cut_off")
    if part.wide is None:
        reason = "cut_off" if at_limit else "empty"
        return none(reason), none(reason)
    wide = part.wide
    if "|" in wide:
        wide = _TABLE.sub(_rows, wide)
    if "<" in wide:
        wide = _TAG.sub(r" span: [\2]\n", wide)
    texts = [part.tagged, wide] if part.tagged else [wide]
    letter, span = none("nothing"), none("nothing")
    where = part.start, part.end
    for text in texts:
        found_letter, found_span = _of_part(normalise(text), text, both, prompt, where)
        letter = found_letter if letter.value is None else letter
        span = found_span if span.value is None else span
        if letter.value is not None and span.value is not None:
            break
    if at_limit or reader.looks_cut(part.wide):
        letter = none("cut_off") if letter.reason == "nothing" else letter
        span = none("cut_off") if span.reason == "nothing" else span
    return letter, span


def _rows(table: re.Match[str]) -> str:
    """Returns a table of one row as lines of "head: cell"."""
    cells = zip(table["head"].split("|"), table["row"].split("|"), strict=False)
    return "\n".join(f"{head.strip()}: {cell.strip()}" for head, cell in cells)


def _of_part(
    text: str, raw: str, expected: Fields, prompt: str | None, where: tuple[int, int]
) -> tuple[Reading[str], Reading[tuple[float, float]]]:
    objects = _objects(text) if "{" in text or "[" in text else []
    value = _answering(objects, expected)
    letter: Reading[str] | None = None
    span: Reading[tuple[float, float]] | None = None
    if value is not None:
        letter = _letter_of(value, expected.choice, where)
        spans = fields_of(value, expected.span)
        if spans:
            span = Reading(spans[0], "json", where)
        elif has_span_key(value):
            span = none("nothing")
        if letter is None or span is None:
            text = raw = _OBJECT.sub(" ", text)
    if letter is None:
        letter = _letter_in(text, raw, expected, prompt, where)
    if span is None:
        span = _span_in(text, expected, prompt, where)
    return letter, span


def _objects(text: str) -> list[Any]:
    found: list[Any] = []
    for value in json_values(text)[-reader.MOST_OBJECTS :]:
        nested = value if isinstance(value, list) and value and isinstance(value[0], Mapping) else [value]
        found += [one for one in nested[:1] if isinstance(one, Mapping)]
    return found


def _answering(objects: list[Any], expected: Fields) -> Mapping[Any, Any] | None:
    """Returns the last object that has a field of an answer."""
    for value in reversed(objects):
        if (
            reader.of_object(kind_of(expected.choice), value)
            or fields_of(value, expected.span)
            or has_span_key(value)
        ):
            inner = [item for item in value.values() if isinstance(item, Mapping)]
            # {"result": {"answer": ..., "span": ...}}
            deeper = _answering(inner, expected) if len(value) == 1 else None
            return deeper or dict(value)
    return None


def _letter_of(value: Mapping[Any, Any], choice: Choice, where: tuple[int, int]) -> Reading[str] | None:
    found = reader.of_object(kind_of(choice), value)
    if found is None:
        return None
    if found.value is None or not kind_of(choice).offers(found.value):
        return none(found.how if found.value is None else "nothing")
    return Reading(found.value, "json", where)


def _letter_in(
    text: str, raw: str, expected: Fields, prompt: str | None, where: tuple[int, int]
) -> Reading[str]:
    found = reader.read(raw, expected.choice, prompt)
    if found.value is None:
        rest = without_times(text)
        if rest != text and rest.strip():
            found = reader.read(rest, expected.choice, prompt)
    return found if found.value is None else Reading(found.value, found.how, where)


def _span_in(
    text: str, expected: Fields, prompt: str | None, where: tuple[int, int]
) -> Reading[tuple[float, float]]:
    text = without_placeholders(without_prompt(text, prompt))
    text, refused = without_refusals(without_questions(text))
    for option in expected.choice.texts:
        if re.search(r"\d", option):
            text = re.sub(re.escape(option), " ", text, flags=re.IGNORECASE)
    spans = spans_of_text(text, expected.span)
    if spans:
        return Reading(spans[0], "answer", where)
    return none("refused" if refused else "nothing")


def read_span(
    reply: str, video: TimeSpan, prompt: str | None = None, at_limit: bool = False
) -> Reading[tuple[float, float]]:
    """Reads the time span of a reply that was asked for nothing else."""
    return read(reply, Fields(Choice("ABCD"), video), prompt, at_limit)[1]
