"""What runners hand to `model.generate` of `transformers`, or to an engine of vLLM.

An engine of vLLM fills in the chat template, resizes pictures and turns all of it into a request for its
core. The check looks at such requests: tokens, where pictures stand among them, their pixels, and the
settings. An engine whose requests are of another form shows only the messages or prompts that it is given.
"""

import itertools
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tempbench_lmms.check.inputs import (
    Inputs,
    Part,
    Picture,
    Settings,
    Text,
    Video,
    of_messages,
    picture,
    settings_of,
    stamps_of,
)
from tempbench_lmms.harness.watching.reading import (
    Template,
    Way,
    engine_of,
    model_of,
    of_prompt,
    processor_of,
    template_of,
    without_template,
)
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Pixels

_TOKENS = {
    "video_token_id": "video",
    "video_token_index": "video",
    "image_token_id": "image",
    "image_token_index": "image",
}
_TIMED_BY_GRID = ("qwen2_5_vl", "qwen2_5_omni")


def transformers_ways(lm: Any) -> Iterator[Way]:
    """Yields `generate` of the model of a runner that has a processor too."""
    model, processor = model_of(lm), processor_of(lm)
    if model is None or processor is None:
        return
    template = template_of(processor)

    def read(*args: Any, **given: Any) -> list[Inputs]:
        named = {**({"input_ids": args[0]} if args else {}), **given}
        return [] if named.get("input_ids") is None else _Call(named, model, processor, template).inputs()

    def said(out: Any, *args: Any, **given: Any) -> list[str]:
        prompts = args[0] if args else given.get("input_ids")
        rows = zip(getattr(out, "sequences", out), [] if prompts is None else prompts, strict=False)
        new = [
            row[len(prompt) :] if row[: len(prompt)] == prompt else row
            for row, prompt in ((one.tolist(), other.tolist()) for one, other in rows)
        ]
        return [processor.tokenizer.decode(row, skip_special_tokens=True) for row in new]

    yield Way(model, "generate", read, said)


@dataclass(frozen=True)
class _Call:
    given: Mapping[str, Any]
    model: Any
    processor: Any
    template: Template

    def inputs(self) -> list[Inputs]:
        """Returns the questions of the call, in the order of its rows."""
        ids, mask = self.given["input_ids"], self.given.get("attention_mask")
        rows = [row[keep.bool()] for row, keep in zip(ids, mask, strict=True)] if mask is not None else ids
        media = self._media([self._runs(row.tolist()) for row in rows])
        settings = self._settings()
        pieces = (_timed(list(self._parts(row.tolist(), media))) for row in rows)
        return [without_template(one, self.template, settings) for one in pieces]

    def _settings(self) -> Settings:
        defaults = self.given.get("generation_config") or getattr(self.model, "generation_config", None)
        names = ("max_new_tokens", "stop_strings", "do_sample")
        told = {name: self.given.get(name, getattr(defaults, name, None)) for name in names}
        return settings_of({**told, "do_sample": bool(told["do_sample"])})

    def _runs(self, row: Sequence[int]) -> list[tuple[str, list[int]]]:
        """Returns a row's tokens in runs of `text`, `image` and `video`."""
        kinds = {getattr(self.model.config, name, None): kind for name, kind in _TOKENS.items()}
        runs = itertools.groupby(row, lambda token: kinds.get(token, "text"))
        return [(kind, list(run)) for kind, run in runs]

    def _parts(self, row: Sequence[int], media: dict[str, list[Any]]) -> Iterator[Part]:
        left = 0  # tokens of a picture or video that was taken already
        for kind, run in self._runs(row):
            if kind == "text":
                yield Text(self.processor.tokenizer.decode(run, skip_special_tokens=False))
                continue
            tokens = len(run)
            while tokens > 0:
                if left <= 0:
                    several = media[kind] or media["video"]  # of a family that has one token for both
                    if not several:
                        break
                    yield several[0]
                    left = several.pop(0).tokens or tokens
                tokens, left = tokens - min(tokens, left), left - min(tokens, left)

    def _media(self, rows: Sequence[Sequence[tuple[str, list[int]]]]) -> dict[str, list[Any]]:
        images, videos = self.given.get("pixel_values"), self.given.get("pixel_values_videos")
        runs = [len(run) for row in rows for kind, run in row if kind == "image"]
        return {
            "image": [] if images is None else self._pictures(_array(images), runs),
            "video": [] if videos is None else self._videos(_array(videos)),
        }

    def _pictures(self, values: codes.Floats, runs: Sequence[int]) -> list[Picture]:
        normal = codes.normal_of(self.processor.image_processor)
        grids = self.given.get("image_grid_thw")
        if grids is not None:
            frames = self._patches(values, grids, normal)
            merge = self._vision("spatial_merge_size", 2) ** 2
            return [
                picture(found[0] if found else None, _size(grid) // merge)
                for found, grid in zip(frames, grids.tolist(), strict=True)
            ]
        planes, tokens = values, list[int | None](runs)
        if values.ndim == 5:  # the whole picture first, then its tiles
            planes, tokens = values[:, 0], _shares(runs, len(values))
        elif values.ndim == 4 and runs and len(values) != len(runs) and sum(runs) % len(values) == 0:
            # Cut into tiles, of which the last one shows the whole.
            ends = np.cumsum(runs) // (sum(runs) // len(values))
            planes = values[ends - 1]
        elif values.ndim != 4 or len(values) != len(runs):
            return [picture(None, n) for n in runs]
        return [
            picture(codes.from_planes(one, normal), n, True) for one, n in zip(planes, tokens, strict=True)
        ]

    def _videos(self, values: codes.Floats) -> list[Video]:
        normal = codes.normal_of(
            getattr(self.processor, "video_processor", None) or self.processor.image_processor
        )
        grids = self.given.get("video_grid_thw")
        if grids is None:
            if values.ndim != 5:
                return [Video(None, hides_times=True) for _ in values]
            return [
                Video(tuple(picture(codes.from_planes(one, normal)) for one in video)) for video in values
            ]
        out = []
        merge = self._vision("spatial_merge_size", 2) ** 2
        steps = self._seconds_a_step(len(grids))
        for found, grid, seconds in zip(
            self._patches(values, grids, normal), grids.tolist(), steps, strict=True
        ):
            each = len(found) // grid[0] if found else 1
            times = None if seconds is None else tuple(i * seconds / each for i in range(grid[0] * each))
            out.append(Video(tuple(map(picture, found)) or None, times, _size(grid) // merge))
        return out

    def _seconds_a_step(self, n: int) -> list[float | None]:
        """Returns the seconds from step to step in time that each video's positions are made of."""
        if getattr(self.model.config, "model_type", "") not in _TIMED_BY_GRID:
            return [None] * n
        told = self.given.get("second_per_grid_ts")
        # Without it the model counts a second a step.
        return [1.0] * n if told is None else [float(seconds) for seconds in told]

    def _patches(self, values: codes.Floats, grids: Any, normal: codes.Normal) -> list[list[Pixels]]:
        """Returns the frames of each picture or video; nothing for one that cannot be read back."""
        merge, in_time = self._vision("spatial_merge_size", 2), self._vision("temporal_patch_size", 2)
        sizes = [tuple(grid) for grid in grids.tolist()]
        ends = np.cumsum([_size(size) for size in sizes]).tolist()
        out = []
        for size, end in zip(sizes, ends, strict=True):
            try:
                out.append(codes.from_patches(values[end - _size(size) : end], size, merge, in_time, normal))
            except ValueError:
                out.append([])
        return out

    def _vision(self, name: str, default: int) -> int:
        return int(getattr(getattr(self.model.config, "vision_config", None), name, None) or default)


def _size(grid: Sequence[int]) -> int:
    return int(grid[0] * grid[1] * grid[2])


def _array(values: Any) -> codes.Floats:
    return np.asarray(values.detach().float().cpu().numpy(), dtype=np.float32)


def _shares(runs: Sequence[int], n: int) -> list[int | None]:
    """Returns the tokens of each of n pictures; pictures that stand together share a run equally."""
    if len(runs) == n:
        return list(runs)
    return [sum(runs) // n] * n if sum(runs) % n == 0 else [None] * n


def _timed(pieces: Sequence[Part]) -> list[Part]:
    """Returns parts in which a video has the times that are written before its steps."""
    out = list(pieces)
    for i, part in enumerate(pieces):
        if isinstance(part, Video) and part.times is None and part.frames:
            stamps = stamps_of(one.text for one in pieces[max(0, i - 1) :] if isinstance(one, Text))
            each = len(part.frames) // len(stamps) if stamps else 0
            if each and each * len(stamps) == len(part.frames):
                out[i] = replace(part, times=tuple(stamp for stamp in stamps for _ in range(each)))
    return out


# ---- vLLM

_BATCHED = "MultiModalBatchedField"
_AS_IT_IS = SimpleNamespace(image_mean=(0.0, 0.0, 0.0), image_std=(1.0, 1.0, 1.0))
_OTHER_NAMES = {"pixel_values_flat": "pixel_values"}
_SHOWN: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""By engine: what was seen under which name. The pixels of what the core knows are not sent again."""


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
            yield Way(engine, name, lambda *args, **more: list(_of_call(args, more)), _said)


def _said(out: Sequence[Any], *args: Any, **more: Any) -> Sequence[str | None]:
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
    names = ("max_tokens", "temperature", "stop") if params is not None else ()
    return settings_of({name: getattr(params, name, None) for name in names})


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
        (read,) = _Call(given, SimpleNamespace(config=self.config), processor, Template()).inputs()
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
