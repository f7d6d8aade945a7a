"""Renders the bundled sample: events that run one way only, each played forward and backward.

Both directions of a clip hold the same frames, and their middle frame is the same: only the order differs.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from tempbench_lmms.arrow_of_time.card import ANSWERS
from tempbench_lmms.arrow_of_time.rows import BENCHMARK, REVERSED, SCHEMA
from tempbench_lmms.data import tables

from .kit import Sample, encode, media_url

SIZE = (192, 128)
N_FRAMES = 25  # odd: the middle frame is the same both ways
FPS = 8
GROUND = 112
INKS = ("#cd322d", "#3764be", "#55a04b")
Frames = list[Image.Image]


def _blank() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", SIZE, "#dfe8ee")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, GROUND, *SIZE), fill="#8a7a66")
    return image, pen


def ball(kind: int) -> Frames:
    """A ball falls, and bounces lower each time."""
    height, speed, frames = 96.0 - 8 * kind, 0.0, []
    for number in range(N_FRAMES):
        image, pen = _blank()
        left = 20 + 5.5 * (number if kind != 1 else N_FRAMES - 1 - number)
        pen.ellipse((left, GROUND - height - 16, left + 16, GROUND - height), fill=INKS[kind])
        frames.append(image)
        for _ in range(4):
            speed -= 0.8
            height += speed * 0.6
            if height < 0:
                height, speed = -height, -0.7 * speed
    return frames


def milk(kind: int) -> Frames:
    """A drop of milk falls into a cup seen from above, and spreads until the tea is pale all over."""
    down, right = np.mgrid[: SIZE[1], : SIZE[0]]
    distance = np.hypot(right - 96 - 8 * (kind - 1), down - 64)
    cup = np.hypot(right - 96, down - 64) < 56
    tea, white = np.array((96 + 20 * kind, 56, 28)), np.array((248, 244, 236))
    frames = []
    for number in range(N_FRAMES):
        width = 5 + 2.2 * number
        share = np.minimum(1, 60 / width) * np.exp(-((distance / width) ** 2)) * min(1, 12 / width) ** 0.5
        pixels = np.full((SIZE[1], SIZE[0], 3), (223, 232, 238), float)
        pixels[cup] = (tea + share[..., None] * (white - tea))[cup]
        frames.append(Image.fromarray(pixels.astype(np.uint8)))
    return frames


def stack(kind: int) -> Frames:
    """A tower of blocks stands, tips over and lies on the ground in pieces."""
    generator = np.random.default_rng(kind)
    blocks = 5
    aims = 40 + 26 * np.arange(blocks) + generator.uniform(-6, 6, blocks)
    frames = []
    for number in range(N_FRAMES):
        image, pen = _blank()
        for block in range(blocks):
            time = np.clip((number - 5 - 2 * (blocks - block)) / 8, 0, 1)
            left = 32 + (aims[block] - 32) * time
            bottom = GROUND - 18 * block * (1 - time**2)
            pen.rectangle(
                (left, bottom - 18, left + 18, bottom), fill=INKS[(block + kind) % 3], outline="#222222"
            )
        frames.append(image)
    return frames


def smoke(kind: int) -> Frames:
    """Smoke leaves a chimney, rises, grows and thins out."""
    generator = np.random.default_rng(10 + kind)
    drift = generator.uniform(-1, 1, 12)
    frames = []
    for number in range(N_FRAMES):
        image, pen = _blank()
        pen.rectangle((84, 84, 108, GROUND), fill=INKS[kind])
        cloud = Image.new("L", SIZE)
        brush = ImageDraw.Draw(cloud)
        for puff in range(12):
            age = number - 3 * puff + 12
            if 0 <= age < 18:
                middle, size = (96 + drift[puff] * age, 84 - 5 * age), 4 + 0.9 * age
                box = (middle[0] - size, middle[1] - size, middle[0] + size, middle[1] + size)
                brush.ellipse(box, fill=int(220 * (1 - age / 18)))
        image.paste((110, 110, 116), mask=cloud.filter(ImageFilter.GaussianBlur(2)))
        frames.append(image)
    return frames


EVENTS: dict[str, tuple[Callable[[int], Frames], str]] = {
    "ball": (ball, "Fall"),
    "milk": (milk, "Explode"),
    "stack": (stack, "Fall"),
    "smoke": (smoke, "Proceed"),
}


def write(root: Path) -> tables.Row:
    """Writes media and table under `root`; returns the manifest."""
    sample = Sample(BENCHMARK, root)
    rows: list[tables.Row] = []
    for name, (draw, category) in EVENTS.items():
        for kind in range(3):
            frames, pair = draw(kind), f"{name}_{kind}"
            for answer, suffix in zip(ANSWERS, ("", REVERSED), strict=True):
                url = media_url(BENCHMARK, f"{pair}{suffix}.mp4")
                encode(frames if answer == "F" else reversed(frames), sample.file(url), fps=FPS, crf=20)
                row = {
                    "question_id": f"{pair}{suffix}",
                    "pair_id": pair,
                    "video": url,
                    "categories": [category],
                }
                rows.append({**row, "answer": answer, "target": answer, "choices": [*ANSWERS]})
    sample.table("test", rows, SCHEMA)
    return sample.finish()
