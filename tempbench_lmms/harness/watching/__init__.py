"""Records what a runner of the harness passes to its model, without changing the runner.

Each module yields the methods of its kind through which a runner may reach a model (`ways`). What passes
through them is converted into the form of `check.inputs`. A wrapper that reaches its model in another way
calls `given`.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.harness.watching import calls, transformers_calls, vllm_calls
from tempbench_lmms.harness.watching.handed import given
from tempbench_lmms.harness.watching.way import Tell

__all__ = ["given", "watching"]

_MODULES = (transformers_calls, vllm_calls, calls)
"""The one nearest to the model comes first: if a question passes several methods, the first one counts."""


@contextlib.contextmanager
def watching(lm: Any, tell: Tell) -> Iterator[None]:
    """Reports, at the end of the block, every question that a runner asked its model inside it."""
    ways = [way for module in _MODULES for way in module.ways(lm)]
    seen: list[list[Inputs]] = [[] for _ in ways]
    try:
        with contextlib.ExitStack() as held:
            for way, found in zip(ways, seen, strict=True):
                held.enter_context(way.heard(found.extend))
            yield
    finally:
        first = next(filter(None, seen), [])
        # What nothing said here may be known a step further from the model.
        heard = (some for some in seen if len(some) == len(first) and any(one.said for one in some))
        tell([replace(one, said=other.said) for one, other in zip(first, next(heard, first), strict=True)])
