"""Options and frames of a question in another order, with everything that goes by an option's letter."""

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tempbench_lmms.data.video_texts import LETTERS

Doc = Mapping[str, Any]


class Turned(NamedTuple):
    """A question whose options have been moved on by some places; the last ones come first.

    Attributes:
        labels: What the options are called in the order shown; the same in every order.
        texts: Their texts in the order shown.
        changes: The columns of the question that differ.
    """

    labels: Sequence[str]
    texts: Sequence[str]
    changes: dict[str, Any]


def moved(options: Sequence[str], by: int) -> list[str]:
    """Returns options moved on by some places.

    >>> moved(["a", "b", "c"], 1)
    ['c', 'a', 'b']
    """
    cut = -by % len(options) if options else 0
    return [*options[cut:], *options[:cut]]


def turned(doc: Doc, by: int, texts: Sequence[str] | None = None) -> Turned | None:
    """Returns a question whose options are the column `options` and whose `answer` is a letter.

    The letter in `target` moves with the answer. `choices` stays: they choose a letter each.

    Returns:
        The question; None where it has fewer than two options.
    """
    texts = doc["options"] if texts is None else texts
    if len(texts) < 2:
        return None
    labels = LETTERS[: len(texts)]
    answer = labels[(labels.index(doc["answer"]) + by) % len(labels)]
    # The letter that stands by itself: in `B`, `Option B` and {"answer": "B", "span": [5, 12.5]}.
    target = re.sub(rf"\b{doc['answer']}\b", answer, doc["target"], count=1)
    new = moved(texts, by)
    return Turned(labels, new, {"options": new, "answer": answer, "target": target})


def shuffled(n: int, key: str) -> list[int]:
    """Returns the places 0 to n - 1 in another order, which is the same for a key wherever it is drawn.

    >>> shuffled(4, "a clip"), shuffled(1, "a clip")
    ([2, 3, 1, 0], [0])
    """
    order = list(range(n))
    generator = random.Random(hashlib.sha256(key.encode()).digest())
    while n > 1 and order == sorted(order):
        generator.shuffle(order)
    return order
