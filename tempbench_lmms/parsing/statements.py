"""What a reply says about the values that it names: chosen, rejected, held possible, one of several.

A recogniser finds where values are named. This stage looks at the words around each place and decides which
value the reply chooses: first one that it calls its answer, then one that it concludes or chooses, then the
only one that it names and doesn't reject. A correction lets the last one win.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import CaseBlind, holds, signs
from tempbench_lmms.parsing.words import (
    AND,
    ANSWER,
    ASKED_FOR,
    CHOOSE,
    CORRECT,
    CORRECTION,
    FILLER,
    FIRST_ADJECTIVE,
    FIRST_NOUN,
    IF,
    IMAGE,
    IS,
    MAYBE,
    NOT,
    NUMBER,
    OPTION,
    OR,
    SWITCHES,
    TAKES_BACK,
    THEREFORE,
    any_of,
)


class Mention(NamedTuple):
    """A place in a text that names a value.

    Attributes:
        value: The value.
        start: Where it begins, with the words that belong to it.
        end: Where it ends.
        sure: Whether it can be nothing else ("Option B"), or only where the words before it call it the
            answer (a bare number).
        cue: 2 where the words that belong to it call it the answer, 1 where they conclude it ("5 in total").
        open: Whether those words leave it open ("more than 3").
    """

    value: Any
    start: int
    end: int
    sure: bool = True
    cue: int = 0
    open: bool = False


class Verdict(NamedTuple):
    """What a text says: the value and by which rule, or the reason for none.

    Attributes:
        value: The value, or None.
        how: The rule, or the reason where there is no value.
        start: Where the deciding words begin in `text`.
        end: Where they end.
        text: What was read.
    """

    value: Any
    how: str
    start: int = 0
    end: int = 0
    text: str = ""


# "Maybe not B", "B is not entirely wrong"
_HALF_DENIED = lazy(
    rf"{any_of(MAYBE)}|(?:\bnot|n['’]t)\s+(?:entirely|completely|fully|quite|totally|necessarily|wholly|exactly|really|so|too|all)\b"
    r"|\bn?either\b",
    re.IGNORECASE,
)
_MOST = 20
_SHORT = 80
_FEWEST = 3
_BEFORE = 110
_AFTER = 60
_QUOTE = r"[\s\"'(\[{<*:~≈#]"
_FILLERS = rf"(?:{any_of(FILLER)}|{any_of(CORRECT)}|{_QUOTE})*"
_NOUN = any_of(
    (
        *ANSWER,
        *OPTION,
        "image",
        "picture",
        "photo",
        "one",
        "order",
        "sequence",
        "ranking",
        "class",
        "count",
        "number",
        "position",
        "direction",
        "pair",
        "shape",
        "ordre",
        "reihenfolge",
        "orden",
        "顺序",
        "順序",
        "순서",
        "段階",
    )
)
_EXPLICIT = CaseBlind(
    rf"(?:{any_of((*ANSWER, *ASKED_FOR))}[\"')\]]*(?:\s+(?:to|for)\s+(?:the|this|your)\s+\w+)?(?:,\s*which)?"
    rf"(?:\s+(?:of|between)\s+\S+\s+(?:to|and|with)\s+\S+)?\s*(?:{any_of(IS)}"
    rf"|[:=>\-—–]|\s)*"
    rf"|{any_of(IMAGE)}\s*(?:的|の)?\s*{any_of(NUMBER)}\s*{any_of(IS)}"
    rf"|(?:number|numéro|número|nummer)\s+(?:of|de|des|der|del)\s+(?:(?:the|la|l['’]|das|des)\s*)?{any_of(IMAGE)}\s*{any_of(IS)}"
    rf"|{any_of(CORRECT)}\s*{_NOUN}?[\"')\]]*(?:\s+[\w']+){{0,8}}?\s*(?:{any_of(IS)}|[:=])+"
    rf"|{any_of(OPTION)}(?:\s+(?:for|of|with)\s+[^.,;\n]{{1,24}}?)?\s*(?:{any_of(IS)}|[:=]))\s*{_FILLERS}$"
)
# Not among the words that announce an answer: one by one, these say other things.
_TAKES_PAIR = ("i arrive at pair", "choose pair", "go with pair", "settle on pair")
_TAKES = (
    *("i'm taking", "i'll take", "passt am besten zu", "passt am besten zu bild", "am besten passt"),
    *_TAKES_PAIR,
)
_CONCLUDING = CaseBlind(
    rf"(?:{any_of((*CHOOSE, *THEREFORE, *_TAKES))}|(?:^|[\n.!?;])\s*(?:only\b|(?:it|this)\s+(?:is|was|must be"
    rf"|seems|appears)\b))"
    rf"[\s,:]*(?:(?:it|that|this|we|i|there(?:'s)?|they|he|she|the\s+\w+)\s+)?(?:{any_of(IS)}\s*)?{_FILLERS}"
    rf"(?:{any_of(IMAGE)}\s*[(\[]\s*)?$"
)
# "The event is best shown in A": all of it, and not "the first event" or "step 2".
_BEST_SHOWN = lazy(
    r"(?:\b(?:it|this|that)|(?<!first )(?<!second )(?<!third )(?<!next )(?<!last )\b(?:event|sentence|caption"
    r"|description|statement|scene|action|moment)|[\"”'’])\s+(?:is|was)\s+(?:therefore\s+|thus\s+|clearly\s+)?"
    rf"best\s+(?:represented|shown|captured|depicted|illustrated|matched|described)\s+(?:by|in)\s*{_FILLERS}$",
    re.IGNORECASE,
)
_NOT_BEST = lazy(r"\b(?:not|never|hardly|nothing|none|no|first|doubt\w*)\b|n['’]t\b", re.IGNORECASE)
_SENTENCE_END = lazy(r"[.!?][\"')*]*\s(?!\s*[a-z])|\n")
_SWITCHING = CaseBlind(rf"{any_of(SWITCHES)}[\s,:]*{_FILLERS}$")
# "Image 1; no, strike that, Image 5": behind a value, and before the next one.
_TAKEN_BACK = lazy(
    rf"(?:^|[\s,;.:!?)(–—-])\s*{any_of(TAKES_BACK)}(?:[\s,;:.!–—-]|\b(?:it['’]s|it\s+is|that['’]s|make\s+it|should\s+be|must\s+be|"
    rf"{any_of(TAKES_BACK)}))*{_FILLERS}$",
    re.IGNORECASE,
)
_PLAINLY_NOT = lazy(r"(?:^|[.!?\n]\s*)\W*(?:(?:it\s+is|it['’]s)\s+)?not\s+(?:option\s+)?\W*$", re.IGNORECASE)
_CLOSES = lazy(r"[^.!?\n:]*[^\W\d_][^.!?\n:]*:\s*[\"'(*]*")
_ENDS_SENTENCE = lazy(r"[\"')*]*(?:[.!]\s*)?$")
# "Image 2? Hmm, no: 4."; "image 1: no, image 2: no" judges one after the other.
_NO_BUT = lazy(
    rf"^[^:]*?[,;.!?…]\s*(?:[^\W\d_]{{1,6}}[,.]?\s+)?(?:no|nope|nein|non)\s*[,:–—-]+\s*{_FILLERS}$",
    re.IGNORECASE,
)
_CALLED = lazy(
    rf"^[\s\"')(\[\]:.]*(?:(?:wins|it\s+is)\b(?=\W*(?:$|\n|then))|(?:{any_of(IS)})\s*(?:the\s+)?(?:most\s+\w+\s+|single\s+|overall\s+"
    rf"|one\s+)?(?:{any_of((*CORRECT, *ANSWER))}|(?:image|option|picture)\s+number\b)"
    r"|,?\s*(?:(?:though|however|so)\b,?\s*)?(?:(?:and|so)\s+)*(?:that['’]s|that\s+is|this\s+is)\s+(?:therefore\s+)?my\s+(?:final\s+)?(?:choice|answer|pick)\b"
    r"|(?:is|was)\s+(?:what|the\s+one)\s+(?:(?:that\s+)?(?:i|we)|that\s+(?:fits|matches|works|is\s+(?:correct|right)))\b"
    r"|(?:corresponds|matches)\s+(?:most\s+closely|best)\b"
    r"|more\s+(?:accurately|closely|precisely|tightly|faithfully|correctly|appropriately)\s+[a-z]+s\b"
    r"|(?:best\s+)?(?:fits|matches|describes|represents)\s+(?:it\s+|this\s+)?best|(?:best"
    r"|most closely)\s+(?:fits|matches|describes|represents|captures|shows|depicts)"
    r"|(?:가|이|은|는)?\s*(?:정답|맞|답)|が(?:正解|正しい|答え|最も)|(?:最|更)?(?:正确|正確|符合|合适))",
    re.IGNORECASE,
)
_REJECTED = CaseBlind(
    rf"(?:{any_of(NOT)}|n't\b|n’t\b)\s*(?:be\s+|is\s+|show\s+|depict\s+|match\s+|support\s+|say\s+|pick\s+|choose\s+|to\s+|out\s+|have\s+|depicted\s+|shown\s+|seen\s+|visible\s+|found\s+|illustrated\s+|represented\s+|think\s+(?:it|that)\s+is\s+"
    rf"|es\s+|est\s+|ist\s+|è\s+|either\s+|any\s+of\s+|both\s+|simply\s+)*"
    rf"(?:{any_of(OPTION)}|{any_of(ANSWER)}|{any_of(FILLER)}|{_QUOTE})*$"
)
_REJECTED_AFTER = lazy(
    rf"^[\s\"')\]:.,]*(?:(?:{any_of(IS)}|can|could|seems?|looks?)\s+(?:\w+\s+){{0,2}}?(?:not\b|n't"
    rf"|incorrect|wrong|false(?![\w;])|inaccurate|out\b|ruled\s+out"
    r"|eliminated|excluded|impossible|unlikely|less\s+likely|invalid|discarded|rejected|dismissed"
    r"|contradicted|implausible|too\s+\w+)"
    r"|(?:isn't|isnt|aren't|wasn't|doesn't|does\s+not|do\s+not|don't|cannot|can't|can\s+not|couldn't"
    r"|contradicts|fails|lacks|is\s+also\s+not)\b"
    # "C, not A": what is denied is the next one.
    r"|不(?:是(?!\s*(?:选项|選項|图像?|图片|第)?\s*[A-Z\d])|对|对|正确|正確|可能|符合)|错|錯|は(?:間違|誤|違)|ではな|じゃな|が(?:間違|誤)|(?:\s?쌍)?(?:은|는|가|이)\s*(?:아니|아닙|틀)"
    r"|(?:ist|sind)\s+(?:falsch|nicht)|est\s+(?:faux|fausse|incorrecte?)|n'est\s+pas|no\s+(?:es|es)"
    r"|es\s+(?:falsa|incorrecta|falso))",
    re.IGNORECASE,
)
# What a value is called that is out, and not only "not clear".
_OUT = lazy(
    r"^[^.!?;\n]*?(?:\b(?:incorrect|wrong|false|inaccurate|out|eliminated|excluded|impossible|invalid|discarded"
    r"|rejected|dismissed|contradicted)\b|(?:not|n['’]t)\s+(?:be\s+)?(?:it|right|correct|true|match|fit|work|apply"
    r"|the\s+(?:answer|one|image))\b|不(?:是|对|正确)|错|錯|間違|틀)",
    re.IGNORECASE,
)
_OPEN = CaseBlind(
    rf"(?:{any_of(MAYBE)})\s*(?:also\s+|well\s+|either\s+)*(?:{any_of(IS)}\s*)?(?:{any_of(FILLER)}"
    rf"|{any_of(OPTION)}|{_QUOTE})*$"
)
_OPEN_AFTER = lazy(
    r"^[\s\"')\]:.,]*(?:(?:is|are|remains?|seems?)\s+(?:also\s+|still\s+|equally\s+"
    r"|another\s+)*(?:possible|plausible|a possibility|conceivable|an option)"
    r"|(?:might|may|could)\s+(?:also\s+|well\s+)*(?:be|fit|work|apply)|can(?:no|'|’)?t\s+be\s+(?:ruled"
    r"|excluded)|cannot\s+be\s+(?:ruled|excluded)|かもしれ|也有?可能|일 ?수도)",
    re.IGNORECASE,
)
# "One might suspect Image 2 due to its snow cover."
_SUSPECTED = lazy(
    r"\b(?:one|you|someone|people|we)\s+(?:might|may)\s+(?:\w+\s+)?(?:suspect|think|guess|assume|expect|be\s+(?:tempted|inclined))\b"
    r"[^.;:!?\n]{0,24}$",
    re.IGNORECASE,
)
# "Some of the evidence points to A, some to B."
_PARTLY = lazy(
    r"\b(?:some|part|half|certain)\b(?:\s+\w+){0,4}\s+(?:points?|speaks?|suggests?|hints?|indicates?)"
    rf"(?:\s+(?:to|towards?|at|for))?\s*(?:{any_of(FILLER)}|{any_of(OPTION)}|{_QUOTE})*$",
    re.IGNORECASE,
)
# "Possible answers are C (if ...) and B", "a possible answer is D"
_POSSIBLE = lazy(
    r"(?:\b(?:possible|potential|plausible)\s+(?:answers|options|choices|solutions|candidates)|\b(?:a|one|another)\s+(?:possible|potential|plausible)\s+(?:answer|option|choice|solution))\s*(?:(?:here|then)\s+)?(?:[:–-]|(?:are|is|include|would\s+be|could\s+be|remain)\b)[^.;!?\n]*$",
    re.IGNORECASE,
)
_HYPOTHETICAL = lazy(rf"(?:^|[\s,;(])(?:{any_of(IF)})\b(?!\s+(?:I|we)\b)[^.!?\n]*$", re.IGNORECASE)
# "B is what I'd choose, were the door open."
_WERE_IT = lazy(r"^[^.;!?\n]{0,40},\s*(?:were|had|if\s+only)\s+(?!I\b|we\b)\w+", re.IGNORECASE)
# "Second choice: A"
_RUNNER_UP = lazy(
    r"\b(?:(?:second|2nd|next|other|alternative|backup|fallback)[\s-]+(?:best\s+)?(?:choice|guess|option|answer|candidate|pick)|runner[\s-]?up)"
    r"\W{0,3}(?:is|was|would\s+be)?\W{0,4}(?:option\s+|image\s+)?[\"'(]*$",
    re.IGNORECASE,
)
_RUNNERS = ("second", "2nd", "next", "other", "alternative", "backup", "fallback", "runner")
_HYPOTHETICAL_AFTER = lazy(
    r"^[\s\"')\]]*(?:only\s+)?(?:if|unless|otherwise|would\s+(?!be\s+(?:my|most|best|the\s+(?:\w+\s+)?(?:best|correct|right|answer|most|only|option|choice|one)))|wenn|si)\b",
    re.IGNORECASE,
)
# "If the answer was "Before", the pancakes would be raw."
_IF_IT_WERE = lazy(
    r"\bif\s+(?:(?:the|this|that|it|my)\b\s*)(?:(?:correct|right|true)\s+)?(?:(?:answer|relation\w*|class|option|choice|order|statement)\s+)?(?:was|were|had\s+been)\s+\W*$",
    re.IGNORECASE,
)
_WHETHER = lazy(r"(?:whether|if|ob|是否|かどうか|인지)\s*(?:[\w']+\s+){0,5}$", re.IGNORECASE)
_RULES = lazy(
    r"\b(?:rul(?:es?|ed|ing)|cross(?:es)?|leaves?|leaving|throws?|counts?|strikes?|weeds?)\s+(?:option\s+|image\s+)?[\"'(*]*$",
    re.IGNORECASE,
)
_CHANGED = lazy(
    r"\b(?:chang|correct|revis|switch|updat|amend)\w*\s+(?:(?!not\b)\w+\s+){0,3}?from\s+[\"'(]*$",
    re.IGNORECASE,
)
_BUT = lazy(
    r"[\s\"',]*(?:but|sondern|sino|mais|而是|ではなく)\s*(?:rather\s+|instead\s+)?[\s\"']*", re.IGNORECASE
)
_ANNOUNCED = lazy(r"(?:^|[:\n])\s*not\s+$", re.IGNORECASE)
_COLON = lazy(r"[\"')]{0,2}\s?:\s*[\"'(]*")
_THEN = lazy(r"[\"')]{0,2}[,;]\s*(?:it['’]s\s+|it\s+is\s+)?[\"'(]*")
_WOULD = lazy(r"\b(?:would|could|might|were)\b|なら|würde|wäre|serait|sería")
_CORRECTED = CaseBlind(any_of(CORRECTION))
_CORRECTING = signs(CORRECTION)
_FINAL = (
    "final",
    "endgültig",
    "definitiv",
    "最终",
    "最終",
    "최종",
    "in the end",
    "conclu",
    "overall",
    "confirm",
)
_LINK = lazy(
    # "C (65 to 100 s) or D (20 to 65 s)"
    rf"(?:\s?\([^()\n]{{1,60}}\)(?=\s*(?:,\s*)?{any_of(OR)}))?[\s\"')\].?]*(?:(?:{any_of(OR)}|{any_of(AND)}|nor\b|,|/|、|\bto\b|-|–|->|→|>"
    rf"|<)[\s\"'(\[]*){{1,3}}(?:(?:maybe|perhaps|possibly|even|the|also|both"
    rf"|{any_of((*OPTION, *IMAGE))})\s*)*[\s\"'(\[]*",
    re.IGNORECASE,
)
_EITHER = lazy(rf"{any_of(OR)}|nor\b|/|\bto\b|-|–", re.IGNORECASE)
_SENTENCE = lazy(
    r"[.!?](?=\s)|\n|;|\b(?:but|sondern|sino)\b|,\s*(?:but|so|whereas|while|although|aber|sondern|mais"
    r"|pero)\b|,\s*(?=(?:it|he|she|they|this|that)\s)"
)


@dataclass(slots=True)
class _Group:
    """Mentions that one list names, "A or B", and what is said about all of them."""

    mentions: list[Mention]
    cue: int = 0  # 2: called the answer; 1: concluded or chosen
    rejected: bool = False
    denied: bool = False  # rejected by a word of its own, and not only supposed
    first: bool = False  # a first thought, which another value takes back
    open: bool = False
    final: bool = False

    @property
    def values(self) -> list[Any]:
        return list(dict.fromkeys(mention.value for mention in self.mentions))


def resolve(
    text: str, mentions: Sequence[Mention], explicit_only: bool = False, values: Sequence[Any] = ()
) -> Verdict:
    """Returns the value that a text chooses among those that it names.

    Args:
        text: The text.
        mentions: Where values are named, in order.
        explicit_only: Whether only what is called the answer counts, as after "I can't tell".
        values: All values on offer; where all but one are rejected, that one is chosen.
    """
    groups = _without_lists(_grouped(text, mentions), values)
    live = [group for group in groups if not group.rejected]
    if values and (left := _left(text, groups, live, values)) is not None:
        return Verdict(left, "only one", groups[-1].mentions[0].start, groups[-1].mentions[-1].end, text)
    for cue, how in ((2, "answer"), (1, "conclusion")):
        chosen = [group for group in live if group.cue == cue and not group.open]
        if chosen:
            return _of_tier(text, chosen, live, how)
    if found := _all_but_one(text, groups, values):
        return found
    sure = [group for group in live if any(mention.sure for mention in group.mentions)]
    # "I think the answer might be A": the only one that is named is meant.
    hedged = [group for group in live if group.cue == 2] if _I_THINK.search(text) else []
    if hedged and len({value for group in groups for value in group.values}) == 1:
        return _of_tier(text, hedged, live, "answer")
    if explicit_only or not sure:
        return Verdict(None, "open" if any(group.cue for group in live) else "nothing")
    return _only(text, sure)


def _without_lists(groups: list[_Group], values: Sequence[Any]) -> list[_Group]:
    """Returns groups without those that name all values, "the points A, B and C", before another one."""
    if len(values) < _FEWEST or len(groups) < 2:
        return groups
    return [
        group
        for group in groups
        if group is groups[-1] or group.cue or group.rejected or set(group.values) != {*values}
    ]


def _left(text: str, groups: Sequence[_Group], live: Sequence[_Group], values: Sequence[Any]) -> Any:
    """Returns the value that is left where the last words reject, and all others are rejected."""
    if len(values) == 2 and groups and all(group.denied and len(group.values) == 1 for group in groups):
        # "Not A. The coffee was poured first.", "B is wrong."
        gone = {
            group.values[0]
            for group in groups
            if _PLAINLY_NOT.search(text, 0, group.mentions[0].start)
            or not (group.open or len(text) > _SHORT or _HALF_DENIED.search(text))
        }
        return next((value for value in values if value not in gone), None) if len(gone) == 1 else None
    if len(groups) < 2 or not groups[-1].denied or len(groups[-1].values) > 1:
        return None
    gone = {value for group in groups if group.denied for value in group.values}
    left = [value for value in values if value not in gone]
    if len(left) != 1 or any(group.cue == 2 and set(group.values) & gone for group in live):
        return None
    return left[0] if all(set(group.values) <= {*gone, *left} for group in live) else None


def _all_but_one(text: str, groups: Sequence[_Group], values: Sequence[Any]) -> Verdict | None:
    """Returns the one of three values or more that is not rejected, where all others are."""
    if len(values) < _FEWEST:
        return None
    denied = [group for group in groups if group.denied and any(mention.sure for mention in group.mentions)]
    out = {value for group in denied for value in group.values}
    left = [value for value in values if value not in out]
    if len(left) != 1 or any(set(group.values) - {*left} for group in groups if group not in denied):
        return None
    last = denied[-1].mentions[-1]
    return Verdict(left[0], "only one", last.start, last.end, text)


def _only(text: str, groups: Sequence[_Group]) -> Verdict:
    """Returns the one value that groups name without a word that calls it the answer."""
    named = dict.fromkeys(value for group in groups for value in group.values)
    last = groups[-1].mentions[-1]
    if len(named) == 1:
        if all(group.open for group in groups):
            return Verdict(None, "open")
        return Verdict(last.value, "only one", last.start, last.end, text)
    if len(groups[-1].values) == 1 and not groups[-1].open and _corrects(text, groups[-2], groups[-1]):
        return Verdict(last.value, "only one", last.start, last.end, text)
    return Verdict(None, "open")


def _of_tier(text: str, chosen: Sequence[_Group], live: Sequence[_Group], how: str) -> Verdict:
    """Returns the value of the groups that are called the answer; the last one where it corrects others."""
    last = chosen[-1]
    mention = last.mentions[-1]
    distinct = dict.fromkeys(value for group in chosen for value in group.values)
    if len(last.values) > 1:
        return Verdict(None, "several")
    if len(distinct) > 1 and not last.final and how == "answer":
        before = next(group for group in reversed(chosen[:-1]) if group.values != last.values)
        if not _corrects(text, before, last):
            return Verdict(None, "several")
    return Verdict(mention.value, how, mention.start, mention.end, text)


def singles(text: str, mentions: Sequence[Mention]) -> list[Any]:
    """Returns the values that a text names alone, and not in a list of several or to reject them."""
    groups = [group for group in _grouped(text, mentions) if not group.rejected]
    sure = [group for group in groups if any(mention.sure for mention in group.mentions)]
    return list(dict.fromkeys(group.values[0] for group in sure if len(group.values) == 1 and not group.open))


def corrects(text: str) -> bool:
    """Whether a text takes something back, or says that it is final."""
    small = text.lower()
    return holds(small, _FINAL) or (holds(small, _CORRECTING) and _CORRECTED.search(text) is not None)


def _corrects(text: str, earlier: _Group, later: _Group) -> bool:
    between = text[earlier.mentions[-1].end : later.mentions[0].start]
    return holds(between.lower(), _CORRECTING) and _CORRECTED.search(between) is not None


def _grouped(text: str, mentions: Sequence[Mention]) -> list[_Group]:
    if len(mentions) > 2 * _MOST:
        mentions = [*mentions[:_MOST], *mentions[-_MOST:]]
    groups: list[_Group] = []
    for mention in mentions:
        if groups and _LINK.fullmatch(text, groups[-1].mentions[-1].end, mention.start):
            groups[-1].mentions.append(mention)
        else:
            groups.append(_Group([mention]))
    for group in groups:
        start, end = group.mentions[0].start, group.mentions[-1].end
        place = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER].split("\n", 1)[0]
        said = _judged(*place)
        group.rejected, group.denied, group.final = said.rejected, said.denied, said.final
        group.cue = max(said.cue, *(mention.cue for mention in group.mentions))
        group.first = said.first
        group.open = said.open or any(mention.open for mention in group.mentions)
        if len(group.mentions) == 2 and _CHANGED.search(place[0]):
            del group.mentions[0]  # "changed from A to B"
            group.cue, group.final, group.rejected, group.open = 2, True, False, False
    _call_best(text, groups)
    _take_back(text, groups)
    for group, following in itertools.pairwise(groups):
        if group.rejected and _BUT.fullmatch(text, group.mentions[-1].end, following.mentions[0].start):
            following.cue = max(following.cue, 1)  # "not before but parallel"
        elif (
            group.denied
            and _ANNOUNCED.search(text, max(0, group.mentions[0].start - 12), group.mentions[0].start)
            and _THEN.fullmatch(text, group.mentions[-1].end, following.mentions[0].start)
        ):
            following.cue = 2  # "The final answer: not before; parallel"
        elif group.denied and _COLON.fullmatch(text, group.mentions[-1].end, following.mentions[0].start):
            following.cue = 2  # "Not parallel, not after: before"
    return groups


def _call_best(text: str, groups: Sequence[_Group]) -> None:
    """Calls that the answer in which the event "is best shown", where no other value is in the sentence."""
    if " best " not in text.lower():
        return
    for group in groups:
        start, end = group.mentions[0].start, group.mentions[-1].end
        first = max(0, start - _BEFORE)
        for before in _SENTENCE_END.finditer(text, first, start):
            first = before.end()
        if not _BEST_SHOWN.search(text, first, start) or _NOT_BEST.search(text, first, start):
            continue
        behind = _SENTENCE_END.search(text, end)
        last = behind.start() if behind else len(text)
        others = (mention for other in groups if other is not group for mention in other.mentions)
        if not any(first <= mention.start < last for mention in others):
            group.cue = 2


def _take_back(text: str, groups: Sequence[_Group]) -> None:
    """Marks what a correction introduces as final, and rejects first thoughts that another value follows."""
    for group, following in itertools.pairwise(groups):
        between = text[group.mentions[-1].end : following.mentions[0].start]
        end = following.mentions[-1].end
        small = between.lower()
        if (
            holds(small, _NOES)
            and _NO_BUT.search(between)
            and not text[end : end + 2].lstrip().startswith("?")
        ):
            following.cue, following.final, following.rejected, following.denied = 2, True, False, False
            group.rejected = True
        if following.rejected or following.open or group.values == following.values:
            continue
        if holds(small, _TAKING_BACK) and _TAKEN_BACK.search(between):
            following.cue, following.final = 2, True
        # "I first saw 4, then noticed that one was a feint: 3."
        elif (
            ":" in between
            and not (group.cue or following.cue)
            and _CLOSES.fullmatch(between)
            and _ENDS_SENTENCE.match(text, end)
            and ":" not in re.split(r"[.!?\n]", text[: group.mentions[0].start])[-1]
        ):
            following.cue = 1
    if not any(group.first for group in groups) or _KEPT.search(text):
        return
    meant: set[Any] = set()
    for group in reversed(groups):
        if group.first and meant - {*group.values}:
            group.rejected = True
        elif not (group.rejected or group.open or group.first):
            meant.update(group.values)


class _Said(NamedTuple):
    """What the words around a place say about it."""

    cue: int
    rejected: bool
    open: bool
    final: bool
    denied: bool = False
    first: bool = False


@lru_cache(maxsize=64)
def _judged(before: str, after: str) -> _Said:
    words = set(_WORDS.findall(before.lower()))
    foreign = unspaced(before)  # no single words to look up
    clause = _SENTENCE.split(before)[-1]
    rejected = _ruled_out(clause, after) or bool(
        ((foreign or words & _NOT_WORDS) and _REJECTED.search(clause)) or _REJECTED_AFTER.match(after)
    )
    rejected = rejected or (
        ("first" in words or "initial" in words or "initially" in words)
        and bool(_FIRST_THOUGHT.search(clause))
    )
    rejected = rejected or (not words.isdisjoint(_RUNNERS) and _RUNNER_UP.search(before) is not None)
    denied = rejected and (not _REJECTED_AFTER.match(after) or _OUT.search(after) is not None)
    if not rejected and (
        _HYPOTHETICAL_AFTER.match(after)
        or _WERE_IT.match(after)
        or ((foreign or words & _IF_WORDS) and _supposed(before, clause, after))
    ):
        rejected = True
    is_open = bool(
        ((foreign or words & _MAYBE_WORDS) and (_OPEN.search(clause) or _SUSPECTED.search(clause)))
        or (_OPEN_AFTER.match(after) and not _ONLY_ONE.search(clause))
    )
    is_open = is_open or (bool(words & _POSSIBLE_WORDS) and _POSSIBLE.search(clause) is not None)
    first = bool(
        ((foreign or words & _FIRST_WORDS) and _FIRST_SAID.search(clause)) or _FIRST_AFTER.match(after)
    )
    is_open = is_open or (bool(words & _PART_WORDS) and _PARTLY.search(clause) is not None)
    if (foreign or words & _SWITCH_FIRST) and _first(_SWITCHING, before, _SWITCH_FIRST):
        return _Said(2, rejected, is_open, True, denied)
    if (foreign or words & _CUE_WORDS) and (explicit := _first(_EXPLICIT, before, _CUE_FIRST)):
        return _Said(
            2,
            rejected,
            is_open,
            holds(before[max(0, explicit.start() - 12) :].lower(), _FINAL),
            denied,
            first,
        )
    if _CALLED.match(after):
        return _Said(2, rejected, is_open, False, denied, first)
    concluding = _first(_CONCLUDING, before, _CONCLUDING_FIRST)
    return _Said(int(concluding is not None), rejected, is_open, False, denied and not is_open, first)


def _ruled_out(clause: str, after: str) -> bool:
    """Whether a value stands within "rules ... out"."""
    if " out" not in after.lower():
        return False
    return after.lstrip("\"')*")[:5].lower() == " out" + after.lstrip("\"')*")[4:5] and bool(
        _RULES.search(clause) and not re.match(r"[\"')*]* out(?:\w| of)", after)
    )


def _first(pattern: CaseBlind, text: str, first: frozenset[str]) -> re.Match[str] | None:
    """Returns the first match of a pattern that begins with one of some words or signs."""
    if unspaced(text):
        return pattern.search(text)
    text = text.lower()
    if found := pattern.small.match(text):
        return found
    for word, start in _starts(text):
        if word in first and (found := pattern.small.match(text, start)):
            return found
    return None


@lru_cache(maxsize=8)
def _starts(text: str) -> list[tuple[str, int]]:
    """Returns the words and signs of a text, and where each begins."""
    return [(start.group(), start.start()) for start in _STARTS.finditer(text)]


def unspaced(text: str) -> bool:
    """Whether a text has signs of a script that puts no space between words."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def _firsts(*tables: Sequence[str]) -> frozenset[str]:
    """Returns the words or signs with which the phrases of some tables begin."""
    return frozenset(
        found.group() for table in tables for phrase in table if (found := _STARTS.match(phrase))
    )


_I_THINK = lazy(r"\bI\s+(?:think|believe|guess|suppose|would\s+say)\b|\bI['’]d\s+(?:say|guess)\b")
_ONLY_ONE = lazy(r"\bonly\s+(?:\w+\s+)?[\"'(]*$", re.IGNORECASE)
# "I first thought B", "at first A seems right", "my first impression was 1"
_FIRST_THOUGHT = lazy(
    r"\bfirst(?:ly)?\s+(?:thought|guessed|believed|impression|guess|idea|instinct|try|attempt)\b[^.;:!?\n]{0,24}$"
    r"|\binitial(?:ly)?\s+(?:thought|guessed|believed|chose|impression|guess|idea|instinct)\b[^.;:!?\n]{0,24}$"
    r"|\bat\s+first(?:\s+glance|\s+sight)?\b[^.;:!?\n]{0,20}$",
    re.IGNORECASE,
)


# What counts as a first thought only where another value follows: "first answer: 5, but ...", "I had A in
# mind, but ...", "I was about to say A".
_FIRST_SAID = lazy(
    rf"(?:{any_of(FIRST_ADJECTIVE)}\s+(?:\w+\s+)?{any_of(FIRST_NOUN)}|^\W*(?:initial|first\s+pass|before)\W*:)[^.;!?\n]{{0,24}}$"
    r"|(?:一开始|一開始|起初|最初|はじめ|初め|처음)[^。.!?\n]{0,16}$"
    r"|\bI(?:['’]d|\s+had)?\s+(?:first\s+|initially\s+|originally\s+)?(?:had|was\s+(?:about|going|inclined|leaning|tempted|thinking)|(?:first|initially|originally)\s+\w+"
    r"|almost\s+\w+|nearly\s+\w+|wanted\s+to|would\s+have|considered|thought|guessed|counted|noted|expected|assumed|suspected)"
    r"\b[^.;:!?\n]{0,24}$|\b(?:initially|originally|at\s+first)\b[^.;!?\n]{0,40}$",
    re.IGNORECASE,
)
# "I'm sticking with the initial answer."
_KEPT = lazy(
    rf"\b(?:stick\w*|stay\w*|keep\w*|kept|stand\w*|remain\w*|go\w*\s+back|return\w*|revert\w*|confirm\w*)\b[^.!?\n]{{0,24}}?{any_of(FIRST_ADJECTIVE)}\b"
    rf"|{any_of(FIRST_ADJECTIVE)}\s+(?:\w+\s+)?{any_of(FIRST_NOUN)}\s+(?:still\s+)?(?:stands|holds|remains|is\s+(?:right|correct|confirmed)|was\s+(?:right|correct))",
    re.IGNORECASE,
)
_FIRST_AFTER = lazy(
    r"[\s\"')\],]*(?:(?:seems?|seemed|looks?|looked|was)\s+(?:\w+\s+){0,3})?"
    r"(?:at\s+first|initially|originally|in\s+mind|(?:came|comes|sprang|springs)\s+to\s+mind|my\s+first\b|to\s+(?:begin|start)\s+with|before\s+(?:I|looking)|until\s+I)\b",
    re.IGNORECASE,
)


def _supposed(before: str, clause: str, after: str) -> bool:
    """Whether a place stands behind "whether", or in what would be if something were."""
    if _WHETHER.search(clause):
        return True
    sentence = re.split(r"[.!?](?=\s)|\n", before)[-1]
    if _IF_IT_WERE.search(sentence):
        return True
    return _HYPOTHETICAL.search(sentence) is not None and _WOULD.search(sentence + after[:12]) is not None


def _single(*tables: Sequence[str]) -> frozenset[str]:
    """Returns the single words of some tables."""
    return frozenset(
        word for table in tables for phrase in table for word in re.findall(r"[^\W\d_]+", phrase.lower())
    )


_UNSPACED = lazy("[\u2e80-\uffff]")
_WORDS = lazy(r"[^\W\d_]+")
_STARTS = lazy(r"[^\W\d_]+|[^\w\s]|\n")
_NUMBER_OF = frozenset(("number", "numéro", "número", "nummer"))
_NOT_WORDS = _single(NOT) | {"t"}
_IF_WORDS = _single(IF)
_MAYBE_WORDS = _single(MAYBE)
_POSSIBLE_WORDS = frozenset(("possible", "potential", "plausible"))
_PART_WORDS = frozenset(("some", "part", "half", "certain"))
_CUE_WORDS = _single(ANSWER, ASKED_FOR, CORRECT, OPTION) | _NUMBER_OF
_CUE_FIRST = _firsts(ANSWER, ASKED_FOR, CORRECT, OPTION) | _NUMBER_OF
_NOES = ("no", "nein")
_SWITCH_FIRST = _firsts(SWITCHES)
_TAKING_BACK = signs(TAKES_BACK)
_FIRST_WORDS = _single(FIRST_ADJECTIVE) | {"i", "initially", "originally", "first", "before"}
# A sentence begins with "it is", too: at the start of the text, or behind one of these signs.
_CONCLUDING_FIRST = _firsts(CHOOSE, THEREFORE, _TAKES) | {"\n", *".!?;"}
