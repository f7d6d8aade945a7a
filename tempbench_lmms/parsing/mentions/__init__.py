"""A place of a text that names an answer. Each module finds those of a few kinds of answers."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple


class Mention(NamedTuple):
    """A place of a text that names an answer.

    The form is `label` ("Option B"), `letter`, `both` ("B. running"), `listed` (of all options), `number`,
    `text` (an option's own), `words` (others for it), `place` ("the second one"), `order`, `span` or `judged`
    ("is true").
    """

    value: Any
    start: int
    end: int
    form: str


_MOST = 40


def outer(mentions: list[Mention]) -> list[Mention]:
    """Returns the first and the last 40 mentions in order; the middle of a looping reply adds nothing."""
    if len(mentions) <= 2 * _MOST:
        return mentions
    row = sorted(mentions, key=lambda m: m.start)
    return [*row[:_MOST], *row[-_MOST:]]


def apart(mentions: list[Mention]) -> list[Mention]:
    """Returns mentions in order; the longer one of two that overlap."""
    kept: list[Mention] = []
    for one in sorted(outer(mentions), key=lambda m: (m.start - m.end, m.start)):
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda m: m.start)


def row(values: Sequence[Any], start: int, end: int, form: str) -> list[Mention]:
    """Returns several values of one place, side by side in it: "images 2 to 4", "the last two"."""
    cuts = [*range(start, min(start + len(values), end)), end]
    return [Mention(one, *cut, form) for one, cut in zip(values, pairwise(cuts), strict=False)]


def as_list(mentions: list[Mention], least: int) -> list[Mention]:
    """Returns mentions, with those marked `listed` that go through the options, if there are enough of them.

    The first or last mention is not part of the list if the list names its option again.
    """
    both = [one for one in mentions if one.form == "both"]
    if len({one.value for one in both}) < least:
        return mentions
    again = {id(end) for end in (both[0], both[-1]) if sum(one.value == end.value for one in both) > 1}
    return [
        one._replace(form="listed") if one.form == "both" and id(one) not in again else one
        for one in mentions
    ]
