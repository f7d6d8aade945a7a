"""Finds judgements of a claim: words for true and false, yes and no, "it does not hold"."""

import itertools
import operator
import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.lexicon import UNIT, Word, roles
from tempbench_lmms.parsing.mentions import Mention
from tempbench_lmms.parsing.tokens import Span, Text

_YES, _NO = roles("true yes rising"), roles("false no falling")
_CLAIM, _IS, _ANSWER = roles("claim"), roles("is"), roles("answer")
_SAYS = _YES | _NO | {"right", "wrong", "sound"}
_DIRECTIONS = roles("rising falling")
# A predicate ends its clause, or a word of these roles follows; before a noun it is an adjective.
_FOLLOWS = roles(
    "because deny turn and or back conclude fill likely hedge is answer claim as switch courtesy ask that "
    "wrong"
)
_CHOICE = re.compile(r"\W{0,3}(?:/|\||\b(?:or|oder|ou|o)\b)\W{0,3}")
_NEXT = re.compile(r"\s*(\S)")


def find(text: Text, ordered: bool = False) -> list[Mention]:
    """Returns the places that call a claim true or false; `ordered` if it says that images are in order."""
    said = ((word, _says(text, word, ordered)) for word in text.words)
    found = [Mention(yes, word.start, word.end, "judged") for word, yes in said if yes is not None]
    # "True or False" names the choice, and no answer.
    pairs = {
        i
        for i, (one, other) in enumerate(itertools.pairwise(found))
        if one.value != other.value and _CHOICE.fullmatch(text.text[one.end : other.start].lower())
    }
    echoed = {text.sentence(found[i].start) for i in pairs}
    kept = [one for i, one in enumerate(found) if not {i, i - 1} & pairs]
    return [o for o in kept if text.sentence(o.start) not in echoed or not text.has(_DIRECTIONS, *o[1:3])]


_ASKS = re.compile(r"The statement is: ([^\n]{2,300})|([^.?!:\n]{2,300})\?")
_BESIDE = roles(
    "fill is near article deny no aux pronoun prep video share image hedge likely suppose refuse ask "
    "conclude turn because answer claim true false right wrong choose back"
)
_PREFIX, _ENDING, _CLAUSES, _LONG = 3, 4, 6, 300


def repeated(text: Text, prompt: str) -> list[Mention]:
    """Returns what says in a prompt's own words what it asks: "The ball does not roll faster".

    The mention is the last word, so that those before may deny it. A pronoun may stand for the first words.
    """
    wanted, beside = _asked(prompt)
    if len(wanted) < 2:
        return []
    found = {}
    heads = [word[:_PREFIX] for word in wanted[-2:]]
    near = (one for one in text.sentences if all(head in text.low[slice(*one)] for head in heads))
    clauses = (text.clauses(sentence)[:_CLAUSES] for sentence in near)
    pairs = itertools.chain.from_iterable(itertools.combinations_with_replacement(one, 2) for one in clauses)
    for first, last in ((one, other) for one, other in pairs if other.end - one.start <= _LONG):
        said = _content(text, Span(first.start, last.end), wanted)
        said = [one for one in said if one[0] not in beside]
        missing = len(wanted) - len(said)
        whole = not missing or (missing > 0 and text.has("pronoun", first.start, [*said, ("", 0)][0][1]))
        if len(said) > 1 and whole and all(map(_same, (one for one, _ in said), wanted[missing:])):
            found[said[-1][1]] = Mention(True, said[-1][1], said[-1][1] + len(said[-1][0]), "judged")
    return [*found.values()]


@lru_cache(maxsize=512)
def _asked(prompt: str) -> tuple[list[str], set[str]]:
    """Returns the words of a prompt's question that say what it asks, in order, and its other words."""
    asked = list(_ASKS.finditer(prompt))
    question = Text(asked[-1][1] or asked[-1][2]) if asked else Text("")
    wanted = [word for word, _ in _content(question, Span(0, len(question.text)))]
    return [] if question.has("or deny", 0, len(question.text)) else wanted, {*UNIT.findall(question.low)} - {
        *wanted
    }


def _content(text: Text, span: Span, kept: Sequence[str] = ()) -> list[tuple[str, int]]:
    """Returns the words of a stretch and their places, without those that say nothing of the matter."""
    beside = [word for word in text.within(*span) if word.roles & _BESIDE]
    words = ((m.group().lower(), m.start()) for m in UNIT.finditer(text.text, *span) if m[0][0].isalnum())
    return [one for one in words if one[0] in kept or not any(w.start <= one[1] < w.end for w in beside)]


def _same(one: str, other: str) -> bool:
    """Returns whether two words seem to be forms of one: "opens" and "opening"."""
    same = sum(itertools.takewhile(bool, map(operator.eq, one, other)))
    return one == other or (same >= _PREFIX and max(len(one), len(other)) - same <= _ENDING)


def _says(text: Text, word: Word, ordered: bool) -> bool | None:
    found = word.roles if ordered else word.roles - _DIRECTIONS
    if "inverse" in found or not found & _SAYS:
        return False if "inverse" in found else None
    said, start = text.said(text.sentence(word.start)), text.around(word.start).start
    claimed = bool(said & (_CLAIM | {"sequence"} if ordered else _CLAIM))
    if found & {"right", "wrong", "sound"} and claimed:
        found = found | {"false" if "wrong" in found else "true"}
    if "praise" in found and not claimed and text.has(_ANSWER, start, word.start):
        return None  # "My answer is correct"
    yes, no = bool(found & _YES), bool(found & _NO)
    return yes if yes != no and _judges(text, word, found, claimed) else None


def _judges(text: Text, word: Word, found: frozenset[str], claimed: bool) -> bool:
    """Returns whether a word is in a place where it judges: as a predicate, or as the whole answer."""
    if found & _DIRECTIONS:
        start, end = text.around(word.start)
        states = text.has(_IS, start, word.end if text.text[word.start].isascii() else end)
        return states or text.filled(start, end, "fill deny not sequence rising falling")  # "Not in order."
    if not found & roles("true false"):
        return _opens(text, word)
    return claimed or _predicate(text, word)


def _predicate(text: Text, word: Word) -> bool:
    lead, following = text.before(word.start, 1), _NEXT.match(text.text, word.end)
    if lead and "answer" in lead.roles and text.has("is", word.end, word.end + 4):
        return False  # "la respuesta correcta es"
    if following is None or not following[1].isalpha() or following[1] >= "\u2e80":
        return True
    after = text.after(word.end, 1)
    return "\n" in following.group() or (after is not None and bool(after.roles & _FOLLOWS))


def _opens(text: Text, word: Word) -> bool:
    """Returns whether a yes or no begins a clause alone, or follows words that announce it."""
    before = text.text[max(0, word.start - 3) : word.start].rstrip(" \"'*(")[-1:]
    after = text.text[word.end : word.end + 3].strip(" \"'*")
    start, lead = text.around(word.start).start, text.before(word.start, 2)
    led = lead is not None and (
        lead.roles & roles("conclude switch turn answer choose back likely")
        or ("or" in lead.roles and text.text[lead.start - 2] == ",")
        or ("is" in lead.roles and text.has(_ANSWER, start, word.start))
    )
    closed = text.text[word.end : word.end + 1] in "\"'"  # Korean goes on behind a quotation
    return (closed or not after[:1].isalnum()) and (bool(led) or not before.isalnum())
