"""A reading of a reply: a value with the rule and the place, or the reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

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
"""The rules by which a value is read; `cli/read.py` says what each is."""


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
