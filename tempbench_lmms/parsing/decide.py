"""Reads the answer of a reply: each stage once, and one table of precedence at the end."""

import bisect
from typing import Any

from tempbench_lmms.parsing import exact
from tempbench_lmms.parsing.clean import Part, clean
from tempbench_lmms.parsing.echo import without_prompt
from tempbench_lmms.parsing.expected import Expected
from tempbench_lmms.parsing.finders import Finder, finder_of
from tempbench_lmms.parsing.mention import outer
from tempbench_lmms.parsing.reading import Reading, none
from tempbench_lmms.parsing.stance import Judged, Stance, judge, without
from tempbench_lmms.parsing.tokens import Span, Text


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the answer that a reply gives to what is expected."""
    cleaned = clean(without_prompt(reply, prompt))
    if cleaned.cut_off:
        return none("cut_off")
    finder = finder_of(expected)
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
    denies = bool(first) and "no" in first[0].roles and _blank(text.text[: first[0].start])
    return denies or text.has(frozenset(("back", "switch")), 0, len(text.text))


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
            back = text.has(frozenset(("back", "switch")), sentence.start, len(text.text))
            return text.text if back else text.text[: sentence.start].rstrip()
    return text.text


def of_text(text: str, finder: Finder) -> Any:
    """Returns what a short plain text answers; None where it answers nothing."""
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
_ENTRIES = frozenset(("letter", "both"))
_POINTING = frozenset(("fill", "prep", "from"))
_LABELS = frozenset(("letter", "label", "both", "listed"))
_LONG = 20
_BEGINS = frozenset(("and", "or", "to", "article", "prep", "from", "because", "near", "at", "is"))
_TIME = frozenset(("unit.second", "start", "end", "when"))
_EVENT = frozenset(("answer", "right", "conclude", "event"))


def _closing(text: Text, live: list[Judged]) -> Judged | None:
    """Returns the one value that the last sentence names, where the sentences before it list several."""
    last = [one for one in live if one.sentence == len(text.sentences) - 1]
    before = {one.mention.value for one in live if one.sentence < len(text.sentences) - 1}
    if (
        len({one.mention.value for one in last}) != 1
        or len(before) < _LISTED
        or last[0].stance != Stance.NAMED
    ):
        return None
    start = text.sentences[last[0].sentence].start
    opens = not text.has(_EVENT, start, last[0].mention.end)
    return None if opens or last[0].mention.form == "listed" else last[-1]


def _eased(text: Text, live: list[Judged], finder: Finder) -> list[Judged]:
    """Returns mentions of several values without those that say less: asides, lists, explanations."""
    for less in (_restates, _in_brackets, _in_list, _explains, _beside_total, _of_another):
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
    rows = [o for o in live if _own_line(text, o) and _opens(text, o)]
    said = [o.mention.value for o in rows]
    for i in range(len(said) - len(values) + 1):
        if tuple(said[i : i + len(values)]) == tuple(values) and one in rows[i : i + len(values)]:
            return True
    return False


def _opens(text: Text, one: Judged) -> bool:
    return _blank(text.text[text.sentences[one.sentence].start : one.mention.start])


def _in_brackets(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a mention stands in brackets behind another of its sentence."""
    start = text.sentences[one.sentence].start
    before = text.text[start : one.mention.start]
    opened = before.rfind("(")
    inside = opened > before.rfind(")")
    label = one.mention.form in _LABELS and not any(sign.isalnum() for sign in before[opened:])
    first = 0 if opened >= 0 and _blank(before[:opened]) else start
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


def _beside_total(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a mention is no total, where another is one: "4 balls and 7 collisions in total"."""
    return not _totals(text, one) and any(_totals(text, o) for o in live)


def _totals(text: Text, one: Judged) -> bool:
    sentence = text.sentences[one.sentence]
    after = text.within(one.mention.end, min(sentence.end, one.mention.end + 40))
    before = text.within(max(sentence.start, one.mention.start - 40), one.mention.start)
    return any("sum" in word.roles for word in [*after[:2], *before[-2:]])


def _of_another(text: Text, one: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a span is the time of what comes before or after, where the reply tells of both."""
    return (
        finder.spans
        and {"before", "after"} <= {_side(text, o, live) for o in live}
        and bool(_side(text, one, live))
    )


def _side(text: Text, one: Judged, live: list[Judged]) -> str:
    """Returns "before" or "after" where one leads to a span: "After that (15 to 22 s) she pulls"."""
    start = max(
        [
            text.sentences[one.sentence].start,
            *(o.mention.end for o in live if o.mention.end <= one.mention.start),
        ]
    )
    for word in text.within(start, one.mention.start):
        if word.roles & {"before", "after", "then"} and _blank(
            without(text, word.end, one.mention.start, _POINTING)
        ):
            return "before" if "before" in word.roles else "after"
    return ""


_SAID = frozenset(("text", "words", "both"))


def _stated(text: Text, live: list[Judged]) -> Judged | None:
    """Returns the option whose words the first sentence states, and which those behind it only explain."""
    first = [one for one in live if one.sentence == 0]
    if len({one.mention.value for one in first}) != 1 or first[0].mention.form not in _SAID:
        return None
    open_ = any(one.stance == Stance.OPEN for one in first)
    concludes = text.has(frozenset(("conclude",)), text.sentences[-1].start, len(text.text))
    return None if open_ or concludes or len(text.sentences) < 2 else first[0]


def _refuses(text: Text, live: list[Judged], spans: bool) -> bool:
    """Whether a text says that it cannot answer, and names nothing behind a word that turns from this."""
    for word in text.words:
        if "refuse" in word.roles and not (spans and "hedge" in word.roles):
            sentence = text.sentences[text.sentence(word.start)]
            weighs = text.has(frozenset(("suppose", "ask")), word.end, sentence.end)
            if text.has(frozenset(("note",)), sentence.start, word.start) and not weighs:
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


def _hedged(text: Text, one: Judged) -> bool:
    sentence = text.sentences[one.sentence]
    behind = any("turn" in word.roles for word in text.within(one.mention.end, sentence.end))
    return behind or text.has(frozenset(("hedge", "suppose", "draft")), *sentence)


_STRONG = (Stance.CONCLUDED, Stance.BARE, Stance.ANNOUNCED)
_CLOSES = frozenset(("conclude", "back", "switch", "final", "turn"))
_ASIDE = frozenset(("courtesy",))


def decide(text: Text, judged: list[Judged], finder: Finder) -> tuple[Judged | None, str]:
    """Returns the mention that states the answer; or None, and why."""
    first = judged[0].sentence if judged else 0
    polite = (i for i, s in enumerate(text.sentences) if i > first and text.has(_ASIDE, *s))
    aside = next(polite, len(text.sentences))
    notes = {i for i, s in enumerate(text.sentences) if i > first and _notes(text, s)}
    shown = (one for one in judged if one.stance >= Stance.OPEN and one.sentence not in notes)
    live = [one for one in shown if one.sentence < aside or one.behind]
    if live:  # "B. Have a great day with A!" is one sentence behind a label
        behind = text.within(live[0].mention.end, text.sentences[first].end)
        courtesy = next((w.start for w in behind if w.roles & _ASIDE), len(text.text))
        live = [one for one in live if one.mention.start < courtesy or one.sentence > first]
    # What stands before words that take back counts only where nothing else is named behind them.
    for i in range(len(live) - 1, 0, -1):
        if live[i].behind and live[i].stance > Stance.OPEN:
            live = live[i:]
            break
    last_sentence = len(text.sentences) - 1
    heads = [one for one in live if one.stance == Stance.HEAD]
    if len({one.mention.value for one in heads}) > 1 or (
        heads and heads[0].sentence not in (0, last_sentence)
    ):  # a list
        live = [one._replace(stance=Stance.NAMED) if one.stance == Stance.HEAD else one for one in live]
    if live and live[-1].sentence == last_sentence and live[-1].stance in (Stance.BARE, Stance.HEAD):
        tail = text.text[live[-1].mention.end :]
        if tail[:1] == ":" and len(tail.split()) <= _LISTED and _unfinished(text, judged):
            live.pop()
    strong = [one for one in live if one.stance in _STRONG]
    if strong:
        return _last(text, strong, live)
    if (closing := _closing(text, live) or _stated(text, live)) is not None:
        return closing, ""
    live = _eased(text, live, finder)
    refused = _refuses(text, live, finder.spans)
    for stance in (Stance.HEAD, Stance.NAMED):
        here = [one for one in live if one.stance == stance]
        if not here:
            continue
        rows = {o.sentence for o in live if o.listed and o.mention.value == here[-1].mention.value}
        others = [o for o in live if o.mention.value != here[-1].mention.value and o.stance != Stance.NAMED]
        others = [o for o in others if o.sentence not in rows or o.sentence >= here[-1].sentence]
        if (
            len({one.mention.value for one in here}) > 1
            or others
            or _weighed(text, here[-1], live, finder)
            or _beside(text, here[-1], live)
        ):
            return None, "several"
        if _unfinished(text, judged) and stance != Stance.HEAD:
            return None, "cut_off"
        if stance != Stance.HEAD and refused:
            return None, "refused"
        return here[-1], ""
    denied = [one for one in judged if one.stance == Stance.DENIED and not _hedged(text, one)]
    rest = finder.all_values() - {one.mention.value for one in denied}
    if len(rest) == 1 and judged and not live:
        last = judged[-1]
        return last._replace(stance=Stance.NAMED, mention=last.mention._replace(value=rest.pop())), ""
    left = any(one.stance == Stance.OPEN for one in live)
    return None, "refused" if refused else "several" if left else "nothing"


def _unfinished(text: Text, judged: list[Judged]) -> bool:
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
    noted = opening and "note" in opening[0].roles and _blank(text.text[sentence.start : opening[0].start])
    return bool(noted) and not text.has(frozenset(("answer", "choose", "back", "switch")), *sentence)


def _blank(stretch: str) -> bool:
    return not any(sign.isalnum() for sign in stretch)


def _own_line(text: Text, one: Judged) -> bool:
    start = text.sentences[one.sentence].start
    return text.text[:start].rstrip(" ").endswith("\n")


def _beside(text: Text, picked: Judged, live: list[Judged]) -> bool:
    """Whether another value stands in the sentence that a mention opens, and nothing sets them apart."""
    others = [o for o in live if o.sentence == picked.sentence and o.mention.value != picked.mention.value]
    apart = frozenset(("because", "turn", "deny"))
    return picked.stance == Stance.HEAD and any(
        o.mention.start > picked.mention.end and not text.has(apart, picked.mention.end, o.mention.start)
        for o in others
    )


def _weighed(text: Text, picked: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether a sentence behind a mention that opens a reply weighs another value by what is asked for."""
    return picked.stance == Stance.HEAD and any(
        one.mention.value != picked.mention.value
        and one.mention.start > picked.mention.start
        and text.has(finder.terms.approves, *text.sentences[one.sentence])
        for one in live
    )


def _last(text: Text, strong: list[Judged], live: list[Judged]) -> tuple[Judged | None, str]:
    """Returns the last of the strong mentions; None where another contradicts it and nothing decides."""
    last = strong[-1]
    if any(
        o.stance == Stance.OPEN
        and o.mention.start > last.mention.start
        and o.mention.value != last.mention.value
        for o in live
    ):
        return None, "several"
    undecided = (
        word for word in text.within(last.mention.end, len(text.text)) if {"refuse", "hedge"} <= word.roles
    )
    if last.mention.form != "span" and any(undecided):
        return None, "refused"
    heads = [one for one in live if one.stance == Stance.HEAD and one.sentence == 0]
    others = [one for one in [*heads, *strong] if one.mention.value != last.mention.value]
    if not others:
        return last, ""
    if (
        last.stance in (Stance.BARE, Stance.ANNOUNCED)
        and last.sentence == len(text.sentences) - 1
        and _own_line(text, last)
    ):
        return last, ""
    closes = text.has(_CLOSES, text.sentences[last.sentence].start, last.mention.start)
    if closes and last.sentence > others[-1].sentence:
        return last, ""
    if last.stance == Stance.ANNOUNCED and all(one.stance < Stance.ANNOUNCED for one in others):
        return last, ""
    return None, "several"
