"""Which process of a run asks which questions, and in what order: those about the same pictures together.

An engine keeps what it has computed of a prompt's beginning and of its pictures, for as long as it has
room. So questions about the same pictures are asked one after the other, by one process. The harness deals
questions out one by one, which scatters neighbours over the processes.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Question(NamedTuple):
    """A question, and what tells which others show the same.

    Attributes:
        task: The name of its task.
        number: Its number in the task.
        shown: The same for questions of a task that show the same pictures or videos.
    """

    task: str
    number: int
    shown: str


Place = tuple[int, int]
"""A question as the process that it belongs to, and its place there."""


def in_groups(questions: Sequence[Question]) -> list[int]:
    """Returns the places of questions in the order in which to ask them.

    Task by task, as many runners take all questions of a batch for those of its first one's task. Within a
    task a group comes where its first question stands.

    >>> in_groups([Question("t", i, shown) for i, shown in enumerate("abab")])
    [0, 2, 1, 3]
    """
    first: dict[tuple[str, ...], int] = {}
    for place, (task, _, shown) in enumerate(questions):
        first.setdefault((task,), place)
        first.setdefault((task, shown), place)

    def where(place: int) -> tuple[int, int, int]:
        task, _, shown = questions[place]
        return first[task,], first[task, shown], place

    return sorted(range(len(questions)), key=where)


def shares(left: Sequence[Sequence[Question]]) -> list[list[Place]]:
    """Deals out what is left, equally: processes that wait for each other need as many questions each.

    Groups are cut nowhere but where the share of one process ends and the next one's begins.

    Args:
        left: The questions of each process that have no answer yet.

    Returns:
        For each process the questions it is to ask, in this order. All have as many; some are asked a
        second time to make up the number.

    >>> a, b = (Question("t", i, shown) for i, shown in enumerate("ab"))
    >>> shares([[a, b], [a, b]])
    [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]
    """
    tasks = {one.task: None for own in left for one in own}
    placed = {task: i for i, task in enumerate(tasks)}
    every = [(one, (rank, i)) for rank, own in enumerate(left) for i, one in enumerate(own)]
    every.sort(key=lambda both: (placed[both[0].task], both[0].number, both[1]))
    order = [every[i][1] for i in in_groups([one for one, _ in every])]
    each = -(-len(order) // len(left))
    dealt = [order[rank * each : (rank + 1) * each] for rank in range(len(left))]
    return [share + (share or order)[-1:] * (each - len(share)) for share in dealt]
