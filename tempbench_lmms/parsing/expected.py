"""Kinds of answers that a question expects. The reader knows one of them, and nothing of the benchmark.

They are tuples, because they are the keys of caches.
"""

from typing import NamedTuple


class Choice(NamedTuple):
    """One of lettered options; a reading's value is the letter.

    Attributes:
        letters: The letters on offer, upper case, from A on.
        texts: The options' texts in the order of the letters; empty if unknown.
        noun: What an option is called beside "option", as in "Pair B".
        asks: The comparison that is asked for, if a reply may answer by comparing the options: `first before
            second` (which of two images came first) or `longest` (which option takes the longest time).
    """

    letters: str
    texts: tuple[str, ...] = ()
    noun: str = ""
    asks: str = ""


class Item(NamedTuple):
    """One of numbered images; the value is its number.

    Attributes:
        upper: How many there are; they count from 1.
        noun: What they are called.
        odd: Whether the question asks for the image that does not fit, so "Image 3 does not belong" names it.
    """

    upper: int
    noun: str = "image"
    odd: bool = False


class Order(NamedTuple):
    """All labels in an order; the value is a tuple of them.

    Attributes:
        labels: "1", "2", ... or "A", "B", ...
        quantities: Whether the labels are quantities, ranked from the smallest to the largest. A bare ">"
            between them may mean the contrary or be an arrow, so such an order is not read.
    """

    labels: tuple[str, ...]
    quantities: bool = False


class Truth(NamedTuple):
    """True or False.

    Attributes:
        claim: The statement, if a reply may answer by repeating or denying it: `chronological` (the images
            are in order), `first before second` (Image 1 was taken before Image 2) or `first longer` (Pair 1
            covers more time).
    """

    claim: str = ""


class Count(NamedTuple):
    """A number, asked for with lettered options; the value is a pair of letter and number.

    The letter is None if no option has the number. Both come from one reading.
    """

    letters: str
    texts: tuple[str, ...]


class TimeSpan(NamedTuple):
    """A stretch of a video; the value is a tuple of start and end in seconds.

    Attributes:
        duration: The video's length in seconds; "until the end" and percentages are not read without it.
        times: The times of the frames shown, in seconds, in order; needed to read "frames 3 to 7".
        unit: The unit of bare numbers: `seconds`, `percent` of the video, or `token` (0 to 99, as models
            trained on normalised times write them).
    """

    duration: float | None = None
    times: tuple[float, ...] = ()
    unit: str = "seconds"


class Relation(NamedTuple):
    """The order of two steps: `before`, `after` or `independent`.

    Attributes:
        form: `triple` for three questions, each answered with Yes, No or I don't know; `cot` for one
            answer; `reflection` for an answer that is reviewed and given again.
        classes: The three values, in this order.
    """

    form: str
    classes: tuple[str, ...]


class Fields(NamedTuple):
    """An option and a time span in one reply; the value is a pair, with None for a missing part."""

    choice: Choice
    span: TimeSpan


Expected = Choice | Item | Order | Truth | Count | TimeSpan | Relation | Fields
