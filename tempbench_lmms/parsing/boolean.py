"""True or False."""

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Truth


def parse_boolean(reply: str) -> bool | None:
    """Returns whether a reply says True or False; "yes" and "no" count where they are the reply.

    Args:
        reply: The model's reply, reasoning included.

    Returns:
        None where the reply says neither, or both without saying which is its answer.

    >>> parse_boolean("The order is reasonable. Answer: True"), parse_boolean("True or False?")
    (True, None)
    """
    truth: bool | None = reader.read(reply, Truth()).value
    return truth
