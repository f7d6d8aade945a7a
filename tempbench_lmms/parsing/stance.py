"""How a text stands to what it names: the same for all kinds of answers."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Span, Text


class Stance(IntEnum):
    """What a text does with a value, from what counts least to what counts most."""

    DENIED = 0
    ASKED = 1
    SUPPOSED = 2
    DRAFT = 3
    OPEN = 4
    NAMED = 5
    HEAD = 6
    CONCLUDED = 7
    BARE = 8
    ANNOUNCED = 9


class Judged(NamedTuple):
    """A mention and what the text does with it.

    Attributes:
        mention: The mention.
        stance: What the text does with it.
        sentence: The number of its sentence.
        behind: Whether words that take back what was said stand between it and the mention before.
        listed: Whether it stands in a list with other values.
    """

    mention: Mention
    stance: Stance
    sentence: int
    behind: bool = False
    listed: bool = False


class Terms(NamedTuple):
    """What approves and what rejects where one thing is asked for: the longest time, the first image.

    Attributes:
        approves: Roles of words that approve what they are said of.
        rejects: Roles of words that reject it.
        verdicts: Roles of words that are answers themselves, and say nothing of the mentions beside them.
    """

    approves: frozenset[str] = frozenset(("right",))
    rejects: frozenset[str] = frozenset(("wrong",))
    verdicts: frozenset[str] = frozenset()


_NO_TERMS = Terms(frozenset(), frozenset())
_FILL = frozenset(
    (
        "fill",
        "prep",
        "final",
        "only",
        "is",
        "answer",
        "option",
        "image",
        "conclude",
        "likely",
        "choose",
        "right",
        "back",
        "turn",
        "switch",
        "count",
    )
)
_LEADS = frozenset(("is", "prep"))
_FAR = 60
_POINTS = frozenset(("back", "only", "to", "from", "because", "turn", "conclude", "is"))
_ASKED = frozenset(("long", "odd"))
_TAKES_BACK = frozenset(("back", "switch"))


def _role(*roles: str) -> frozenset[str]:
    return frozenset(roles)


_NEAR = _FILL | {"deny", "also", "and", "all", "hedge", "unsure"}
_BRACKETS = lazy(r"\([^()\n]{0,80}\)")
_JOINS = _role("and", "or", "nor")


def groups(text: Text, mentions: list[Mention]) -> list[list[Mention]]:
    """Returns the mentions dealt into lists: "A, B and D" has one predicate."""
    found: list[list[Mention]] = []
    for one in mentions:
        last = found[-1][-1] if found else None
        if last is not None and text.sentence(last.start) == text.sentence(one.start):
            between = _without(
                text, last.end, one.start, _role("and", "or", "nor", "option", "image", "fill")
            )
            rest = _BRACKETS.sub(" ", between)
            if not any(sign.isalnum() for sign in rest) and "." not in rest and ":" not in rest:
                signs = {",", "/", "、", "&"} & set(rest)
                if (signs or text.has(_JOINS, last.end, one.start)) and last.form != "judged":
                    found[-1].append(one)
                    continue
        found.append([one])
    return found


def _without(text: Text, start: int, end: int, roles: frozenset[str]) -> str:
    """Returns a stretch of a text without the words of some roles."""
    pieces, place = [], start
    for word in text.within(start, end):
        if word.roles & roles:
            pieces.append(text.text[place : word.start])
            place = word.end
    return "".join([*pieces, text.text[place:end]])


def _empty(stretch: str) -> bool:
    return not any(sign.isalnum() for sign in stretch)


def judge(
    text: Text, mentions: list[Mention], terms: Terms, swap: Mapping[Any, Any] | None = None
) -> list[Judged]:
    """Returns what a text does with each of its mentions, in order."""
    judged: list[Judged] = []
    lists = groups(text, mentions)
    place = 0
    for i, group in enumerate(lists):
        start, end = group[0].start, group[-1].end
        number = text.sentence(start)
        sentence = text.sentences[number]
        before = lists[i - 1][-1].end if i else 0
        after = lists[i + 1][0].start if i + 1 < len(lists) else len(text.text)
        limit = sentence.end
        if group[0].form == "listed" or text.text[end : end + 1] in (":", "."):
            line = text.text.find("\n", end)
            limit = max(limit, len(text.text) if line < 0 else line)
        around = _Around(
            text,
            sentence,
            max(before, sentence.start),
            start,
            end,
            min(after, limit),
            after,
            group[0].form,
            isinstance(group[0].value, int),
        )
        said = _NO_TERMS if group[0].form == "judged" else terms
        several = len({one.value for one in group}) > 1
        stance = _of_group(around, several, number, said)
        back = text.has(_TAKES_BACK, place, start) or (i > 0 and _opens_with_no(around))
        judged += [_turned(Judged(one, stance, number, back, several), swap) for one in group]
        place = end
    return judged


def _opens_with_no(at: "_Around") -> bool:
    """Whether a "No," opens the sentence, or the part behind the mention before, and a mention follows."""
    if at.form == "judged":
        return False
    text = at.text
    for word in text.within(at.left, at.start):
        if "no" in word.roles and _empty(text.text[at.left : word.start]):
            return text.text[word.end : word.end + 1] in (",", ":", ";", ".", "!")
    return False


def _turned(one: Judged, swap: Mapping[Any, Any] | None) -> Judged:
    """Returns what was judged, and for a verdict that is denied the opposite verdict."""
    if swap is None or one.mention.form != "judged" or one.stance != Stance.DENIED:
        return one
    return one._replace(mention=one.mention._replace(value=swap[one.mention.value]), stance=Stance.CONCLUDED)


class _Around(NamedTuple):
    """A list of mentions from `start` to `end`, its sentence, and where its neighbours end and begin."""

    text: Text
    sentence: Span
    left: int
    start: int
    end: int
    right: int
    next: int
    form: str
    counted: bool


def _of_group(at: _Around, several: bool, number: int, terms: Terms) -> Stance:
    text = at.text
    clauses = text.clauses(at.sentence)
    clause = next(c for c in clauses if c.start <= at.start < c.end)
    lead = text.within(max(at.left, clause.start), at.start)
    denied, sign = (
        _denies(lead, terms, at.left <= clause.start),
        _predicate(at, terms) or _taken_back(at, number, terms),
    )
    alternatives = text.has(_role("or"), at.start, at.end) or "/" in text.text[at.start : at.end]
    opening = text.within(at.sentence.start, at.start)[:1]
    if opening and "or" in opening[0].roles and _empty(text.text[at.sentence.start : opening[0].start]):
        return Stance.OPEN
    if at.left > at.sentence.start and terms.rejects and any("than" in w.roles for w in lead):
        return Stance.ASKED
    if several and alternatives and not denied and sign not in ("wrong", "not"):
        return Stance.OPEN
    if sign == "open":
        return Stance.OPEN
    if sign == "wrong":
        denied, sign = not denied, ""
    elif sign == "not":
        denied, sign = True, ""
    if denied:
        return Stance.DENIED
    if text.asks[number] or text.has(_role("ask"), clause.start, at.start):
        return Stance.ASKED
    refuse = [w.end for w in text.within(at.sentence.start, at.start) if "refuse" in w.roles]
    if refuse and not text.has(_role("turn", "conclude", "answer", "choose"), refuse[-1], at.start):
        return Stance.ASKED
    supposed = [
        w
        for w in text.within(at.sentence.start, at.start)
        if "suppose" in w.roles and "choose" not in w.roles
    ]
    if supposed and not text.has(_role("turn", "conclude"), supposed[-1].end, at.start):
        return Stance.SUPPOSED
    drafts = [w.end for w in text.within(at.sentence.start, at.start) if "draft" in w.roles]
    if drafts and not text.has(_role("turn", "answer", "back"), drafts[-1], at.start):
        return Stance.DRAFT
    if any(
        "draft" in w.roles and _empty(_without(text, at.end, w.start, _FILL))
        for w in text.within(at.end, min(clause.end, at.right))
    ):
        return Stance.DRAFT
    before = text.within(max(at.left, at.sentence.start), at.start)
    while before and "fill" in before[-1].roles and not before[-1].roles & _POINTS:
        before.pop()
    nearest = before[-1] if before and _empty(_without(text, before[-1].end, at.start, _FILL)) else None
    limits = {"to", "because"}
    if at.counted and nearest and nearest.roles & limits and not nearest.roles & {"prep", "fill"}:
        return Stance.ASKED
    if any("or" in w.roles and _empty(_without(text, w.end, at.start, _FILL)) for w in lead):
        return Stance.OPEN
    turning = [w for w in text.within(at.sentence.start, at.start) if w.roles & {"turn", "conclude"}]
    turns = [w.end for w in turning if "concede" not in w.roles]
    behind = next(
        (w.start for w in text.within(at.end, at.right) if w.roles & {"turn", "conclude"}), at.right
    )
    start = max(turns[-1] if turns else at.sentence.start, clause.start)
    scope = text.within(start, min(behind, max(clause.end, at.end)))
    first = text.within(at.sentence.start, at.start)[:1]
    if first and not turns and "hedge" in first[0].roles:
        scope = [*first, *scope]
    if any("hedge" in w.roles and "likely" not in w.roles for w in scope):
        return Stance.NAMED if not several and _announced(at, lead, clause, terms) else Stance.OPEN
    if several:
        return Stance.NAMED
    if sign and text.has(_role("suppose"), at.end, at.right):
        return Stance.SUPPOSED
    if sign or _announced(at, lead, clause, terms):
        return Stance.ANNOUNCED
    if at.form == "listed":
        return Stance.NAMED
    head = _without(text, at.sentence.start, at.start, _FILL)
    rest = _empty(_BRACKETS.sub(" ", _without(text, at.end, at.sentence.end, _FILL)))
    if _empty(head) and rest:
        return Stance.NAMED if text.has(_role("prep"), at.sentence.start, at.start) else Stance.BARE
    ends = _empty(_without(text, at.end, min(clause.end, at.sentence.end), _FILL))
    begins = _without(text, clause.start, at.start, _FILL)
    if text.has(_role("conclude"), at.sentence.start, at.start):
        return Stance.CONCLUDED
    last = rest or (ends and clause == clauses[-1])
    colon = text.text[: clause.start].rstrip(" \"'*")[-1:] == ":"
    if nearest and (("back" in nearest.roles and ends) or "only" in nearest.roles):
        return Stance.CONCLUDED
    if (
        turns
        and ends
        and (
            _empty(_without(text, turns[-1], at.start, _FILL))
            or (last and nearest and nearest.roles & _LEADS)
        )
    ):
        return Stance.CONCLUDED
    if _empty(begins) and last and (colon or text.has(_role("is", "back"), clause.start, at.start)):
        return Stance.CONCLUDED
    if (_empty(head) and _set_off(text, at.end)) or (
        _empty(begins) and number == 0 and text.text[at.end : at.end + 1] == ":"
    ):
        return Stance.HEAD
    return Stance.NAMED


def _denies(lead: list[Word], terms: Terms, alone: bool) -> bool:
    """Whether the words before a mention, in its clause, deny it."""
    count = 0
    for word in lead:
        if word.roles & {"turn", "conclude"}:
            count = 0
        elif word.roles & terms.verdicts:
            continue
        elif word.roles & (
            {"deny", "wrong", "no"} | (terms.rejects if alone else set())
        ) and not word.roles & (terms.approves | {"right"}):
            count += 1
    return count % 2 == 1


def _predicate(at: _Around, terms: Terms) -> str:
    """Returns what is said of a mention behind it: "right", "wrong", "not", or nothing."""
    text, last, denies = at.text, at.end, False
    tail = text.within(at.end, at.right)
    # What denies the next mention says nothing of this one.
    while (
        tail and at.next == at.right and tail[-1].roles & {"deny", "no", "and", "or", "fill", "option", "nor"}
    ):
        behind = _without(text, tail[-1].end, at.right, _FILL | {"and"})
        before = text.text[at.end : tail[-1].start]
        if not _empty(behind) or (tail[-1].roles & {"deny", "no"} and "," in behind and "," not in before):
            break
        tail.pop()
    for word in tail:
        gap = text.text[last : word.start]
        near = _empty(_without(text, at.end, word.start, _NEAR))
        if word.roles >= {"turn", "deny"} and near:
            return "not"
        if word.roles & {"hedge", "refuse", "suppose"} and "likely" not in word.roles:
            break
        entry = text.text[at.end : at.end + 1] in (".", ":", ")")
        if (
            entry
            and word.roles & {"yes", "no"}
            and near
            and text.text[word.end : word.end + 1] in (".", "\n", "")
        ):
            return "wrong" if "no" in word.roles else "right"
        if (
            any(sign in gap for sign in ("\n", ";", ": "))
            or (". " in gap and at.form != "listed")
            or ("turn" in word.roles and "deny" not in word.roles)
        ):
            break
        if word.roles & terms.rejects:
            return "open" if denies else "wrong"
        if word.roles & terms.approves and (near or denies or word.roles & _ASKED):
            return "not" if denies else "right"
        alone = text.text[word.end : word.end + 2].strip(" ")[:1] in ("", ",", ".", ";", ")", "\n", "|", "。")
        if word.roles & {"tick", "cross"} and terms.approves:
            return "wrong" if "cross" in word.roles else "right"
        if word.roles & {"yes", "no"} and near and alone and terms.approves:
            return "wrong" if "no" in word.roles else "right"
        stated = at.form == "stated" and "," not in text.text[at.end : word.start]
        if "deny" in word.roles and (near or stated) and "," not in gap:
            denies = True
        last = word.end
    return "not" if denies else ""


def _taken_back(at: _Around, number: int, terms: Terms) -> str:
    """Returns "not" where the next sentence says of a mention that it is wrong: "This is wrong"."""
    text = at.text
    if at.next < at.sentence.end or number + 1 >= len(text.sentences) or not terms.rejects:
        return ""
    following = text.sentences[number + 1]
    for word in text.within(following.start, min(following.end, at.next)):
        if word.roles & terms.rejects:
            return (
                "not"
                if _empty(_without(text, following.start, word.start, _FILL))
                and _points_back(text, following.start, word)
                else ""
            )
        if not word.roles & _FILL:
            return ""
    return ""


def _points_back(text: Text, start: int, word: Word) -> bool:
    return text.has(_role("is"), start, word.start) or word.roles >= {"is"}


def _announced(at: _Around, lead: list[Word], clause: Span, terms: Terms) -> bool:
    """Whether the words before a mention announce it as the answer."""
    text = at.text
    if any(word.roles & terms.approves & _ASKED for word in lead):
        return True
    near = lead[-1] if lead and "is" in lead[-1].roles else None
    joined = near is not None and _empty(_without(text, near.end, at.start, _FILL))
    if near and joined and near.start - clause.start < _FAR and any("answer" in w.roles for w in lead):
        return True
    for word in reversed(lead):
        if not _empty(_without(text, word.end, at.start, _FILL)):
            return False
        if word.roles & {"answer", "choose", "switch", "final"}:
            return not _subject(at, word)
        if word.roles & terms.approves:
            return True
    if at.left >= clause.start:
        return False
    # The noun may stand before the colon, or the end of the line, that begins the clause: "The answer is: B".
    head = list(text.within(max(at.left, clause.start - 60), clause.start))
    for word in reversed(head):
        if not _empty(_without(text, word.end, clause.start, _FILL)):
            return False
        if word.roles & {"answer", "choose", "switch", "final"} | terms.approves:
            return text.text[word.end : clause.start].strip(" \"'")[-1:] in {":", "-", "–", "—", ""}
    return False


def _subject(at: _Around, word: Word) -> bool:
    """Whether "answer B" is what a sentence speaks of: "Answer B shows the end"."""
    behind = at.text.text[at.end : at.end + 2]
    joined = at.text.text[word.end : at.start] == " " and "answer" in word.roles
    return joined and behind[:1] == " " and behind[1:].isalpha() and not _set_off(at.text, at.end)


def _set_off(text: Text, end: int) -> bool:
    """Whether a mention is followed by a sign or a word that explains it."""
    rest = text.text[end : end + 3].lstrip("\"')]*")
    return rest[:1] in {":", ".", ",", "-", "–", "—", "(", "", "\n"} or any(
        "because" in w.roles and w.start <= end + 2 for w in text.within(end, end + 12)
    )
