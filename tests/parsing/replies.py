"""Labelled replies in the contexts of five benchmarks, and of any options or claim: `replies.jsonl`.

One context a line; of the latter, `choice` and `truth` stand for the benchmark.

A line is `{"benchmark", "kind", "context", "replies": [[reply, label], ...]}`. The label is what a careful
person says that the reply's final answer is, in the form that the benchmark scores; null where no single one
is given. A count's label is an object with `letter` and `number`, ReXTime's has `letter`, `span` or both.
Behind the label of a reply that is not yet read so stands `unread` or `misread`; to write these words anew
after the reader changed: `python -m tests.parsing.replies`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence import parser as coherence
from tempbench_lmms.mateo import parser as mateo
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Truth
from tempbench_lmms.parsing.reading import Reading
from tempbench_lmms.rextime import parser as rextime
from tempbench_lmms.tempvs import parser as tempvs
from tempbench_lmms.timepercept import parser as timepercept

FILE = Path(__file__).with_name("replies.jsonl")
_SAME_TIME = 1e-6


@dataclass(frozen=True)
class Labelled:
    """A reply, what was asked, and the answer that it gives in the end."""

    benchmark: str
    kind: str
    context: dict[str, Any]
    reply: str
    label: Any
    known: str = "right"
    """What `verdict` gives today."""

    def readings(self) -> dict[str, Reading[Any]]:
        """Returns what the benchmark's parser reads, by field where the answer has several."""
        shown, options = self.context, self.context.get("options") or ()
        if self.benchmark == "choice":
            choice = Choice(
                "ABCDEFGH"[: len(options)], tuple(options), shown["noun"], asks=shown.get("asks", "")
            )
            return {"": reader.read(self.reply, choice)}
        if self.benchmark == "truth":
            return {"": reader.read(self.reply, Truth())}
        if self.benchmark == "tempvs":
            return {"": tempvs.read(self.reply, self.kind, options, shown["n_images"])}
        if self.benchmark == "timepercept":
            return {"": timepercept.read(self.reply, self.kind, options, shown["n_images"])}
        if self.benchmark == "mateo":
            return {"": mateo.read(self.reply, self.kind)}
        if self.benchmark == "coherence":
            found = coherence.read(self.reply, options)
            pair = found.value or (None, None)
            number = {"number": Reading(pair[1], found.how)} if self.kind == "count" else {}
            return {"letter": Reading(pair[0], found.how, reason=found.reason), **number}
        asked = {"letter": self.kind != "span", "span": self.kind != "answer"}
        read = rextime.read(self.reply, options if asked["letter"] else (), shown.get("duration"))
        return {name: read[name] for name, wanted in asked.items() if wanted}

    def verdict(self, readings: dict[str, Reading[Any]] | None = None) -> str:
        """Returns `right`, `unread` or `misread`, of `readings` where they are there."""
        label = self.label if isinstance(self.label, dict) else {"": self.label, "letter": self.label}
        found = {
            name: (reading.value, label.get(name)) for name, reading in (readings or self.readings()).items()
        }
        if all(_same(value, said) for value, said in found.values()):
            return "right"
        nothing = all(value is None for value, _ in found.values())
        wrong = any(value is not None and not _same(value, said) for value, said in found.values())
        return "unread" if nothing or not wrong else "misread"

    @property
    def how(self) -> str:
        """The rule that reads the reply, or the reason why none does."""
        first = next(iter(self.readings().values()))
        return str(first.how or first.reason)


def _same(value: Any, label: Any) -> bool:
    if isinstance(value, tuple) and isinstance(label, list):
        return all(abs(one - other) < _SAME_TIME for one, other in zip(value, label, strict=True))
    return bool(value == label)


def load() -> Iterator[Labelled]:
    """Yields all replies."""
    with FILE.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            row = json.loads(line)
            for said in row["replies"]:
                yield Labelled(row["benchmark"], row["kind"], row["context"], *said)


def verdicts(rows: list[Labelled]) -> Counter[str]:
    """Returns how many replies are read right, not at all, and wrongly."""
    return Counter(row.verdict() for row in rows)


def main() -> None:
    """Writes behind each label how the reply is read today."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]
    for row in rows:
        for said in row["replies"]:
            verdict = Labelled(row["benchmark"], row["kind"], row["context"], *said[:2]).verdict()
            said[2:] = [verdict] if verdict != "right" else []
    FILE.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
