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
_TURNS = frozenset(("turn", "conclude"))
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
            between = without(text, last.end, one.start, _role("and", "or", "nor", "option", "image", "fill"))
            rest = _BRACKETS.sub(" ", between)
            if not any(sign.isalnum() for sign in rest) and "." not in rest and ":" not in rest:
                signs = {",", "/", "、", "&"} & set(rest)
                if (signs or text.has(_JOINS, last.end, one.start)) and last.form != "judged":
                    found[-1].append(one)
                    continue
        found.append([one])
    return found


def without(text: Text, start: int, end: int, roles: frozenset[str]) -> str:
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
        left, several = max(before, sentence.start), len({one.value for one in group}) > 1
        clause = next(c for c in text.clauses(sentence) if c.start <= start < c.end)
        lead = text.within(max(left, clause.start), start)
        counted, form = type(group[0].value) is int, group[0].form
        right = min(after, limit)
        around = _Around(
            text, sentence, left, start, end, right, after, form, counted, several, number, clause, lead
        )
        said = _NO_TERMS if group[0].form == "judged" else terms
        stance = _of_group(around, said)
        back = text.has(_TAKES_BACK, place, start) or (i > 0 and _opens_with_no(around))
        judged += [_turned(Judged(one, stance, number, back, several), swap) for one in group]
        place = end
    return judged


def _opens_with_no(at: "_Around") -> bool:
    """Whether a "No," opens the sentence, or the part behind the mention before, and a mention follows."""
    text = at.text
    if at.form == "judged" and at.start == at.sentence.start and text.text[at.end : at.end + 1] == ",":
        return text.has(_role("no"), at.start, at.end)
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
    several: bool
    number: int
    clause: Span
    lead: list[Word]


def _of_group(at: _Around, terms: Terms) -> Stance:
    sign = _predicate(at, terms) or _taken_back(at, terms)
    for stance in (_negative(at, sign, terms), _withheld(at), _left_open(at, sign, terms)):
        if stance is not None:
            return stance
    if at.several:
        return Stance.NAMED
    if sign == "right":
        return Stance.SUPPOSED if at.text.has(_role("suppose"), at.end, at.right) else Stance.ANNOUNCED
    return Stance.ANNOUNCED if _announced(at, terms) else _placed(at)


def _negative(at: _Around, sign: str, terms: Terms) -> Stance | None:
    """Returns DENIED, or the stance that keeps words of denial from counting."""
    text, start = at.text, at.sentence.start
    denied = _denies([*_headed(at, terms), *at.lead], terms, at.left <= at.clause.start)
    alternatives = text.has(_role("or"), at.start, at.end) or "/" in text.text[at.start : at.end]
    opening = text.within(start, at.start)[:1]
    if opening and "or" in opening[0].roles and _empty(text.text[start : opening[0].start]):
        return Stance.OPEN
    if at.left > start and terms.rejects and any("than" in w.roles for w in at.lead):
        return Stance.ASKED
    if sign == "open" or (at.several and alternatives and not denied and sign not in ("wrong", "not")):
        return Stance.OPEN
    if sign == "wrong":
        return None if denied else Stance.DENIED
    return Stance.DENIED if denied or sign == "not" else None


def _withheld(at: _Around) -> Stance | None:
    """Returns the stance of what a text asks, refuses, supposes or thought at first."""
    text, start, behind = at.text, at.sentence.start, min(at.clause.end, at.next)
    ahead = text.within(start, at.start)
    if text.asks[at.number] or text.has(_role("ask"), at.clause.start, at.start):
        return Stance.ASKED
    refuse = [w.end for w in ahead if "refuse" in w.roles]
    lifts = _TURNS if refuse and at.clause.start <= refuse[-1] else _TURNS | {"answer", "choose"}
    if refuse and not text.has(lifts, refuse[-1], at.start):
        return Stance.ASKED
    if any("refuse" in w.roles and "likely" not in w.roles for w in text.within(at.end, behind)):
        return Stance.ASKED
    supposed = [w.end for w in ahead if "suppose" in w.roles and "choose" not in w.roles]
    if supposed and not text.has(_TURNS, supposed[-1], at.start):
        return Stance.SUPPOSED
    drafts = [w.end for w in ahead if "draft" in w.roles]
    if drafts and not text.has(_role("turn", "answer", "back"), drafts[-1], at.start):
        return Stance.DRAFT
    after = (w for w in text.within(at.end, min(at.clause.end, at.right)) if "draft" in w.roles)
    if any(_empty(without(text, at.end, w.start, _FILL)) for w in after):
        return Stance.DRAFT
    nearest = _nearest(at)
    roles = nearest.roles if nearest else frozenset[str]()
    limits = bool(roles & {"to", "because"}) and not roles & {"prep", "fill"}
    return Stance.ASKED if at.counted and limits else None


def _nearest(at: _Around) -> Word | None:
    """Returns the word before a mention with nothing but filling between."""
    before = at.text.within(max(at.left, at.sentence.start), at.start)
    while before and "fill" in before[-1].roles and not before[-1].roles & _POINTS:
        before.pop()
    return before[-1] if before and _empty(without(at.text, before[-1].end, at.start, _FILL)) else None


def _turning(at: _Around) -> list[int]:
    """Returns where the words end that turn or conclude before a mention in its sentence."""
    words = at.text.within(at.sentence.start, at.start)
    return [w.end for w in words if w.roles & _TURNS and "concede" not in w.roles]


def _left_open(at: _Around, sign: str, terms: Terms) -> Stance | None:
    """Returns the stance of what alternatives or hedges leave open."""
    text = at.text
    if any("or" in w.roles and _empty(without(text, w.end, at.start, _FILL)) for w in at.lead):
        return Stance.OPEN
    turns = _turning(at)
    behind = next((w.start for w in text.within(at.end, at.right) if w.roles & _TURNS), at.right)
    start = max(turns[-1] if turns else at.sentence.start, at.clause.start)
    scope = text.within(start, min(behind, max(at.clause.end, at.end)))
    first = text.within(at.sentence.start, at.start)[:1]
    if first and not turns and "hedge" in first[0].roles and at.form != "span":
        scope = [*first, *scope]
    if any("hedge" in w.roles and "likely" not in w.roles for w in scope):
        return Stance.NAMED if not at.several and _announced(at, terms) else Stance.OPEN
    return None


def _placed(at: _Around) -> Stance:
    """Returns the stance that the place of a mention in its sentence gives."""
    text, clause = at.text, at.clause
    if at.form == "listed":
        return Stance.NAMED
    head = _empty(without(text, at.sentence.start, at.start, _FILL))
    rest = _empty(_BRACKETS.sub(" ", without(text, at.end, at.sentence.end, _FILL)))
    if head and rest:
        return Stance.NAMED if text.has(_role("prep"), at.sentence.start, at.start) else Stance.BARE
    begins = _empty(without(text, clause.start, at.start, _FILL))
    ends = _empty(without(text, at.end, min(clause.end, at.sentence.end), _FILL))
    if text.has(_role("conclude"), at.sentence.start, at.start) or _closes(at, begins, ends, rest):
        return Stance.CONCLUDED
    colon = begins and at.number == 0 and text.text[at.end : at.end + 1] == ":"
    return Stance.HEAD if colon or (head and _set_off(text, at.end)) else Stance.NAMED


def _closes(at: _Around, begins: bool, ends: bool, rest: bool) -> bool:
    """Whether a mention closes a turn, a colon or a correction."""
    text, clause = at.text, at.clause
    nearest, turns = _nearest(at), _turning(at)
    last = rest or (ends and clause.end >= at.sentence.end)
    colon = text.text[: clause.start].rstrip(" \"'*")[-1:] == ":"
    if any("only" in w.roles and _empty(without(text, w.end, at.start, _FILL)) for w in at.lead):
        return True
    if ends and nearest and "back" in nearest.roles:
        return True
    if (
        turns
        and ends
        and (
            _empty(without(text, turns[-1], at.start, _FILL)) or (last and nearest and nearest.roles & _LEADS)
        )
    ):
        return True
    return begins and last and (colon or text.has(_role("is", "back"), clause.start, at.start))


def _headed(at: _Around, terms: Terms) -> list[Word]:
    """Returns the words that reject what stands behind their colon: "Later: image 2"."""
    clause = at.clause
    if at.text.text[: clause.start].rstrip()[-1:] != ":":
        return []
    head = at.text.within(max(at.left, clause.start - _FAR), clause.start)
    return (
        []
        if any(w.roles & {"back", "no", "answer"} for w in head)
        else [w for w in head if w.roles & terms.rejects]
    )


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
        tail
        and at.next == at.right < len(text.text)
        and tail[-1].roles & {"deny", "no", "and", "or", "fill", "option", "nor"}
    ):
        behind = without(text, tail[-1].end, at.right, _FILL | {"and"})
        before = text.text[at.end : tail[-1].start]
        if not _empty(behind) or (tail[-1].roles & {"deny", "no"} and "," in behind and "," not in before):
            break
        tail.pop()
    for word in tail:
        gap = text.text[last : word.start]
        near = _empty(without(text, at.end, word.start, _NEAR))
        if at.form == "judged" and "," in gap:
            break
        if word.roles >= {"turn", "deny"} and near:
            return "not"
        if word.roles & {"hedge", "refuse", "suppose", "because"} and "likely" not in word.roles:
            break
        entry = text.text[at.end : at.end + 1] in (".", ":", ")")
        if (
            entry
            and word.roles & {"yes", "no"}
            and near
            and word.end - word.start > 1
            and text.text[word.end : word.end + 1] in (".", "\n", "")
        ):
            return "wrong" if "no" in word.roles else "right"
        if (
            any(sign in gap for sign in ("\n", ";", ": "))
            or (". " in gap and at.form != "listed")
            or ("turn" in word.roles and "deny" not in word.roles)
        ):
            break
        if word.roles & terms.verdicts and "literal" in word.roles:
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
        if "deny" in word.roles and ("(" in gap or _joins(tail, word)):
            break
        stated = at.form == "stated" or "undo" in word.roles
        if "deny" in word.roles and (near or stated) and "," not in text.text[at.end : word.start]:
            denies = True
        last = word.end
    return "not" if denies else ""


def _joins(tail: list[Word], word: Word) -> bool:
    """Whether "and" stands before a word: "B and not C" denies C."""
    place = tail.index(word)
    return place > 0 and "and" in tail[place - 1].roles and tail[place - 1].end >= word.start - 1


def _taken_back(at: _Around, terms: Terms) -> str:
    """Returns "not" where the next sentence says of a mention that it is wrong: "This is wrong"."""
    text, number = at.text, at.number
    if at.next < at.sentence.end or number + 1 >= len(text.sentences) or not terms.rejects:
        return ""
    following = text.sentences[number + 1]
    for word in text.within(following.start, min(following.end, at.next)):
        if word.roles & terms.rejects:
            return (
                "not"
                if _empty(without(text, following.start, word.start, _FILL))
                and _points_back(text, following.start, word)
                else ""
            )
        if not word.roles & _FILL:
            return ""
    return ""


def _points_back(text: Text, start: int, word: Word) -> bool:
    return text.has(_role("is"), start, word.start) or word.roles >= {"is"}


def _announced(at: _Around, terms: Terms) -> bool:
    """Whether the words before a mention announce it as the answer."""
    text, lead, clause = at.text, at.lead, at.clause
    if any(word.roles & terms.approves & _ASKED for word in lead):
        return True
    near = lead[-1] if lead and "is" in lead[-1].roles else None
    close = near and _empty(without(text, near.end, at.start, _FILL)) and near.start - clause.start < _FAR
    if close and any("answer" in w.roles for w in lead):
        return True
    for word in reversed(lead):
        if not _empty(without(text, word.end, at.start, _FILL)):
            return False
        if word.roles & {"answer", "choose", "switch", "final"}:
            return not _subject(at, word)
        if word.roles & terms.approves:
            return True
    if at.left >= clause.start:
        return False
    # The noun may stand before the colon, or the end of the line, that begins the clause: "The answer is: B".
    head = text.within(max(at.left, clause.start - 60), clause.start)
    for word in reversed(head):
        if not _empty(without(text, word.end, clause.start, _FILL)):
            return False
        if word.roles & ({"answer", "choose", "switch", "final"} | terms.approves):
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
    if rest[:2] in (" -", " –", " —"):
        return True
    return rest[:1] in {":", ".", ",", "-", "–", "—", "(", "", "\n"} or any(
        "because" in w.roles and w.start <= end + 2 for w in text.within(end, end + 12)
    )
