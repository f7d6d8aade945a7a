"""What arrives at `tempbench_reader`."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs


def applies(lm: Any) -> bool:
    """True for the reader."""
    return callable(getattr(lm, "read", None)) and type(lm).__module__.startswith("tempbench_lmms.")


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of what the reader reads."""
    read = lm.read

    def told(batch: Sequence[Inputs]) -> Any:
        tell(list(batch))
        return read(batch)

    with mock.patch.object(lm, "read", told):
        yield
