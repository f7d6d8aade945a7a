"""The official TimeBlind scorer's numbers, to the last digit, and its reading of a reply.

Source: `utils.py`. What counts is the place of a question in its instance, not the answer that the data
states: the first question is true of the first video, the second one of the second. An instance without a
single prediction leaves the denominator; one with some of them counts as wrong altogether, but by tag only
the missing ones do.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.timeblind.card import SIZE

FIRST, SECOND, UNREAD = 1, 0, -1
"""What the official code makes of a reply: Yes or A, No or B, neither."""

Four = Sequence[int]
"""What was read of an instance's four replies, by the questions' order."""

RIGHT: Four = (FIRST, SECOND, SECOND, FIRST)
"""Question 0 on video 0 and on video 1, question 1 on video 0 and on video 1."""
NONE: Four = (UNREAD, UNREAD, UNREAD, UNREAD)

# By metric, the places of an instance that must be right together.
_TOGETHER: dict[str, Sequence[Sequence[int]]] = {
    "Q_Acc": ((0, 1), (2, 3)),
    "V_Acc": ((0, 2), (1, 3)),
    "Acc": ((0,), (1,), (2,), (3,)),
    "I_Acc": ((0, 1, 2, 3),),
}


def points(found: Four) -> dict[str, tuple[int, int]]:
    """Returns the points of one instance by metric, and of how many.

    >>> points((1, 0, 1, 1))
    {'Q_Acc': (1, 2), 'V_Acc': (1, 2), 'Acc': (3, 4), 'I_Acc': (0, 1)}
    """
    right = [one == wanted for one, wanted in zip(found, RIGHT, strict=True)]
    return {
        name: (sum(all(right[place] for place in places) for places in groups), len(groups))
        for name, groups in _TOGETHER.items()
    }


def shares(instances: Iterable[Four]) -> dict[str, float]:
    """Returns the four accuracies over instances, from 0 to 1; without one, the official scorer stops."""
    all_points = [points(one) for one in instances]
    if not all_points:
        raise TempbenchError("no prediction belongs to a question; give the official result file")
    return {
        name: sum(one[name][0] for one in all_points) / (len(all_points) * len(groups))
        for name, groups in _TOGETHER.items()
    }


def score(
    predictions: Sequence[Mapping[str, Any]], forms: Mapping[int, Sequence[str]]
) -> dict[str, float | int]:
    """Returns the official scorer's output for a result file.

    Args:
        predictions: Each with `index` and `model_output`; the last one with an index counts.
        forms: The options of each question by its index; none for Yes/No questions.
    """
    groups = grouped((one["index"] // SIZE, (one["index"], one.get("model_output"))) for one in predictions)
    instances = [_instance(number, dict(replies), forms) for number, replies in groups.items()]
    return {**shares(instances), "num_instances": len(instances)}


def _instance(number: int, replies: Mapping[int, Any], forms: Mapping[int, Sequence[str]]) -> Four:
    places = range(SIZE * number, SIZE * number + SIZE)
    are_there = (
        place in replies and place in forms and isinstance(replies[place] or "", str) for place in places
    )
    return _four(replies, places, forms) if all(are_there) else NONE


def _four(replies: Mapping[int, Any], places: Sequence[int], forms: Mapping[int, Sequence[str]]) -> Four:
    return [
        parse_official(replies[place], forms[place]) if replies.get(place) else UNREAD for place in places
    ]


def score_tags(
    predictions: Sequence[Mapping[str, Any]],
    forms: Mapping[int, Sequence[str]],
    tags: Mapping[str, Sequence[int]],
) -> dict[str, dict[str, float | int]]:
    """Returns the official scorer's output by tag; tags without an evaluated instance are left out.

    Args:
        predictions: As for `score`.
        forms: As for `score`.
        tags: The indices of each tag's questions, as in `tags.json`; in order, four are an instance.
    """
    replies = {one["index"]: one.get("model_output") for one in predictions}
    out = {}
    for tag, indices in tags.items():
        ordered = sorted(indices)
        whole = [ordered[start : start + SIZE] for start in range(0, len(ordered) - SIZE + 1, SIZE)]
        found = [
            _four(replies, places, forms)
            for places in whole
            if all(place in forms for place in places) and any(place in replies for place in places)
        ]
        if found:
            out[tag] = {**shares(found), "num_instances": len(found)}
    return out


_KEYWORD = r"(?:final(?: answer)?|answer|prediction)"
_SPACES = re.compile(r"\s+")
_WORD = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (rf"{_KEYWORD}\s*[:：]\s*(yes|no)\b", r"\b(yes|no)\b(?=[\s.,!?)]|$)")
)
_LETTER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_KEYWORD}\s*[:：]\s*([AB])\b",
        r"(?:option|choice)\s*[:：]?\s*([AB])\b",
        r"[(\[{]\s*([AB])\s*[)\]}]",
        r"\b([AB])\s*[.)]\b",
    )
)
_ALONE = re.compile(r"(?<![A-Za-z0-9/])([AB])(?![A-Za-z0-9/])", re.IGNORECASE)
_AROUND = re.compile(rf"\b{_KEYWORD}\b", re.IGNORECASE)


def parse_official(reply: str, options: Sequence[str] = ()) -> int:
    """Returns what the official rules read: `FIRST`, `SECOND` or `UNREAD`.

    Their faults are part of it: without "Answer:" the first "yes" or "no" counts, that of the reasoning too;
    of letters the first "a" that stands alone, the article too. Source: `utils.py`.
    """
    text = _SPACES.sub(" ", unicodedata.normalize("NFKC", reply)).strip()
    if not options:
        found = next(filter(None, (rule.search(text) for rule in _WORD)), None)
        return UNREAD if found is None else FIRST if found[1].lower() == "yes" else SECOND
    found = next(filter(None, (rule.search(text) for rule in _LETTER)), None) or _letter_alone(text)
    return UNREAD if found is None else FIRST if found[1].upper() == "A" else SECOND


def _letter_alone(text: str) -> re.Match[str] | None:
    """Returns the first letter before the first "answer", else the first one behind it."""
    keyword = _AROUND.search(text)
    parts = [text[: keyword.start()], text[keyword.end() :]] if keyword else []
    return next(filter(None, map(_ALONE.search, [*parts, text])), None)
