"""An extension of Griffe: doctests are shown as code, also where no heading announces them."""

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^(?P<indent> *)>>> .*(?:\n(?P=indent)\S.*)*", re.M)


def fenced(docstring: str) -> str:
    """Returns a docstring with a fence around each doctest."""
    return _DOCTEST.sub(
        lambda found: f"{found['indent']}```pycon\n{found[0]}\n{found['indent']}```", docstring
    )


class Doctests(griffe.Extension):  # type: ignore[misc]
    """Fences doctests."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes the docstring of whatever was loaded."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
