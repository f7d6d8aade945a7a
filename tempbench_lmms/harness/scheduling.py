"""Which process of a run asks which questions.

The harness deals questions out one by one, which scatters neighbours over the processes. Those about the same
pictures stand together in our tables, and an engine keeps what it has computed of them; so each process gets
a stretch.
"""

from collections.abc import Sequence

Question = tuple[str, int]
"""The name of a task, and the number of a question in it."""
Place = tuple[int, int]
"""A question as the process that it belongs to, and its place there."""


def shares(left: Sequence[Sequence[Question]]) -> list[list[Place]]:
    """Deals out what is left, equally: processes that wait for each other need as many questions each.

    Args:
        left: The questions of each process that have no answer yet.

    Returns:
        For each process the questions it is to ask, in this order: task by task, as many runners take all
        questions of a batch for those of its first one's task. All have as many; some are asked a second time
        to make up the number.

    >>> shares([[("t", 0), ("t", 2)], [("t", 1), ("t", 3)]])
    [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]
    """
    tasks = {task: None for own in left for task, _ in own}
    placed = {task: i for i, task in enumerate(tasks)}
    every = [(placed[task], n, rank, i) for rank, own in enumerate(left) for i, (task, n) in enumerate(own)]
    order = [(rank, i) for _, _, rank, i in sorted(every)]
    each = -(-len(order) // len(left))
    dealt = [order[rank * each : (rank + 1) * each] for rank in range(len(left))]
    return [share + (share or order)[-1:] * (each - len(share)) for share in dealt]
