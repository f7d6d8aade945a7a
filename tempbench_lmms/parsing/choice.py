"""The letter of a multiple-choice answer."""

from collections.abc import Sequence

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice


def parse_choice(reply: str, letters: str, options: Sequence[str] = ()) -> str | None:
    """Returns the option letter that a reply chooses.

    Args:
        reply: The model's reply, reasoning included.
        letters: The letters on offer, e.g. "ABCDE"; upper case, from A on.
        options: The options' texts in the order of the letters; a reply that states one of them is read as
            its letter.

    Returns:
        One of `letters`, or None where the reply names no option, several, or one not on offer.

    >>> parse_choice("The answer is (B).", "AB")
    'B'
    >>> parse_choice("A man opens the door.", "AB") is None
    True
    """
    letter: str | None = reader.read(reply, Choice(letters, tuple(options))).value
    return letter
