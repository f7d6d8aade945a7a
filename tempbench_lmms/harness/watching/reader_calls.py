"""What arrives at `tempbench_reader`, and at respondents that are made from it."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs


def applies(lm: Any) -> bool:
    """True for the reader."""
    ours = any(one.__module__.startswith("tempbench_lmms.") for one in type(lm).__mro__)
    return ours and callable(getattr(lm, "read", None))


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of what the reader reads."""
    read = lm.read

    def told(batch: Sequence[Inputs]) -> Any:
        said = list(read(batch))
        tell([replace(one, said=text) for one, text in zip(batch, said, strict=False)])
        return said

    with mock.patch.object(lm, "read", told):
        yield
