"""Draws the short videos of the bundled sample.

Every video is a stage with simple figures on which one thing happens after another. What a question asks for
is to be seen and cannot be guessed: which colour, which figure and which effect come up is drawn by lot.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 160, 120
FPS = 5
_GROUND = 96
_SKY = (216, 230, 240)
_EARTH = (150, 140, 120)

COLOURS = {
    "red": (205, 50, 45),
    "blue": (45, 85, 200),
    "green": (40, 145, 70),
    "yellow": (240, 200, 40),
    "purple": (130, 60, 160),
    "orange": (240, 135, 30),
}

Draw = Any
Painter = Callable[[Draw, float], None]
"""Paints a part of the stage at a time in seconds."""


@dataclass(frozen=True)
class Event:
    """Something that happens in a video.

    Attributes:
        text: What happens, without an end mark.
        start: Seconds.
        end: Seconds.
    """

    text: str
    start: float
    end: float

    def progress(self, time: float) -> float:
        """Returns how much of it has happened at a time, from 0 to 1."""
        return min(1.0, max(0.0, (time - self.start) / (self.end - self.start)))

    def running(self, time: float) -> bool:
        """Whether it happens at a time."""
        return self.start <= time < self.end


@dataclass(frozen=True)
class Clip:
    """A video to be rendered, and the question about it.

    Attributes:
        duration: Seconds, a multiple of a frame.
        painters: Paint the stage in their order.
        question: The question.
        options: Four texts; the first one is right.
        asked: The event that the question names.
        answer: The event that is the answer.
        category: As in the release.
    """

    duration: float
    painters: tuple[Painter, ...]
    question: str
    options: tuple[str, ...]
    asked: Event
    answer: Event
    category: str


def _timeline(rng: random.Random, duration: float, n: int) -> list[tuple[float, float]]:
    """Returns n windows one after the other, on whole frames, with pauses around them."""
    slot = duration / n
    windows = []
    for i in range(n):
        start = round((i * slot + slot * rng.uniform(0.08, 0.25)) * FPS) / FPS
        end = round((i * slot + slot * rng.uniform(0.75, 0.92)) * FPS) / FPS
        windows.append((start, max(end, start + 2 / FPS)))
    return windows


def _shape(draw: Draw, kind: str, x: float, y: float, size: float, colour: str, angle: float = 0.0) -> None:
    """Draws a circle, square, triangle, hexagon or star whose middle is at (x, y)."""
    if kind == "circle":
        draw.ellipse([x - size, y - size, x + size, y + size], fill=COLOURS[colour], outline="black")
        tip = (x + size * math.cos(angle - math.pi / 2), y + size * math.sin(angle - math.pi / 2))
        draw.line([(x, y), tip], fill="black")
        return
    n = {"square": 4, "triangle": 3, "hexagon": 6, "star": 10}[kind]
    turn = angle - math.pi / 2 + (math.pi / 4 if kind == "square" else 0)
    points = []
    for i in range(n):
        radius = size * (1.25 if kind != "star" or i % 2 == 0 else 0.55)
        direction = turn + 2 * math.pi * i / n
        points.append((x + radius * math.cos(direction), y + radius * math.sin(direction)))
    draw.polygon(points, fill=COLOURS[colour], outline="black")


_MOVES = ("jumps", "spins", "grows", "shrinks")


def sequential(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which five figures move in turn; asked is what comes next to one of them.

    The options are what the other four do, so that each of them is seen, and only their order decides.
    """
    n = 5
    colours = rng.sample(sorted(COLOURS), n)
    kinds = rng.sample(["circle", "square", "triangle", "hexagon", "star"], n)
    moves = [rng.choice(_MOVES) for _ in range(n)]
    places = [18, 49, 80, 111, 142]
    order = rng.sample(range(n), n)
    windows = _timeline(rng, duration, n)
    events = {
        figure: Event(f"the {colours[figure]} {kinds[figure]} {moves[figure]}", *windows[turn])
        for turn, figure in enumerate(order)
    }

    def painter(figure: int) -> Painter:
        event = events[figure]

        def paint(draw: Draw, time: float) -> None:
            wave = math.sin(math.pi * event.progress(time))
            height = 38 * wave if moves[figure] == "jumps" else 0
            size = 10 * (1 + {"grows": 0.7, "shrinks": -0.7}.get(moves[figure], 0) * wave)
            angle = 4 * math.pi * event.progress(time) if moves[figure] == "spins" else 0.0
            y = _GROUND - 14 - height
            _shape(draw, kinds[figure], places[figure], y, size, colours[figure], angle)

        return paint

    turn = rng.randrange(n - 1)
    before = rng.random() < 0.5
    asked, answer = order[turn], order[turn + 1]
    if before:
        asked, answer = answer, asked
    name = f"the {colours[asked]} {kinds[asked]} {moves[asked]}"
    wrong = [events[figure].text for figure in range(n) if figure not in (asked, answer)]
    return Clip(
        duration,
        tuple(painter(figure) for figure in range(n)),
        f"What happens right {'before' if before else 'after'} {name}?",
        (events[answer].text, *wrong),
        events[asked],
        events[answer],
        "sequential",
    )


_EFFECTS = ("tips over", "lights up", "shrinks to nothing", "rises into the air")


def cause_effect(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which balls roll against boxes; asked is what one of the hits does."""
    colours = rng.sample(sorted(COLOURS), 4)
    effects = rng.sample(_EFFECTS, 2)
    windows = _timeline(rng, duration, 4)
    places = [70, 132]
    hits = [Event(f"the {colours[2 * i]} ball hits the box", *windows[2 * i]) for i in range(2)]
    # An effect begins with the hit.
    results = [
        Event(f"the {colours[2 * i + 1]} box {effects[i]}", windows[2 * i][1], windows[2 * i + 1][1])
        for i in range(2)
    ]

    def ball(i: int) -> Painter:
        def paint(draw: Draw, time: float) -> None:
            if i == 1 and not time >= hits[1].start:
                return
            start, stop = (-10, places[i] - 20)
            x = start + (stop - start) * hits[i].progress(time)
            if i == 0 and time >= hits[1].start:
                return
            # The second ball flies over the first box.
            y = _GROUND - 9 - (46 * math.sin(math.pi * hits[1].progress(time)) if i == 1 else 0)
            _shape(draw, "circle", x, y, 8, colours[2 * i], x / 8)

        return paint

    def box(i: int) -> Painter:
        def paint(draw: Draw, time: float) -> None:
            amount = results[i].progress(time)
            size, angle, y = 11.0, 0.0, _GROUND - 11.0
            if effects[i] == "tips over":
                angle = amount * math.pi / 4
            elif effects[i] == "shrinks to nothing":
                size *= 1 - amount
            elif effects[i] == "rises into the air":
                y -= 60 * amount
            elif amount:
                x = places[i]
                for ray in range(8):
                    way = (math.cos(ray * math.pi / 4), math.sin(ray * math.pi / 4))
                    inner, outer = 18, 18 + 14 * amount
                    draw.line(
                        [(x + way[0] * inner, y + way[1] * inner), (x + way[0] * outer, y + way[1] * outer)],
                        fill=(250, 170, 0),
                        width=2,
                    )
            if size > 0.5:
                _shape(draw, "square", places[i], y, size, colours[2 * i + 1], angle)

        return paint

    which = rng.randrange(2)
    box_name = f"the {colours[2 * which + 1]} box"
    wrong = [f"{box_name} {effect}" for effect in _EFFECTS if effect != effects[which]]
    return Clip(
        duration,
        (ball(0), ball(1), box(0), box(1)),
        f"What happens to {box_name} because the {colours[2 * which]} ball hits it?",
        (results[which].text, *wrong),
        hits[which],
        results[which],
        "cause_effect",
    )


def means_end(rng: random.Random, duration: float) -> Clip:
    """Returns a clip in which a figure fetches one of four keys and opens a door with it."""
    colours = rng.sample(sorted(COLOURS), 4)
    places = [34, 58, 82, 106]
    taken = rng.randrange(4)
    rest_at = 12
    windows = _timeline(rng, duration, 3)
    fetch = Event(f"the figure takes the {colours[taken]} key", *windows[0])
    carry = Event("the figure walks to the door", *windows[1])
    opened = Event("the door opens", *windows[2])

    def figure_x(time: float) -> float:
        at_key = places[taken]
        x = rest_at + (at_key - rest_at) * fetch.progress(time)
        return x + (130 - at_key) * carry.progress(time)

    def door(draw: Draw, time: float) -> None:
        draw.rectangle([140, 44, 156, _GROUND], fill=(60, 40, 30))
        left = 140 + 14 * opened.progress(time)
        draw.rectangle([left, 44, 156, _GROUND], fill=(165, 110, 60), outline="black")

    def keys(draw: Draw, time: float) -> None:
        for i, colour in enumerate(colours):
            x, y = float(places[i]), 30.0
            if i == taken and fetch.progress(time) >= 1:
                x, y = figure_x(time) + 8, 66.0
            draw.ellipse([x - 5, y - 5, x + 5, y + 5], outline=COLOURS[colour], width=3)
            draw.line([(x, y + 5), (x, y + 17)], fill=COLOURS[colour], width=3)
            draw.line([(x, y + 15), (x + 5, y + 15)], fill=COLOURS[colour], width=3)

    def figure(draw: Draw, time: float) -> None:
        x = figure_x(time)
        draw.ellipse([x - 6, 56, x + 6, 68], fill=(240, 205, 170), outline="black")
        draw.rectangle([x - 5, 68, x + 5, 84], fill=(70, 70, 90))
        step = 4 * math.sin(x / 3)
        draw.line([(x - 2, 84), (x - 2 - step, _GROUND)], fill="black", width=2)
        draw.line([(x + 2, 84), (x + 2 + step, _GROUND)], fill="black", width=2)
        if fetch.progress(time) > 0.7 and carry.progress(time) <= 0:
            draw.line([(x, 70), (x, 44)], fill="black", width=2)

    wrong = [f"the figure takes the {colour} key" for i, colour in enumerate(colours) if i != taken]
    return Clip(
        duration,
        (door, keys, figure),
        "What does the figure do first in order to open the door?",
        (fetch.text, *wrong),
        opened,
        fetch,
        "means_end",
    )


MAKERS: tuple[Callable[[random.Random, float], Clip], ...] = (sequential, cause_effect, means_end)


def frame(clip: Clip, time: float) -> Image.Image:
    """Returns the picture at a time in seconds."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _SKY)
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, _GROUND, WIDTH, HEIGHT], fill=_EARTH)
    for paint in clip.painters:
        paint(draw, time)
    return image


def encode(images: Sequence[Image.Image], path: Path, fps: int = FPS) -> None:
    """Writes pictures as an mp4 file; the same pictures give the same bytes with the same encoder."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fps)
        stream.width, stream.height = images[0].size
        stream.pix_fmt = "yuv420p"
        stream.thread_count = 1
        if codec == "libx264":
            stream.options = {"crf": "30", "preset": "veryslow", "threads": "1"}
        for image in images:
            for packet in stream.encode(av.VideoFrame.from_image(image)):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def render(clip: Clip, path: Path) -> None:
    """Renders a clip to an mp4 file."""
    encode([frame(clip, i / FPS) for i in range(round(clip.duration * FPS))], path)
