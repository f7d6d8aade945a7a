"""Reads the answer of a reply: each stage once, and one table of precedence at the end."""

import bisect
from collections.abc import Callable
from typing import Any, NamedTuple

from tempbench_lmms.parsing import exact
from tempbench_lmms.parsing.clean import Part, clean
from tempbench_lmms.parsing.echo import without_options, without_prompt
from tempbench_lmms.parsing.expected import Choice, Count, Expected
from tempbench_lmms.parsing.finders import Finder, finder_of
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mention import outer
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading, none
from tempbench_lmms.parsing.stance import Judged, Stance, judge
from tempbench_lmms.parsing.tokens import Span, Text, is_empty


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the answer that a reply gives to what is expected."""
    reply = without_prompt(reply, prompt)
    if isinstance(expected, (Choice, Count)):
        reply = without_options(reply, expected.letters, expected.texts)
    cleaned = clean(reply)
    if cleaned.cut_off:
        return none("cut_off")
    finder = finder_of(expected, of_text)
    reason = "empty"
    parts = cleaned.parts[1:] if cleaned.tagged and _corrected(cleaned.parts, finder) else cleaned.parts
    for part in parts:
        if not part.text:
            continue
        value, how, where, reason = _read_part(
            part, finder, "box" if cleaned.tagged and part is cleaned.parts[0] else None
        )
        if value is not None:
            return Reading(value, how, part.where(*where))
    return none("cut_off" if at_limit and reason in ("empty", "nothing") else reason)


def _corrected(parts: list[Part], finder: Finder) -> bool:
    """Whether words that take back what was said stand behind a tag or a box."""
    behind = bisect.bisect_left(parts[-1].at, parts[0].at[-1])
    text = Text(parts[-1].text[behind:], finder.spans)
    first = text.words[:1]
    denies = bool(first) and "no" in first[0].roles and is_empty(text.text[: first[0].start])
    return denies or text.has(roles("back switch"), 0, len(text.text))


def _read_part(part: Part, finder: Finder, tag: str | None) -> tuple[Any, str | None, tuple[int, int], str]:
    whole = (0, len(part.text))
    found = exact.read(part.text, finder)
    if found is not None:
        return found[0], tag or found[1], whole, "nothing"
    text = Text(part.text, finder.spans)
    body = _body(text)
    if len(body) < len(part.text) and (value := exact.bare(body, finder)) is not None:
        return value, tag or "whole", (0, len(body)), ""
    judged = judge(text, outer(finder.find(text)), finder.terms, finder.swap)
    picked, reason = decide(text, judged, finder)
    if picked is None:
        return None, None, whole, reason
    return picked.mention.value, tag or _HOW[picked.stance], (picked.mention.start, picked.mention.end), ""


def _body(text: Text) -> str:
    """Returns what stands before the first courtesy, remark or question to the reader."""
    for sentence in text.sentences[1:]:
        opening = text.within(*sentence)[:1]
        if opening and opening[0].start == sentence.start and opening[0].roles & {"courtesy", "note", "ask"}:
            back = text.has(roles("back switch"), sentence.start, len(text.text))
            return text.text if back else text.text[: sentence.start].rstrip()
    return text.text


def of_text(text: str, finder: Finder) -> Any:
    """Returns what a short plain text answers; None where it answers nothing."""
    if (found := exact.whole(text, finder)) is not None:
        return found
    scanned = Text(text, finder.spans)
    picked, _ = decide(
        scanned, judge(scanned, outer(finder.find(scanned)), finder.terms, finder.swap), finder
    )
    return None if picked is None else picked.mention.value


_HOW = {
    Stance.ANNOUNCED: "answer",
    Stance.BARE: "last line",
    Stance.CONCLUDED: "conclusion",
    Stance.HEAD: "first line",
    Stance.NAMED: "only one",
}


_LISTED = 3
_LONG = 20
_SHORT = 8
_LABELS = roles("letter label both listed")
_ENTRIES = roles("letter both")
_STRONG = (Stance.CONCLUDED, Stance.BARE, Stance.ANNOUNCED)
_CLOSES = roles("conclude back switch final turn")
_EVENT = roles("answer right conclude event")
_UNDECIDED = roles("refuse hedge")
# What is only named is left unread where one of these words stands before it, or behind it, in its sentence.
_DOUBTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(
        ("letter", "label", "both", "listed", "number", "place", "order", "text"),
        (roles("or ask"), roles("or ask suppose refuse")),
    ),
    "judged": (
        roles("all or ask"),
        roles("or ask suppose refuse turn wrong no"),
    ),
}
_NOUNS = roles("image option answer rank.former rank.latter")
_WORD = lazy(r"[^\W\d_]{2,} $")
_SAID = roles("text words both")
_CONCLUDES = roles("conclude back")
_COURTESY = roles("courtesy")
_BEGINS = roles("and or to article prep from because near at is")
_TIME = roles("unit.second start end when")


class Case(NamedTuple):
    """What a text names (`judged`), and what of it may be the answer (`live`)."""

    text: Text
    judged: list[Judged]
    live: list[Judged]
    finder: Finder


Said = tuple[Judged | None, str]
"""The mention that states the answer, or None and why there is none."""


def decide(text: Text, judged: list[Judged], finder: Finder) -> Said:
    """Returns the mention that states the answer; or None, and why."""
    case = Case(text, judged, alive(text, judged), finder)
    said = (rule(case) for rule in RULES)
    return next(one for one in said if one is not None)


def alive(text: Text, judged: list[Judged]) -> list[Judged]:
    """Returns what may be the answer: no remarks, nothing behind a courtesy or before a correction."""
    if not judged:
        return []
    said = [one for one in judged if one.mention.form != "listed" or one.stance > Stance.NAMED]
    restated = len(said) < len(judged) and any(one.stance >= Stance.NAMED for one in said)
    judged = said if restated else judged  # a list of all options says none
    first = judged[0].sentence
    polite = (i for i, s in enumerate(text.sentences) if i > first and text.has(_COURTESY, *s))
    aside = next(polite, len(text.sentences))
    notes = {i for i, s in enumerate(text.sentences) if i > first and _notes(text, s)}
    live = [one for one in judged if one.stance >= Stance.OPEN]
    live = [one for one in live if one.sentence not in notes or one.stance == Stance.ANNOUNCED]
    live = [one for one in live if one.sentence < aside or one.behind]
    if live:  # "B. Have a great day with A!" is one sentence behind a label
        behind = text.within(live[0].mention.end, text.sentences[first].end)
        courtesy = next((w.start for w in behind if w.roles & _COURTESY), len(text.text))
        live = [one for one in live if one.mention.start < courtesy or one.sentence > first]
    back = [i for i, one in enumerate(live) if i and one.behind and one.stance > Stance.OPEN]
    live = live[back[-1] :] if back else live
    heads = [one for one in live if one.stance == Stance.HEAD]
    if heads and (len(_values(heads)) > 1 or heads[0].sentence > first * restated):  # a list
        live = [one._replace(stance=Stance.NAMED) if one.stance == Stance.HEAD else one for one in live]
    return live[:-1] if live and _breaks_off(text, live[-1], judged) else live


def _values(judged: list[Judged]) -> set[Any]:
    return {one.mention.value for one in judged}


def _breaks_off(text: Text, one: Judged, judged: list[Judged]) -> bool:
    """Whether a text ends behind the colon of its last entry: "Option B: He"."""
    last = one.sentence == len(text.sentences) - 1 and one.stance in (Stance.BARE, Stance.HEAD)
    tail = text.text[one.mention.end :]
    if last and tail.strip() == ":":
        return True
    return last and tail[:1] == ":" and len(tail.split()) <= _LISTED and _is_unfinished(text, judged)


def _strong(case: Case) -> Said | None:
    """Says the last of the mentions that are announced, concluded or alone, where nothing contradicts it."""
    text, live = case.text, case.live
    strong = [one for one in live if one.stance in _STRONG]
    if not strong:
        return None
    last = strong[-1]
    if any(_contradicts(one, last) for one in live):
        return None, "several"
    if last.mention.form != "span" and _gives_up(text, last):
        return None, "refused"
    heads = [one for one in live if one.stance == Stance.HEAD and one.sentence == 0]
    others = [one for one in [*heads, *strong] if one.mention.value != last.mention.value]
    return (last, "") if all(_outdoes(text, last, other) for other in others) else (None, "several")


def _contradicts(other: Judged, last: Judged) -> bool:
    """Whether a mention behind an answer leaves it open, or begins another sentence with another value."""
    if other.mention.start < last.mention.start or other.mention.value == last.mention.value:
        return False
    return other.stance in (Stance.OPEN, Stance.HEAD)


def _gives_up(text: Text, last: Judged) -> bool:
    """Whether a text says behind an answer that it cannot tell, and does not speak of times."""
    for word in text.within(last.mention.end, len(text.text)):
        if word.roles >= _UNDECIDED:
            return True
        sentence = text.sentences[text.sentence(word.start)]
        if "refuse" in word.roles and last.stance < Stance.ANNOUNCED:
            excused = text.has(_TIME | {"suppose"}, *sentence) or _notes(text, sentence)
            return sentence.end <= word.end + _SHORT and not excused
    return False


def _outdoes(text: Text, last: Judged, other: Judged) -> bool:
    """Whether a mention replaces another one before it: it announces more, in a sentence of its own."""
    if last.stance == Stance.ANNOUNCED and other.stance < Stance.ANNOUNCED:
        return True
    if last.sentence == other.sentence:
        return False
    if text.has(_CLOSES, text.sentences[last.sentence].start, last.mention.start):
        return True
    ends = last.sentence == len(text.sentences) - 1 and _is_own_line(text, last)
    return ends and last.stance >= Stance.BARE and other.stance < last.stance


def _closing(case: Case) -> Said | None:
    """Says the one value that the last sentence names, where the sentences before it list several."""
    text, live = case.text, case.live
    final = len(text.sentences) - 1
    last = [one for one in live if one.sentence == final]
    before = _values([one for one in live if one.sentence < final])
    if len(_values(last)) != 1 or len(before) < _LISTED or last[0].stance != Stance.NAMED:
        return None
    opens = not text.has(_EVENT, text.sentences[final].start, last[0].mention.end)
    return None if opens or last[0].mention.form == "listed" else (last[-1], "")


def _stated(case: Case) -> Said | None:
    """Says the option whose words the first sentence states, where those behind it only explain."""
    text, first = case.text, [one for one in case.live if one.sentence == 0]
    if len(_values(first)) != 1 or first[0].mention.form not in _SAID or len(text.sentences) < 2:
        return None
    doubted = any(one.stance == Stance.OPEN or _is_doubtful(text, one) for one in first)
    others = [one for one in case.live if one.mention.value != first[0].mention.value]
    doubted = doubted or any(text.begins(one.sentence, one.mention.start) for one in others)
    concludes = text.has(_CONCLUDES, text.sentences[-1].start, len(text.text))
    return None if doubted or concludes else (first[0], "")


def _weak(case: Case) -> Said | None:
    """Says the only value that is named, or that opens the reply, if nothing casts doubt on it."""
    text, finder = case.text, case.finder
    live = _eased(case)
    top = max((one.stance for one in live), default=Stance.OPEN)
    if top < Stance.NAMED:
        return None
    here = [one for one in live if one.stance == top]
    picked = here[-1]
    rows = {one.sentence for one in live if one.listed and one.mention.value == picked.mention.value}
    others = [one for one in live if one.mention.value != picked.mention.value and one.stance != Stance.NAMED]
    others = [one for one in others if one.sentence not in rows or one.sentence >= picked.sentence]
    if len(_values(here)) > 1 or others:
        return None, "several"
    if top == Stance.HEAD:
        return (None, "refused") if _gives_up(text, picked) else (picked, "")
    if _is_doubtful(text, picked):
        return None, "several"
    if _is_unfinished(text, case.judged):
        return None, "cut_off"
    return (None, "refused") if _refuses(text, live, finder.spans) else (picked, "")


def _is_doubtful(text: Text, one: Judged) -> bool:
    """Whether words in the sentence of a mention cast doubt on it that its evidence does not outweigh."""
    mention, (start, end) = one.mention, text.sentences[one.sentence]
    ahead, behind = _DOUBTS.get(mention.form, (frozenset(), frozenset()))
    if text.has(ahead, start, mention.start) or text.has(behind, mention.end, end):
        return True
    if mention.form == "letter" and (word := _WORD.search(text.text, start, mention.start)):  # "Vitamin C"
        return not any(known.end > word.start() for known in text.words if known.start < mention.start)
    if mention.form == "place":
        return not text.has(_NOUNS, start, mention.end)
    return mention.form == "listed"


def _remaining(case: Case) -> Said | None:
    """Says the one value that is left where all others are denied."""
    denied = [one for one in case.judged if one.stance == Stance.DENIED and not _is_hedged(case.text, one)]
    rest = set(case.finder.values) - _values(denied)
    if len(rest) != 1 or case.live or not case.judged:
        return None
    last = case.judged[-1]
    return last._replace(stance=Stance.NAMED, mention=last.mention._replace(value=rest.pop())), ""


def _nothing(case: Case) -> Said:
    """Says why there is no answer."""
    if _refuses(case.text, case.live, case.finder.spans):
        return None, "refused"
    if not case.judged and _is_unfinished(case.text, case.judged):
        return None, "cut_off"
    return None, "several" if case.live else "nothing"


RULES: list[Callable[[Case], Said | None]] = [_strong, _closing, _stated, _weak, _remaining, _nothing]


def _eased(case: Case) -> list[Judged]:
    """Returns mentions of several values without those that say less: asides, lists, explanations."""
    text, live, finder = case.text, case.live, case.finder
    for less in (_restates, _in_brackets, _in_list, _explains):
        values = {one.mention.value for one in live if one.stance >= Stance.NAMED}
        if len(values) < 2:
            break
        kept = [one for one in live if one.stance > Stance.NAMED or not less(text, one, live, finder)]
        if any(one.stance >= Stance.NAMED for one in kept):
            live = kept
    return live


def _restates(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a mention opens a line of a list that goes through the options from the first to the last."""
    values = finder.values
    if len(values) < _LISTED or one.mention.value not in values:
        return False
    rows = [o for o in live if _is_own_line(text, o) and _opens(text, o)]
    said = [o.mention.value for o in rows]
    for i in range(len(said) - len(values) + 1):
        if tuple(said[i : i + len(values)]) == tuple(values) and one in rows[i : i + len(values)]:
            return True
    return False


def _opens(text: Text, one: Judged) -> bool:
    return is_empty(text.text[text.sentences[one.sentence].start : one.mention.start])


def _in_brackets(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a mention stands in brackets behind another of its sentence."""
    start = text.sentences[one.sentence].start
    before = text.text[start : one.mention.start]
    opened = before.rfind("(")
    inside = opened > before.rfind(")")
    label = one.mention.form in _LABELS and is_empty(before[opened:])
    first = 0 if opened >= 0 and is_empty(before[:opened]) else start
    return (
        inside
        and not label
        and any(first <= o.mention.start and o.mention.end <= start + opened for o in live)
    )


def _in_list(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    return one.listed and one.mention.form not in ("text", "words")


def _explains(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a mention stands behind a colon or dash of its sentence, and another before it."""
    here = [o.mention.end for o in live if o.sentence == one.sentence]
    between = text.text[here[0] : one.mention.start]
    until = text.text[text.sentences[one.sentence].start : one.mention.start]
    if ";" in between and (one.mention.form in _ENTRIES or until.count("(") > until.count(")")):
        return False
    whole = text.text[slice(*text.sentences[one.sentence])]
    return whole.count(": ") < 2 and any(sign in between for sign in (": ", "; ", " – ", " - ", " — "))


def _refuses(text: Text, live: list[Judged], spans: bool) -> bool:
    """Whether a text says that it cannot answer, and names nothing behind a word that turns from this."""
    for word in text.words:
        if "refuse" in word.roles and not (spans and "hedge" in word.roles):
            sentence = text.sentences[text.sentence(word.start)]
            weighs = text.has(roles("suppose ask"), word.end, sentence.end)
            if text.has(roles("note"), sentence.start, word.start) and not weighs:
                continue
            turns = [w.end for w in text.within(word.end, sentence.end) if "turn" in w.roles]
            elsewhere = live and all(one.sentence != text.sentence(word.start) for one in live)
            if elsewhere and (
                live[-1].mention.start > sentence.end if spans else text.has(_TIME, word.start, sentence.end)
            ):
                continue
            if not turns or not any(
                one.mention.start >= turns[0] and one.mention.end <= sentence.end for one in live
            ):
                return True
    return False


def _is_hedged(text: Text, one: Judged) -> bool:
    sentence = text.sentences[one.sentence]
    behind = any("turn" in word.roles for word in text.within(one.mention.end, sentence.end))
    return behind or text.has(roles("hedge suppose draft"), *sentence)


def _is_unfinished(text: Text, judged: list[Judged]) -> bool:
    """Whether a text ends behind a word that begins something."""
    end = len(text.text)
    behind = min((end - one.mention.end for one in judged if one.mention.end <= end), default=end)
    if not behind:
        return False
    tail, last = (
        text.text[end - behind :],
        text.words[-1] if text.words and text.words[-1].end == end else None,
    )
    *before, final = text.sentences
    ended = before and text.text[before[-1].start : before[-1].end].rstrip().endswith(".")
    judged_only = all(one.mention.form == "judged" for one in judged)
    if (
        ended
        and not judged_only
        and final.end - final.start > _LONG
        and text.text.rstrip()[-1:].isalnum()
        and len(tail.split()) > 1
    ):
        return True
    if last is None or last.end - last.start < 2 or (last.start == end - behind):
        return False
    if "is" in last.roles and any(_opens(text, one) and one.sentence == len(before) for one in judged):
        return False
    return bool(last.roles & (_BEGINS if len(tail.split()) > 1 else _BEGINS - {"prep"}))


def _notes(text: Text, sentence: Span) -> bool:
    """Whether a sentence is a remark and gives no answer."""
    opening = text.within(*sentence)[:1]
    noted = opening and "note" in opening[0].roles and is_empty(text.text[sentence.start : opening[0].start])
    return bool(noted) and not text.has(roles("answer choose back switch"), *sentence)


def _is_own_line(text: Text, one: Judged) -> bool:
    start = text.sentences[one.sentence].start
    return text.text[:start].rstrip(" ").endswith("\n")
