"""Which of several spans a reply states: before the steps of `decide`, those that only spans need.

A span that tells what comes before or after the event, or all of the video, gives way to others; of spans
that stand with options, the one of the chosen option counts.
"""

from collections.abc import Callable
from typing import NamedTuple

from tempbench_lmms.parsing.decide import alive, decide
from tempbench_lmms.parsing.expected import Choice, TimeSpan
from tempbench_lmms.parsing.finders import finder_of
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.mentions import options, spans
from tempbench_lmms.parsing.stance import Judged, Stance, Terms, judge
from tempbench_lmms.parsing.tokens import Text

_FILL = roles("fill prep article is near from at idiom likely and")
_BEGINS = roles("and or prep to from article at")
_SIDES = roles("before after")
_NEAR = 4  # signs between a span and the letter behind it


class _Spans(NamedTuple):
    """A text, its spans as they are judged, and the letters of options in it."""

    text: Text
    judged: list[Judged]
    letters: list[Mention]


def read(text: Text, span: TimeSpan, choice: Choice, letter: str | None) -> tuple[Mention | None, str]:
    """Returns the span that a text states beside options, of which one may be chosen; or None, and why."""
    found = spans.find(text, span)
    if choice.texts and found:  # times in an option's own text are no span
        own = [one for one in options.texts(text, choice) if any(map(str.isdigit, _said(text, one)))]
        found = [m for m in found if not any(one.start <= m.start and m.end <= one.end for one in own)]
    if not found:
        return None, "nothing"
    named = [one for one in options.find(text, choice) if one.form in ("label", "letter")]
    picked, reason = _decide(_Spans(text, judge(text, found, Terms()), named), span, letter)
    return (picked.mention if picked else None), reason


def _said(text: Text, mention: Mention) -> str:
    return text.text[mention.start : mention.end]


def _decide(at: _Spans, span: TimeSpan, letter: str | None) -> tuple[Judged | None, str]:
    live = alive(at.text, at.judged)
    live = _demoted(live, lambda one: _is_all(one, span))
    sides = {one.mention: _side(at, one.mention) for one in live}
    live = _demoted(live, lambda one: sides[one.mention] == "of")
    if {sides[one.mention] for one in live} >= _SIDES:
        live = _demoted(live, lambda one: sides[one.mention] in _SIDES)
    if letter and len(_values(live)) > 1:
        mine = [one for one in live if _letter_of(at, one.mention) == letter]
        if len(_values(mine)) == 1 and not mine[0].listed:
            return mine[-1], ""
        live = _demoted(live, lambda one: _letter_of(at, one.mention) not in (None, letter))
    if len(_values(live)) != 1:
        return decide(at.text, live, finder_of(span))
    if all(one.stance in (Stance.NAMED, Stance.OPEN) for one in live) and _breaks_off(at.text, live[-1]):
        return None, "cut_off"
    return live[-1], ""


def _values(judged: list[Judged]) -> set[tuple[float, float]]:
    return {one.mention.value for one in judged}


def _demoted(live: list[Judged], gives_way: Callable[[Judged], bool]) -> list[Judged]:
    return [one for one in live if not gives_way(one)] or live


def _is_all(one: Judged, span: TimeSpan) -> bool:
    start, end = one.mention.value
    return span.duration is not None and start <= 0 and end >= span.duration - 1


def _side(at: _Spans, mention: Mention) -> str:
    """Returns `before` or `after` for what comes on that side of something, and `of` for its own time there.

    "Before that, from 2 to 5 s", "before he jumps (2 to 5 s)".
    """
    text = at.text
    left = max((one.mention.end for one in at.judged if one.mention.end <= mention.start), default=0)
    start = max(text.sentences[text.sentence(mention.start)].start, left)
    words = [w for w in text.within(start, mention.start) if w.roles & _SIDES and "than" not in w.roles]
    if not words:
        return ""
    between = text.text[words[-1].end : mention.start]
    filled = sum(w.end - w.start for w in text.within(words[-1].end, mention.start) if w.roles & _FILL)
    if sum(map(str.isalnum, between)) <= filled:
        return "before" if "before" in words[-1].roles else "after"
    bracket = text.text[mention.start] == "(" or between.rstrip().endswith("(")
    return "of" if bracket and not set(between.rstrip(" (")) & set(",;:.(") else ""


def _letter_of(at: _Spans, mention: Mention) -> str | None:
    """Returns the letter that a span is written to: the last before it, else the one directly behind."""
    sentence = at.text.sentences[at.text.sentence(mention.start)]
    others = [one.mention for one in at.judged]
    left = max([sentence.start, *(one.end for one in others if one.end <= mention.start)])
    right = min([mention.end + _NEAR, *(one.start for one in others if one.start >= mention.end)])
    before = [one for one in at.letters if left <= one.start and one.end <= mention.start]
    behind = [one for one in at.letters if mention.end <= one.start < right]
    return str((before or behind[:1])[-1].value) if before or behind else None


def _breaks_off(text: Text, one: Judged) -> bool:
    """Whether a text ends behind a word that begins something, after a span."""
    last = text.words[-1] if text.words and text.words[-1].end == len(text.text) else None
    if last is None or last.end - last.start < 2 or one.mention.end >= last.start:
        return False
    return bool(last.roles & _BEGINS)
