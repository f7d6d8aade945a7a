"""Chooses what to look for in a reply, by the kind of answer that a question expects."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from tempbench_lmms.parsing.expected import Choice, Count, Expected, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mentions import Mention, numbers, options, orders, relations, spans, truth
from tempbench_lmms.parsing.stance import Terms
from tempbench_lmms.parsing.tokens import Text


class Finder(NamedTuple):
    """Finds and names the values of one expected answer.

    For a span beside an option, `choice` has the options, and `chosen` returns the chosen letter.
    """

    expected: Expected
    find: Callable[[Text], list[Mention]]
    values: tuple[Any, ...] = ()
    terms: Terms = Terms()
    say: Callable[[str, "Finder"], Any] | None = None
    choice: Choice = Choice("")
    chosen: Callable[[], str | None] = lambda: None

    @property
    def spans(self) -> bool:
        """Whether the words of times count."""
        return isinstance(self.expected, TimeSpan)

    def read_text(self, text: str) -> Any:
        """Returns the answer of a short text."""
        return self.say(text, self) if self.say else None


_NONE = Terms(roles(""), roles(""))
_TERMS = {
    "": Terms(),
    "truth": Terms(verdicts=roles("literal")),
    "odd": Terms(roles("right wrong odd"), roles("suits")),
    "longest": Terms(roles("right long more"), roles("wrong short less")),
    "first before second": Terms(roles("right first early before"), roles("wrong last late after")),
}


def _claimed(text: Text, claim: str) -> list[Mention]:
    ordered = claim == "chronological"
    judged = [
        one._replace(value=one.value and not (ordered and orders.another(text, one.start)))
        for one in truth.find(text, ordered)
    ]
    noun = {"first before second": "image", "first longer": "option"}.get(claim)  # of the two compared
    if judged or not noun:
        return judged or truth.repeated(text, claim)
    stated = relations.compared(text, options.two(text, noun), longer=noun == "option")
    return [one._replace(value=one.value == "before", form="judged") for one in stated]


def _chosen(text: Text, expected: Choice) -> list[Mention]:
    """Returns the options named; where they are True and False, also what repeats the statement."""
    found = options.find(text, expected)
    if found or not options.is_truth(expected):
        return found
    true = next(i for i, said in enumerate(expected.texts) if said.lower().startswith("true"))
    return [one._replace(value=expected.letters[true]) for one in truth.repeated(text, expected.asks)]


def beside(choice: Choice, span: TimeSpan, chosen: Callable[[], str | None]) -> Finder:
    """Returns the finder for the span beside an option; times in an option's own text are no span."""

    def find(text: Text) -> list[Mention]:
        found = spans.find(text, span)
        own = options.texts(text, choice) if choice.texts and found else []
        found = [m for m in found if not any(one.start <= m.end <= one.end for one in own)]
        last = (span.duration or spans.MAX_SECONDS) - 1
        return [m for m in found if m.value[0] > 0 or m.value[1] < last] or found

    return Finder(span, find, choice=choice, chosen=chosen)


@lru_cache(maxsize=512)
def finder_of(expected: Expected, say: Callable[[str, Finder], Any] | None = None) -> Finder:
    """Returns the finder for a question's answers; `say` reads the text in an object's field."""
    if isinstance(expected, Choice):
        terms = _TERMS.get("truth" if options.is_truth(expected) else expected.asks, Terms())
        found = Finder(expected, lambda text: _chosen(text, expected), tuple(expected.letters), terms)
    elif isinstance(expected, Item):
        places, terms = tuple(range(1, expected.upper + 1)), _TERMS["odd" if expected.odd else ""]
        found = Finder(expected, lambda text: numbers.items(text, expected), places, terms)
    elif isinstance(expected, Truth):
        claim = expected.claim
        found = Finder(expected, lambda text: _claimed(text, claim), (True, False), _NONE)
    elif isinstance(expected, Order):
        found = Finder(expected, lambda text: orders.find(text, expected.labels, expected.quantities))
    elif isinstance(expected, Count):
        values = zip(expected.letters, map(numbers.value_of, expected.texts), strict=False)
        found = Finder(expected, lambda text: options.counts(text, expected), tuple(values))
    elif isinstance(expected, TimeSpan):
        found = Finder(expected, lambda text: spans.find(text, expected))
    else:
        assert isinstance(expected, Relation)  # of `Fields` each is looked for by itself
        found = Finder(expected, relations.find, expected.classes)
    return found._replace(say=say)
