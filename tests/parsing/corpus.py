"""Labelled replies: `corpus.jsonl`, one reply a line, with what a person would read in it.

`kind` says what was asked; `expected` is the answer, null where a person could not tell; a `reply` that is a
list is written short: strings, and [text, times].
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.coherence import parser as coherence
from tempbench_lmms.mateo import parser as mateo
from tempbench_lmms.parsing.boolean import parse_boolean
from tempbench_lmms.parsing.choice import parse_choice
from tempbench_lmms.parsing.number import parse_index
from tempbench_lmms.parsing.permutation import parse_permutation
from tempbench_lmms.parsing.timespan import parse_span
from tempbench_lmms.rextime.parser import parse_answer

Answer = str | int | bool | tuple[float, float] | None

OPTIONS = {
    "two": ("True", "False"),
    "five": (
        "The dog barks",
        "A man opens the door",
        "The cat sleeps on the sofa",
        "Two children eat soup",
        "It starts to rain",
    ),
    "order": (
        "Image a -> Image b -> Image c",
        "Image a -> Image c -> Image b",
        "Image b -> Image a -> Image c",
        "Image b -> Image c -> Image a",
        "Image c -> Image b -> Image a",
    ),
}
EVENTS = ("The man opens the door", "He picks up a ball", "The dog runs away", "A woman sings")
TURNS = ("Clockwise", "Counter-clockwise", "No rotation", "Left to right")
N_IMAGES = 5


def _letters(order: tuple[str, ...] | None) -> str | None:
    return None if order is None else "".join(order)


READERS = {
    **{
        kind: lambda reply, options=options: parse_choice(reply, "ABCDE"[: len(options)], options)
        for kind, options in OPTIONS.items()
    },
    "image": lambda reply: parse_index(reply, N_IMAGES),
    "truth": parse_boolean,
    "permutation": lambda reply: _letters(parse_permutation(reply, "12345")),
    "quantities": lambda reply: _letters(parse_permutation(reply, "ABC", quantities=True)),
    "span": lambda reply: parse_span(reply, 100.0),
    "moment": lambda reply: parse_answer(reply, EVENTS),
    "count": lambda reply: coherence.number(reply, ("2", "3", "4", "5")),
    "turn": lambda reply: coherence.parse(reply, TURNS),
    **{form: lambda reply, form=form: mateo.parse(reply, form) for form in mateo.FORMS},
}
"""What reads a reply, by what was asked: an option among `OPTIONS`, `EVENTS` or `TURNS`, the number of one of
five images, True or False, an order of five images or three quantities, a span of a video of 100 seconds, a
count, and the forms of MATEO."""


@dataclass(frozen=True)
class Labelled:
    """One reply.

    Attributes:
        group: What it is an example of.
        kind: A key of `READERS`.
        reply: The reply.
        expected: The answer, or None.
    """

    group: str
    kind: str
    reply: str
    expected: Answer

    def read(self) -> Answer:
        """Returns what the parser reads."""
        return READERS[self.kind](self.reply)


def read(kind: str, reply: str) -> Answer:
    """Returns what the parser of `kind` reads in `reply`."""
    return READERS[kind](reply)


@functools.cache
def load() -> list[Labelled]:
    """Returns all replies, which nobody may change."""
    labelled = []
    with Path(__file__).with_name("corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            parts = row["reply"] if isinstance(row["reply"], list) else [row["reply"]]
            reply = "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
            expected = tuple(row["expected"]) if isinstance(row["expected"], list) else row["expected"]
            labelled.append(Labelled(row["group"], row["kind"], reply, expected))
    return labelled
