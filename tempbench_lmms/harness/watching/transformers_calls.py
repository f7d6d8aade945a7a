"""What runners that call `model.generate` of `transformers` hand to it: tokens, pixels, times, settings."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tempbench_lmms.check.inputs import Inputs, Part, Picture, Settings, Text, Video, picture, settings_of
from tempbench_lmms.check.texts import stamps_of
from tempbench_lmms.harness.watching import templates
from tempbench_lmms.harness.watching.owned import model_of, processor_of
from tempbench_lmms.harness.watching.way import Way
from tempbench_lmms.media import normalised as pixels
from tempbench_lmms.media.codes import Pixels

_IMAGE_TOKENS = ("image_token_id", "image_token_index")
_VIDEO_TOKENS = ("video_token_id", "video_token_index")
_TIMED_BY_GRID = ("qwen2_5_vl", "qwen2_5_omni")


def ways(lm: Any) -> Iterator[Way]:
    """Yields `generate` of the model of a runner that has a processor too."""
    model, processor = model_of(lm), processor_of(lm)
    if model is None or processor is None:
        return
    template = templates.of(processor)

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


def inputs_of(given: Mapping[str, Any], model: Any, processor: Any) -> list[Inputs]:
    """Returns the questions of a call of `generate`, in the order of its rows."""
    return _Call(given, model, processor, templates.Template()).inputs()


@dataclass(frozen=True)
class _Call:
    """One call of `generate`."""

    given: Mapping[str, Any]
    model: Any
    processor: Any
    template: templates.Template

    def inputs(self) -> list[Inputs]:
        """Returns the questions of the call, in the order of its rows."""
        ids, mask = self.given["input_ids"], self.given.get("attention_mask")
        rows = [row[keep.bool()] for row, keep in zip(ids, mask, strict=True)] if mask is not None else ids
        media = self._media([self._runs(row.tolist()) for row in rows])
        settings = self._settings()
        return [self._inputs(row.tolist(), media, settings) for row in rows]

    def _inputs(self, row: Sequence[int], media: dict[str, list[Any]], settings: Settings) -> Inputs:
        pieces = _timed(list(self._parts(row, media)))
        return templates.inputs_of(pieces, self.template, settings)

    def _settings(self) -> Settings:
        defaults = self.given.get("generation_config") or getattr(self.model, "generation_config", None)

        def value(name: str) -> Any:
            return self.given.get(name, getattr(defaults, name, None))

        told = {name: value(name) for name in ("max_new_tokens", "stop_strings")}
        return settings_of({**told, "do_sample": bool(value("do_sample"))})

    def _tokens_of(self, names: Sequence[str]) -> set[int]:
        config = self.model.config
        return {value for name in names if isinstance(value := getattr(config, name, None), int)}

    def _runs(self, row: Sequence[int]) -> list[tuple[str, list[int]]]:
        """Returns a row's tokens in runs of `text`, `image` and `video`."""
        images, videos = self._tokens_of(_IMAGE_TOKENS), self._tokens_of(_VIDEO_TOKENS)

        def kind(token: int) -> str:
            return "image" if token in images else "video" if token in videos else "text"

        return [(name, list(run)) for name, run in itertools.groupby(row, kind)]

    def _parts(self, row: Sequence[int], media: dict[str, list[Any]]) -> Iterator[Part]:
        """Yields the parts of one row, and takes its pictures and videos."""
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
        """Returns the pictures and videos of the whole call, in order."""
        images, videos = self.given.get("pixel_values"), self.given.get("pixel_values_videos")
        runs = [len(run) for row in rows for kind, run in row if kind == "image"]
        return {
            "image": [] if images is None else self._pictures(_array(images), runs),
            "video": [] if videos is None else self._videos(_array(videos)),
        }

    def _pictures(self, values: pixels.Floats, runs: Sequence[int]) -> list[Picture]:
        normal = pixels.normal_of(self.processor.image_processor)
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
            picture(pixels.from_planes(one, normal), n, True) for one, n in zip(planes, tokens, strict=True)
        ]

    def _videos(self, values: pixels.Floats) -> list[Video]:
        processor = getattr(self.processor, "video_processor", None) or self.processor.image_processor
        normal = pixels.normal_of(processor)
        grids = self.given.get("video_grid_thw")
        if grids is None:
            if values.ndim != 5:
                return [Video(None, hides_times=True) for _ in values]
            return [
                Video(tuple(picture(pixels.from_planes(one, normal)) for one in video)) for video in values
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

    def _patches(self, values: pixels.Floats, grids: Any, normal: pixels.Normal) -> list[list[Pixels]]:
        """Returns the frames of each picture or video; nothing for one that cannot be read back."""
        merge, in_time = self._vision("spatial_merge_size", 2), self._vision("temporal_patch_size", 2)
        sizes = [tuple(grid) for grid in grids.tolist()]
        ends = np.cumsum([_size(size) for size in sizes]).tolist()
        out = []
        for size, end in zip(sizes, ends, strict=True):
            try:
                part = values[end - _size(size) : end]
                out.append(pixels.from_patches(part, size, merge, in_time, normal))
            except ValueError:
                out.append([])
        return out

    def _vision(self, name: str, default: int) -> int:
        return int(getattr(getattr(self.model.config, "vision_config", None), name, None) or default)


def _size(grid: Sequence[int]) -> int:
    return int(grid[0] * grid[1] * grid[2])


def _array(values: Any) -> pixels.Floats:
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
