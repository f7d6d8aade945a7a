"""Assigns the questions of a run to its processes.

The harness assigns questions one by one, which scatters neighbours over the processes. In our tables,
questions about the same pictures are neighbours, and an engine reuses its computations for them, so each
process gets a contiguous part.
"""

from collections.abc import Sequence

Question = tuple[str, int]
"""The name of a task, and the number of a question in it."""
Place = tuple[int, int]
"""A question, as its original process and its place there."""


def shares(left: Sequence[Sequence[Question]]) -> list[list[Place]]:
    """Assigns the remaining questions equally, because processes that wait for each other need equal numbers.

    Args:
        left: The questions of each process that have no answer yet.

    Returns:
        For each process, its questions in order: task by task, because many runners treat a whole batch as
        questions of the first one's task. All get the same number; some questions are asked twice as padding.

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
