"""Records what a runner of the harness passes to its model, without changing the runner.

`reading` and this module know the methods through which a runner may reach a model. What passes through them
is converted into the form of `check.inputs`. A wrapper that reaches its model in another way calls `given`.
"""

import contextlib
import inspect
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tempbench_lmms.check.inputs import (
    Inputs,
    Part,
    Settings,
    Text,
    Video,
    of_messages,
    picture,
    settings_of,
)
from tempbench_lmms.harness.watching.reading import (
    Call,
    Tell,
    Template,
    Way,
    engine_of,
    of_prompt,
    processor_of,
    template_of,
    transformers_ways,
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
        parts = [
            # Times are given beside the frames, if at all.
            Video(one.frames, hides_times=True) if isinstance(one, Video) else one
            for one in of_prompt(text, own, videos if len(texts) == 1 else videos[i : i + 1])
        ]
        yield without_template(parts, template)


# ---- vLLM
#
# An engine fills in the chat template, resizes pictures and turns all of it into a request for its core. The
# check looks at such requests: tokens, where pictures stand among them, their pixels, and the settings. An
# engine whose requests are of another form shows only the messages or prompts that it is given.

_BATCHED = "MultiModalBatchedField"
_AS_IT_IS = SimpleNamespace(image_mean=(0.0, 0.0, 0.0), image_std=(1.0, 1.0, 1.0))
_OTHER_NAMES = {"pixel_values_flat": "pixel_values"}
# By engine: what was seen under which name. The pixels of what the core knows are not sent again.
_SHOWN: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def vllm_ways(lm: Any) -> Iterator[Way]:
    """Yields the methods of the engine of a runner that has one, and the one that its core is asked by."""
    if (engine := engine_of(lm)) is None:
        return
    core = getattr(getattr(engine, "llm_engine", None), "engine_core", None)
    processor = _processor_of(lm, engine)
    if callable(getattr(core, "add_request", None)) and processor is not None:
        template = template_of(processor, getattr(lm, "chat_template", None))
        config, shown = engine.llm_engine.model_config.hf_config, _SHOWN.setdefault(engine, {})
        reader = _Reader(processor, config, template, shown)
        yield Way(core, "add_request", lambda request, *args, **more: [reader.inputs_of(request)])
    for name in ("chat", "generate"):
        if callable(getattr(engine, name, None)):
            yield Way(engine, name, lambda *args, **more: list(_of_call(args, more)), _said_by_engine)


def _said_by_engine(out: Sequence[Any], *args: Any, **more: Any) -> Sequence[str | None]:
    return [one[0].text if one else None for one in (getattr(one, "outputs", None) for one in out)]


def _processor_of(lm: Any, engine: Any) -> Any:
    """Returns what makes tokens and pixels; None where the engine does not show it."""
    if getattr(lm, "processor", None) is not None:
        return lm.processor
    renderer: Any = getattr(getattr(engine, "llm_engine", None), "renderer", None)
    if renderer is None or getattr(renderer, "mm_processor", None) is None:
        return None
    return renderer.get_mm_processor().info.get_hf_processor()


def _of_call(args: Sequence[Any], more: Mapping[str, Any]) -> Iterator[Inputs]:
    """Yields what a call of `chat` or `generate` gives: conversations, or prompts with their media."""
    asked = next((more[name] for name in ("messages", "prompts") if name in more), None) or args[0]
    params = more.get("sampling_params", args[1] if len(args) > 1 else None)
    is_list = isinstance(asked, list) and not (asked and isinstance(asked[0], Mapping) and "role" in asked[0])
    several = asked if is_list else [asked]
    hows = params if isinstance(params, (list, tuple)) else [params] * len(several)
    for one, how in zip(several, hows, strict=False):
        if isinstance(one, list):
            parts = of_messages(one)
        else:
            prompt: Mapping[str, Any] = {"prompt": one} if isinstance(one, str) else one
            media = {name: _listed(value) for name, value in (prompt.get("multi_modal_data") or {}).items()}
            parts = of_prompt(str(prompt.get("prompt", "")), media.get("image", ()), media.get("video", ()))
        yield Inputs(tuple(parts), _settings(how))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _settings(params: Any) -> Settings:
    return settings_of({name: getattr(params, name, None) for name in ("max_tokens", "temperature", "stop")})


@dataclass(frozen=True)
class _Reader:
    processor: Any
    config: Any
    template: Template
    shown: MutableMapping[str, Any]

    def inputs_of(self, request: Any) -> Inputs:
        """Returns what a request gives to the model."""
        return without_template(list(self._parts(request)), self.template, _settings(request.sampling_params))

    def _parts(self, request: Any) -> Iterator[Part]:
        tokens, start = list(request.prompt_token_ids), 0
        for feature in request.mm_features or ():
            place = feature.mm_position
            yield from self._text(tokens[start : place.offset])
            start = place.offset + place.length
            yield self._medium(feature, tokens[place.offset : start])
        yield from self._text(tokens[start:])

    def _text(self, tokens: Sequence[int]) -> Iterator[Text]:
        if tokens:
            yield Text(str(self.processor.tokenizer.decode(tokens, skip_special_tokens=False)))

    def _medium(self, feature: Any, tokens: Sequence[int]) -> Any:
        if feature.data is not None:
            self.shown[feature.identifier] = self._read(feature, tokens)
        found = self.shown.get(feature.identifier) or _unseen(feature)
        return replace(found, tokens=int(feature.mm_position.get_num_embeds()))

    def _read(self, feature: Any, tokens: Sequence[int]) -> Any:
        given = {"input_ids": np.asarray([tokens]), **_values(feature.data)}
        processor = self.processor
        # In newer engines colours are from 0 to 255; their models normalise them.
        pixels = {name: one for name, one in given.items() if name.startswith("pixel_values")}
        if raw := [name for name, one in pixels.items() if str(getattr(one, "dtype", "")).endswith("uint8")]:
            given |= {name: given[name] / 255 for name in raw}
            processor = SimpleNamespace(tokenizer=processor.tokenizer, image_processor=_AS_IT_IS)
        (read,) = Call(given, SimpleNamespace(config=self.config), processor, Template()).inputs()
        return next((part for part in read.parts if not isinstance(part, Text)), _unseen(feature))


def _unseen(feature: Any) -> Any:
    return Video(None, hides_times=True) if feature.modality == "video" else picture(None)


def _values(item: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a model for one picture or video, as for a batch of one."""
    values = {}
    for name, element in item.items():
        value = element.data
        if type(element.field).__name__ == _BATCHED and hasattr(value, "unsqueeze"):
            value = value.unsqueeze(0)
        values[_OTHER_NAMES.get(name, name)] = value
    return values


# ---- the order of all

# The one nearest to the model comes first: if a question passes several methods, the first one counts.
_WAYS = (transformers_ways, vllm_ways, _other_ways)
