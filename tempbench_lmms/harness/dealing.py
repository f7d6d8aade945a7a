"""Which process of a run asks which questions, and in what order: those about the same pictures together.

An engine keeps what it has computed of a prompt's beginning and of its pictures, for as long as it has
room. So questions about the same pictures are asked one after the other, by one process. The harness deals
questions out one by one, which scatters neighbours over the processes.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Pictured(NamedTuple):
    """A question, and what tells which others show the same.

    Attributes:
        task: The name of its task.
        number: Its number in the task.
        shown: The same for questions of a task that show the same pictures or videos, in whatever order.
        order: The same for those that show them in the same order.
    """

    task: str
    number: int
    shown: str
    order: str


Place = tuple[int, int]
"""A question as the process that it belongs to, and its place there."""


def in_groups(questions: Sequence[Pictured]) -> list[int]:
    """Returns the places of questions in the order in which to ask them.

    Task by task, as many runners take all questions of a batch for those of its first one's task. Within a
    task a group comes where its first question stands.

    >>> in_groups([Pictured("t", i, shown, "") for i, shown in enumerate("abab")])
    [0, 2, 1, 3]
    """
    first: dict[tuple[str, ...], int] = {}
    for place, (task, _, shown, order) in enumerate(questions):
        for group in ((task,), (task, shown), (task, shown, order)):
            first.setdefault(group, place)

    def where(place: int) -> tuple[int, ...]:
        task, _, shown, order = questions[place]
        return first[task,], first[task, shown], first[task, shown, order], place

    return sorted(range(len(questions)), key=where)


def shares(left: Sequence[Sequence[Pictured | None]]) -> list[list[Place]]:
    """Deals out what is left, equally: processes that wait for each other need as many questions each.

    Groups are cut nowhere but where the share of one process ends and the next one's begins: fewer times than
    there are processes.

    Args:
        left: The questions of each process that have no answer yet; None for one that is not known, which
            stays with its process as far as that one's share goes.

    Returns:
        For each process the questions it is to ask, in this order. All have as many; some are asked a
        second time to make up the number.

    >>> a, b = (Pictured("t", i, shown, "") for i, shown in enumerate("ab"))
    >>> shares([[a, b], [a, b]])
    [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]
    >>> shares([[None, None, None], []])
    [[(0, 0), (0, 1)], [(0, 2), (0, 2)]]
    """
    size, total = len(left), sum(map(len, left))
    each = -(-total // size)
    # Whoever has most keeps one more, so that as few as possible move.
    order = sorted(range(size), key=lambda rank: -len(left[rank]))
    wanted = {rank: total // size + (place < total % size) for place, rank in enumerate(order)}
    unknown = [[(rank, i) for i, one in enumerate(own) if one is None] for rank, own in enumerate(left)]
    dealt = [own[: wanted[rank]] for rank, own in enumerate(unknown)]
    moving = [one for rank, own in enumerate(unknown) for one in own[wanted[rank] :]] + _in_order(left)
    for rank, share in enumerate(dealt):
        n = wanted[rank] - len(share)
        share += moving[:n]
        del moving[:n]
    first = next((share[0] for share in dealt if share), None)
    for share in dealt:
        share += [share[-1] if share else first for _ in range(each - len(share)) if first]
    return dealt


def _in_order(left: Sequence[Sequence[Pictured | None]]) -> list[Place]:
    """Returns the known questions of all processes in the order in which one process would ask them."""
    tasks = {one.task: None for own in left for one in own if one}
    placed = {task: i for i, task in enumerate(tasks)}
    known = [(one, (rank, i)) for rank, own in enumerate(left) for i, one in enumerate(own) if one]
    known.sort(key=lambda both: (placed[both[0].task], both[0].number, both[1]))
    return [known[i][1] for i in in_groups([one for one, _ in known])]
