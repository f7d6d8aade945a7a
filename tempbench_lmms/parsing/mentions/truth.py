"""Finds what judges a claim: True and False in their words, yes and no, and "it does not hold"."""

import itertools

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text, is_empty

_YES, _NO = roles("true yes rising"), roles("false no falling")
_CLAIM, _IS = roles("claim"), roles("is")
_PLAIN = roles("yes no")
_JUDGING = roles("true false")
_INVERSE = roles("inverse")
_SAYS = _YES | _NO | {"right", "wrong", "sound"}
_DIRECTIONS = roles("rising falling")
# A predicate ends its clause, or a word of these roles follows; before a noun it is an adjective.
_FOLLOWS = roles("because deny turn and or back conclude fill likely hedge is answer claim as")
_CHOICE = lazy(r"\W{0,3}(?:/|\||\b(?:or|oder|ou|o)\b)\W{0,3}")
_NEXT = lazy(r"\s*([^\s])")


def _predicate(text: Text, word: Word) -> bool:
    following = _NEXT.match(text.text, word.end)
    if text.sentences[text.sentence(word.start)].end <= word.end + 1:
        return True
    if (
        following is None
        or "\n" in following.group()
        or not following[1].isalpha()
        or following[1] >= "\u2e80"
    ):
        return True
    after = next(iter(text.within(word.end, word.end + 30)), None)
    return after is not None and after.start == following.start(1) and bool(after.roles & _FOLLOWS)


def find(text: Text, ordered: bool = False) -> list[Mention]:
    """Returns the places that call a claim true or false; `ordered` if it says that images are in order."""
    said = ((word, _says(text, word, ordered)) for word in text.words)
    found = [Mention(yes, word.start, word.end, "judged") for word, yes in said if yes is not None]
    # "True or False" names the choice, and no answer.
    pairs = [
        i
        for i, (one, other) in enumerate(itertools.pairwise(found))
        if one.value != other.value and _CHOICE.fullmatch(text.text[one.end : other.start].lower())
    ]
    echoed = {text.sentence(found[i].start) for i in pairs}
    kept = [one for i, one in enumerate(found) if i not in pairs and i - 1 not in pairs]
    kept = [one for one in kept if text.sentence(one.start) not in echoed or not _ordered_by(text, one)]
    after = [*kept[1:], None]
    kept = [one for one, other in zip(kept, after, strict=False) if not _corrects(text, one, other)]
    judging = [one for one in kept if not (_ordered_by(text, one) and _quoted(text, one))]
    return judging or kept


def _says(text: Text, word: Word, ordered: bool) -> bool | None:
    """Returns what a word calls the claim; None where it does not judge it."""
    roles = word.roles if ordered else word.roles - _DIRECTIONS
    if "inverse" in roles:
        return False
    if not roles & _SAYS:
        return None
    said, start = text.said(text.sentence(word.start)), text.sentences[text.sentence(word.start)].start
    if "true" in roles & said and "inverse" in said and text.has(_INVERSE, start, word.start):
        return None
    claimed = bool(said & (_CLAIM | {"sequence"} if ordered else _CLAIM))
    if roles & {"right", "wrong", "sound"} and claimed:
        roles = roles | {"false" if "wrong" in roles else "true"}
    if "praise" in roles and not claimed and _of_answer(text, start, word):
        return None
    yes, no = bool(roles & _YES), bool(roles & _NO)
    return yes if yes != no and _judges(text, word, roles, claimed) else None


def _judges(text: Text, word: Word, roles: frozenset[str], claimed: bool) -> bool:
    """Whether a word stands where it judges: as a predicate, or as an answer by itself."""
    if roles & _DIRECTIONS:
        start, end = text.sentences[text.sentence(word.start)]
        bare = is_empty(text.text[: word.start] + text.text[word.end :])
        return bare or text.has(_IS, start, word.start if text.text[word.start].isascii() else end)
    if not roles & _JUDGING:
        return _opens(text, word)
    return claimed or _predicate(text, word)


def _corrects(text: Text, one: Mention, after: Mention | None) -> bool:
    """Whether a "No," only takes back what was said before: "False. No, true"."""
    if after is None or one.value or after.value == one.value or text.has(_JUDGING, one.start, one.end):
        return False
    return one.start > 0 and is_empty(text.text[one.end : after.start])


def _quoted(text: Text, one: Mention) -> bool:
    """Whether an order is what the statement says: "The statement that they are in order"."""
    return text.has(_CLAIM, text.sentences[text.sentence(one.start)].start, one.start)


def _of_answer(text: Text, start: int, word: Word) -> bool:
    """Whether a word praises the answer: "My answer is correct"."""
    before = text.within(start, word.start)
    said = bool(before) and "is" in before[-1].roles and before[-1].end == word.start - 1
    return said and text.has(roles("answer"), start, word.start)


def _opens(text: Text, word: Word) -> bool:
    """Whether a yes or no stands at the beginning of a clause, and by itself."""
    lead = text.within(max(0, word.start - 24), word.start)
    after = text.text[word.end : word.end + 3].strip(" \"'*")
    if (
        lead
        and lead[-1].roles & {"is", "conclude", "switch"}
        and lead[-1].end >= word.start - 2
        and not after[:1].isalnum()
    ):
        start = text.sentences[text.sentence(word.start)].start
        if lead[-1].roles & {"conclude", "switch"} or text.has(roles("answer"), start, word.start):
            return True
    before = text.text[max(0, word.start - 3) : word.start].rstrip(" \"'*(")[-1:]
    return before in {"", ":", ".", ",", ";", "\n", "-", "–", "—", "!", "?", "。", ">"} and (
        not after or not after[0].isalnum()
    )


def _ordered_by(text: Text, one: Mention) -> bool:
    return text.has(roles("rising falling"), one.start, one.end)
