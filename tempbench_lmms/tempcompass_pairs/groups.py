"""Which questions form a contrast group: the same question on a clip and on its twin, with another answer.

The official files name a clip's twins after it: `NAME_reverse` runs backwards, `NAME_concat_0` to `_2` show
it beside itself at two speeds, and `NAME_OTHER_0` to `_2` show it with the clip OTHER at once, before it and
after it.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple


class Asked(NamedTuple):
    """What of a question decides its group.

    Attributes:
        kind: One of `card.KINDS`.
        clip: The clip's official name.
        aspect: One of `card.ASPECTS`.
        question: The official text, options included: with others, or in another order, it is another one.
        answer: The right answer.
    """

    kind: str
    clip: str
    aspect: str
    question: str
    answer: str


def origin(clip: str) -> str:
    """Returns the clip that a clip was made of, which names it.

    >>> origin("1089810425_reverse"), origin("8050000_concat_1"), origin("77_88_0"), origin("77")
    ('1089810425', '8050000', '77', '77')
    """
    return clip.partition("_")[0]


def find(asked: Sequence[Asked], of_one_origin: bool = True) -> list[list[int]]:
    """Returns the contrast groups, each as the indices of its questions, in the order of their first ones.

    A group is all questions of one kind and aspect with the same text on clips of one origin. They must be on
    two clips at least, and have two right answers at least: else one and the same reply could be right
    throughout.

    Args:
        asked: The questions.
        of_one_origin: Whether the clips must be of one origin. Else a few questions on unrelated clips join.
    """
    together: dict[Hashable, list[int]] = {}
    for index, one in enumerate(asked):
        place = origin(one.clip) if of_one_origin else ""
        together.setdefault((one.kind, place, one.aspect, one.question), []).append(index)
    return [
        indices
        for indices in together.values()
        if len({asked[index].clip for index in indices}) > 1
        and len({asked[index].answer for index in indices}) > 1
    ]
