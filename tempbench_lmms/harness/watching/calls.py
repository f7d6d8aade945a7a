"""What passes through clients of the OpenAI protocol, processors, `tempbench_reader` and the hook."""

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Video, of_messages, settings_of
from tempbench_lmms.harness.watching import handed, templates
from tempbench_lmms.harness.watching.owned import processor_of
from tempbench_lmms.harness.watching.way import Way


def ways(lm: Any) -> Iterator[Way]:
    """Yields those of them that a runner may use; each makes its own client for the OpenAI protocol."""
    ours = any(one.__module__.startswith("tempbench_lmms.") for one in type(lm).__mro__)
    if ours and callable(getattr(lm, "read", None)):
        yield Way(lm, "read", lambda batch: batch, lambda said, batch: said)
    if "openai" in sys.modules:
        from openai.resources.chat.completions import AsyncCompletions, Completions

        for resource in (Completions, AsyncCompletions):
            yield Way(resource, "create", lambda self, **request: [inputs_of(request)], _said)
    yield Way(handed, "pass_on", lambda *told: [handed.inputs_of(*told)])
    if (processor := processor_of(lm)) is not None:
        names, template = inspect.signature(type(processor).__call__), templates.of(processor)

        def read(*args: Any, **more: Any) -> list[Inputs]:
            bound = names.bind(*args, **more).arguments
            return list(_questions({**bound, **bound.get("kwargs", {})}, template))

        yield Way(type(processor), "__call__", read)


def inputs_of(request: Mapping[str, Any]) -> Inputs:
    """Returns what a request of the OpenAI protocol gives to a model."""
    settings = settings_of(request)
    if settings.samples is None:  # the server's own temperature, which is 1 in the protocol
        settings = replace(settings, samples=True)
    return Inputs(tuple(of_messages(request["messages"])), settings)


def _said(out: Any, *args: Any, **more: Any) -> Sequence[str | None]:
    choices = getattr(out, "choices", None)
    return [choices[0].message.content] if choices and hasattr(choices[0], "message") else []


def _questions(named: Mapping[str, Any], template: templates.Template) -> Iterator[Inputs]:
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
        parts = list(handed.of_prompt(text, own, videos if len(texts) == 1 else videos[i : i + 1]))
        # Times are given beside the frames, if at all.
        parts = [Video(one.frames, hides_times=True) if isinstance(one, Video) else one for one in parts]
        yield templates.inputs_of(parts, template)
