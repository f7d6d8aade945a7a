"""Choosing several names from a list."""

from collections.abc import Collection, Iterable

from tempbench_lmms.errors import TempbenchError


def chosen(given: Iterable[str], offered: Collection[str], what: str) -> list[str]:
    """Returns the given names, in the order of the offered ones."""
    names = {name.strip() for name in given}
    if unknown := sorted(names - {*offered}):
        raise TempbenchError(f"{unknown[0]!r} is not a {what}; choose from {', '.join(offered)}")
    return [name for name in offered if name in names]
