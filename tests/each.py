"""One test of many cases: a test of its own costs more than what a quick check does."""

from collections.abc import Callable, Iterable

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
