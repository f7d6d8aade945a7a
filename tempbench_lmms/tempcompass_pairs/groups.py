"""Which questions form a contrast group: the same question on a clip and on its twin, with another answer.

The official files name a clip's twins after it: `NAME_reverse` runs backwards, `NAME_concat_0` to `_2` show
it beside itself at two speeds, and `NAME_OTHER_0` to `_2` show it with the clip OTHER at once, before it and
after it.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any


def origin(clip: str) -> str:
    """Returns the clip that a clip was made of, which names it.

    >>> origin("1089810425_reverse"), origin("8050000_concat_1"), origin("77_88_0"), origin("77")
    ('1089810425', '8050000', '77', '77')
    """
    return clip.partition("_")[0]


def find(rows: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Returns the contrast groups, each as the indices of its rows, in the order of their first ones.

    A group is all questions of one kind and aspect with the same text, options included, on clips of one
    origin. They must be on two clips at least, and have two right answers at least: else one and the same
    reply could be right throughout.
    """
    together: dict[Hashable, list[int]] = {}
    for index, row in enumerate(rows):
        key = (row["kind"], origin(row["video_id"]), row["aspect"], row["question"])
        together.setdefault(key, []).append(index)
    found = together.values()
    return [own for own in found if all(len({rows[i][of] for i in own}) > 1 for of in ("video_id", "answer"))]
