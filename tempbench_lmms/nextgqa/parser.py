"""The answers of NExT-GQA: an option's letter and a time span."""

from collections.abc import Sequence
from typing import Any

from tempbench_lmms.nextgqa.prompts import LETTERS
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Fields, Reading, TimeSpan


def read(
    reply: str,
    options: Sequence[str] = (),
    duration: float | None = None,
    prompt: str | None = None,
    at_limit: bool = False,
) -> dict[str, Reading[Any]]:
    """Reads the `letter` and the `span` of a reply to a question of a video of `duration` seconds.

    >>> found = read('{"answer": "E", "span": [5, 12.5]}')
    >>> found["letter"].value, found["span"].value
    ('E', (5.0, 12.5))
    """
    both = Fields(Choice(LETTERS, tuple(options)), TimeSpan(duration))
    letter, span = reader.read_both(reply, both, prompt, at_limit)
    return {"letter": letter, "span": span}
