"""Finds places in a row: "the third image", "the last one", "the former", "image three"."""

from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.tokens import Text

_NOUNS = frozenset(("option", "image", "answer"))


def ordinal(roles: frozenset[str], kind: str = "ordinal.") -> int | None:
    """Returns the number that the roles of a word stand for."""
    return next((int(role[len(kind) :]) for role in roles if role.startswith(kind)), None)


def _alone(text: Text, start: int, end: int) -> bool:
    """Whether nothing but words of the lexicon stands beside a place in its sentence."""
    sentence = text.sentences[text.sentence(start)]
    rest, at = "", sentence.start
    for word in text.within(*sentence):
        rest, at = rest + text.text[at : word.start], word.end
    return not any(sign.isalnum() for sign in rest + text.text[at : sentence.end])


def _said(text: Text, start: int) -> bool:
    """Whether "is" stands right before a place: "the odd one is the second"."""
    before = text.within(max(0, start - 12), start)
    while before and "fill" in before[-1].roles and "is" not in before[-1].roles:
        start = before.pop().start
    return bool(before) and "is" in before[-1].roles and start - before[-1].end <= 1


def find(text: Text, n: int, nouns: frozenset[str] = _NOUNS) -> list[Mention]:
    """Returns places, counted from 1, of a row of `n`: only where a noun follows, or nothing that is counted."""
    found = []
    for word in text.words:
        place = ordinal(word.roles)
        if "rank.second_last" in word.roles:
            place = n - 1
        elif "rank.middle" in word.roles and n % 2:
            place = n // 2 + 1
        elif n == 2 and word.roles & {"rank.former", "rank.latter"}:
            place = 1 + ("rank.latter" in word.roles)
        elif place is None and "last" in word.roles and "early" not in word.roles:
            place = n
        if place is None or not 0 < place <= n:
            continue
        end = word.end
        after = [w for w in text.within(word.end, word.end + 24) if w.roles != {"fill"}]
        follows = text.text[word.end : word.end + 1]
        noun = (
            after
            and after[0].start <= word.end + 2
            and (after[0].roles & nouns or text.text[after[0].start : after[0].end] in ("one", "number"))
        )
        if noun:
            end = after[0].end
        elif _said(text, word.start) and not follows.strip(" .,;:!?)\"'\n。"):
            pass
        elif (
            not _alone(text, word.start, word.end)
            or (follows.strip(" ") and follows not in ".,;:!?)\"'\n。")
            or (
                follows == " "
                and (
                    not after
                    or after[0].start > word.end + 1
                    or not after[0].roles & {"is", "right", "wrong", "because", "deny", "and", "or"}
                )
            )
        ):
            continue
        found.append(Mention(place, word.start, end, "place"))
    return found
