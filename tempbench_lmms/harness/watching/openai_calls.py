"""What runners send that speak the OpenAI protocol: `openai`, `async_openai`."""

import base64
import binascii
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs, Part, Settings, Text, Video, picture
from tempbench_lmms.media import codes

_DATA = ";base64,"


def applies(lm: Any) -> bool:
    """True for a runner with a client of the package `openai`."""
    openai = sys.modules.get("openai")
    if openai is None:
        return False
    client = getattr(lm, "client", None)
    return isinstance(client, (openai.OpenAI, openai.AsyncOpenAI))


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of each request that is sent; the runner may make another client for it."""
    from openai.resources.chat.completions import AsyncCompletions, Completions

    with contextlib.ExitStack() as held:
        for resource in (Completions, AsyncCompletions):
            held.enter_context(mock.patch.object(resource, "create", _told(resource.create, tell)))
        yield


def _told(create: Callable[..., Any], tell: Callable[[list[Inputs]], None]) -> Callable[..., Any]:
    @functools.wraps(create)
    def told(self: Any, *args: Any, **request: Any) -> Any:
        tell([inputs_of(request)])
        return create(self, *args, **request)

    return told


def inputs_of(request: Mapping[str, Any]) -> Inputs:
    """Returns what a request of the protocol gives to a model.

    Args:
        request: With `messages`, `max_tokens` and the like.
    """
    return Inputs(tuple(parts_of(request["messages"])), settings_of(request))


def parts_of(messages: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    """Yields the parts of a conversation."""
    for message in messages:
        role, content = str(message["role"]), message["content"]
        several: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in several:
            kind = part["type"]
            if kind == "text":
                yield Text(str(part["text"]), role)
            elif kind == "image_url":
                yield picture(_pixels(str(part["image_url"]["url"])))
            elif kind == "video_url":
                yield Video(None, hides_times=True)  # the server decodes it


def settings_of(request: Mapping[str, Any]) -> Settings:
    """Returns how a request asks the model to answer."""
    most = request.get("max_tokens") or request.get("max_completion_tokens")
    temperature = request.get("temperature")
    stop = request.get("stop") or ()
    return Settings(
        int(most) if isinstance(most, (int, float)) else None,
        float(temperature) > 0 if isinstance(temperature, (int, float)) else None,
        (stop,) if isinstance(stop, str) else tuple(stop),
    )


def _pixels(url: str) -> codes.Pixels | None:
    head, mark, data = url.partition(_DATA)
    if not mark or not head.startswith("data:image/"):
        return None
    try:
        return codes.from_bytes(base64.b64decode(data))
    except binascii.Error:
        return None
