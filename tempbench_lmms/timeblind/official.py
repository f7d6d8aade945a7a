"""The official TimeBlind scorer's numbers, to the last digit.

Source: `utils.py`. What counts is the place of a question in its instance, not the answer that the data
states: the first question is true of the first video, the second one of the second. An instance without a
single prediction leaves the denominator; one with some of them counts as wrong altogether, but by tag only
the missing ones do.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.timeblind.card import SIZE
from tempbench_lmms.timeblind.parser import FIRST, SECOND, UNREAD, parse_official

Four = Sequence[int]
"""What was read of an instance's four replies, by the questions' order."""

RIGHT: Four = (FIRST, SECOND, SECOND, FIRST)
"""Question 0 on video 0 and on video 1, question 1 on video 0 and on video 1."""
NONE: Four = (UNREAD, UNREAD, UNREAD, UNREAD)

_TOGETHER: dict[str, Sequence[Sequence[int]]] = {
    "Q_Acc": ((0, 1), (2, 3)),
    "V_Acc": ((0, 2), (1, 3)),
    "Acc": ((0,), (1,), (2,), (3,)),
    "I_Acc": ((0, 1, 2, 3),),
}
"""By metric, the places of an instance that must be right together."""


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
