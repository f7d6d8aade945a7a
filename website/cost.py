"""What a run takes: tokens, hours of a GPU, money. Formulas, and their values for one benchmark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from tempbench_lmms.media.pictures import is_picture
from tempbench_lmms.media.video import probe
from website.links import ROOT

PATCH = 28 * 28
"""Pixels of a token of Qwen2.5-VL."""
PICTURE = (256, 2048)
"""Tokens of a picture, at least and at most, as the runner `qwen2_5_vl` sets them (docs/running.md)."""
FRAME = (128, 768)
"""Tokens of a pair of frames of a native video, at least and at most: the defaults of Qwen2.5-VL's processor."""
FRAMES = 32
"""Frames that the runner `qwen2_5_vl` takes of a native video (docs/running.md)."""
LETTERS = 4
"""Letters of a token of text: an assumption."""
SIZE = (640, 360)
"""Pixels of a medium whose size is not known: an assumption."""
REPLY = 50
"""Tokens of a reply: an assumption."""
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
        tokens_at_size: The same where each has `SIZE`.
    """

    letters: float
    pictures: float
    videos: float
    tokens: float
    tokens_at_size: float


@dataclass(frozen=True)
class Speed:
    """A line of the last table of docs/performance.md.

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


def picture_tokens(width: int, height: int) -> int:
    """Returns the tokens of a picture of so many pixels."""
    return _bounded(width * height / PATCH, PICTURE)


def video_tokens(width: int, height: int) -> int:
    """Returns the tokens of a native video of so many pixels; two frames share a position."""
    return FRAMES // 2 * _bounded(width * height / PATCH, FRAME)


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
    n_pictures, n_videos = mean(map(len, pictures)), mean(map(len, videos))
    text = mean(texts) / LETTERS
    media = mean(
        sum(picture_tokens(one.width, one.height) for one in of_one)
        + sum(video_tokens(info.width, info.height) for info in map(probe, files))
        for of_one, files in zip(pictures, videos, strict=True)
    )
    at_size = n_pictures * picture_tokens(*SIZE) + n_videos * video_tokens(*SIZE)
    return Shown(mean(texts), n_pictures, n_videos, text + media, text + at_size)


def speeds() -> list[Speed]:
    """Returns the times that docs/performance.md has of models of published sizes."""
    text = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    return [
        Speed(model, int(tokens.replace(",", "")), float(first), float(more) / 1000)
        for model, _, tokens, first, more in _SPEED.findall(text)
    ]


def gpu_hours(calls: int, tokens: float, speed: Speed, reply: int = REPLY) -> float:
    """Returns hours of one GPU, one question at a time: a longer prompt takes longer in proportion."""
    return calls * (speed.first * tokens / speed.tokens + reply * speed.more) / 3600


def nearest(tokens: float, model: str) -> Speed:
    """Returns the time that was measured at the nearest length of a prompt."""
    return min(
        (one for one in speeds() if one.model == model), key=lambda one: (abs(one.tokens - tokens), one.first)
    )


def dollars(calls: int, tokens: float, reply: int = REPLY) -> float:
    """Returns what a service takes at `PRICES`."""
    return calls * (tokens * PRICES[0] + reply * PRICES[1]) / 1e6


def models() -> Iterator[str]:
    """Yields the sizes of models that were timed."""
    yield from dict.fromkeys(one.model for one in speeds())
