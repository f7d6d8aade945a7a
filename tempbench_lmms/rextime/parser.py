"""The answers of ReXTime: an option's letter and a time span."""

from collections.abc import Sequence
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Fields, Reading, TimeSpan
from tempbench_lmms.rextime.prompts import LETTERS

Span = reader.Span

NO_SPAN: Span = (0.0, 0.0)
"""What a reply without a span counts as for the official scorer, which stops at a missing one."""


def expected(
    options: Sequence[str] = (),
    duration: float | None = None,
    times: Sequence[float] = (),
    unit: str = "seconds",
) -> Fields:
    """Returns what a question expects: one of four options and a span (see `TimeSpan`) of the video."""
    return Fields(Choice(LETTERS, tuple(options)), TimeSpan(duration, tuple(times), unit))


def read(
    reply: str,
    options: Sequence[str] = (),
    duration: float | None = None,
    times: Sequence[float] = (),
    unit: str = "seconds",
    prompt: str | None = None,
    at_limit: bool = False,
) -> dict[str, Reading[Any]]:
    """Reads the `letter` and the `span` of a reply, with what `expected` and `reader.read` are told.

    >>> found = read('{"answer": "B", "span": [5, 12.5]}')
    >>> found["letter"].value, found["span"].value
    ('B', (5.0, 12.5))
    """
    letter, span = reader.read_both(reply, expected(options, duration, times, unit), prompt, at_limit)
    return {"letter": letter, "span": span}


def parse(
    reply: str, options: Sequence[str] = (), duration: float | None = None
) -> tuple[str | None, list[Span]]:
    """Returns the letter and the spans that a reply states; the first span is the one that is scored.

    >>> parse('{"answer": "B", "span": [5, 12.5]}')
    ('B', [(5.0, 12.5)])
    """
    found = read(reply, options, duration)
    return found["letter"].value, spans_of(found["span"].value, reply, duration)


def spans_of(scored: Span | None, text: str, duration: float | None = None) -> list[Span]:
    """Returns the span of a reply that was read and is scored, and then the others that the reply states."""
    if scored is None:
        return []
    return [scored, *(other for other in reader.others(text, TimeSpan(duration)) if other != scored)]
