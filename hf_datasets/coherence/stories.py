"""Short videos to caption, in each of which several things happen one after the other."""

import itertools
import random
from dataclasses import dataclass

from PIL import Image, ImageDraw

from .scenes import SIZE

N_VIDEOS = 12
FRAMES_AN_EVENT = 12

_COLOURS = {"red": (205, 50, 45), "blue": (45, 85, 205), "green": (40, 150, 70), "yellow": (225, 185, 40)}
_SHAPES = ("ball", "square", "triangle")
_ACTIONS = {
    "rises": "the {thing} rises to the top",
    "grows": "the {thing} grows",
    "turns": "the {thing} turns black",
    "disappears": "the {thing} disappears",
    "blinks": "the {thing} blinks",
}
_BASE, _PLACES = 80, (22, 56, 90)


@dataclass(frozen=True)
class Story:
    """One video: up to three things standing side by side, each doing something in its turn.

    Attributes:
        things: (colour, shape) from left to right.
        events: (number of the thing, action) in the order in which they happen.
    """

    things: tuple[tuple[str, str], ...]
    events: tuple[tuple[int, str], ...]

    def told(self) -> list[str]:
        """Returns one clause an event, in order."""
        return [_ACTIONS[action].format(thing=" ".join(self.things[i])) for i, action in self.events]

    def caption(self) -> str:
        """Returns a sentence an event, in order."""
        told = self.told()
        words = ["First, ", *["Then "] * (len(told) - 2), "Finally, "]
        return " ".join(f"{word}{clause}." for word, clause in zip(words, told, strict=True))


def stories(seed: int = 7) -> list[Story]:
    """Returns the sample's stories, of two and three events."""
    random_ = random.Random(seed)
    every = list(itertools.product(_COLOURS, _SHAPES))
    found: list[Story] = []
    while len(found) < N_VIDEOS:
        things = tuple(random_.sample(every, 3))
        # Things of one colour or shape would make captions ambiguous.
        if len({colour for colour, _ in things}) < 3 or len({shape for _, shape in things}) < 3:
            continue
        n = 2 + len(found) % 2
        actions = random_.sample([*_ACTIONS], n)
        order = random_.sample(range(3), n)
        found.append(Story(things, tuple(zip(order, actions, strict=True))))
    return found


def draw(story: Story, frame: int) -> Image.Image:
    """Returns one frame of a story."""
    image = Image.new("RGB", (SIZE, SIZE), (238, 238, 232))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 96, SIZE, SIZE), fill=(150, 140, 125))
    for number, (colour, shape) in enumerate(story.things):
        x, y, radius, shown = float(_PLACES[number]), float(_BASE), 10.0, True
        filling = _COLOURS[colour]
        for turn, (who, action) in enumerate(story.events):
            share = min(1.0, max(0.0, (frame - turn * FRAMES_AN_EVENT) / (FRAMES_AN_EVENT - 2)))
            if who != number or share == 0:
                continue
            if action == "rises":
                y -= 60 * share
            elif action == "turns":
                filling = (20, 20, 20) if share > 0.3 else filling
            elif action == "grows":
                radius += 8 * share
            elif action == "disappears":
                shown = share < 0.5
            else:
                shown = share in (0, 1) or int(share * 6) % 2 == 0
        if shown:
            _thing(pen, shape, x, y, radius, filling)
    return image


def _thing(
    pen: ImageDraw.ImageDraw, shape: str, x: float, y: float, radius: float, colour: tuple[int, int, int]
) -> None:
    box = (x - radius, y - radius, x + radius, y + radius)
    if shape == "ball":
        pen.ellipse(box, fill=colour)
    elif shape == "square":
        pen.rectangle(box, fill=colour)
    else:
        pen.polygon([(x, y - radius), (x - radius, y + radius), (x + radius, y + radius)], fill=colour)


def n_frames(story: Story) -> int:
    """Returns how many frames a story has."""
    return FRAMES_AN_EVENT * len(story.events) + 4
