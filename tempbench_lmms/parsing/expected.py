"""Kinds of answers that a question expects, and a reading: what a reply answers, or why there is no answer.

The kinds are tuples, because they are the keys of caches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar


class Choice(NamedTuple):
    """One of lettered options; a reading's value is the letter.

    Attributes:
        letters: The letters on offer, upper case, from A on.
        texts: The options' texts in the order of the letters; empty if unknown.
        noun: What an option is called beside "option", as in "Pair B".
        asks: The comparison that is asked for, if a reply may answer by comparing the options: `first before
            second` (which of two images came first) or `longest` (which option takes the longest time);
            without one `read` puts the prompt here.
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
            are in order), `first before second` (Image 1 was taken before Image 2), `first longer` (Pair 1
            covers more time); without one `read` puts the prompt here.
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


T = TypeVar("T")
U = TypeVar("U")

REASONS = ("empty", "cut_off", "refused", "several", "nothing")
"""Why no value is read: the reply is empty; it ends in its reasoning or at the token limit; it says that it
can't answer; it leaves open which of several it means; or no answer is in it."""
UNLESS_CUT = frozenset({"empty", "nothing"})
"""The reasons that are `cut_off` where a reply is known to have ended at its token limit."""

RULES = frozenset(
    {"whole", "json", "box", "last line", "answer", "first line", "conclusion", "words", "only one", "form"}
)
"""The rules by which a value is read; `cli/questions.py` says what each is."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """One reading of a reply.

    Attributes:
        value: The reply's answer; None if no single answer can be read.
        how: The rule that read it, one of `RULES`; None without a value.
        where: Start and end of the part of the reply that states it, as indices into the reply.
        reason: Why there is no value, one of `REASONS`; None with a value.
    """

    value: T | None
    how: str | None = None
    where: tuple[int, int] | None = None
    reason: str | None = None

    def map(self, change: Callable[[T], U]) -> "Reading[U]":
        """Returns the same reading with another form of its value."""
        value = None if self.value is None else change(self.value)
        if value is self.value:
            return self  # type: ignore[return-value]
        return Reading(value, self.how, self.where, self.reason)


@lru_cache(maxsize=16)  # there are a few, and most replies need several
def none(reason: str) -> Reading[Any]:
    """Returns a reading without a value."""
    return Reading(None, reason=reason)


SECOND = "second reader"
"""`Reading.how` of a value that a second reader found; none of `RULES`."""


class Reread(str):
    """A reply whose reading somebody else may replace.

    Parsers accept it as a reply. They read its text as always, and then call `choose` with the expected
    answer and our reading; it returns the reading that counts. So the same code scores other readings, and
    nothing else about the text changes.

    Args:
        reply: The reply.
        choose: Takes what is expected (see `expected.py`) and our reading.
    """

    _choose: Callable[[Any, Reading[Any]], Reading[Any]]

    def __new__(cls, reply: str, choose: Callable[[Any, Reading[Any]], Reading[Any]]) -> "Reread":
        """Returns the text as a string that also holds `choose`."""
        made = super().__new__(cls, reply)
        made._choose = choose
        return made

    def instead(self, expected: Any, ours: Reading[Any]) -> Reading[Any]:
        """Returns the reading that counts."""
        return self._choose(expected, ours)
