"""The rules by which ReXTime was made from captions; the steps that need a language model are in `build.py`.

Source: paper, section 3. Its thresholds for covering a video and for similar events are in a supplement that
is not published with it; ours are parameters, with the values chosen here as their defaults.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.interval import Interval

SCORES = ("directness", "necessity", "proactiveness", "purpose")
"""Each from 0 to 3. Source: section 3.2."""

PIVOT_MARGIN = 10.0
"""Seconds that are added on both sides of a pivotal event. Source: section 3.2, QVHighlights."""


@dataclass(frozen=True)
class Event:
    """A caption with its time span."""

    text: str
    span: Interval


def relation(directness: int, necessity: int, proactiveness: int, purpose: int) -> str:
    """Returns the relation of two events from their four scores.

    Source: section 3.2: below 4 in directness and necessity together it is sequential; else below 5 in
    proactiveness and purpose together it is cause and effect; else a means to an end.

    >>> relation(2, 1, 3, 3), relation(2, 2, 2, 2), relation(2, 2, 3, 2)
    ('sequential', 'cause_effect', 'means_end')
    """
    for name, score in zip(SCORES, (directness, necessity, proactiveness, purpose), strict=True):
        if isinstance(score, bool) or not isinstance(score, int) or not 0 <= score <= 3:
            raise TempbenchError(f"{name} is {score!r}, not a whole number from 0 to 3")
    if directness + necessity < 4:
        return "sequential"
    return "cause_effect" if proactiveness + purpose < 5 else "means_end"


def overlap(one: Interval, other: Interval) -> bool:
    """Whether two spans share more than an instant."""
    return min(one[1], other[1]) > max(one[0], other[0])


def across_time(question: Interval, answer: Interval) -> bool:
    """Whether a question asks to reason across time: neither span lies within the other.

    Source: section 3, "if the question's time span does not completely overlap with the answer's".
    """
    within = (question[0] >= answer[0] and question[1] <= answer[1]) or (
        answer[0] >= question[0] and answer[1] <= question[1]
    )
    return not within


def coverage(events: Sequence[Event], duration: float) -> float:
    """Returns the share of a video that lies in at least one event, from 0 to 1."""
    covered, end = 0.0, 0.0
    for start, stop in sorted(event.span for event in events):
        stop = min(stop, duration)
        covered += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return covered / duration if duration > 0 else 0.0


def keep_video(events: Sequence[Event], duration: float, min_coverage: float = 0.8) -> bool:
    """Whether a video is used: two events do not overlap, and all cover it. Source: section 3.1."""
    apart = any(
        not overlap(one.span, other.span) for i, one in enumerate(events) for other in events[i + 1 :]
    )
    return apart and coverage(events, duration) >= min_coverage


def consecutive(events: Sequence[Event], first: int, second: int) -> bool:
    """Whether no other event lies wholly between two events, given by their indices.

    Source: section 3.2, footnote 1: a question about before or after has one answer only then.
    """
    if events[first].span > events[second].span:
        first, second = second, first
    start, end = events[first].span[1], events[second].span[0]
    return not any(
        event.span[0] >= start and event.span[1] <= end
        for index, event in enumerate(events)
        if index not in (first, second)
    )


def keep_pair(
    events: Sequence[Event],
    first: int,
    second: int,
    similarity: int,
    kind: str | None = None,
    max_similarity: int = 1,
) -> str | None:
    """Returns why a pair of events is dropped; None where it is kept."""
    if first == second or not all(0 <= index < len(events) for index in (first, second)):
        return "no pair of events"
    if similarity > max_similarity:
        return "the events are too similar"
    if not across_time(events[first].span, events[second].span):
        return "one event lies within the other"
    if kind == "sequential" and not consecutive(events, first, second):
        return "the events are not consecutive"
    return None


def pivot_window(event: Interval, duration: float, margin: float = PIVOT_MARGIN) -> Interval:
    """Returns a pivotal event extended on both sides, within the video. Source: section 3.2."""
    return max(0.0, event[0] - margin), min(duration, event[1] + margin)
