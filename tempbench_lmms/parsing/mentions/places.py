"""Finds places in a row: "the third image", "the last one", "the former", "image three"."""

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.tokens import Text, is_empty

_NOUNS = roles("option image answer")
_SIGNS = " .,:;!?)\"'\n。"
_GOES_ON = roles("is right wrong because deny and or")


_LONGEST = 400


def ordinal(roles: frozenset[str], kind: str = "ordinal.") -> int | None:
    """Returns the number that the roles of a word stand for."""
    return next((int(role[len(kind) :]) for role in roles if role.startswith(kind)), None)


def _alone(text: Text, start: int, end: int) -> bool:
    """Whether nothing but words without a meaning of their own stands beside a place in its sentence."""
    sentence = text.sentences[text.sentence(start)]
    words = text.within(*sentence) if sentence.end - sentence.start < _LONGEST else []
    roles = frozenset[str]().union(*(word.roles for word in words))
    if not words or "pronoun" in roles or any(role.startswith("c.") for role in roles):
        return False
    return is_empty(text.without(*sentence, roles))


def _is_noun(text: Text, word: Word, nouns: frozenset[str]) -> bool:
    return bool(word.roles & nouns) or text.text[word.start : word.end] in ("one", "number")


def _said(text: Text, start: int) -> bool:
    """Whether "is" stands right before a place: "the odd one is the second"."""
    before = text.within(max(0, start - 12), start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        start = before.pop().start
    return bool(before) and "is" in before[-1].roles


def find(text: Text, n: int, nouns: frozenset[str] = _NOUNS) -> list[Mention]:
    """Returns places, counted from 1, of a row of `n`: where a noun follows, or nothing that is counted."""
    found = []
    for word in text.words:
        place = ordinal(word.roles)
        if "rank.second_last" in word.roles:
            place = n - 1
        elif "rank.middle" in word.roles:
            place = n // 2 + 1
        elif n == 2 and word.roles & {"rank.former", "rank.latter"}:
            place = 1 + ("rank.latter" in word.roles)
        elif place is None and "last" in word.roles:
            place = n
        if place is None or not 0 < place <= n:
            continue
        end = word.end
        after = [w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}]
        ended = text.ends(word.end)
        follows = "" if ended else text.text[word.end : word.end + 1]
        beside = after[0] if after and after[0].start <= word.end + 2 else None
        goes_on = follows != " " or (beside and beside.roles & _GOES_ON)
        if (
            beside
            and not set(text.text[word.end : beside.start]) & set("(.")
            and _is_noun(text, beside, nouns)
        ):
            end = beside.end
        way = _way(text, word.start, end)
        if end > word.end or (_said(text, word.start) and not follows.strip(_SIGNS)):
            found.append(Mention(n + 1 - place if way == "from_right" else place, word.start, end, "place"))
        elif not follows.strip(_SIGNS) and _alone(text, word.start, word.end) and goes_on:
            found.append(Mention(place, word.start, end, "place"))
    return found


def _way(text: Text, start: int, end: int) -> str:
    """Returns the end of a row from which a place is counted: "the second image from the right"."""
    near = [*text.within(max(0, start - 8), start)[-1:], *text.within(end, end + 30)[:1]]
    close = [w for w in near if w.start <= end + 1 and w.end >= start - 1]
    return next((role for w in close for role in ("from_right", "from_left") if role in w.roles), "")
