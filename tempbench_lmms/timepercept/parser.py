"""The answers of TimePerceptBench: an image's number, an ordering, True or False, or an option letter."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Expected, Item, Order, Reading, Truth
from tempbench_lmms.timepercept.card import PAIRS

_CLAIMS = {"sov": "chronological", "pov": "first before second", "pic": "first longer"}


def expected(test: str, options: Sequence[str], n_images: int) -> Expected:
    """Returns what a question of one of `prompts.TESTS` or `prompts.CONTROLS` expects."""
    if test == "isr":
        return Order(tuple(str(i + 1) for i in range(n_images)))
    if test == "ipr":
        return Order(tuple(ascii_uppercase[: max(PAIRS["ipr"], n_images // 2)]), quantities=True)
    if test in _CLAIMS:
        return Truth(_CLAIMS[test])
    if test == "tal":
        return Item(n_images, odd=True)
    if test == "eii":
        pairs = ascii_uppercase[: max(PAIRS["eii"], n_images // 2)]
        return Choice(pairs, tuple(f"Pair {letter}" for letter in pairs), noun="pair", asks="longest")
    if test == "transfer_order":
        # A comparison goes by the pictures: the letter of the first one comes first, wherever it stands.
        if options and "second" in options[0]:
            return Choice("BA", tuple(reversed(options)), asks="first before second")
        return Choice("AB", tuple(options), asks="first before second")
    return Choice("ABCDEF"[: len(options)], tuple(options))


def read(
    reply: str,
    test: str,
    options: Sequence[str],
    n_images: int,
    prompt: str | None = None,
    at_limit: bool = False,
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value has the form of the column `answer`.

    `test`, `options` and `n_images` are those of `expected`.

    >>> read("Image 3 has fewer houses. Answer: 2, 1, 3", "isr", (), 3).value
    '2, 1, 3'
    """
    return reader.read(reply, expected(test, options, n_images), prompt, at_limit).map(_written)


def _written(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
