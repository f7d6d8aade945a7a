"""Looks at what a runner of the harness hands to its model, without a change of the runner.

Each way in which runners reach a model has a module here. It puts itself between the two while it watches,
brings what passes into the form of `check.inputs`, and lets it pass as it is. A wrapper that reaches its
model in another way calls `given`.
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
"""Is told of all questions that a model was asked, in order."""

_WAYS = (reader_calls, transformers_calls, vllm_calls, openai_calls, handed, processor_calls)
"""The nearest to the model first: of a question that passes several, the first one is told."""


def why_blind(lm: Any) -> str:
    """Returns why nothing of what a runner does can be seen from here; empty where something can."""
    if any(way.applies(lm) for way in _WAYS):
        return ""
    return (
        f"the runner {type(lm).__module__} calls its model in a way that is not known here: call the hook in "
        "it (docs/check_model.md, A wrapper of your own)"
    )


@contextlib.contextmanager
def watching(lm: Any, tell: Tell) -> Iterator[None]:
    """Tells, at the end of the block, of every question that a runner asked its model within it."""
    seen: list[list[Inputs]] = [[] for _ in _WAYS]
    try:
        with contextlib.ExitStack() as held:
            for way, found in zip(_WAYS, seen, strict=True):
                if way.applies(lm) or way in (handed, openai_calls):
                    held.enter_context(way.watching(lm, found.extend))
            yield
    finally:
        tell(next(filter(None, seen), []))
