"""Records what a runner of the harness passes to its model, without changing the runner.

Each way in which runners reach a model has a module here. While watching, it sits between the two, converts
what passes into the form of `check.inputs`, and passes it on unchanged. A wrapper that reaches its model in
another way calls `given`.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.harness.watching import (
    handed,
    openai_calls,
    processor_calls,
    reader_calls,
    transformers_calls,
    vllm_calls,
)
from tempbench_lmms.harness.watching.handed import given

__all__ = ["given", "watching", "why_blind"]

Tell = Callable[[list[Inputs]], None]
"""Called with all questions that a model was asked, in order."""

_WAYS = (reader_calls, transformers_calls, vllm_calls, openai_calls, handed, processor_calls)
"""The module nearest to the model comes first: if a question passes several, the first one reports it."""


def why_blind(lm: Any) -> str:
    """Returns why a runner cannot be watched; empty if it can."""
    if any(way.applies(lm) for way in _WAYS):
        return ""
    return (
        f"the runner {type(lm).__module__} calls its model in an unknown way: call the hook in it "
        "(docs/check_model.md, A wrapper of your own)"
    )


@contextlib.contextmanager
def watching(lm: Any, tell: Tell) -> Iterator[None]:
    """Reports, at the end of the block, every question that a runner asked its model inside it."""
    seen: list[list[Inputs]] = [[] for _ in _WAYS]
    try:
        with contextlib.ExitStack() as held:
            for way, found in zip(_WAYS, seen, strict=True):
                if way.applies(lm) or way in (handed, openai_calls):
                    held.enter_context(way.watching(lm, found.extend))
            yield
    finally:
        tell(next(filter(None, seen), []))
