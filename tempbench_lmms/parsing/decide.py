"""Reads the answer of a reply: each stage once, and one table of precedence at the end."""

import bisect
import re
from typing import Any, NamedTuple

from tempbench_lmms.parsing import exact
from tempbench_lmms.parsing.clean import Cleaned
from tempbench_lmms.parsing.expected import UNLESS_CUT, Reading, TimeSpan, none
from tempbench_lmms.parsing.finders import Finder
from tempbench_lmms.parsing.lexicon import phrases, roles
from tempbench_lmms.parsing.mentions import Mention, options, outer
from tempbench_lmms.parsing.stance import Judged, Stance, judge, opens_back
from tempbench_lmms.parsing.tokens import Text, is_empty


def read(cleaned: Cleaned, finder: Finder, at_limit: bool = False) -> Reading[Any]:
    """Returns the answer that the parts of a reply give."""
    reason = "cut_off" if cleaned.cut_off else "empty"
    for part in filter(lambda part: part.text, cleaned.parts):
        value, how, start, end = None, "", 0, len(part.text)
        if found := exact.read(part.text, finder):
            (value, how), reason = found, "nothing"
        else:
            picked, reason = _decided(Text(part.text, finder.spans), finder)
            if picked:
                (value, start, end, _), how = picked.mention, _HOW.get(picked.stance, "only one")
        if value is not None:
            tagged, whole = cleaned.tagged and part is cleaned.parts[0], cleaned.parts[-1]
            rest = part.text[part.text.rfind("}") + 1 :] if how == "json" else ""
            rest = whole.text[bisect.bisect_left(whole.at, part.at[-1]) :] if tagged else rest
            if rest and _corrected(Text(rest), value, finder):
                return none("several")
            return Reading(value, "box" if tagged else how, part.where(start, end))
    return none("cut_off" if at_limit and reason in UNLESS_CUT else reason)


def _corrected(rest: Text, value: Any, finder: Finder) -> bool:
    """Returns whether the text behind an exact answer retracts it and names another one."""
    if not any("back" in rest.opens(i) for i in range(len(rest.sentences))):
        return False
    picked, _ = _decided(rest, finder)
    return picked is not None and picked.mention.value != value


def of_text(text: str, finder: Finder) -> Any:
    """Returns the answer of a short plain text; None if it has none."""
    picked, _ = _decided(Text(text, finder.spans), finder)
    return None if picked is None else picked.mention.value


def _decided(text: Text, finder: Finder) -> "Said":
    return decide(text, judge(text, outer(finder.find(text)), finder.terms), finder)


_HOW = {
    Stance.ANNOUNCED: "answer",
    Stance.BARE: "last line",
    Stance.CONCLUDED: "conclusion",
    Stance.HEAD: "first line",
}


_LISTED, _SHORT, _LONG = 3, 8, 20
_LABELS = roles("letter label both listed")
_STRONG = (Stance.CONCLUDED, Stance.BARE, Stance.ANNOUNCED)
_CLOSES = roles("conclude back switch final turn")
_ANNOUNCE = roles("answer choose is fill option image final right yes no and")
# What is only named is left unread where one of these words stands before it, or behind it, in its sentence.
_DOUBTS = dict.fromkeys(
    ("letter", "label", "both", "listed", "number", "place", "order", "text"),
    (roles("or ask"), roles("or ask suppose refuse remainder")),
) | {"judged": (roles("all or ask"), roles("or ask suppose refuse turn wrong no"))}
_LEADS = roles(
    "fill conclude choose is only remainder must turn prep right final option answer that then article odd"
)
_WORD = re.compile(r"[^\W\d_]{2,} $")
_REMARKS, _WORDY = roles("note courtesy ask refuse"), roles("text words place")
_BRIEF = 200
_PLAIN = re.compile(r"\D{4,}")
_FIRST_KEY = re.compile(r'\{\s*"([^"\n]{1,40})"')


class Case(NamedTuple):
    """What a text names (`judged`), and what of it may be the answer (`live`)."""

    text: Text
    judged: list[Judged]
    live: list[Judged]
    finder: Finder


# The mention that states the answer, or None and why there is none.
Said = tuple[Judged | None, str]


def decide(text: Text, judged: list[Judged], finder: Finder) -> Said:
    """Returns the mention that states the answer; or None, and why."""
    case = Case(text, judged, alive(text, judged), finder)
    said = (rule(case) for rule in RULES)
    return next(one for one in said if one is not None)


def _possible(text: Text, judged: list[Judged]) -> list[Judged]:
    """Returns what a text neither denies, asks nor supposes, without remarks."""
    first = min((one.sentence for one in judged), default=0)
    later = range(first + 1, len(text.sentences)) if "note" in text.roles else ()
    notes = {i for i in later if any("note" in w.roles for w in text.within(*text.sentences[i])[:1])}
    denied = {
        (o.mention.value, o.mention.form in ("stated", "class", "span"))
        for o in judged
        if o.stance == Stance.DENIED
    }
    live = [one for one in judged if one.stance >= Stance.OPEN]
    live = [o for o in live if o.stance > Stance.NAMED or (o.mention.value, False) not in denied]
    return [one for one in live if one.sentence not in notes or one.stance == Stance.ANNOUNCED]


def alive(text: Text, judged: list[Judged]) -> list[Judged]:
    """Returns the possible answers: nothing before a correction, no heads of a list."""
    live = _possible(text, judged)
    back = [i for i, one in enumerate(live) if i and one.behind]
    live = live[back[-1] :] if back else live
    heads = [one for one in live if one.stance == Stance.HEAD and one.mention.form != "judged"]
    if heads and (len(_values(heads)) > 1 or heads[0].sentence > 0):  # a list
        live = [one._replace(stance=Stance.NAMED) if one in heads else one for one in live]
    return live[:-1] if live and _breaks_off(text, live[-1], judged) else live


def _breaks_off(text: Text, last: Judged, judged: list[Judged]) -> bool:
    """Returns whether the text ends inside an option that it repeats: "Option B: He"."""
    begins = text.text[last.mention.end :][:1] == ":" and last.sentence == len(text.sentences) - 1
    return begins and last.stance in (Stance.BARE, Stance.HEAD) and _is_unfinished(text, judged)


def _values(judged: list[Judged]) -> set[Any]:
    return {one.mention.value for one in judged}


def _span(case: Case) -> Said | None:
    """Returns the one span that a text gives, or the one that it gives for the chosen letter."""
    text, live, finder = case.text, case.live, case.finder
    if not isinstance(finder.expected, TimeSpan):
        return None
    if len(_values(live)) > 1 and (letter := finder.chosen()):
        named = [one for one in options.find(text, finder.choice) if one.form in _LABELS]
        found = [one.mention for one in case.judged]
        mine = [one for one in live if _letter_of(text, found, named, one.mention) == letter]
        if len(_values(mine)) == 1:
            return mine[-1], ""
    if len(_values(live)) != 1:
        return None if case.judged else (None, "nothing")
    broken = max(one.stance for one in live) <= Stance.NAMED and _trails_off(text, live[-1].mention.end)
    return (None, "cut_off") if broken else (live[-1], "")


def _letter_of(text: Text, found: list[Mention], named: list[Mention], mention: Mention) -> str | None:
    """Returns the letter that a span belongs to: the last one before it, behind other spans."""
    start = text.around(mention.start).start
    left = max([start, *(one.end for one in found if one.end <= mention.start)])
    before = [one for one in named if left < one.end <= mention.start]
    return str(before[-1].value) if before else None


def _broken_off(case: Case) -> Said | None:
    breaks_off = case.text.text.count("{") > case.text.text.count("}")
    announced = any(one.stance == Stance.ANNOUNCED for one in case.live)
    first = _FIRST_KEY.match(case.text.text)
    reasons = first and re.search(phrases("other_key"), first[1].lower())
    return (None, "cut_off") if breaks_off and (reasons or not announced) else None


def _retracted(case: Case) -> Said | None:
    """Returns that nothing is stated if a text begins to correct its last answer."""
    text, last = case.text, next((o.mention.end for o in [*case.live[::-1], *case.judged[::-1]]), 0)
    back = [w for w in text.within(last, len(text.text)) if "back" in w.roles]
    return (_left_over(case) or (None, "several")) if any(opens_back(text, w) for w in back) else None


def _strong(case: Case) -> Said | None:
    """Returns the last mention that is announced, concluded or alone, if nothing contradicts it."""
    text, live = case.text, case.live
    # An explanation in words does not outweigh an option's label.
    if any(one.stance >= Stance.HEAD and one.mention.form in ("letter", "label", "both") for one in live):
        live = [one for one in live if one.mention.form not in _WORDY]
    strong = [one for one in live if one.stance in _STRONG]
    if not strong:
        return None
    # What an explanation calls right is no new answer, if it does not conclude.
    after = max(_explained(text), strong[0].sentence + 1)
    live = [one for one in live if one.sentence < after or _concludes(text, one)]
    strong = [one for one in live if one.stance in _STRONG]
    last = strong[-1]
    if _goes_on(last, [one for one in live if one.mention.start > last.mention.start]):
        return None, "several"
    if _gives_up(text, last):
        return None, "refused"
    stated = (*_STRONG, Stance.HEAD)
    others = [one for one in live if one.stance in stated and one.mention.value != last.mention.value]
    return (last, "") if all(_outdoes(text, last, other) for other in others) else (None, "several")


def _concludes(text: Text, one: Judged) -> bool:
    return text.has(_CLOSES, text.sentences[one.sentence].start, one.mention.start)


def _goes_on(last: Judged, behind: list[Judged]) -> bool:
    """Returns whether something behind a statement leaves it open, or differs from a conclusion."""
    behind = [one for one in behind if one.mention.form not in _WORDY]
    firm = {last.sentence} if last.stance == Stance.ANNOUNCED else {one.sentence for one in behind}
    open_ = any(one.stance in (Stance.OPEN, Stance.HEAD) and one.sentence in firm for one in behind)
    named = _values([one for one in behind if not one.listed]) - {last.mention.value}
    return open_ or (last.stance == Stance.CONCLUDED and bool(named))


def _gives_up(text: Text, last: Judged) -> bool:
    """Returns whether a text says after an answer that it cannot tell, in a sentence that ends with it."""
    return any(
        "refuse" in word.roles and text.around(word.start).end <= word.end + _SHORT
        for word in text.within(last.mention.end, len(text.text))
    )


def _outdoes(text: Text, last: Judged, other: Judged) -> bool:
    """Returns whether a mention replaces an earlier one: its announcement is clearer, in its own sentence."""
    if last.sentence == other.sentence:
        return False
    if _concludes(text, last):
        return True
    between = text.without(other.mention.end, last.mention.start, _ANNOUNCE)
    if last.stance == Stance.ANNOUNCED and last.sentence == len(text.sentences) - 1 and not is_empty(between):
        return True
    return other.stance < last.stance


def _closing(case: Case) -> Said | None:
    """Returns the one value in the last sentence, if the sentences before it list several."""
    text, live = case.text, case.live
    final = len(text.sentences) - 1
    last = [one for one in live if one.sentence == final]
    before = _values([one for one in live if one.sentence < final])
    if len(_values(last)) != 1 or len(before) < _LISTED:
        return None
    said = text.has("answer right conclude event", text.sentences[final].start, last[0].mention.end)
    return (last[-1], "") if said else None


def _explained(text: Text) -> int:
    """Returns the number of the first sentence that begins an explanation: "This is evident from ..."."""
    numbers = range(1, len(text.sentences)) if "explain" in text.roles else ()
    return next((i for i in numbers if "explain" in text.opens(i)), len(text.sentences))


def _later(text: Text, one: Judged) -> list[int]:
    """Returns the numbers of the sentences after a mention that hold words, no number and no remark."""
    numbers = range(text.sentence(one.mention.end - 1) + 1, _explained(text))
    plain = (i for i in numbers if not text.said(i) & _REMARKS)
    return [i for i in plain if _PLAIN.fullmatch(text.text, *text.sentences[i])]


def _weak(case: Case) -> Said | None:
    """Returns the only value that is named, or that begins the reply, if nothing casts doubt on it."""
    text, live = case.text, _eased(case)
    top = max((one.stance for one in live), default=Stance.OPEN)
    if top < Stance.NAMED:
        return None
    here = [one for one in live if one.stance == top]
    picked = here[-1]
    others = [one for one in live if one.mention.value != picked.mention.value and one.stance != Stance.NAMED]
    if len(_values(here)) > 1 or others:
        return None, "several"
    if top == Stance.HEAD:
        return (None, "refused") if _gives_up(text, picked) else (picked, "")
    if _is_doubtful(case, picked) or _is_contrasted(case, picked):
        return None, "several"
    if _is_unfinished(text, case.judged):
        return None, "cut_off"
    return (None, "refused") if _refuses(text) else (picked, "")


def _is_doubtful(case: Case, one: Judged) -> bool:
    """Returns whether words of doubt in a mention's sentence outweigh the evidence for it."""
    text, mention, (start, end) = case.text, one.mention, case.text.sentences[one.sentence]
    ahead, behind = _DOUBTS.get(mention.form, (frozenset(), frozenset()))
    denied = {other.sentence for other in case.judged if other.stance < Stance.OPEN}
    before = [o for o in case.judged if start <= o.mention.end < mention.start and o.stance == Stance.DENIED]
    apart = before[-1].mention.end if before else mention.start
    if text.has("and", apart, mention.start) and not text.has(_CLOSES, apart, mention.start):
        return True  # "B is out, and C after a closer look"
    rest = {*range(one.sentence if one.behind else 0, len(text.sentences))} - denied | {one.sentence}
    open_ = text.has(ahead, start, mention.start) or text.has(behind, mention.end, end)
    if open_ or any("hedge" in text.said(i) for i in rest):
        return True
    if mention.form == "letter" and (word := _WORD.search(text.text, start, mention.start)):  # "Vitamin C"
        return not any(known.end > word.start() for known in text.words if known.start < mention.start)
    if mention.form == "place":
        # "Not the fourth, the first."
        known = text.has("not", start, mention.start) and text.filled(start, end, text.said(one.sentence))
        return not known and not text.has("image option answer rank.former rank.latter", 0, mention.end)
    return mention.form == "listed"


def _is_contrasted(case: Case, one: Judged) -> bool:
    """Returns whether a text sets something else against a mention that it only names.

    The text goes on briefly in a later sentence, or a "but" comes after it; "although" only concedes.
    """
    text, (_, end) = case.text, case.text.sentences[one.sentence]
    open_ = one.mention.form not in ("number", "order", "span", "both", "judged", "stated", "class")
    brief = len(text.text) - end <= _BRIEF and _later(text, one)
    denied = [o for o in case.judged if o.stance == Stance.DENIED and "odd" not in case.finder.terms.approves]
    start = max(
        one.mention.end, min(max((o.mention.start for o in denied), default=0), end)
    )  # "in image 3 but not in image 4"
    turns = ("turn" in w.roles and "concede" not in w.roles for w in text.within(start, end))
    return open_ and (bool(brief) or (one.mention.form in _LABELS | {"text"} and any(turns)))


def _remaining(case: Case) -> Said | None:
    text = case.text
    denied = [one for one in case.judged if one.stance == Stance.DENIED]
    doubts = roles("hedge suppose draft turn")
    rest = {*case.finder.values} - _values([one for one in denied if not text.said(one.sentence) & doubts])
    if denied and len(rest) == 1:
        last = case.judged[-1]
        return last._replace(stance=Stance.NAMED, mention=last.mention._replace(value=rest.pop())), ""
    return None


def _left_over(case: Case) -> Said | None:
    """Returns the one value that a text does not name, if it closes with it: "so the other one"."""
    text, judged = case.text, case.judged
    said = [word for word in text.words if "remainder" in word.roles]
    if not said or not judged:
        return None
    last = text.sentence(said[-1].start)  # it names nothing that it does not deny
    if any(one.sentence >= last and one.stance > Stance.DENIED for one in judged):
        return None
    clause = [c for c in text.clauses(text.sentences[last]) if c.start <= said[-1].start][-1]
    led = text.without(clause.start, said[-1].start, _LEADS) + text.without(said[-1].end, clause.end, _LEADS)
    rest = {*case.finder.values} - _values(judged)
    if len(rest) != 1 or not is_empty(led):
        return None
    mention = judged[-1].mention._replace(value=rest.pop(), start=said[-1].start, end=said[-1].end)
    return judged[-1]._replace(stance=Stance.CONCLUDED, mention=mention), ""


def _nothing(case: Case) -> Said | None:
    if _refuses(case.text):
        return None, "refused"
    if not case.judged and _is_unfinished(case.text, case.judged):
        return None, "cut_off"
    return None, "several" if case.live else "nothing"


RULES = [_span, _broken_off, _retracted, _strong, _left_over, _closing, _remaining, _weak, _nothing]


def _eased(case: Case) -> list[Judged]:
    """Returns mentions of several values without the weaker ones: asides, lists, explanations."""
    text, live = case.text, case.live
    for less in (_in_brackets, _in_list, _explains, lambda text, one, _: one.sentence >= _explained(text)):
        kept = [one for one in live if not less(text, one, live)]
        if any(one.stance >= Stance.NAMED for one in kept):
            live = kept
    return live


def _in_brackets(text: Text, one: Judged, live: list[Judged]) -> bool:
    before = text.text[text.sentences[one.sentence].start : one.mention.start]
    return before.rfind("(") > before.rfind(")") and one.mention.form not in _LABELS


def _in_list(text: Text, one: Judged, live: list[Judged]) -> bool:
    return one.listed and one.mention.form not in ("text", "words")


def _explains(text: Text, one: Judged, live: list[Judged]) -> bool:
    here = [o.mention.end for o in live if o.sentence == one.sentence]
    between = text.text[here[0] : one.mention.start]
    whole = text.text[slice(*text.sentences[one.sentence])]
    return whole.count(": ") < 2 and any(sign in between for sign in (": ", " – ", " - ", " — "))


def _refuses(text: Text) -> bool:
    for word in (word for word in text.words if "refuse" in word.roles):
        start, end = text.around(word.start)
        noted = text.has("note", start, word.start) and not text.has("suppose ask", word.end, end)
        if not noted and not text.has("turn", word.end, end):
            return True
    return False


def _is_unfinished(text: Text, judged: list[Judged]) -> bool:
    if text.text.endswith(":"):
        return True
    (start, end), tail = text.sentences[-1], text.text[max((one.mention.end for one in judged), default=0) :]
    ended = start > 0 and text.text[:start].rstrip().endswith(".")
    if ended and end - start > _LONG and len(tail.split()) > 1 and text.text[-1:].isalnum():
        return True
    return _trails_off(text, -1)


def _trails_off(text: Text, place: int) -> bool:
    """Returns whether a text ends, after a place, with a word that begins something else."""
    last = text.before(len(text.text), 0)
    begins = (
        last
        and last.roles & roles("and or to article prep from because at is")
        and text.text[last.start] < "\u2e80"
    )
    return bool(last and begins and last.start > place and last.end - last.start > 1)
