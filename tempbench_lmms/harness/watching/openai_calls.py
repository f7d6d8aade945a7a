"""What runners send that speak the OpenAI protocol: `openai`, `async_openai`, and any with its client."""

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs, settings_of
from tempbench_lmms.harness.watching import handed
from tempbench_lmms.harness.watching.owned import owned


def applies(lm: Any) -> bool:
    """True for a runner with a client of the package `openai`."""
    openai = sys.modules.get("openai")
    clients = (openai.OpenAI, openai.AsyncOpenAI) if openai else ()
    return owned(lm, lambda one: isinstance(one, clients)) is not None


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of each request that is sent; the runner may make another client for it."""
    with contextlib.ExitStack() as held:
        if "openai" in sys.modules:
            from openai.resources.chat.completions import AsyncCompletions, Completions

            for resource in (Completions, AsyncCompletions):
                held.enter_context(mock.patch.object(resource, "create", _told(resource.create, tell)))
        yield


def _told(create: Callable[..., Any], tell: Callable[[list[Inputs]], None]) -> Callable[..., Any]:
    def tell_of(request: Mapping[str, Any], out: Any) -> Any:
        choices = getattr(out, "choices", None)
        said = choices[0].message.content if choices and hasattr(choices[0], "message") else None
        tell([replace(inputs_of(request), said=said)])
        return out

    async def later(request: Mapping[str, Any], out: Any) -> Any:
        return tell_of(request, await out)

    @functools.wraps(create)
    def told(self: Any, *args: Any, **request: Any) -> Any:
        out = create(self, *args, **request)
        return later(request, out) if inspect.isawaitable(out) else tell_of(request, out)

    return told


def inputs_of(request: Mapping[str, Any]) -> Inputs:
    """Returns what a request of the protocol gives to a model."""
    settings = settings_of(request)
    if settings.samples is None:  # the server's own temperature, which is 1 in the protocol
        settings = replace(settings, samples=True)
    return Inputs(tuple(handed.of_messages(request["messages"])), settings)
