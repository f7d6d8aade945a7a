"""Looks at what a runner of the harness hands to its model, without a change of the runner.

Each way in which runners reach a model has a module here. It puts itself between the two while it watches,
brings what passes into the form of `check.inputs`, and lets it pass as it is.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.harness.watching import openai_calls, reader_calls, transformers_calls, vllm_calls

Tell = Callable[[list[Inputs]], None]
"""Is told of each call of the model: the questions of the call, in order."""

_WAYS = (reader_calls, openai_calls, vllm_calls, transformers_calls)


def why_blind(lm: Any) -> str:
    """Returns why nothing of what a runner does can be seen from here; empty where something can."""
    if any(way.applies(lm) for way in _WAYS):
        return ""
    return f"the runner {type(lm).__module__} calls its model in a way that is not known here"


@contextlib.contextmanager
def watching(lm: Any, tell: Tell) -> Iterator[None]:
    """Tells of every call of a runner's model within the block."""
    way = next((one for one in _WAYS if one.applies(lm)), None)
    with way.watching(lm, tell) if way else contextlib.nullcontext():
        yield
