"""What a question expects for an answer. The reader is told one of these, and nothing of the benchmark.

Each is a tuple: one is made for each reply, and what is prepared for it is looked up by it.
"""

from typing import NamedTuple


class Choice(NamedTuple):
    """One of lettered options; a reading's value is the letter.

    Attributes:
        letters: The letters on offer, upper case, from A on.
        texts: The options' texts in the order of the letters; none where they aren't known.
        noun: What an option is called beside "option", as in "Pair B".
        asks: What is asked of the options, where a reply may answer by comparing them: `first before second`
            (which of two images came first) or `longest` (which of the letters stands for the longest time).
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
        odd: Whether the one is asked for that doesn't fit, so that "Image 3 does not belong" names it.
    """

    upper: int
    noun: str = "image"
    odd: bool = False


class Order(NamedTuple):
    """All labels in an order; the value is a tuple of them.

    Attributes:
        labels: "1", "2", ... or "A", "B", ...
        quantities: The labels stand for quantities, ranked from the smallest to the largest. A bare ">"
            between them says the contrary of that, or is an arrow: such an order is not read.
    """

    labels: tuple[str, ...]
    quantities: bool = False


class Truth(NamedTuple):
    """True or False.

    Attributes:
        claim: What the statement says, where a reply may answer by repeating or denying it: `chronological`
            (the images are in order), `first before second` (Image 1 was taken before Image 2) or
            `first longer` (more time lies in Pair 1).
    """

    claim: str = ""


class Count(NamedTuple):
    """A number, asked for with lettered options; the value is a pair of letter and number.

    The letter is None where the number is none of the options. Both come from one reading.
    """

    letters: str
    texts: tuple[str, ...]


class TimeSpan(NamedTuple):
    """A stretch of a video; the value is a tuple of start and end in seconds.

    Attributes:
        duration: Of the video in seconds; "until the end" and percent need it and are not read without.
        times: Of the frames shown, in seconds, in their order: "frames 3 to 7" is read by them.
        unit: What bare numbers are: `seconds`, `percent` of the video, or `token` (0 to 99, as models
            trained on normalised times write them).
    """

    duration: float | None = None
    times: tuple[float, ...] = ()
    unit: str = "seconds"


class Relation(NamedTuple):
    """How two steps stand to each other: `before`, `after` or `independent`.

    Attributes:
        form: `triple` for three questions, each answered with Yes, No or I don't know; `cot` for one
            answer; `reflection` for an answer that is reviewed and given again.
        classes: The three values, in this order.
    """

    form: str
    classes: tuple[str, ...]


class Fields(NamedTuple):
    """An option and a time span in one reply; the value is a pair, each None where it isn't given."""

    choice: Choice
    span: TimeSpan


Expected = Choice | Item | Order | Truth | Count | TimeSpan | Relation | Fields
