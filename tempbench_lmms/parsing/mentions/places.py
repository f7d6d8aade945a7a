"""Finds places in a row: "the third image", "the last one", "the former", "image three"."""

from tempbench_lmms.parsing.lexicon import Word, numeral, roles
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.tokens import Text, is_empty

_NOUNS = roles("option image answer")
_SIGNS = " .,:;!?)\"'\n。"
_GOES_ON = roles("is right wrong because deny and or")


_LONGEST = 400


def _alone(text: Text, start: int, end: int) -> bool:
    """Returns whether a place's sentence has no other words than the lexicon's."""
    sentence = text.sentences[text.sentence(start)]
    if sentence.end - sentence.start > _LONGEST:
        return False
    return is_empty(text.without(*sentence, text.said(text.sentence(start))))


def _is_noun(text: Text, word: Word, nouns: frozenset[str]) -> bool:
    return bool(word.roles & nouns) or text.text[word.start : word.end] in ("one", "number")


def _said(text: Text, start: int) -> bool:
    """Returns whether "is" comes directly before a place: "the odd one is the second"."""
    before = text.within(max(0, start - 12), start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        start = before.pop().start
    return bool(before) and "is" in before[-1].roles


def place(roles: frozenset[str], n: int) -> int | None:
    """Returns the place in a row of `n` that a word means."""
    ranks = {"rank.second_last": n - 1, "rank.middle": n // 2 + 1}
    ranks |= {"rank.former": 1, "rank.latter": 2} if n == 2 else {}
    rank = next((rank for role, rank in ranks.items() if role in roles), numeral(roles, "ordinal."))
    return n if rank is None and "last" in roles else rank


def find(text: Text, n: int, nouns: frozenset[str] = _NOUNS) -> list[Mention]:
    """Returns places in a row of `n`, from 1: those before a noun, or before nothing that is counted."""
    found = []
    for word in text.words:
        rank = place(word.roles, n)
        if rank is None or not 0 < rank <= n:
            continue
        beside = next((w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}), None)
        beside = beside if beside and beside.start <= word.end + 2 else None
        signs = set(text.text[word.end : beside.start]) if beside else {"."}
        end = beside.end if beside and not signs & set("(.") and _is_noun(text, beside, nouns) else word.end
        if end > word.end or _stands(text, word, beside):
            right = _way(text, word.start, end) == "from_right"
            found.append(Mention(n + 1 - rank if right else rank, word.start, end, "place"))
    return found


def _stands(text: Text, word: Word, beside: Word | None) -> bool:
    """Returns whether a place needs no noun: after "is", or alone in its sentence."""
    follows = "" if text.ends(word.end) else text.text[word.end : word.end + 1]
    goes_on = follows != " " or (beside is not None and beside.roles & _GOES_ON)
    alone = _said(text, word.start) or (goes_on and _alone(text, word.start, word.end))
    return bool(alone) and not follows.strip(_SIGNS)


def _way(text: Text, start: int, end: int) -> str:
    """Returns the end of the row from which a place counts: "the second image from the right"."""
    near = [*text.within(max(0, start - 8), start)[-1:], *text.within(end, end + 30)[:1]]
    return next((role for w in near for role in ("from_right", "from_left") if role in w.roles), "")
