"""The order that a reply gives to labelled items."""

from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Order


def parse_permutation(reply: str, labels: Sequence[str], quantities: bool = False) -> tuple[str, ...] | None:
    """Returns the labels in the order in which a reply puts them.

    Args:
        reply: The model's reply, reasoning included.
        labels: The labels on offer: "1", "2", ... or "A", "B", ...
        quantities: The labels stand for quantities to be ranked upwards, so that a bare ">" between them
            says the contrary of what was asked, or is an arrow; such a reply is not read.

    Returns:
        A permutation of `labels`. None where there is none, or where the list repeats or lacks a label or has
        one that is not on offer.

    >>> parse_permutation("Image 2 -> Image 3 -> Image 1", "123")
    ('2', '3', '1')
    >>> parse_permutation("1, 1, 2", "123") is None
    True
    """
    order: tuple[str, ...] | None = reader.read(reply, Order(tuple(labels), quantities)).value
    return order
