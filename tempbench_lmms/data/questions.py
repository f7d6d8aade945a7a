"""Lines of prompts that several benchmarks share; options and frames of a question in another order."""

import contextlib
import hashlib
import json
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tempbench_lmms.errors import TempbenchError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def seconds(value: float) -> str:
    """Returns a time as a prompt prints it: at most two decimals.

    >>> seconds(150.0), seconds(129.964)
    ('150', '129.96')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def frame_label(number: int, time: float) -> str:
    """Returns the text before frame `number` (from 1), shown at `time` seconds."""
    return f"Frame {number}, at {time:.1f} seconds:"


def frame_times(times: Sequence[float]) -> str:
    """Returns the line with the times of frames, for a model that gets all frames before the text."""
    listed = ", ".join(f"{time:.1f}" for time in times)
    return f"The {len(times)} frames are taken at these times, in seconds: {listed}."


def options(texts: Sequence[str]) -> str:
    r"""Returns the options of a question, one per line.

    >>> options(["a dog", "a cat"])
    'A. a dog\nB. a cat'
    """
    return "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)])


@contextlib.contextmanager
def of_release(question: Any) -> Iterator[None]:
    """Raises `TempbenchError`, which names the question, for an error about its record in a release."""
    try:
        yield
    except KeyError as error:
        raise TempbenchError(
            f"question {question}: the field {error} is missing; use the official files"
        ) from None
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise TempbenchError(f"question {question}: {error}; use the official files") from None


def reply(answer: str, span: Sequence[float]) -> str:
    """Returns a reply with an option and a span in seconds, as JSON.

    >>> reply("B", [3.0, 7.5])
    '{"answer": "B", "span": [3, 7.5]}'
    """
    return json.dumps({"answer": answer, "span": [int(one) if one == int(one) else one for one in span]})


def finite(value: Any) -> float:
    """Returns a release's number of seconds; raises ValueError for anything else."""
    if isinstance(value, bool) or not math.isfinite(float(value)):
        raise ValueError(f"{value!r} is not a number of seconds")
    return float(value)


def span_of(window: Sequence[Any]) -> list[float]:
    """Returns a release's start and end; raises ValueError if they are not two numbers."""
    if len(window) != 2:
        raise ValueError("a span needs a start and an end")
    return [finite(one) for one in window]


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
