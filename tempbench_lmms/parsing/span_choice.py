"""Which of several spans a reply states: the steps of `decide`, and before them those that only spans need.

A span that tells what comes before or after the event, or all of the video, gives way to others; of spans
that stand with options, the one of the chosen option counts.
"""

from collections.abc import Callable
from typing import NamedTuple

from tempbench_lmms.parsing.decide import decide
from tempbench_lmms.parsing.expected import Choice, TimeSpan
from tempbench_lmms.parsing.finders import finder_of
from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.mentions import options, spans
from tempbench_lmms.parsing.stance import Judged, Stance, Terms, judge
from tempbench_lmms.parsing.tokens import Text

_FILL = frozenset(("fill", "prep", "article", "is", "near", "from", "at", "idiom", "likely", "and"))
_LINE = _FILL | {
    "to",
    "start",
    "end",
    "begins",
    "ceases",
    "answer",
    "unit.second",
    "conclude",
    "first",
    "last",
}
_LINE |= {"option", "choose"}
_BEGINS = frozenset(("and", "or", "prep", "to", "from", "article", "near", "at"))
_SIDES = frozenset(("before", "after"))
_NEAR = 4  # signs between a span and the letter behind it


class _Spans(NamedTuple):
    """A text, its spans as they are judged, and the letters of options in it."""

    text: Text
    judged: list[Judged]
    letters: list[Mention]


def read(text: Text, span: TimeSpan, choice: Choice, letter: str | None) -> tuple[Mention | None, str]:
    """Returns the span that a text states; None where it states no single one, and why.

    Args:
        text: The text.
        span: What is known of the video.
        choice: The options that stand beside the spans.
        letter: The one that is chosen, if any is.
    """
    found = spans.find(text, span)
    if choice.texts and found:  # times in an option's own text are no span
        own = [
            one
            for one in options.texts(text, choice)
            if any(map(str.isdigit, text.text[one.start : one.end]))
        ]
        found = [m for m in found if not any(one.start <= m.start and m.end <= one.end for one in own)]
    if not found:
        return None, "nothing"
    named = [one for one in options.find(text, choice) if one.form in ("label", "letter")]
    judged: list[Judged] = []
    for one in judge(text, found, Terms()):
        judged.append(_eased(text, one, judged[-1].mention.end if judged else 0))
    picked, reason = _decide(_Spans(text, judged, named), span, letter)
    return (picked.mention if picked else None), reason


def _says(text: Text, start: int, end: int, besides: frozenset[str]) -> bool:
    """Whether a stretch says something besides words of some roles."""
    for word in text.within(start, end):
        if word.roles & besides:
            if any(map(str.isalnum, text.text[start : word.start])):
                return True
            start = word.end
    return any(map(str.isalnum, text.text[start:end]))


def _eased(text: Text, one: Judged, before: int) -> Judged:
    """Returns what was judged, where words farther away were taken for this span's, or nearer ones missed."""
    mention, sentence = one.mention, text.sentences[one.sentence]
    start = max(sentence.start, before)
    if one.stance == Stance.DRAFT and not text.has(frozenset(("draft",)), start, mention.start):
        return one._replace(stance=Stance.NAMED)
    if one.sentence + 1 < len(text.sentences):  # "12-30 s. This is wrong, ..."
        following = text.sentences[one.sentence + 1]
        wrong = next((word for word in text.within(*following) if "wrong" in word.roles), None)
        if wrong and not _says(text, following.start, wrong.start, _FILL):
            return one._replace(stance=Stance.DENIED)
    refuses = text.has(frozenset(("refuse",)), sentence.start, mention.start)
    if one.stance == Stance.ASKED and not text.asks[one.sentence] and not refuses:
        return one._replace(stance=Stance.NAMED)
    behind = text.within(mention.end, sentence.end)
    for i, word in enumerate(behind):  # "12 to 30 s is my answer"
        ends = "answer" in word.roles and any("is" in other.roles for other in behind[:i])
        if ends and not _says(text, mention.end, word.start, _FILL | {"conclude", "unit.second"}):
            return one._replace(stance=Stance.ANNOUNCED)
    return one


def _decide(at: _Spans, span: TimeSpan, letter: str | None) -> tuple[Judged | None, str]:
    text = at.text
    live = [one for one in at.judged if one.stance >= Stance.OPEN]
    if len(_values(live)) > 1:
        live = [one for one in live if not _supposed(text, one)]
    live = _demoted(live, lambda one: _is_all(one, span))
    sides = {one.mention: _side(at, one.mention) for one in live}
    live = _demoted(live, lambda one: sides[one.mention] == "of")
    if {"before", "after"} <= {sides[one.mention] for one in live}:
        live = _demoted(live, lambda one: sides[one.mention] in _SIDES)
    if letter and len(_values(live)) > 1:
        mine = [one for one in live if _letter_of(at, one.mention) == letter]
        if len(_values(mine)) == 1:
            return mine[-1], ""
        live = _demoted(live, lambda one: _letter_of(at, one.mention) not in (None, letter))
    if len(_values(live)) == 1:
        return _only(at, live, span)
    lines = [one for one in live if _is_line(text, one.mention)]
    first_or_last = bool(lines) and (lines[-1] == live[-1] or lines[0] == live[0])
    corrected = {one.mention.value for one in live if one.behind}
    if first_or_last and len(_values(lines)) == 1 and len(corrected) < 2:
        return lines[-1], ""
    return decide(text, live, finder_of(span))


def _only(at: _Spans, live: list[Judged], span: TimeSpan) -> tuple[Judged | None, str]:
    """Returns the only span that is left, where it is more than what a text began with."""
    if all(one.stance == Stance.OPEN for one in live) and len(_values(at.judged)) > 1:
        return None, "several"
    if _is_all(live[-1], span) and at.text.has(frozenset(("refuse",)), 0, len(at.text.text)):
        return None, "refused"
    if all(one.stance in (Stance.NAMED, Stance.OPEN) for one in live) and _breaks_off(at.text, live[-1]):
        return None, "cut_off"
    return live[-1], ""


def _values(judged: list[Judged]) -> set[tuple[float, float]]:
    return {one.mention.value for one in judged}


def _demoted(live: list[Judged], gives_way: Callable[[Judged], bool]) -> list[Judged]:
    return [one for one in live if not gives_way(one)] or live


def _supposed(text: Text, one: Judged) -> bool:
    first: list[Word] = text.within(*text.sentences[one.sentence])[:1]
    return any("suppose" in word.roles for word in first)


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
    words = [
        word for word in text.within(start, mention.start) if word.roles & _SIDES and "than" not in word.roles
    ]
    if not words:
        return ""
    if not _says(text, words[-1].end, mention.start, _FILL):
        return "before" if "before" in words[-1].roles else "after"
    bracket = text.text[mention.start] == "(" or text.text[: mention.start].rstrip()[-1:] == "("
    between = text.text[words[-1].end : mention.start].rstrip(" (")
    return "of" if bracket and not set(between) & set(",;:.(") else ""


def _letter_of(at: _Spans, mention: Mention) -> str | None:
    """Returns the letter that a span is written to: the last before it, else the one directly behind."""
    sentence = at.text.sentences[at.text.sentence(mention.start)]
    others = [one.mention for one in at.judged]
    left = max([sentence.start, *(one.end for one in others if one.end <= mention.start)])
    before = [one for one in at.letters if left <= one.start and one.end <= mention.start]
    if before:
        return str(before[-1].value)
    right = min([sentence.end, *(one.start for one in others if one.start >= mention.end)])
    behind = [one for one in at.letters if mention.end <= one.start < min(right, mention.end + _NEAR)]
    return str(behind[0].value) if behind else None


def _is_line(text: Text, mention: Mention) -> bool:
    """Whether a span is its line by itself, but for a letter and words that lead to it."""
    start, end = text.text.rfind("\n", 0, mention.start) + 1, text.text.find("\n", mention.end)
    sides = (start, mention.start), (mention.end, end if end >= 0 else len(text.text))
    return not any(_says(text, *side, _LINE) and not _is_letter(text.text[slice(*side)]) for side in sides)


def _is_letter(stretch: str) -> bool:
    said = [sign for sign in stretch if sign.isalnum()]
    return len(said) == 1 and said[0] in "ABCDEFGH"


def _breaks_off(text: Text, one: Judged) -> bool:
    """Whether a text ends behind a word that begins something, after a span."""
    last = text.words[-1] if text.words and text.words[-1].end == len(text.text) else None
    if last is None or last.end - last.start < 2 or one.mention.end >= last.start:
        return False
    return bool(last.roles & _BEGINS)
