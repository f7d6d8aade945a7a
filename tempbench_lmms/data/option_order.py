"""Reorders the options or frames of a question, with everything that depends on an option's letter."""

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tempbench_lmms.data.video_texts import LETTERS

Doc = Mapping[str, Any]


class Turned(NamedTuple):
    """A question whose options were rotated; the last ones come first."""

    labels: Sequence[str]  # the options' labels in the order shown; the same in every order
    texts: Sequence[str]  # their texts in the order shown
    changes: dict[str, Any]  # the changed columns of the question


def moved(options: Sequence[str], by: int) -> list[str]:
    """Returns rotated options.

    >>> moved(["a", "b", "c"], 1)
    ['c', 'a', 'b']
    """
    cut = -by % len(options) if options else 0
    return [*options[cut:], *options[:cut]]


def turned(doc: Doc, by: int, texts: Sequence[str] | None = None) -> Turned | None:
    """Rotates a question with options in the column `options` and a letter in `answer`.

    The letter in `target` moves with the answer. `choices` stays, because each chooses a letter.

    Returns:
        The rotated question; None if it has fewer than two options.
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
    """Returns the places 0 to n - 1 in another order, which depends only on the key.

    >>> shuffled(4, "a clip"), shuffled(1, "a clip")
    ([2, 3, 1, 0], [0])
    """
    order = list(range(n))
    generator = random.Random(hashlib.sha256(key.encode()).digest())
    while n > 1 and order == sorted(order):
        generator.shuffle(order)
    return order
