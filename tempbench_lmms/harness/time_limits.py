"""Bounds the whole of a request: clients bound each read, and a server may send a blank byte now and then.

The clients of `openai` are of several libraries by their version, so nothing of these is used but `send`.
"""

import asyncio
import functools
import inspect
import sys
import threading
from types import ModuleType
from typing import Any

DEFAULT = 600.0
"""Seconds that a try takes where nobody says otherwise, as the clients of `openai` wait for a read."""


def keep(module: ModuleType) -> None:
    """Has the harness's runners of the OpenAI protocol wait for a response as long as their `timeout` says.

    0.7.3's `openai` takes the argument and leaves the client at its 600 seconds, tried 15 times over.
    """
    for name in ("OpenAICompatible", "AsyncOpenAIChat"):
        runner = getattr(module, name, None)
        if runner is not None and not hasattr(runner.__init__, "__wrapped__"):
            runner.__init__ = _prepared(runner.__init__)


def _prepared(original: Any) -> Any:
    @functools.wraps(original)
    def prepared(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if "timeout" in kwargs:
            self.client = self.client.with_options(timeout=float(kwargs["timeout"]))
        bound(self.client, float(kwargs.get("timeout", DEFAULT)))

    return prepared


def bound(client: Any, seconds: float) -> None:
    """Has a client of `openai` give up each try after so many seconds, whatever was sent until then."""
    inner = getattr(client, "_client", None)
    if inner is None:
        return
    original = inner.send
    library = next(one.__module__ for one in type(inner).__mro__ if one.__name__ in ("Client", "AsyncClient"))
    late = functools.partial(sys.modules[library].ReadTimeout, f"no whole response within {seconds:g} s")

    def send(request: Any, **kwargs: Any) -> Any:
        if kwargs.pop("stream", False):
            return original(request, stream=True, **kwargs)
        found: list[Any] = []
        thread = threading.Thread(target=_read, args=(found, original, request, kwargs), daemon=True)
        thread.start()
        thread.join(seconds)
        if isinstance(found[-1] if found else None, Exception):
            raise found[-1]
        if thread.is_alive():
            for response in found:
                response.close()  # ends the thread with the next byte
            raise late(request=request)
        return found[0]

    async def send_async(request: Any, **kwargs: Any) -> Any:
        # Each call of the harness's runner has an event loop of its own; a connection kept from an earlier
        # call belongs to one that is closed.
        request.headers["Connection"] = "close"
        try:
            return await asyncio.wait_for(original(request, **kwargs), seconds)
        except asyncio.TimeoutError:
            raise late(request=request) from None

    inner.send = send_async if inspect.iscoroutinefunction(original) else send


def _read(found: list[Any], send: Any, request: Any, kwargs: dict[str, Any]) -> None:
    """Adds the response to what was found as soon as it has begun, and what kept it from coming whole."""
    try:
        found.append(send(request, stream=True, **kwargs))
        found[0].read()
    except Exception as error:
        found.append(error)
