"""What a run takes: tokens, hours of a GPU, money. Formulas, and their values for one benchmark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from docs.website.links import ROOT
from tempbench_lmms.media.images import is_picture
from tempbench_lmms.media.video import probe

PATCH = 28 * 28
"""Pixels of a token of Qwen2.5-VL."""
PICTURE = (256, 2048)
"""Tokens of a picture, at least and at most, as the runner `qwen2_5_vl` sets them (docs/running.md)."""
FRAME = (128, 768)
"""Tokens of two frames of a native video, at least and at most: the defaults of Qwen2.5-VL's processor."""
FRAMES = 32
"""Frames that the runner `qwen2_5_vl` takes of a native video (docs/running.md)."""
LETTERS = 4
"""Letters of a token of text: an assumption."""
SIZE = (640, 360)
"""Pixels that a picture or video has at least: an assumption, as those of the bundled sample are small."""
REPLY = 50
"""Tokens of a reply where the task allows as many: an assumption."""
PRICES = (1.0, 5.0)
"""Dollars for a million tokens of prompts and of replies: an assumption."""

_SPEED = re.compile(r"^\| (\w+) \| `(\w+)` \| ([\d,]+) \| ([\d.]+) s \| ([\d.]+) ms \|$", re.M)


@dataclass(frozen=True)
class Shown:
    """What a question shows, on average.

    Attributes:
        letters: Of its texts.
        pictures: Pictures.
        videos: Native videos.
        tokens: Tokens of its prompt, by the sizes of its pictures and videos.
        tokens_at_size: The same where each has as many pixels as `SIZE`, or more.
    """

    letters: float
    pictures: float
    videos: float
    tokens: float
    tokens_at_size: float


@dataclass(frozen=True)
class Speed:
    """A line of a table of docs/performance.md.

    Attributes:
        model: Size of the model.
        tokens: Of the prompt.
        first: Seconds for a reply of one token.
        more: Seconds for each token more.
    """

    model: str
    tokens: int
    first: float
    more: float


def picture_tokens(pixels: int) -> int:
    """Returns the tokens of a picture of so many pixels."""
    return _bounded(pixels / PATCH, PICTURE)


def video_tokens(pixels: int) -> int:
    """Returns the tokens of a native video whose frames have so many pixels; two frames share a position."""
    return FRAMES // 2 * _bounded(pixels / PATCH, FRAME)


def _bounded(tokens: float, limits: tuple[int, int]) -> int:
    return round(min(max(tokens, limits[0]), limits[1]))


def shown(questions: list[tuple[Any, ...]]) -> Shown:
    """Returns what questions show on average.

    Args:
        questions: The parts of each: texts, pictures, paths of videos.
    """
    texts = [sum(len(part) for part in parts if isinstance(part, str)) for parts in questions]
    pictures = [[part for part in parts if is_picture(part)] for parts in questions]
    videos = [[part for part in parts if isinstance(part, Path)] for parts in questions]
    sizes = [
        ([one.width * one.height for one in of_one], [info.width * info.height for info in map(probe, files)])
        for of_one, files in zip(pictures, videos, strict=True)
    ]
    text = mean(texts) / LETTERS
    return Shown(
        mean(texts),
        mean(map(len, pictures)),
        mean(map(len, videos)),
        text + mean(_media_tokens(*of_one, 0) for of_one in sizes),
        text + mean(_media_tokens(*of_one, SIZE[0] * SIZE[1]) for of_one in sizes),
    )


def _media_tokens(pictures: list[int], videos: list[int], least: int) -> int:
    return sum(picture_tokens(max(one, least)) for one in pictures) + sum(
        video_tokens(max(one, least)) for one in videos
    )


def speeds() -> list[Speed]:
    """Returns the times that docs/performance.md has of models of published sizes."""
    text = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    return [
        Speed(model, int(tokens.replace(",", "")), float(first), float(more) / 1000)
        for model, _, tokens, first, more in _SPEED.findall(text)
    ]


def gpu_hours(calls: int, tokens: float, speed: Speed, reply: int) -> float:
    """Returns hours of one GPU, one question at a time: a longer prompt takes longer in proportion."""
    return calls * (speed.first * tokens / speed.tokens + reply * speed.more) / 3600


def nearest(tokens: float, model: str) -> Speed:
    """Returns the time that was measured at the nearest length of a prompt."""
    return min(
        (one for one in speeds() if one.model == model), key=lambda one: (abs(one.tokens - tokens), one.first)
    )


def dollars(calls: int, tokens: float, reply: int) -> float:
    """Returns what a service takes at `PRICES`."""
    return calls * (tokens * PRICES[0] + reply * PRICES[1]) / 1e6


def models() -> Iterator[str]:
    """Yields the sizes of models that were timed."""
    yield from dict.fromkeys(one.model for one in speeds())
