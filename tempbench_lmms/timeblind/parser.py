"""The answers of TimeBlind: Yes or No, or one of two letters."""

from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Reading, Truth


def read(
    reply: str, options: Sequence[str] = (), prompt: str | None = None, at_limit: bool = False
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter, or Yes or No where there are no options.

    >>> read("Is it faster? No, wait: yes. Answer: Yes").value
    'Yes'
    """
    if options:
        return reader.read(reply, Choice("ABCD"[: len(options)], tuple(options[:4])), prompt, at_limit)
    return reader.read(reply, Truth(), prompt, at_limit).map(lambda true: "Yes" if true else "No")
