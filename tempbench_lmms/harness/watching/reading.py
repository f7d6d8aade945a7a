"""How a check listens to a runner, and what a runner hands to `model.generate` of `transformers`.

The methods that it watches, what a runner has, prompts and chat templates, and a model's tokens and pixels.
"""

import contextlib
import functools
import inspect
import itertools
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from tempbench_lmms.check.inputs import (
    Inputs,
    Part,
    Picture,
    Settings,
    Text,
    Video,
    as_picture,
    as_video,
    picture,
    settings_of,
    stamps_of,
)
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Pixels

Tell = Callable[[Sequence[Inputs]], None]  # called with all questions of a call, in order


@dataclass(frozen=True)
class Way:
    """A method through which runners reach a model.

    Attributes:
        owner: The object or class that has the method.
        name: The method's name.
        read: Returns what the method's arguments give to the model, one item per question.
        said: Returns what the model said, from the method's result and its arguments.
    """

    owner: Any
    name: str
    read: Callable[..., Sequence[Inputs]]
    said: Callable[..., Sequence[str | None]] = lambda out, *args, **more: ()

    def heard(self, tell: Tell) -> Any:
        """Returns a patch that tells of each call, and passes it on unchanged."""
        call = getattr(self.owner, self.name)

        def end(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            said = self.said(out, *args, **more)
            said = said if len(said) == len(asked) else [None] * len(asked)
            tell([replace(one, said=text) for one, text in zip(asked, said, strict=True)])
            return out

        @contextlib.contextmanager
        def telling_failures(asked: Sequence[Inputs]) -> Iterator[None]:
            try:
                yield
            except Exception as error:  # some runners answer with an empty reply instead
                tell([replace(one, error=f"{type(error).__name__}: {error}") for one in asked])
                raise

        async def later(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            with telling_failures(asked):
                out = await out
            return end(asked, out, *args, **more)

        @functools.wraps(call)
        def told(*args: Any, **more: Any) -> Any:
            asked: Sequence[Inputs] = []
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):  # an unknown form
                asked = self.read(*args, **more)
            with telling_failures(asked):
                out = call(*args, **more)
            return (later if inspect.isawaitable(out) else end)(asked, out, *args, **more)

        return mock.patch.object(self.owner, self.name, told)


# ---- what a runner has: its processor, model or engine, under whatever names

_FIRST = ("processor", "_image_processor", "_processor", "image_processor", "model", "_model", "client")
# Packages whose objects hold no processor, model or engine of their own.
_WITHOUT = {"builtins", "torch", "accelerate", "transformers"}


def owned(lm: Any, wanted: Callable[[Any], bool]) -> Any:
    """Returns the first thing of a runner, or of what it has, that is wanted; None for none."""
    return next(filter(wanted, _things(lm)), None)


def _things(lm: Any) -> Iterator[Any]:
    yield from (getattr(lm, name, None) for name in _FIRST)
    values = list(getattr(lm, "__dict__", {}).values())
    yield from values
    for value in values:
        if type(value).__module__.partition(".")[0] not in _WITHOUT:
            yield from getattr(value, "__dict__", {}).values()


def processor_of(lm: Any) -> Any:
    """Returns a runner's processor of text and pictures."""
    return owned(lm, lambda one: hasattr(one, "tokenizer") and hasattr(one, "image_processor"))


def model_of(lm: Any) -> Any:
    """Returns a runner's model that generates."""
    return owned(lm, lambda one: callable(getattr(one, "generate", None)) and hasattr(one, "config"))


def engine_of(lm: Any) -> Any:
    """Returns a runner's engine of vLLM."""
    return owned(
        lm, lambda one: callable(getattr(one, "chat", None)) and type(one).__module__.startswith("vllm")
    )


# ---- prompts, and what a chat template writes around what a task says

_PLACES = re.compile(
    r"(?:<\|vision_start\|>)?(?:<\|(?:image|video)_pad\|>)+(?:<\|vision_end\|>)?|<(?:image|video|start_of_image|"
    r"IMG_CONTEXT|image_soft_token)>|<\|(?:image|video)(?:_\d+)?\|>|\[IMG\]"
)
_UNSEEN = Settings()
_MARK, _SYSTEM = "tempbench-mark", "tempbench-system"


def of_prompt(
    text: str, images: Sequence[Any] = (), videos: Sequence[Any] = (), times: Sequence[Any] | None = None
) -> Iterator[Part]:
    """Yields the parts of a prompt with signs where a picture or video stands."""
    pictures: list[Part] = list(map(as_picture, images))
    clips: list[Part] = [as_video(video, times[i] if times else None) for i, video in enumerate(videos)]
    if not _PLACES.search(text):
        yield from (*pictures, *clips)
        pictures, clips = [], []
    start = 0
    for place in _PLACES.finditer(text):
        several = clips if "video" in place.group() or not pictures else pictures
        yield Text(text[start : place.start()])
        yield from several[:1]
        del several[:1]
        start = place.end()
    yield Text(text[start:])
    yield from (*pictures, *clips)


@dataclass(frozen=True)
class Template:
    """What is written before and after a user's text, and around a system prompt.

    A processor and its tokenizer may each have a template of their own, and runners use either.
    """

    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    around: tuple[tuple[str, str], ...] = ()


def template_of(processor: Any, template: str | None = None) -> Template:
    """Returns the templates of a processor and of its tokenizer; empty if they have none."""
    heads: set[str] = set()
    tails: set[str] = set()
    around: set[tuple[str, str]] = set()
    for owner in (processor, processor.tokenizer):
        parts = owner is processor  # a tokenizer's template takes only text
        found = _rendered(owner, [_message("user", _MARK, parts)], template)
        if found is None:
            continue
        head, _, tail = found.partition(_MARK)
        heads.add(head)
        tails.add(tail)
        # Some templates write more between the head and a text, but not between the head and a picture.
        pictured = _message("user", _MARK, parts)
        if parts:
            pictured["content"].insert(0, {"type": "image"})
        heads.add(head[: _shared(head, _rendered(owner, [pictured], template) or head)])
        both = [_message("system", _SYSTEM, parts), _message("user", _MARK, parts)]
        before, mark, rest = (_rendered(owner, both, template) or "").partition(_SYSTEM)
        if mark:
            between = rest.partition(_MARK)[0]
            shared = len(between) - _shared(between[::-1], head[::-1])
            around.add((before, between[:shared]))
            # A template's head may have its own system prompt; this part stays if another prompt is given.
            heads.add(between[shared:])
    longest_first = sorted(filter(str.strip, heads), key=len, reverse=True)
    return Template(tuple(longest_first), tuple(filter(str.strip, tails)), tuple(around))


def _message(role: str, text: str, parts: bool) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}] if parts else text}


def _rendered(owner: Any, messages: list[dict[str, Any]], template: str | None) -> str | None:
    from jinja2 import TemplateError

    given = {"chat_template": template} if template else {}
    try:
        return str(owner.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **given))
    except (ValueError, TypeError, AttributeError, KeyError, TemplateError):
        return None  # without a template for this, all that arrives is the runner's


def _shared(one: str, other: str) -> int:
    return len(os.path.commonprefix([one, other]))  # noqa: RUF071 (of characters)


def without_template(pieces: Sequence[Part], template: Template, settings: Settings = _UNSEEN) -> Inputs:
    """Returns what parts say without the chat template; text before its beginning is a system prompt."""
    signs = re.findall(r"<[^<>\s]+>[^<>]*$", template.heads[-1].strip()) if template.heads else []
    texts = [part.text for part in pieces if isinstance(part, Text)]
    # How often a user's turn begins, if the template has a sign of it.
    count = sum(text.count(signs[-1].strip()) for text in texts) if signs else None
    return Inputs(tuple(_with_roles(pieces, template)), settings, templates=count)


def _with_roles(pieces: Sequence[Part], template: Template) -> Iterator[Part]:
    for i, part in enumerate(pieces):
        if not isinstance(part, Text):
            yield part
            continue
        text = part.text
        if i == 0:
            head = next((head for head in template.heads if head in text), "")
            before, _, text = text.partition(head) if head else ("", "", text)
            if said := _bare(before, template.around).strip():
                yield Text(said, "system")
        if i == len(pieces) - 1:
            text = text.removesuffix(next((tail for tail in template.tails if text.endswith(tail)), ""))
        yield Text(text)


def _bare(before: str, around: Sequence[tuple[str, str]]) -> str:
    for head, tail in around:
        if head.strip() and before.startswith(head):
            return before.removeprefix(head).removesuffix(tail)
    return before


# ---- the arguments of `model.generate`

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
        return [] if named.get("input_ids") is None else Call(named, model, processor, template).inputs()

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
class Call:
    """What a model is given in a call, and what makes and reads that."""

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
        return [
            without_template(_timed(list(self._parts(row.tolist(), media))), self.template, settings)
            for row in rows
        ]

    def _settings(self) -> Settings:
        defaults = self.given.get("generation_config") or getattr(self.model, "generation_config", None)
        names = ("max_new_tokens", "stop_strings", "do_sample")
        told = {name: self.given.get(name, getattr(defaults, name, None)) for name in names}
        return settings_of({**told, "do_sample": bool(told["do_sample"])})

    def _runs(self, row: Sequence[int]) -> list[tuple[str, list[int]]]:
        """Returns a row's tokens in runs of `text`, `image` and `video`."""
        kinds = {getattr(self.model.config, name, None): kind for name, kind in _TOKENS.items()}
        return [(kind, [*run]) for kind, run in itertools.groupby(row, lambda one: kinds.get(one, "text"))]

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
                picture(found[0] if found else None, math.prod(grid) // merge)
                for found, grid in zip(frames, grids.tolist(), strict=True)
            ]
        planes, tokens = values, list[int | None](runs)
        if values.ndim == 5:  # the whole picture first, then its tiles
            planes, tokens = values[:, 0], _shares(runs, len(values))
        elif values.ndim == 4 and runs and len(values) != len(runs) and sum(runs) % len(values) == 0:
            # Cut into tiles, of which the last one shows the whole.
            planes = values[np.cumsum(runs) // (sum(runs) // len(values)) - 1]
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
        # Seconds from step to step in time that positions are made of; untold, some count a second a step.
        is_timed = getattr(self.model.config, "model_type", "") in _TIMED_BY_GRID
        told = self.given.get("second_per_grid_ts")
        steps = ([1.0] * len(grids) if told is None else told) if is_timed else [None] * len(grids)
        for found, grid, seconds in zip(
            self._patches(values, grids, normal), grids.tolist(), steps, strict=True
        ):
            each = len(found) // grid[0] if found else 1
            times = (
                None if seconds is None else tuple(i * float(seconds) / each for i in range(grid[0] * each))
            )
            out.append(Video(tuple(map(picture, found)) or None, times, math.prod(grid) // merge))
        return out

    def _patches(self, values: codes.Floats, grids: Any, normal: codes.Normal) -> list[list[Pixels]]:
        """Returns the frames of each picture or video; nothing for one that cannot be read back."""
        merge, in_time = self._vision("spatial_merge_size", 2), self._vision("temporal_patch_size", 2)
        sizes = [tuple(grid) for grid in grids.tolist()]
        ends = np.cumsum(list(map(math.prod, sizes)))
        out = []
        for size, own in zip(sizes, np.split(values, ends), strict=False):
            try:
                out.append(codes.from_patches(own, size, merge, in_time, normal))
            except ValueError:
                out.append([])
        return out

    def _vision(self, name: str, default: int) -> int:
        return int(getattr(getattr(self.model.config, "vision_config", None), name, None) or default)


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
