"""Marks behind the entries of a list: "A ✗, B ✓"."""

import re
from collections.abc import Callable
from typing import Any

from tempbench_lmms.parsing.text import holds

_YES = ("✓", "✔", "✅", "☑")
_NO = ("✗", "✘", "❌", "✖", "❎")
_ENTRY = re.compile(r"\n+")
_END = re.compile(r"([✓✔✅☑✗✘❌✖❎])[\W_]{0,4}$")


def ticked(listing: str, head: Callable[[str], Any]) -> Any:
    """Returns the value whose entry alone has a tick, where other entries have a cross; else None.

    Args:
        listing: The text with the entries, one a line.
        head: Returns the value that an entry begins with, or None.
    """
    if listing.isascii() or not holds(listing, _YES) or not holds(listing, _NO):
        return None
    marks: dict[Any, bool] = {}
    for line in _ENTRY.split(listing):
        found = _END.search(line[-8:])
        value = head(line) if found else None
        if found and value is not None:
            if value in marks:
                return None
            marks[value] = found[1] in _YES
    yes = [value for value, mark in marks.items() if mark]
    return yes[0] if len(yes) == 1 and len(marks) > 1 else None
