"""What runners hand to an engine of vLLM, and what the engine makes of it.

An engine of vLLM fills in the chat template, resizes pictures and turns all of it into a request for its
core. The check looks at such requests: tokens, where pictures stand among them, their pixels, and the
settings. An engine whose requests are of another form shows only the messages or prompts that it is given.
"""

import dataclasses
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tempbench_lmms.check.inputs import Inputs, Part, Settings, Text, Video, of_messages, picture, settings_of
from tempbench_lmms.harness.watching import handed, templates, transformers_calls
from tempbench_lmms.harness.watching.owned import engine_of
from tempbench_lmms.harness.watching.way import Way

_BATCHED = "MultiModalBatchedField"
_AS_IT_IS = SimpleNamespace(image_mean=(0.0, 0.0, 0.0), image_std=(1.0, 1.0, 1.0))
_OTHER_NAMES = {"pixel_values_flat": "pixel_values"}
_SHOWN: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""By engine: what was seen under which name. The pixels of what the core knows are not sent again."""


def ways(lm: Any) -> Iterator[Way]:
    """Yields the methods of the engine of a runner that has one, and the one that its core is asked by."""
    if (engine := engine_of(lm)) is None:
        return
    core = getattr(getattr(engine, "llm_engine", None), "engine_core", None)
    processor = _processor_of(lm, engine)
    if callable(getattr(core, "add_request", None)) and processor is not None:
        config = engine.llm_engine.model_config.hf_config
        template = templates.of(processor, getattr(lm, "chat_template", None))
        reader = _Reader(processor, config, template, _SHOWN.setdefault(engine, {}))
        yield Way(core, "add_request", lambda request, *args, **more: [reader.inputs_of(request)])
    for name in ("chat", "generate"):
        if callable(getattr(engine, name, None)):
            yield Way(engine, name, lambda *args, **more: list(_of_call(args, more)), _said)


def _said(out: Sequence[Any], *args: Any, **more: Any) -> Sequence[str | None]:
    outputs = (getattr(one, "outputs", None) for one in out)
    return [one[0].text if one else None for one in outputs]


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
    several = asked if isinstance(asked, list) and not (asked and _is_message(asked[0])) else [asked]
    hows = params if isinstance(params, (list, tuple)) else [params] * len(several)
    for one, how in zip(several, hows, strict=False):
        if isinstance(one, list):
            parts = of_messages(one)
        else:
            prompt: Mapping[str, Any] = {"prompt": one} if isinstance(one, str) else one
            media = {name: _listed(value) for name, value in (prompt.get("multi_modal_data") or {}).items()}
            parts = handed.of_prompt(
                str(prompt.get("prompt", "")), media.get("image", ()), media.get("video", ())
            )
        yield Inputs(tuple(parts), _settings(how))


def _is_message(one: Any) -> bool:
    return isinstance(one, Mapping) and "role" in one


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _settings(params: Any) -> Settings:
    """Returns how sampling parameters ask the model to answer."""
    names = ("max_tokens", "temperature", "stop") if params is not None else ()
    return settings_of({name: getattr(params, name, None) for name in names})


@dataclasses.dataclass(frozen=True)
class _Reader:
    """Reads requests to the core of an engine."""

    processor: Any
    config: Any
    template: templates.Template
    shown: MutableMapping[str, Any]

    def inputs_of(self, request: Any) -> Inputs:
        """Returns what a request gives to the model."""
        settings = _settings(request.sampling_params)
        return templates.inputs_of(list(self._parts(request)), self.template, settings)

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
        """Returns the picture or video of a feature, with its tokens in the prompt."""
        if feature.data is not None:
            self.shown[feature.identifier] = self._read(feature, tokens)
        found = self.shown.get(feature.identifier) or _unseen(feature)
        return dataclasses.replace(found, tokens=int(feature.mm_position.get_num_embeds()))

    def _read(self, feature: Any, tokens: Sequence[int]) -> Any:
        given = {"input_ids": np.asarray([tokens]), **_values(feature.data)}
        processor = self.processor
        if raw := [name for name in given if name.startswith("pixel_values") and _is_raw(given[name])]:
            given |= {name: given[name] / 255 for name in raw}
            processor = SimpleNamespace(tokenizer=processor.tokenizer, image_processor=_AS_IT_IS)
        (read,) = transformers_calls.inputs_of(given, SimpleNamespace(config=self.config), processor)
        return next((part for part in read.parts if not isinstance(part, Text)), _unseen(feature))


def _unseen(feature: Any) -> Any:
    return Video(None, hides_times=True) if feature.modality == "video" else picture(None)


def _is_raw(values: Any) -> bool:
    """Returns whether colours are from 0 to 255, as in newer engines, whose models normalise them."""
    return str(getattr(values, "dtype", "")).endswith("uint8")


def _values(item: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a model for one picture or video, as for a batch of one."""
    values = {}
    for name, element in item.items():
        value = element.data
        if type(element.field).__name__ == _BATCHED and hasattr(value, "unsqueeze"):
            value = value.unsqueeze(0)
        values[_OTHER_NAMES.get(name, name)] = value
    return values
