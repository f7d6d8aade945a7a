"""Records what a runner of the harness passes to its model, without changing the runner.

`engines` and this module know the methods through which a runner may reach a model. What passes through them
is converted into the form of `check.inputs`. A wrapper that reaches its model in another way calls `given`.
"""

import contextlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Video, of_messages, settings_of
from tempbench_lmms.harness.watching.engines import transformers_ways, vllm_ways
from tempbench_lmms.harness.watching.reading import (
    Tell,
    Template,
    Way,
    of_prompt,
    processor_of,
    template_of,
    without_template,
)


@contextlib.contextmanager
def watching(lm: Any, tell: Tell) -> Iterator[None]:
    """Reports, at the end of the block, every question that a runner asked its model inside it."""
    ways = [way for ways in _WAYS for way in ways(lm)]
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


def given(
    prompt: str | Sequence[Mapping[str, Any]],
    images: Sequence[Any] = (),
    videos: Sequence[Any] = (),
    times: Sequence[Sequence[float]] | None = None,
    **generation: Any,
) -> None:
    """Tells `tempbench check-model` what a wrapper hands to its processor or engine; does nothing otherwise.

    Args:
        prompt: A question's text, with `<image>` or `<video>` where one stands; or messages, whose parts are
            of the types `text`, `image`, `image_url`, or `video` with `times` where they are told.
        images: Of a prompt that is a text: PIL images, or arrays of shape (height, width, 3).
        videos: Likewise: lists of frames, or arrays of shape (frames, height, width, 3).
        times: Of each video's frames, in seconds; None where the model is told none.
        generation: `max_new_tokens`, `temperature`, `do_sample`, `until`, as the model gets them.
    """
    pass_on(prompt, images, videos, times, generation)


def pass_on(*told: Any) -> None:
    """Does nothing: a check listens to it."""


def _given(prompt: Any, images: Any, videos: Any, times: Any, generation: Mapping[str, Any]) -> list[Inputs]:
    parts = of_prompt(prompt, images, videos, times) if isinstance(prompt, str) else of_messages(prompt)
    return [Inputs(tuple(parts), settings_of(generation))]


def _other_ways(lm: Any) -> Iterator[Way]:
    ours = any(one.__module__.startswith("tempbench_lmms.") for one in type(lm).__mro__)
    if ours and callable(getattr(lm, "read", None)):
        yield Way(lm, "read", lambda batch: batch, lambda said, batch: said)
    if "openai" in sys.modules:
        from openai.resources.chat.completions import AsyncCompletions, Completions

        for resource in (Completions, AsyncCompletions):
            yield Way(resource, "create", lambda self, **request: [of_request(request)], _said)
    yield Way(sys.modules[__name__], "pass_on", _given)
    if (processor := processor_of(lm)) is not None:
        names, template = inspect.signature(type(processor).__call__), template_of(processor)

        def read(*args: Any, **more: Any) -> list[Inputs]:
            bound = names.bind(*args, **more).arguments
            return list(_questions({**bound, **bound.get("kwargs", {})}, template))

        yield Way(type(processor), "__call__", read)


def of_request(request: Mapping[str, Any]) -> Inputs:
    """Returns what a request of the OpenAI protocol gives to a model."""
    settings = settings_of(request)
    if settings.samples is None:  # the server's own temperature, which is 1 in the protocol
        settings = replace(settings, samples=True)
    return Inputs(tuple(of_messages(request["messages"])), settings)


def _said(out: Any, *args: Any, **more: Any) -> Sequence[str | None]:
    choices = getattr(out, "choices", None)
    return [choices[0].message.content] if choices and hasattr(choices[0], "message") else []


def _questions(named: Mapping[str, Any], template: Template) -> Iterator[Inputs]:
    """Yields what a call of a processor is given; nothing for one without pictures."""
    texts = named.get("text") or []
    if not texts or (named.get("images") is None and named.get("videos") is None):
        return
    images, videos = ([] if named.get(key) is None else named[key] for key in ("images", "videos"))
    texts = [texts] if isinstance(texts, str) else list(texts)
    images = list(images) if isinstance(images, (list, tuple)) else [images]
    for i, text in enumerate(texts):
        nested = bool(images) and isinstance(images[0], (list, tuple))
        own = images[i] if nested else images if len(texts) == 1 else images[i :: len(texts)]
        parts = list(of_prompt(text, own, videos if len(texts) == 1 else videos[i : i + 1]))
        # Times are given beside the frames, if at all.
        parts = [Video(one.frames, hides_times=True) if isinstance(one, Video) else one for one in parts]
        yield without_template(parts, template)


_WAYS = (transformers_ways, vllm_ways, _other_ways)
"""The one nearest to the model comes first: if a question passes several methods, the first one counts."""
