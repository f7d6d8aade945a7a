"""Labelled replies: `corpus.jsonl`, one reply a line, with what a person would read in it.

`kind` says what was asked; `expected` is the answer, null where a person could not tell; a `reply` that is a
list is written short: strings, and [text, times].
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.parsing.choice import parse_choice
from tempbench_lmms.parsing.number import parse_index

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
N_IMAGES = 5


@dataclass(frozen=True)
class Labelled:
    """One reply.

    Attributes:
        group: What it is an example of.
        kind: A key of `OPTIONS`, or `image` for the number of one of five images.
        reply: The reply.
        expected: A letter, a number, or None.
    """

    group: str
    kind: str
    reply: str
    expected: str | int | None

    def read(self) -> str | int | None:
        """Returns what the parser reads."""
        return read(self.kind, self.reply)


def read(kind: str, reply: str) -> str | int | None:
    """Returns what the parser of `kind` reads in `reply`."""
    if kind == "image":
        return parse_index(reply, N_IMAGES)
    options = OPTIONS[kind]
    return parse_choice(reply, "ABCDE"[: len(options)], options)


def load() -> list[Labelled]:
    """Returns all replies."""
    labelled = []
    with Path(__file__).with_name("corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            parts = row["reply"] if isinstance(row["reply"], list) else [row["reply"]]
            reply = "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
            labelled.append(Labelled(row["group"], row["kind"], reply, row["expected"]))
    return labelled
