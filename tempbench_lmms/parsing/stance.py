"""Decides a text's stance towards the answers that it names, in one way for all kinds of answers.

The first rule of `RULES` that applies decides the stance of a mention or of a list of mentions.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mentions import Mention
from tempbench_lmms.parsing.tokens import Span, Text, is_empty


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
    """A mention, what the text does with it, and the number of its sentence.

    Attributes:
        behind: Whether words that retract come between the mention before and this one.
        listed: Whether it is in a list with other values.
    """

    mention: Mention
    stance: Stance
    sentence: int
    behind: bool = False
    listed: bool = False


class Terms(NamedTuple):
    """Roles of words that approve or reject, if one thing is asked for: the longest time, the first image.

    `verdicts` are answers themselves and do not judge the mentions beside them.
    """

    approves: frozenset[str] = roles("right")
    rejects: frozenset[str] = roles("wrong false")
    verdicts: frozenset[str] = frozenset()


_NO_TERMS, _ANY_TERMS = Terms(frozenset(), frozenset()), Terms()
# What says nothing between a mention and the word that judges it.
_FILL = roles("fill prep final only is answer option image video conclude likely choose") | roles(
    "right back turn switch count keep"
)
_NEAR = _FILL | roles("deny also and all hedge unsure able must")
_TAIL, _JOINS = roles("deny no and or fill option nor prep"), roles("and or nor")
_ASKED, _TURNS, _HOLDS = roles("long odd"), roles("turn conclude"), roles("relative deny")
_BREAKS = ("\n", ";", ": ", ". "), ("\n", ";", ": ", ". ", " (", " - ", " – ", " — ")
_DENYING = roles("deny no"), roles("deny")  # a "no" is a judgement by itself
_TAKES_BACK, _ANNOUNCES = roles("back switch"), roles("answer choose switch final")
_POINTS = roles("back only to from because turn conclude is")
_BEFORE_BACK = roles("fill back switch no deny turn prep and yes must ask")
_LEADS, _SUBJECTS = roles("is prep turn conclude"), roles("answer option image")
_DENIES, _EXCEPT, _UNTIL = roles("deny wrong no"), roles("deny partly"), roles("once to")
_UNCERTAIN, _BOUNDS = roles("hedge refuse suppose because or"), roles("more less")
_LIMITS = roles("to towards because between before after")
_PARTS, _CONDITION = roles("is tick cross"), roles("suppose turn conclude")
_PAUSES = ("", *",.:;!)，。、")
_BRACKETS = re.compile(r"\([^()\n]{0,80}\)")
_FAR, _NEXT = 60, 14
# Signs; they keep a loop from costing time by its square.
_FILLING, _REACH = 120, 500


def is_filling(text: Text, start: int, end: int, roles: frozenset[str]) -> bool:
    """Returns whether a stretch, which must be short, has only words of some roles."""
    return end - start <= _FILLING and text.filled(start, end, roles)


def groups(text: Text, mentions: list[Mention]) -> list[list[Mention]]:
    """Returns the mentions dealt into lists: "A, B and D" has one predicate."""
    found: list[list[Mention]] = []
    for one in mentions:
        last = found[-1][-1] if found else None
        if last and last.form != "judged" and _is_joined(text, last, one):
            found[-1].append(one)
        else:
            found.append([one])
    return [part for group in found for part in (_pair(text, group) if len(group) == 2 else [group])]


def _pair(text: Text, group: list[Mention]) -> list[list[Mention]]:
    """Returns two mentions apart if the first is denied and only a comma joins them: "not A, B"."""
    one, other = group
    before = text.within(max(0, one.start - _FILLING), one.start)
    lead = next((w for w in reversed(before) if "article" not in w.roles), None)
    apart = (
        lead
        and "not" in lead.roles
        and one.form == other.form
        and not text.has("and or", one.end, other.start)
    )
    return [[one], [other]] if apart else [group]


def _is_joined(text: Text, one: Mention, other: Mention) -> bool:
    """Returns whether only a comma or a joining word separates two mentions; no "is", no tick.

    A comma behind a joining word ends the list: "neither A nor B, C". Nothing separates "the last two".
    """
    if one.end == other.start and one.form == other.form:
        return True
    start, end, lead = one.end, other.start, text.before(one.start, 1)
    rest = _BRACKETS.sub(" ", text.without(start, end, "and or option image fill"))
    parts = text.has(_PARTS, start, end) and "(" not in text.text[start:end]
    parts = parts or text.has("right wrong", start, end)
    signs = set("/、&|") if lead and lead.roles & _JOINS else set(",/、&|")
    if one.form in ("stated", "text", "words") and text.has("pronoun", start, end + 5):
        signs = set()  # "He doesn't feed the cat, he waters the plants"
    joins = bool(signs & set(rest)) or text.has("and or", start, end)
    return joins and not parts and is_empty(rest) and text.sentence(start - 1) == text.sentence(end)


class _Place:
    """A list of mentions and the text around it, from the mention before to the next one in its sentence."""

    def __init__(self, text: Text, group: list[Mention], before: int, after: int, terms: Terms) -> None:
        self.text, self.form = text, group[0].form
        self.start, self.end, self.next = group[0].start, group[-1].end, after
        self.number = text.sentence(self.start)
        whole = text.sentences[self.number]
        clauses = [c for c in text.clauses(whole) if c.start < self.end and self.start < c.end]
        self.sentence = Span(max(whole.start, self.start - _REACH), min(whole.end, self.end + _REACH))
        self.clause = Span(clauses[0].start, clauses[-1].end)
        self.left = max(before, self.sentence.start)
        # Where the word ends that rejects it, which does not deny the next one, too.
        self.judged_to = self.end
        self.right = min(after, self.sentence.end)
        self.several = len({one.value for one in group}) > 1
        self.counted = type(group[0].value) is int
        named = self.form != "judged" or text.text[self.start - 1 : self.start] == '"'  # "'yes' is out"
        self.terms = (terms if terms.approves else _ANY_TERMS) if named else _NO_TERMS
        self.ahead = text.within(self.sentence.start, self.start)
        # The words of the clause between the previous mention and this one.
        self.lead = text.within(max(self.left, self.clause.start), self.start)
        self.verdict = _said(self)

    @cached_property
    def denied(self) -> bool:
        alone = self.left <= self.clause.start
        denies = _DENIES | (self.terms.rejects if alone else frozenset())
        count, last = 0, Word(0, 0, frozenset())
        for word in self.ahead if self.headed else self.lead:
            held = last.roles & _HOLDS and "," not in self.text.text[last.end : word.start]
            last = word
            # "Nothing that suggests B", but "not until B".
            if word.roles >= _UNTIL or (word.roles & (_TURNS | _TAKES_BACK) and not held):
                count = 0
            elif word.roles & denies and not word.roles & (
                self.terms.verdicts | self.terms.approves | {"right"}
            ):
                count += 0 if count and "nor" in word.roles else 1  # "no es A ni B"
        return count % 2 == 1

    @cached_property
    def headed(self) -> bool:
        """Whether a denied noun announces the mention across a sign: "not answer - A"."""
        first, start = self.ahead[:1], self.sentence.start
        denies = first and first[0].roles & ({"deny"} | self.terms.rejects) and "no" not in first[0].roles
        opens = denies and self.left == start and is_empty(self.text.text[start : first[0].start])
        return bool(opens) and is_filling(self.text, first[0].end, self.start, _FILL - {"right"})

    @cached_property
    def nearest(self) -> Word | None:
        """The word before the mention with nothing but filling between."""
        before = self.text.within(self.left, self.start)
        while before and "fill" in before[-1].roles and not before[-1].roles & _POINTS:
            before.pop()
        return before[-1] if before and self.reaches(before[-1]) else None

    def reaches(self, word: Word) -> bool:
        return is_filling(self.text, word.end, self.start, _FILL)

    def last(self, role: str) -> int | None:
        ahead = self.ahead if role in self.text.roles else []
        return next((w.end for w in reversed(ahead) if role in w.roles), None)


def judge(text: Text, mentions: list[Mention], terms: Terms) -> list[Judged]:
    """Returns what a text does with each of its mentions, in order."""
    judged: list[Judged] = []
    lists = groups(text, mentions)
    end = 0
    starts = [*(group[0].start for group in lists[1:]), len(text.text)]
    rules = [rule for rule, needed in RULES if needed is None or not needed.isdisjoint(text.roles)]
    for i, group in enumerate(lists):
        at = _Place(text, group, end, starts[i], terms)
        stance = next((said for rule in rules if (said := rule(at)) is not None), Stance.NAMED)
        if judged and judged[-1].stance == Stance.DENIED and _is_likewise(at):
            stance = Stance.DENIED
        taken = [w for w in text.within(end, at.start) if w.roles & _TAKES_BACK or _is_no(text, w)]
        back = any(text.sentence(w.start) == at.number or opens_back(text, w) for w in taken)
        back = back or (bool(judged) and judged[-1].behind and judged[-1].stance < Stance.OPEN)
        end = at.judged_to if at.verdict in ("wrong", "not") else at.end
        judged += [Judged(one, stance, at.number, back and one is group[0], at.several) for one in group]
    return judged


def opens_back(text: Text, word: Word) -> bool:
    """Returns whether a word that takes back has nothing before it in its sentence that says something."""
    return is_filling(text, text.around(word.start).start, word.start, _BEFORE_BACK)


def _is_likewise(at: _Place) -> bool:
    """Returns whether a clause says only that a mention shares what is said of another: "So is C"."""
    ends = (at.clause.start, at.start), (at.end, min(at.clause.end, at.sentence.end))
    words = at.text.within(at.clause.start, at.clause.end)
    return any("also" in w.roles and "conclude" not in w.roles for w in words) and all(
        is_filling(at.text, *one, _FILL | {"also", "and"}) for one in ends
    )


def _is_no(text: Text, word: Word) -> bool:
    """Returns whether a word is a "no" by itself: "No, that is the other one"."""
    no = "no" in word.roles and "wrong" not in word.roles
    return no and text.text[word.end : word.end + 2].strip()[:1] in (*_PAUSES, "-", "–", "—")


def _alternative(at: _Place) -> Stance | None:
    several = at.several and at.text.has("or", at.start, at.end) and not at.denied
    return Stance.OPEN if several or at.verdict == "open" else None


def _others(at: _Place) -> Stance | None:
    """Says DENIED of what "the other options" are."""
    words = at.text.within(at.sentence.start, at.start)[:3]
    opens = any("other" in w.roles for w in words[:2]) and any(w.roles & _SUBJECTS for w in words)
    chosen = at.verdict == "right" and not at.text.has("deny", at.end, at.sentence.end)
    return Stance.DENIED if opens and not chosen else None


def _compared(at: _Place) -> Stance | None:
    """Says ASKED of what something else is compared with: "is later than B"."""
    apart = 0 if at.left > at.sentence.start else 2 if at.form in ("text", "words") else _FAR
    compares = any("than" in w.roles and w.end + apart <= at.start for w in at.lead)
    return Stance.ASKED if compares else None


def _denied(at: _Place) -> Stance | None:
    excepted = at.nearest and at.nearest.roles >= _EXCEPT  # "all but B are wrong", "all but B belong here"
    if excepted and (at.verdict in ("wrong", "not") or "odd" in at.terms.approves):
        return Stance.NAMED if at.several else Stance.ANNOUNCED
    return Stance.DENIED if at.denied or at.verdict in ("wrong", "not") else None


def _asked(at: _Place) -> Stance | None:
    """Says ASKED of what a question or a refusal speaks of: "I cannot tell whether it is B"."""
    refused = at.last("refuse")
    lifts = _TURNS if refused and at.clause.start <= refused else (_TURNS | roles("answer choose"))
    refuses = refused and not at.text.has(lifts, refused, at.start)
    asks = at.text.asks[at.number]
    said = at.text.opens(at.number + 1) if asks and at.number + 1 < len(at.text.sentences) else roles("")
    if said & (_DENIES | {"yes", "tick", "cross"}) and not said & (_UNCERTAIN | {"literal"}):  # "Is it B? No"
        no = said & (_DENIES | {"cross"}) or "deny" in at.text.said(at.number + 1)  # "B? Absolutely not"
        return Stance.DENIED if no else Stance.ANNOUNCED
    return Stance.ASKED if refuses or asks else None


def _supposed(at: _Place) -> Stance | None:
    """Returns SUPPOSED for a mention after a condition: "if it is B"."""
    text, supposed = at.text, at.last("suppose")
    if supposed and not text.has(_TURNS, supposed, at.start) and ";" not in text.text[supposed : at.start]:
        return Stance.SUPPOSED
    behind = next((w for w in text.within(at.end, at.right) if w.roles & _CONDITION), None)
    ruled = behind and "suppose" in behind.roles and text.has("unreal", at.clause.start, behind.start)
    return Stance.SUPPOSED if ruled else None


def _drafted(at: _Place) -> Stance | None:
    """Returns DRAFT for a first thought or a concession: "my first guess was B"."""
    claims = at.form in ("stated", "judged") and at.text.has("claim", at.sentence.start, at.start)
    if not claims and any(
        "quotes" in w.roles and (w.start > at.left + 1 or w.start == at.sentence.start) for w in at.lead
    ):
        return Stance.DRAFT
    drafted = at.last("draft")
    said = "turn answer back" if drafted and at.clause.start >= drafted else "turn back"
    if drafted and drafted > at.left and not at.text.has(said, drafted, at.start):
        return Stance.DRAFT
    conceded = any("concede" in w.roles for w in at.text.within(at.clause.start, at.start)[:1])
    behind = at.text.has("draft", at.end, min(at.clause.end, at.right))
    return Stance.DRAFT if conceded or behind else None


def _bounded(at: _Place) -> Stance | None:
    """Returns ASKED for a number that is only a bound: "up to 4", "after image 4"; OPEN for "4 or more"."""
    roles = at.nearest.roles if at.nearest else frozenset[str]()
    limits = roles & _LIMITS and not roles & {"prep", "fill"}
    limits = limits and not {*",;"} & {*at.text.text[at.nearest.end if at.nearest else at.start : at.start]}
    if at.counted and limits and not at.text.has("deny", at.clause.start, at.start):  # "not until 4"
        return Stance.ASKED
    behind = [w for w in at.text.within(at.end, at.end + _FAR)[:1] if w.start <= at.end + 1]  # "4 or more"
    bounded = any(roles_ & _BOUNDS for roles_ in (roles, *(w.roles for w in behind)))
    return Stance.OPEN if bounded and at.form == "number" else None


def _hedged(at: _Place) -> Stance | None:
    if any("or" in w.roles for w in at.lead):
        return Stance.OPEN
    behind = next((w.start for w in at.text.within(at.end, at.right) if w.roles & _TURNS), at.right)
    start = max([at.sentence.start, at.clause.start, *(w.end for w in at.ahead if w.roles & _TURNS)])
    scope = at.text.within(start, min(behind, max(at.clause.end, at.end)))
    return Stance.OPEN if any("hedge" in w.roles for w in scope) else None


def _approved(at: _Place) -> Stance | None:
    right = at.verdict == "right"
    if right and (at.text.has("suppose", at.end, at.right) or at.text.has("unreal", at.judged_to, at.right)):
        return Stance.SUPPOSED
    return Stance.ANNOUNCED if right or _is_announced(at) else None


def _placed(at: _Place) -> Stance | None:
    text, clause = at.text, at.clause
    if at.form == "listed":
        return Stance.NAMED
    head = is_filling(text, at.sentence.start, at.start, _FILL)
    rest = is_empty(_BRACKETS.sub(" ", text.without(at.end, at.sentence.end, _FILL)))
    if head and rest:
        led = text.has("prep", at.sentence.start, at.start)
        return Stance.NAMED if led and ":" not in text.text[at.sentence.start : at.start] else Stance.BARE
    begins = is_filling(text, clause.start, at.start, _FILL | {"relative"})
    ends = is_filling(text, at.end, min(clause.end, at.sentence.end), _FILL)
    concludes = any("conclude" in w.roles for w in at.lead)
    if concludes or _closes(at, begins, ends, rest):
        return Stance.CONCLUDED
    colon = begins and at.number == 0 and text.text[at.end : at.end + 1] == ":"
    set_off = head and (at.form == "both" or _is_set_off(text, at.end))
    return Stance.HEAD if colon or set_off else Stance.NAMED


# Each rule, and the roles of which a text must have one; otherwise the rule says nothing.
RULES: list[tuple[Callable[[_Place], Stance | None], frozenset[str] | None]] = [
    (_others, roles("other")),
    (_alternative, None),
    (_compared, roles("than")),
    (_denied, None),
    (_asked, None),
    (_supposed, roles("suppose")),
    (_drafted, roles("claim quotes draft concede")),
    (_bounded, _BOUNDS | _LIMITS),
    (_hedged, roles("or hedge")),
    (lambda at: Stance.NAMED if at.several else None, None),
    (_approved, None),
    (_placed, None),
]


def _closes(at: _Place, begins: bool, ends: bool, rest: bool) -> bool:
    text, clause = at.text, at.clause
    if any("only" in w.roles and at.reaches(w) for w in at.lead):
        return True
    nearest = at.nearest.roles if at.nearest else frozenset[str]()
    turned = any(w.roles & _TURNS for w in at.ahead)
    if ends and turned and nearest & _LEADS:
        return True
    colon = text.text[: clause.start].rstrip(" \"'*")[-1:] == ":"
    judged = at.form == "judged" and clause.start > at.sentence.start
    judged = judged and text.has("yes no", at.start, at.end) and not text.has("fill likely", at.start, at.end)
    alone = at.form in ("letter", "label", "place") and at.number > 0 and clause.start > at.sentence.start
    alone = alone and not at.several and text.text[clause.start - 1] != "("  # "After all, B."
    return begins and rest and (colon or judged or alone or text.has("is back", clause.start, at.start))


def _of_it(at: _Place) -> list[Word]:
    """Returns the words after a mention, except those that deny or join the next one."""
    text, tail = at.text, at.text.within(at.end, at.right)
    follows = at.next < len(text.text) and text.sentence(at.next) == at.number
    while follows and tail and tail[-1].roles & _TAIL and "postposed" not in tail[-1].roles:
        if {*_PAUSES} & {*text.text[tail[-1].end : at.next]}:
            break  # "A est faux, B"
        tail.pop()
    return tail


def _said(at: _Place) -> str:
    last, denies = at.end, False
    words = _of_it(at)
    for i, word in enumerate(words):
        gap = at.text.text[last : word.start]
        near = is_filling(at.text, at.end, word.start, _NEAR)
        if said := _mark(at, word, near and not denies):
            return said
        if _ends(at, word) or any(sign in gap for sign in _BREAKS[at.form == "judged"]):
            break
        if word.roles & (at.terms.rejects | at.terms.approves | {"deny"}):
            at.judged_to = word.end
        if word.roles & at.terms.rejects:
            return "open" if denies else "wrong"
        if word.roles & at.terms.approves and (near or word.roles & _ASKED):
            return "not" if denies else "right"
        if word.roles & _DENYING[at.form == "judged"]:
            if i and "and" in words[i - 1].roles:
                break  # "B and not C"
            closes = at.text.text[word.end : word.end + 1] in _PAUSES  # "C sieht man nicht"
            reaches = near or closes or at.form in ("stated", "judged", "label", "place")
            between = at.text.text[at.end : word.start].replace(',"', "")
            denies |= reaches and not {*",、"} & {*between}
        last = word.end
    return "not" if denies else ""


def _ends(at: _Place, word: Word) -> bool:
    """Returns whether nothing behind a word judges the mention; but "aber nicht" does."""
    turns = {"turn"} if not at.text.has("deny", word.start, word.end + _NEXT) else frozenset[str]()
    rest = "rest" in word.roles and at.text.text[word.end : word.end + 1] == " "  # "the others are wrong"
    return rest or bool(word.roles & (_UNCERTAIN | at.terms.verdicts | turns))


def _mark(at: _Place, word: Word, near: bool) -> str:
    """Returns the verdict of a tick, a cross, a separate yes or no ("B: no"), or "is the one left"."""
    lead = at.text.before(word.start, 1)
    if near and "remainder" in word.roles and lead and "is" in lead.roles:
        return "right"
    said = "wrong" if word.roles & {"no", "cross"} else "right"
    if at.terms.approves and word.roles & {"tick", "cross"}:
        return "" if "\n" in at.text.text[at.end : word.start] else said
    judges = at.terms.approves and near and not word.roles & at.terms.verdicts
    after = at.text.text[word.end : word.end + 2].strip(" ")[:1]
    stands = judges and word.roles & {"yes", "no"} and after in ("", *",.;)\n|。")
    return said if stands else ""


def _is_announced(at: _Place) -> bool:
    clause = at.clause
    if any(word.roles & at.terms.approves & _ASKED for word in at.lead):
        return True
    for word in reversed(at.lead):
        if not at.reaches(word):
            return False
        sequence = "sequence" in word.roles and "pronoun" not in word.roles and at.form == "order"
        if sequence and not at.text.has("shown prior", *at.clause):
            return True  # "the order is 2, 1, 3"
        if word.roles & _ANNOUNCES:  # but "Answer B shows the end" announces nothing
            return "answer" not in word.roles or at.text.text[word.end : at.start] != " "
        if word.roles & at.terms.approves:
            return True
    return at.left < clause.start and _is_headed(at)


def _is_headed(at: _Place) -> bool:
    """Returns whether the noun comes before the colon or line end that begins the clause."""
    text, start = at.text, at.clause.start
    for word in reversed(text.within(max(at.left, start - _FAR), start)):
        if not is_filling(text, word.end, start, _FILL):
            return False
        if word.roles & (_ANNOUNCES | at.terms.approves):
            return text.text[word.end : start].strip(" \"'")[-1:] in {":", "-", "–", "—", ""}
    return False


def _is_set_off(text: Text, end: int) -> bool:
    rest = text.text[end : end + 3].lstrip("\"')]*")
    return rest[:2] in (" -", " –", " —", " [") or rest[:1] in ("", *":.,-–—([\n")
