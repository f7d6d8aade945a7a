"""The answers of TempVS: an option letter, or the number of an image for a grounding test."""

from collections.abc import Sequence
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Item, Reading


def expected(kind: str, options: Sequence[str], n_images: int) -> Choice | Item:
    """Returns what a question of kind `mt1`, `mt2`, `mt3` or `gt` (an image's number) expects."""
    return Item(n_images) if kind == "gt" else Choice("ABCDE"[: len(options)], tuple(options))


def read(
    reply: str,
    kind: str,
    options: Sequence[str],
    n_images: int,
    prompt: str | None = None,
    at_limit: bool = False,
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter, or an image's number as a string."""
    found: Reading[Any] = reader.read(reply, expected(kind, options, n_images), prompt, at_limit)
    return found.map(str) if kind == "gt" else found
