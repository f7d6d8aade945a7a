"""Labelled replies in the contexts of five benchmarks, and of any question of a kind: `replies.jsonl`.

One context a line; of the latter, `choice`, `truth`, `item` and `order` stand for the benchmark.

A line is `{"benchmark", "kind", "context", "replies": [[reply, label], ...]}`. The label is what a careful
person says that the reply's final answer is, in the form that the benchmark scores; null where no single one
is given. A count's label is an object with `letter` and `number`, ReXTime's has `letter`, `span` or both. A
reply may be a list of strings and of `[string, times]`. `context.group` says what a row is an example of.

The rows are dealt by context. `dev` is to work on; `python benchmarks/reading.py --failures` lists what is
read wrongly there. `locked` is to measure on: nobody reads its failures, or mends by them. `locked.jsonl` is
all `locked`.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence import parser as coherence
from tempbench_lmms.mateo import parser as mateo
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Item, Order, Reading, Truth
from tempbench_lmms.rextime import parser as rextime
from tempbench_lmms.tempvs import parser as tempvs
from tempbench_lmms.timepercept import parser as timepercept

FILE = Path(__file__).with_name("replies.jsonl")
LOCKED = Path(__file__).with_name("locked.jsonl")
_SAME_TIME = 1e-6


@dataclass(frozen=True)
class Labelled:
    """A reply, what was asked, and the answer that it gives in the end."""

    benchmark: str
    kind: str
    context: dict[str, Any]
    reply: str
    label: Any
    locked: bool = False

    def readings(self) -> dict[str, Reading[Any]]:
        """Returns what the benchmark's parser reads, by field where the answer has several."""
        shown, options = self.context, self.context.get("options") or ()
        if self.benchmark == "choice":
            choice = Choice(
                "ABCDEFGH"[: len(options)], tuple(options), shown["noun"], asks=shown.get("asks", "")
            )
            return {"": reader.read(self.reply, choice)}
        if self.benchmark == "truth":
            return {"": reader.read(self.reply, Truth(shown.get("question", "")))}
        if self.benchmark == "item":
            return {"": reader.read(self.reply, Item(shown["n_images"]))}
        if self.benchmark == "order":
            order = Order(tuple(shown["labels"]), self.kind == "quantities")
            return {"": reader.read(self.reply, order).map("".join)}
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

    def verdicts(self, readings: dict[str, Reading[Any]] | None = None) -> list[str]:
        """Returns `right`, `unread` or `misread` for each field, of `readings` where they are there."""
        label = self.label if isinstance(self.label, dict) else {"": self.label, "letter": self.label}
        return [
            "right" if _same(one.value, label.get(name)) else "unread" if one.value is None else "misread"
            for name, one in (readings or self.readings()).items()
        ]

    def verdict(self, readings: dict[str, Reading[Any]] | None = None) -> str:
        """Returns the worst of `verdicts`."""
        return min(self.verdicts(readings), key=("misread", "unread", "right").index)


def _same(value: Any, label: Any) -> bool:
    if isinstance(value, tuple) and isinstance(label, list):
        return all(abs(one - other) < _SAME_TIME for one, other in zip(value, label, strict=True))
    return bool(value == label)


def is_locked(benchmark: str, kind: str, context: dict[str, Any]) -> bool:
    """Whether the rows of a context are measured and never looked at: about a quarter."""
    asked = json.dumps(context, sort_keys=True)
    dealt = f"{context['group']}|{kind}" if "group" in context else f"{benchmark}|{kind}|{asked}"
    return int(hashlib.sha256(dealt.encode()).hexdigest(), 16) % 4 == 0


def load() -> Iterator[Labelled]:
    """Yields all replies."""
    for file in (FILE, LOCKED):
        for line in filter(None, file.read_text(encoding="utf-8").split("\n")):
            row = json.loads(line)
            asked = row["benchmark"], row["kind"], row["context"]
            locked = file == LOCKED or is_locked(*asked)
            for reply, label in row["replies"]:
                parts = [reply] if isinstance(reply, str) else reply
                text = "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
                yield Labelled(*asked, text, label, locked)


def dev() -> list[Labelled]:
    """Returns the replies that one may look at."""
    return [row for row in load() if not row.locked]
