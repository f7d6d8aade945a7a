"""What tests of the check share."""

from tempbench_lmms.check import questions
from tempbench_lmms.media import codes, images

KINDS = tuple(questions.KINDS)


def png(card):
    """Returns a card's picture as a PNG file."""
    return images.png(codes.as_image(codes.drawn(card)))


def found(check):
    """Returns the names of the faults that a check found."""
    return set(check.names)
