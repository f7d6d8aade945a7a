"""What is looked for, by what a question expects."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tempbench_lmms.parsing.expected import Choice, Count, Expected, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.mentions import counts, numbers, options, orders, relations, spans, truth
from tempbench_lmms.parsing.stance import Terms
from tempbench_lmms.parsing.tokens import Text


class Finder(NamedTuple):
    """What finds and names the values of one expected answer."""

    expected: Expected
    find: Callable[[Text], list[Mention]]
    values: tuple[Any, ...] = ()
    terms: Terms = Terms()
    swap: Mapping[Any, Any] | None = None

    @property
    def spans(self) -> bool:
        """Whether the words of times count."""
        return isinstance(self.expected, TimeSpan)

    def by_letter(self, letter: str) -> Any:
        """Returns the value of an option: its letter, and for a count its number beside it."""
        if isinstance(self.expected, Count):
            return letter, numbers.value_of(self.expected.texts[self.expected.letters.index(letter)])
        return letter

    def read_text(self, text: str) -> Any:
        """Returns what a short text answers by itself."""
        from tempbench_lmms.parsing import decide, exact

        found = exact.whole(text, self)
        return found if found is not None else decide.of_text(text, self)


_NONE = Terms(frozenset(), frozenset())
_TERMS = {
    "": Terms(),
    "truth": Terms(verdicts=frozenset(("true", "false"))),
    "odd": Terms(frozenset(("right", "wrong", "odd")), frozenset(("suits",))),
    "longest": Terms(frozenset(("right", "long")), frozenset(("wrong", "short"))),
    "first before second": Terms(
        frozenset(("right", "first", "early", "before")), frozenset(("wrong", "last", "late", "after"))
    ),
}


def _longer(text: Text) -> list[Mention]:
    """Returns what judges that more time lies in the first pair, in words of truth or of length."""
    pairs = [(one.start, one.end, "AB"[one.value - 1]) for one in numbers.items(text, Item(2))]
    judged = truth.find(text)
    stated = relations.compared(text, pairs, "long", "short")
    return judged or [one._replace(value=one.value == "before", form="judged") for one in stated]


def _before(text: Text) -> list[Mention]:
    judged = truth.find(text)
    stated = relations.compared(text, options._images(text))
    return judged or [one._replace(value=one.value == "before", form="judged") for one in stated]


@lru_cache(maxsize=512)
def finder_of(expected: Expected) -> Finder:
    """Returns what finds the answers that a question expects."""
    if isinstance(expected, Choice):
        return Finder(
            expected,
            lambda text: options.find(text, expected),
            tuple(expected.letters),
            _TERMS.get("truth" if options.opposites(expected) else expected.asks, Terms()),
            options.opposites(expected),
        )
    if isinstance(expected, Item):
        return Finder(
            expected,
            lambda text: numbers.items(text, expected),
            tuple(range(1, expected.upper + 1)),
            _TERMS["odd" if expected.odd else ""],
        )
    if isinstance(expected, Truth):
        ordered = expected.claim == "chronological"
        if expected.claim == "first longer":
            return Finder(expected, _longer, (True, False), _NONE, swap={True: False, False: True})
        if expected.claim == "first before second":
            return Finder(expected, _before, (True, False), _NONE, swap={True: False, False: True})
        return Finder(
            expected,
            lambda text: truth.find(text, ordered),
            (True, False),
            _NONE,
            swap={True: False, False: True},
        )
    if isinstance(expected, Order):
        return Finder(expected, lambda text: orders.find(text, expected.labels, expected.quantities))
    if isinstance(expected, Count):
        letters = [
            (letter, numbers.value_of(said))
            for letter, said in zip(expected.letters, expected.texts, strict=False)
        ]
        return Finder(expected, lambda text: counts.find(text, expected), tuple(letters))
    if isinstance(expected, TimeSpan):
        return Finder(expected, lambda text: spans.find(text, expected))
    if isinstance(expected, Relation):
        return Finder(expected, relations.find, relations.CLASSES)
    return Finder(expected, lambda text: [])
