"""Reads the answer of a reply: each stage once, and one table of precedence at the end."""

from typing import Any

from tempbench_lmms.parsing import exact
from tempbench_lmms.parsing.clean import Part, clean
from tempbench_lmms.parsing.echo import without_prompt
from tempbench_lmms.parsing.expected import Expected
from tempbench_lmms.parsing.finders import Finder, finder_of
from tempbench_lmms.parsing.reading import Reading, none
from tempbench_lmms.parsing.stance import Judged, Stance, judge
from tempbench_lmms.parsing.tokens import Text


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the answer that a reply gives to what is expected."""
    cleaned = clean(without_prompt(reply, prompt))
    if cleaned.cut_off:
        return none("cut_off")
    finder = finder_of(expected)
    reason = "empty"
    for i, part in enumerate(cleaned.parts):
        if not part.text:
            continue
        value, how, where, reason = _read_part(part, finder, "box" if cleaned.tagged and not i else None)
        if value is not None:
            return Reading(value, how, part.where(*where))
    return none("cut_off" if at_limit and reason in ("empty", "nothing") else reason)


def _read_part(part: Part, finder: Finder, tag: str | None) -> tuple[Any, str | None, tuple[int, int], str]:
    whole = (0, len(part.text))
    found = exact.read(part.text, finder)
    if found is not None:
        return found[0], tag or found[1], whole, "nothing"
    text = Text(part.text, finder.spans)
    judged = judge(text, finder.find(text), finder.terms, finder.swap)
    picked, reason = decide(text, judged, finder)
    if picked is None:
        return None, None, whole, reason
    return picked.mention.value, tag or _HOW[picked.stance], (picked.mention.start, picked.mention.end), ""


def of_text(text: str, finder: Finder) -> Any:
    """Returns what a short plain text answers; None where it answers nothing."""
    scanned = Text(text, finder.spans)
    picked, _ = decide(scanned, judge(scanned, finder.find(scanned), finder.terms, finder.swap), finder)
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


def _refuses(text: Text, live: list[Judged]) -> bool:
    """Whether a text says that it cannot answer, and names nothing behind a word that turns from this."""
    for word in text.words:
        if "refuse" in word.roles:
            sentence = text.sentences[text.sentence(word.start)]
            weighs = text.has(frozenset(("suppose", "ask")), word.end, sentence.end)
            if text.has(frozenset(("note",)), sentence.start, word.start) and not weighs:
                continue
            turns = [w.end for w in text.within(word.end, sentence.end) if "turn" in w.roles]
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
_CLOSES = frozenset(("conclude", "back", "switch", "final"))
_ASIDE = frozenset(("courtesy",))


def decide(text: Text, judged: list[Judged], finder: Finder) -> tuple[Judged | None, str]:
    """Returns the mention that states the answer; or None, and why."""
    first = judged[0].sentence if judged else 0
    polite = (i for i, s in enumerate(text.sentences) if i > first and text.has(_ASIDE, *s))
    aside = next(polite, len(text.sentences))
    live = [one for one in judged if one.stance >= Stance.OPEN and one.sentence < aside]
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
    strong = [one for one in live if one.stance in _STRONG]
    if strong:
        return _last(text, strong, live)
    if (closing := _closing(text, live)) is not None:
        return closing, ""
    refused = _refuses(text, live)
    for stance in (Stance.HEAD, Stance.NAMED):
        here = [one for one in live if one.stance == stance]
        if not here:
            continue
        others = [o for o in live if o.mention.value != here[-1].mention.value and o.stance != Stance.NAMED]
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
    if any(one.mention.end == end for one in judged):
        return False
    *before, tail = text.sentences
    ended = before and text.text[before[-1].start : before[-1].end].rstrip().endswith(".")
    if ended and tail.end - tail.start > _LONG and text.text.rstrip()[-1:].isalnum():
        return True
    last = text.words[-1] if text.words and text.words[-1].end == end else None
    return (
        last is not None and last.end - last.start > 1 and bool(last.roles & {"and", "or", "to", "article"})
    )


def _own_line(text: Text, one: Judged) -> bool:
    start = text.sentences[one.sentence].start
    return text.text[:start].rstrip(" ").endswith("\n")


def _beside(text: Text, picked: Judged, live: list[Judged]) -> bool:
    """Whether another value stands in the sentence of a mention that opens it, and nothing sets the two apart."""
    others = [o for o in live if o.sentence == picked.sentence and o.mention.value != picked.mention.value]
    apart = frozenset(("because", "turn", "deny"))
    return picked.stance == Stance.HEAD and any(
        o.mention.start > picked.mention.end and not text.has(apart, picked.mention.end, o.mention.start)
        for o in others
    )


def _weighed(text: Text, picked: Judged, live: list[Judged], finder: Finder) -> bool:
    """Whether another value is weighed by what is asked for in a sentence behind a mention that opens a reply."""
    return picked.stance == Stance.HEAD and any(
        one.mention.value != picked.mention.value
        and one.mention.start > picked.mention.start
        and text.has(finder.terms.approves, *text.sentences[one.sentence])
        for one in live
    )


def _last(text: Text, strong: list[Judged], live: list[Judged]) -> tuple[Judged | None, str]:
    """Returns the last of the strong mentions; None where another contradicts it and nothing says which counts."""
    last = strong[-1]
    if any(
        o.stance == Stance.OPEN
        and o.mention.start > last.mention.start
        and o.mention.value != last.mention.value
        for o in live
    ):
        return None, "several"
    others = [one for one in strong if one.mention.value != last.mention.value]
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
