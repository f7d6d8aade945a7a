"""The answers of ReXTime: an option's letter and a time span."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.parsing.choice import parse_choice
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.text import normalise
from tempbench_lmms.parsing.timespan import Span, parse_spans, without_spans
from tempbench_lmms.rextime.prompts import LETTERS

_ANSWER_KEYS = (
    "answer",
    "final_answer",
    "ans",
    "option",
    "choice",
    "letter",
    "selected_option",
    "prediction",
)

NO_SPAN: Span = (0.0, 0.0)
"""What a reply without a span counts as for the official scorer, which stops at a missing one."""


def parse_answer(reply: str, options: Sequence[str] = ()) -> str | None:
    """Returns the letter that a reply chooses; None where it chooses none, or several.

    Read are, in this order: a field of a JSON object; a letter in the text; an option's text, also after
    the time span ("From 0 to 28, they eat spicy food.", the released answer template).

    Args:
        reply: The model's reply, reasoning included.
        options: The options' texts.
    """
    text = final_answer(reply)
    if text is None:
        return None
    values = [value for value in json_values(normalise(text)) if isinstance(value, Mapping)]
    for value in reversed(values):
        fields = {str(key).strip().lower().replace(" ", "_"): item for key, item in value.items()}
        for key in _ANSWER_KEYS:
            if key in fields:
                return _of_field(fields[key], options)
    if letter := parse_choice(text, LETTERS, options):
        return letter
    rest = without_spans(text)
    return None if rest == text else parse_choice(rest, LETTERS, options)


def _of_field(value: Any, options: Sequence[str]) -> str | None:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return parse_choice(value, LETTERS, options) if isinstance(value, str) else None


def parse(
    reply: str, options: Sequence[str] = (), duration: float | None = None
) -> tuple[str | None, list[Span]]:
    """Returns the letter and the spans that a reply states.

    >>> parse('{"answer": "B", "span": [5, 12.5]}')
    ('B', [(5.0, 12.5)])
    """
    text = final_answer(reply)
    return (None, []) if text is None else (parse_answer(text, options), parse_spans(text, duration))
