"""Tests of many cases: in one test, or a sample of them in the test command and all with `--exhaustive`."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import pytest


def for_each(cases: Iterable[object], check: Callable[[object], None]) -> None:
    """Calls a check with every case, and fails with what it says of each that failed.

    Args:
        cases: What is checked; there is at least one.
        check: Raises where a case is wrong.
    """
    n, faults = 0, []
    for case in cases:
        n += 1
        try:
            check(case)
        except Exception as error:
            faults.append(f"{case}: {type(error).__name__}: {error}")
    assert n, "nothing was checked"
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def sample(cases: Iterable[object], classes: Callable[[object], Sequence], *, at_once: int = 1) -> list:
    """Returns cases as parameters of a test, of which the test command runs as few as cover every class.

    The others are marked `exhaustive`: they are run with `--exhaustive` alone.

    Args:
        cases: Values or `pytest.param`s, one parameter each.
        classes: What a case's value is an example of: one class for each thing in which cases differ, such as
            a format, a codec and a fault. A case without a class of its own need not be run.
        at_once: How many classes are covered together: 1 for every format and every fault, 2 for every
            format with every fault.
    """
    params = [case if isinstance(case, type(pytest.param())) else pytest.param(case) for case in cases]
    classes_of = [set(combinations(enumerate(classes(*param.values)), at_once)) for param in params]
    # The case with the most classes that nothing has covered yet comes next; of equals, the first.
    left, chosen = set.union(*classes_of), set()
    while left:
        best = max(range(len(params)), key=lambda i: len(classes_of[i] & left))
        chosen.add(best)
        left -= classes_of[best]
    return [
        param
        if i in chosen
        else pytest.param(*param.values, marks=[*param.marks, pytest.mark.exhaustive], id=param.id)
        for i, param in enumerate(params)
    ]
