"""Patterns that are compiled by their first use: most commands read no reply, and most replies need few."""

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a compiled pattern; its methods are the pattern's own from the first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        # Found in the object from now on: as fast as the pattern itself.
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return self.__dict__[name]


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Returns what behaves as the compiled pattern, and is compiled by the first use of it.

    >>> lazy("B+", re.IGNORECASE).findall("abbA")
    ['bb']
    """
    return cast(re.Pattern[str], _Lazy(pattern, flags))
