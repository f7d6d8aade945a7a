"""Matches metrics of tasks with names in a paper's table, by their names alone.

The suite's `mt1_two_mt` is `mt` of the task `tempvs_mt1_two`, `accuracy_4f` is `accuracy` of
`coherence_qa_4f`, and `cot_mt1_two_mt` is `mt` of `tempvs_mt1_two_cot`: a name consists of the metric's name
and parts of the task's. The rest of the task's name is the number's variant.
"""

from collections.abc import Collection, Sequence

Parts = tuple[str, ...]


def parts_of(stem: str) -> Parts:
    """Returns the parts of a task's name: ("mt1", "two")."""
    return tuple(part for part in stem.split("_") if part)


def rest_of(name: str, stem: Sequence[str], metric: str) -> Parts | None:
    """Returns the parts of a task's name that are not in a table's name; None for another metric.

    Args:
        name: The name in the table.
        stem: The parts of the task's name, without the benchmark's.
        metric: The metric's name in the task.

    >>> rest_of("mt1_two_mt", ("mt1", "two", "cot"), "mt")
    ('cot',)
    >>> rest_of("cot_mt1_two_mt", ("mt1", "two", "cot"), "mt")
    ()
    """
    if metric not in name:
        return None
    known, own = name.split("_"), metric.split("_")
    for start in range(len(known) - len(own) + 1):
        if known[start : start + len(own)] != own:
            continue
        rest: list[str] | None = list(stem)
        for part in known[:start] + known[start + len(own) :]:
            if rest is None or part not in rest:
                rest = None
                break
            rest.remove(part)
        if rest is not None:
            return tuple(part for part in rest if part not in own)
    return None


def column_of(stem: str, metric: str, known: Collection[str]) -> tuple[str, str] | None:
    """Returns the name in `known` of a task's metric, and the task's variant; None if there is none.

    >>> column_of("mt1_two_cot", "mt", {"mt1_two_mt"})
    ('mt1_two_mt', 'cot')
    """
    found = nearest(parts_of(stem), metric, known)
    return (found[0], "_".join(found[1])) if found else None


def nearest(stem: Parts, metric: str, known: Collection[str]) -> tuple[str, Parts] | None:
    """Returns the name that leaves the fewest parts of the task's name over, and these parts; else None."""
    found = ((name, rest_of(name, stem, metric)) for name in sorted(known))
    fits = [(name, rest) for name, rest in found if rest is not None]
    return min(fits, key=lambda fit: len(fit[1]), default=None)
