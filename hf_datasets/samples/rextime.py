"""Renders the bundled ReXTime sample: short videos in which one thing happens after another.

What a question asks for is to be seen and cannot be guessed: which colour, which figure and which effect come
up is drawn by lot.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from tempbench_lmms.data import tables
from tempbench_lmms.rextime import rows
from tempbench_lmms.rextime.features import BENCHMARK, SCHEMA
from tempbench_lmms.rextime.prompts import LETTERS

from .kit import Canvas, Sample, encode, media_url, palette

SEED = 20240
N_VALIDATION = 30
N_TEST = 6
SIZE = (160, 120)
FPS = 5
_GROUND = 96

COLOURS = palette("red cd322d blue 2d55c8 green 289146 yellow f0c828 purple 823ca0 orange f0871e")
_SCENERY = palette(
    "sky d8e6f0 earth 968c78 black 000000 glow faaa00 dark 3c281e wood a56e3c skin f0cdaa coat 46465a"
)


@dataclass(frozen=True)
class Event:
    """Something that happens in a video: `text` without an end mark, from `start` to `end` in seconds."""

    text: str
    start: float
    end: float

    def progress(self, time: float) -> float:
        """Returns how much of it has happened at a time, from 0 to 1."""
        return min(1.0, max(0.0, (time - self.start) / (self.end - self.start)))


@dataclass(frozen=True)
class Clip:
    """A video to be rendered, and the question about it."""

    paint: Callable[[float], str]  # gives the steps of the picture at a time in seconds
    question: str
    options: tuple[str, ...]  # four texts; the first one is right
    asked: Event  # the event that the question names
    answer: Event
    duration: float  # seconds, a multiple of a frame
    category: str  # as in the release


def _timeline(rng: random.Random, duration: float, n: int) -> list[tuple[float, float]]:
    """Returns n windows one after the other, on whole frames, with pauses around them."""
    slot = duration / n
    windows = []
    for i in range(n):
        start = round((i * slot + slot * rng.uniform(0.08, 0.25)) * FPS) / FPS
        end = round((i * slot + slot * rng.uniform(0.75, 0.92)) * FPS) / FPS
        windows.append((start, max(end, start + 2 / FPS)))
    return windows


_CORNERS = {"square": 4, "triangle": 3, "hexagon": 6, "star": 10}


def _shape(kind: str, x: float, y: float, size: float, colour: str, angle: float = 0.0) -> str:
    """Returns the steps of a shape whose middle is at (x, y)."""
    turn = angle - math.pi / 2
    if kind == "circle":
        tip = f"{x + size * math.cos(turn)},{y + size * math.sin(turn)}"
        return f"oval {colour}/black {x},{y} {size},{size}; line black {x},{y} {tip}"
    n, points = _CORNERS[kind], []
    for i in range(n):
        radius = size * (1.25 if kind != "star" or i % 2 == 0 else 0.55)
        way = turn + (math.pi / 4 if kind == "square" else 0) + 2 * math.pi * i / n
        points.append(f"{x + radius * math.cos(way)},{y + radius * math.sin(way)}")
    return f"poly {colour}/black {' '.join(points)}"


def sequential(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which five figures move in turn; asked is what comes next to one of them.

    The options are what the other four do, so that each of them is seen, and only their order decides.
    """
    n = 5
    colours = rng.sample(sorted(COLOURS), n)
    kinds = rng.sample(["circle", "square", "triangle", "hexagon", "star"], n)
    moves = [rng.choice(("jumps", "spins", "grows", "shrinks")) for _ in range(n)]
    order = rng.sample(range(n), n)
    texts = [f"the {' '.join(words)}" for words in zip(colours, kinds, moves, strict=True)]
    windows = dict(zip(order, _timeline(rng, duration, n), strict=True))
    events = [Event(texts[i], *windows[i]) for i in range(n)]

    def figure(i: int, done: float) -> str:
        wave, move = math.sin(math.pi * done), moves[i]
        height = 38 * wave if move == "jumps" else 0
        size = 10 * (1 + {"grows": 0.7, "shrinks": -0.7}.get(move, 0) * wave)
        angle = 4 * math.pi * done if move == "spins" else 0.0
        return _shape(kinds[i], 18 + 31 * i, _GROUND - 14 - height, size, colours[i], angle)

    turn = rng.randrange(n - 1)
    before = rng.random() < 0.5
    asked, answer = (order[turn + 1], order[turn]) if before else (order[turn], order[turn + 1])
    return Clip(
        lambda time: "; ".join(figure(i, events[i].progress(time)) for i in range(n)),
        f"What happens right {'before' if before else 'after'} {texts[asked]}?",
        (texts[answer], *(texts[i] for i in range(n) if i not in (asked, answer))),
        events[asked],
        events[answer],
        duration,
        "sequential",
    )


_EFFECTS = ("tips over", "lights up", "shrinks to nothing", "rises into the air")
_RAYS = [(math.cos(i * math.pi / 4), math.sin(i * math.pi / 4)) for i in range(8)]


def _box(effect: str, done: float, x: float, colour: str) -> str:
    """Returns the steps of a box to which something happens."""
    size, angle, y, rays = 11.0, 0.0, _GROUND - 11.0, ""
    if effect == "tips over":
        angle = done * math.pi / 4
    elif effect == "shrinks to nothing":
        size *= 1 - done
    elif effect == "rises into the air":
        y -= 60 * done
    elif done:
        far = 18 + 14 * done
        rays = " | ".join(f"{x + a * 18},{y + b * 18} {x + a * far},{y + b * far}" for a, b in _RAYS)
        rays = f"line glow 2 {rays}; "
    return rays + (_shape("square", x, y, size, colour, angle) if size > 0.5 else "")


def cause_effect(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which balls roll against boxes; asked is what one of the hits does."""
    colours = rng.sample(sorted(COLOURS), 4)
    effects = rng.sample(_EFFECTS, 2)
    windows = _timeline(rng, duration, 4)
    places = (70, 132)
    hits = [Event(f"the {colours[2 * i]} ball hits the box", *windows[2 * i]) for i in range(2)]
    boxes = [f"the {colours[2 * i + 1]} box" for i in range(2)]
    # An effect begins with the hit.
    results = [Event(f"{boxes[i]} {effects[i]}", windows[2 * i][1], windows[2 * i + 1][1]) for i in range(2)]

    def paint(time: float) -> str:
        i = int(time >= hits[1].start)
        x = -10 + (places[i] - 10) * hits[i].progress(time)
        # The second ball flies over the first box.
        y = _GROUND - 9 - (46 * math.sin(math.pi * hits[1].progress(time)) if i else 0)
        steps = [_shape("circle", x, y, 8, colours[2 * i], x / 8)]
        for result, effect, place, colour in zip(results, effects, places, colours[1::2], strict=True):
            steps.append(_box(effect, result.progress(time), place, colour))
        return "; ".join(steps)

    which = rng.randrange(2)
    wrong = [f"{boxes[which]} {effect}" for effect in _EFFECTS if effect != effects[which]]
    return Clip(
        paint,
        f"What happens to {boxes[which]} because the {colours[2 * which]} ball hits it?",
        (results[which].text, *wrong),
        hits[which],
        results[which],
        duration,
        "cause_effect",
    )


def means_end(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which a figure fetches one of four keys and opens a door with it."""
    colours = rng.sample(sorted(COLOURS), 4)
    taken = rng.randrange(4)
    texts = [f"the figure takes the {colour} key" for colour in colours]
    windows = _timeline(rng, duration, 3)
    fetch = Event(texts[taken], *windows[0])
    carry = Event("the figure walks to the door", *windows[1])
    opened = Event("the door opens", *windows[2])

    def paint(time: float) -> str:
        key_x = 34 + 24 * taken
        x = 12 + (key_x - 12) * fetch.progress(time) + (130 - key_x) * carry.progress(time)
        left, stride = 140 + 14 * opened.progress(time), 4 * math.sin(x / 3)
        steps = [f"box dark 140,44 156,{_GROUND}; box wood/black {left},44 156,{_GROUND}"]
        for i, colour in enumerate(colours):
            kx, ky = (x + 8, 66.0) if i == taken and fetch.progress(time) >= 1 else (34.0 + 24 * i, 30.0)
            steps.append(f"oval /{colour} 3 {kx},{ky} 5,5; line {colour} 3 {kx},{ky + 5} {kx},{ky + 17}")
            steps.append(f"line {colour} 3 {kx},{ky + 15} {kx + 5},{ky + 15}")
        steps.append(f"oval skin/black {x},62 6,6; box coat {x - 5},68 {x + 5},84")
        steps.append(
            f"line black 2 {x - 2},84 {x - 2 - stride},{_GROUND} | {x + 2},84 {x + 2 + stride},{_GROUND}"
        )
        if fetch.progress(time) > 0.7 and carry.progress(time) <= 0:
            steps.append(f"line black 2 {x},70 {x},44")
        return "; ".join(steps)

    return Clip(
        paint,
        "What does the figure do first in order to open the door?",
        (texts[taken], *(text for text in texts if text != texts[taken])),
        opened,
        fetch,
        duration,
        "means_end",
    )


def frame(clip: Clip, time: float) -> Image.Image:
    """Returns the picture at a time in seconds."""
    canvas = Canvas(SIZE, "sky", COLOURS | _SCENERY)
    canvas.play(f"box earth 0,{_GROUND} 160,120; {clip.paint(time)}")
    return canvas.image


def clips(split: str, n: int) -> list[Clip]:
    """Returns n clips of 4 to 30 seconds, the categories in turn."""
    makers = (sequential, cause_effect, means_end)
    return [
        makers[i % 3](random.Random(f"{SEED} {split} {i} clip"), round((4 + 26 * i / (n - 1)) * FPS) / FPS)
        for i in range(n)
    ]


def record(number: int, split: str, clip: Clip) -> dict[str, Any]:
    """Returns the question about a clip as the official release would write it."""
    letter = LETTERS[number % len(LETTERS)]
    options = list(clip.options[1:])
    random.Random(f"{SEED} {split} {number}").shuffle(options)
    options.insert(LETTERS.index(letter), clip.options[0])
    from_activitynet = number % 2 == 0
    other_vid = f"{split[:3]}mini{number:04d}_0.0_{clip.duration}"
    return {
        "qid": f"{'anet' if from_activitynet else 'qvh'}_{split[:4]}{number}",
        "vid": f"v_{split[:3]}{number:08d}" if from_activitynet else other_vid,
        "duration": clip.duration,
        "question": clip.question,
        "options": options,
        "category": clip.category,
        "source": "ActivityNet_val_2" if from_activitynet else "qvhighlights_val",
        "span": [clip.answer.start, clip.answer.end],
        "question_span": [clip.asked.start, clip.asked.end],
        "ans": letter,
    }


def write(root: Path) -> tables.Row:
    """Renders the videos and writes the tables under `root`; returns the manifest."""
    sample = Sample(BENCHMARK, root)
    for split, n in (("validation", N_VALIDATION), ("test", N_TEST)):
        table = []
        for number, clip in enumerate(clips(split, n)):
            annotation = record(number, split, clip)
            url = media_url(BENCHMARK, f"{rows.source_of(annotation)}/{annotation['vid']}.mp4")
            encode([frame(clip, i / FPS) for i in range(round(clip.duration * FPS))], sample.file(url), FPS)
            # As in the release, the answers of the test split are kept back.
            row = rows.row(annotation, url, answers=split != "test")
            table.append(row | ({"question_span": None} if split == "test" else {}))
        sample.table(split, table, SCHEMA, split)
    return sample.finish()
