"""What the runner `vllm` hands to its engine."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Settings
from tempbench_lmms.harness.watching import openai_calls
from tempbench_lmms.harness.watching.replacing import replaced


def applies(lm: Any) -> bool:
    """True for a runner whose client is an engine with a method `chat`."""
    client = getattr(lm, "client", None)
    return callable(getattr(client, "chat", None)) and type(client).__module__.startswith("vllm")


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of each call of the engine."""
    chat = lm.client.chat

    def told(messages: Any, sampling_params: Any = None, **more: Any) -> Any:
        several = isinstance(sampling_params, (list, tuple))
        params = sampling_params if several else [sampling_params] * len(messages)
        tell([_inputs(one, how) for one, how in zip(messages, params, strict=False)])
        return chat(messages=messages, sampling_params=sampling_params, **more)

    with replaced(lm.client, "chat", told):
        yield


def _inputs(messages: Any, params: Any) -> Inputs:
    stop = getattr(params, "stop", None) or ()
    settings = Settings(
        getattr(params, "max_tokens", None),
        getattr(params, "temperature", 0) > 0 if params is not None else None,
        (stop,) if isinstance(stop, str) else tuple(stop),
    )
    return Inputs(tuple(openai_calls.parts_of(messages)), settings)
