"""The number of an item in a reply such as "Image 3"."""

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Item


def parse_index(reply: str, upper: int, noun: str = "image") -> int | None:
    """Returns the 1-based number of the one item that a reply names.

    Args:
        reply: The model's reply, reasoning included.
        upper: The number of items.
        noun: What the items are called; "Image 3" is preferred to other numbers in the text.

    Returns:
        A number from 1 to `upper`, or None where the reply names none, several, or one not on offer.

    >>> parse_index("The 2nd image.", 5), parse_index("Image 2 or 3", 5)
    (2, None)
    """
    number: int | None = reader.read(reply, Item(upper, noun)).value
    return number
