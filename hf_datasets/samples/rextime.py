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

    def paint(time: float) -> str:
        return "; ".join(figure(i, event.progress(time)) for i, event in enumerate(events))

    turn = rng.randrange(n - 1)
    word = "before" if rng.random() < 0.5 else "after"
    asked, answer = order[turn : turn + 2] if word == "after" else order[turn : turn + 2][::-1]
    options = (texts[answer], *(texts[i] for i in range(n) if i not in (asked, answer)))
    question = f"What happens right {word} {texts[asked]}?"
    return Clip(paint, question, options, events[asked], events[answer], duration, "sequential")


_EFFECTS = ("tips over", "lights up", "shrinks to nothing", "rises into the air")
_RAYS = [(math.cos(i * math.pi / 4), math.sin(i * math.pi / 4)) for i in range(8)]


def _box(effect: str, done: float, x: float, colour: str) -> str:
    """Returns the steps of a box to which something happens."""
    size = 11.0 * (1 - done) if effect == "shrinks to nothing" else 11.0
    y = _GROUND - 11.0 - (60 * done if effect == "rises into the air" else 0)
    steps = _shape("square", x, y, size, colour, done * math.pi / 4 if effect == "tips over" else 0.0)
    if effect == "lights up" and done:
        far = 18 + 14 * done
        rays = " | ".join(f"{x + a * 18},{y + b * 18} {x + a * far},{y + b * far}" for a, b in _RAYS)
        return f"line glow 2 {rays}; {steps}"
    return steps if size > 0.5 else ""


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
    question = f"What happens to {boxes[which]} because the {colours[2 * which]} ball hits it?"
    options = (results[which].text, *wrong)
    return Clip(paint, question, options, hits[which], results[which], duration, "cause_effect")


def means_end(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which a figure fetches one of four keys and opens a door with it."""
    colours = rng.sample(sorted(COLOURS), 4)
    taken = rng.randrange(4)
    texts = [f"the figure takes the {colour} key" for colour in colours]
    whats = (texts[taken], "the figure walks to the door", "the door opens")
    windows = _timeline(rng, duration, 3)
    fetch, carry, opened = (Event(what, *window) for what, window in zip(whats, windows, strict=True))

    def paint(time: float) -> str:
        fetched, carried, key_x = fetch.progress(time), carry.progress(time), 34 + 24 * taken
        x = 12 + (key_x - 12) * fetched + (130 - key_x) * carried
        left, stride = 140 + 14 * opened.progress(time), 4 * math.sin(x / 3)
        steps = f"box dark 140,44 156,{_GROUND}; box wood/black {left},44 156,{_GROUND}"
        for i, colour in enumerate(colours):
            key = f"{x + 8},66" if i == taken and fetched >= 1 else f"{34 + 24 * i},30"
            steps += f"; at {key}; oval /{colour} 3 0,0 5,5; line {colour} 3 0,5 0,17 | 0,15 5,15"
        steps += f"; at {x},0; oval skin/black 0,62 6,6; box coat -5,68 5,84"
        steps += f"; line black 2 -2,84 {-2 - stride},{_GROUND} | 2,84 {2 + stride},{_GROUND}"
        return steps + ("; line black 2 0,70 0,44" if fetched > 0.7 and carried <= 0 else "")

    question = "What does the figure do first in order to open the door?"
    options = (texts[taken], *(text for text in texts if text != texts[taken]))
    return Clip(paint, question, options, opened, fetch, duration, "means_end")


def frame(clip: Clip, time: float) -> Image.Image:
    """Returns the picture at a time in seconds."""
    canvas = Canvas(SIZE, "sky", COLOURS | _SCENERY)
    return canvas.play(f"box earth 0,{_GROUND} 160,120; {clip.paint(time)}")


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
