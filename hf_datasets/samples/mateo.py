"""Renders the bundled MATEO sample: plans whose steps are drawn and described.

A step shows what goes in on the left, the tool, and what comes out on the right. An item is written as a kind
and its colours, "bowl red,green": from the bottom up, from left to right, or from the outside in. Every item
is drawn on a square of 100 units; `*` stands for a colour of its own.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from hf_datasets.mateo.graphs import Edge, Pair, counts
from hf_datasets.mateo.rows import Plan, Step, pairs_to_ask, questions
from tempbench_lmms.data import tables
from tempbench_lmms.mateo.features import BENCHMARK, SCHEMA

from .kit import Point, Sample, Smooth, at_time, blocks, ellipse, few_levels, media_url, palette
from .mateo_plans import PLANS

SEED = 20265
PAIRS_A_KIND = 4  # at most so many dependent and as many independent pairs are asked of a plan
SIZE = (192, 120)  # px
_LEVELS = 12

COLOURS = palette(
    "red cd322d orange ee8c28 yellow f5d241 green 55a04b olive 8c9137 teal 289191 blue 3764be ice b9dcf0 "
    "purple 824ba0 pink f0a0b9 white fcfaf5 cream fae8be tan dcb278 brown 875532 dark 46322d grey 969ba0 "
    "black 232328 surface f3eee4 shadow e2dacc"
)


class _Square(Smooth):
    """A canvas with dark outlines."""

    def look(self, origin: Point, side: float) -> None:
        """Draws from now on in a square of the picture, in hundredths of its side."""
        self.origin = (origin[0] * self.FACTOR, origin[1] * self.FACTOR)
        self.scale = side * self.FACTOR / 100

    def oval(self, points: list[Point], names: str, width: str = "1") -> None:
        self.poly(ellipse(points[0], points[1], 40)[:-1], names)

    def poly(self, points: list[Point], names: str) -> None:
        super().poly(points, names)
        self.line([*points, points[0]], "black", "2")


# How items of n colours look, by kind, in lines that are drawn in turn: STEPS once; `[A:B:C] STEPS` for each
# of these colours (a slice), which `*` stands for, with t from 0; `~[A:B:C] STEPS` with t from the middle, as
# in -1, 0, 1; `?[A:B:C] STEPS` is a part, which is not there yet if it is white.


def _kitchen(n: int) -> dict[str, list[str]]:
    r, plate, spread, cake = 30 / n**0.6, 30 / n**0.8, 1.3 / n**0.5, min(18.0, 66 / n)
    pieces = ((-12, 0), (0, 0), (12, 0), (-6, -11), (6, -11), (0, -22))
    cubes = " | ".join(f"{x * spread - 7},{61 + y} {x * spread + 7},{73 + y}" for x, y in pieces)
    return blocks(f"""
bag | poly cream 24,26 76,26 84,92 16,92; line black 4 24,26 30,12 70,12 76,26
    [:] oval * 50,58 22-10t,20-9t
board | box tan 6,62 94,86
    ~[:] at 50+{62 / n}t,0; box * {cubes}
bowl | {_layers(n, lambda height: 42 * math.sqrt(1 - (1 - height) ** 2 * 0.9))}
    box grey 38,88 62,94
cake | [:] box * 18,{86 - cake}-{cake}t 82,86-{cake}t
    box grey 8,86 92,91
disc | [:1] oval * 50,56 44,36
    [1:2] oval * 50,56 36,28
    [2:] dots * 6 6 0+0.5t 50,56 27.2-9.18t,20.8-7.02t
fruit | ~[:] at 50+{80 / n}t,{62 - r}; line brown 5 0,0 6,-12; oval green 12,-10 9,5; oval * 0,{r} {r},{r}
glass | {_layers(n, lambda height: 16 + 10 * height)}
pan | box dark 74,58 99,66; oval grey 42,62 40,30
    [:1] oval * 42,62 32,23
    [1:] dots * 5 5 0+1t 42,62 20-7t,14-5t
parcel | ~[:] at 50+30t,0; poly * -15,78 -9,52 0,44 9,52 15,78; line black 2 -6,50 0,60 6,50
plate | oval ice 50,62 46,26
    ~[:] oval * 50+{68 / n}t,56 {plate},16
pot
    box grey 4,42 16,50 | 84,42 96,50
    {_layers(n, lambda height: 34)}
stick | ~[:] at 50,50+26t; poly * -38,-10 34,-6 44,0 34,6 -38,10; oval green -42,0 7,12
""")


def _workshop(n: int) -> dict[str, list[str]]:
    stripe, brick, block, wagon = 84 / n, 90 / n, min(15.0, 88 / n), min(44.0, 92 / max(1, n // 2))
    stud, top, wheel = f"{90 - block}-{block}t", f"{94 - block}-{block}t", wagon * 0.13
    cord = " ".join(f"{x},{y}" for x, y in ellipse((50, 52), (36, 36), 40))
    return blocks(f"""
beads | box cream 10,60 90,92
    [:1] oval * 20,60 8,8 x5,15,0 | 27,46 8,8 x4,15,0
flower | ~[:] at 50+34t,0; line green 4 0,88 0,46; dots * 5 8 0 0,36 12,12
house | ?[1:2] box * 22,44 78,84; oval black 50,60 9,9
    ?[2:3] poly * 12,46 50,12 88,46
    ?[0:1] box * 12,84 88,93
    ?[3:4] box * 46,72 54,78 | 36,76 64,81
plank | ~[:] at 50,50+30t; box * -42,-11 42,11; line dark 1 -36,-3 30,-3
planter | ~[2:] at 50+24t,0; line green 4 0,64 0,36; dots * 5 6 0 0,30 8,8
    [1:2] box * 12,58 88,72
    [:1] poly * 8,66 92,66 84,94 16,94
ring | line dark 3 {cord}
    [:] dots * 1 {min(11.0, 70 / n + 2)} {-math.pi / 2}+{2 * math.pi / n}t 50,52 36,36
robot
    ?[3:4] box * 34,74 44,96 | 56,74 66,96
    ?[2:3] box * 10,42 28,52 | 72,42 90,52
    ?[0:1] box * 28,38 72,76
    ?[1:2] box * 36,10 64,36; oval white 44,21 4,5 | 56,21 4,5
    ?[4:5] oval * 50,57 9,9
sheet | [:] box * 8+{stripe}t,22 {8 + stripe}+{stripe}t,86
    line black 4 8,22 92,22 92,86 8,86 8,22
strand | {_strand(n)}
tower
    [:] box * 38,{stud} 46,{top} | 54,{stud} 62,{top} | 28,{top} 72,94-{block}t
train | ~[1::2] oval * 50+{wagon}t,54 {wagon * 0.3},14
    ~[::2] at 50+{wagon}t,0; box * {-wagon * 0.42},54 {wagon * 0.42},76
    ~[::2] at 50+{wagon}t,79; oval dark {-wagon * 0.22},0 {wheel},{wheel} x2,{wagon * 0.44},0
    ~[2::2] at 50+{wagon}t,70; line black 4 {-wagon * 0.08},0 {wagon * 0.08},0
wall
    ~[:] at 50+{brick}t,0; box * {-brick / 2},40 {brick / 2},92 | {-brick / 5},28 {brick / 5},40
wheels | ~[:] at 50,58+36t; oval * -20,0 15,15 x2,40,0; oval white -20,0 5,5 x2,40,0
""")


def _layers(n: int, half: Callable[[float], float]) -> str:
    """Returns n layers and the vessel around them, which is half as wide as told at a height from 0 to 1."""

    def side(way: int, low: float, high: float, n: int) -> list[str]:
        heights = [low + (high - low) * j / n for j in range(n + 1)]
        return [f"{50 + way * half(height)},{88 - height * 58}" for height in heights]

    lines = []
    for i in range(n):
        layer = (i / (n + 0.6), (i + 1) / (n + 0.6), 8)
        lines.append(f"[{i}:{i + 1}] poly * {' '.join(side(-1, *layer) + side(1, *layer)[::-1])}")
    return "\n    ".join([*lines, f"line black 4 {' '.join(side(-1, 0, 1, 16)[::-1] + side(1, 0, 1, 16))}"])


def _strand(n: int) -> str:
    """Returns n beads on a cord that hangs down."""
    shares, size = [(i + 0.5) / n for i in range(n)], min(11.0, 44 / n + 2)
    spots = [f"{6 + 88 * t},{30 + 130 * t * (1 - t)}" for t in shares]
    beads = [f"[{i}:{i + 1}] oval * {spot} {size},{size}" for i, spot in enumerate(spots)]
    return "\n    ".join([f"line dark 3 6,30 {' '.join(spots)} 94,30", *beads])


ITEMS = {*_kitchen(1), *_workshop(1)}

TOOLS = {
    "cut": "poly grey 20,30 70,30 70,52 34,52; box brown 70,34 96,44",
    "heat": "poly orange 50,0 74,36 64,60 36,60 26,36; poly yellow 50,26 60,46 54,58 46,58 40,46",
    "join": "line black 12 50,10 50,60 | 25,35 75,35",
    "paint": "line brown 9 84,4 46,40; poly dark 50,34 40,46 22,62 34,38",
    "saw": "poly grey 8,30 72,26 72,46 64,52 56,44 48,52 40,44 32,52 24,44 16,52 8,44; box brown 72,24 94,50",
    "stir": "line brown 8 80,2 44,42; oval brown 36,50 15,12",
}
_ARROW = "poly black 8,92 62,92 62,78 98,100 62,122 62,108 8,108"


def _item(canvas: _Square, item: str) -> None:
    kind, _, names = item.partition(" ")
    colours = names.split(",")
    for line in (_kitchen(len(colours)) | _workshop(len(colours)))[kind]:
        which, _, steps = line.rpartition("] ")
        ends = [int(end) if end else None for end in which.strip("?~[").split(":")]
        chosen = colours[slice(*ends)] if which else [""]
        for i, colour in enumerate(chosen):
            t = i - (len(chosen) - 1) / 2 if which.startswith("~") else i
            if colour != "white" or not which.startswith("?"):
                canvas.play(at_time(steps.replace("*", colour), t))


def draw(tool: str, inputs: Sequence[str], output: str) -> Image.Image:
    """Draws a step: a tool, one to three items that must be there already, and the one that comes out.

    The same for the same arguments (edges may differ between Pillow releases).
    """
    canvas = _Square(SIZE, "surface", COLOURS)
    canvas.pen.rectangle((0, 108 * canvas.FACTOR, *canvas.image.size), fill=canvas.ink("shadow"))
    side = {1: 64, 2: 52, 3: 38}[len(inputs)]
    for i, item in enumerate(inputs):
        canvas.look((4 + (64 - side) / 2, 60 - len(inputs) * (side + 2) / 2 + i * (side + 2)), side)
        _item(canvas, item)
    canvas.look((70, 28), 30)
    canvas.play(f"{TOOLS[tool]}; {_ARROW}")
    canvas.look((102, 16), 86)
    _item(canvas, output)
    return few_levels(canvas.image.reduce(canvas.FACTOR), _LEVELS)


class RecipeStep(NamedTuple):
    """A step of a bundled plan."""

    text: str  # what is done
    tool: str  # one of `TOOLS`
    takes: list[str]  # what goes in: "=name" is the outcome of that step, all else an item at hand
    makes: str  # the item that comes out; no other step of the plan makes or takes the same from elsewhere


class Recipe:
    """A bundled plan: what it makes, and its steps in a possible order.

    Attributes:
        edges: Direct dependencies as indices of steps: (maker, taker).
    """

    def __init__(self, title: str, lines: Iterable[str]) -> None:
        self.title, self.name = title, title.lower().replace(" ", "_")
        self.steps: list[RecipeStep] = []
        self.edges: list[Edge] = []
        self._made: dict[str, tuple[int, str]] = {}
        for i, line in enumerate(lines):
            name, text, tool, takes, makes = line.split(" | ")
            self.steps.append(RecipeStep(text, tool, takes.split("; "), makes))
            self.edges += [(self._made[item][0], i) for item in takes.split("; ") if item[0] == "="]
            self._made[f"={name}"] = (i, makes)

    def shown(self, step: RecipeStep) -> list[str]:
        """Returns the items that go into a step."""
        return [self._made[item][1] if item[0] == "=" else item for item in step.takes]


def recipes() -> list[Recipe]:
    """Returns the bundled plans: 13 of 6 to 12 steps."""
    return [Recipe(title, lines) for title, lines in blocks(PLANS).items()]


def plan_of(recipe: Recipe) -> Plan:
    """Returns a bundled plan as plans of all sources are given."""
    urls = [media_url(BENCHMARK, f"{recipe.name}/{i:02}.png") for i in range(1, len(recipe.steps) + 1)]
    steps = [Step(step.text, url) for step, url in zip(recipe.steps, urls, strict=True)]
    return Plan(recipe.name, recipe.title, steps, recipe.edges)


def pairs_of(plan: Plan) -> list[Pair]:
    """Returns as many dependent as independent pairs of a plan, drawn with a fixed seed."""
    asked = pairs_to_ask(plan)
    kinds = [[pair for pair in asked if pair.dependent is dependent] for dependent in (True, False)]
    n = min(PAIRS_A_KIND, *map(len, kinds))
    generator = random.Random(f"{SEED} {plan.plan_id}")
    return sorted(pair for kind in kinds for pair in generator.sample(kind, n))


def write(root: Path) -> tables.Row:
    """Renders the pictures and writes the table under `root`; returns the manifest."""
    sample, plans = Sample(BENCHMARK, root), [plan_of(recipe) for recipe in recipes()]
    for recipe, plan in zip(recipes(), plans, strict=True):
        for step, shown in zip(recipe.steps, plan.steps, strict=True):
            sample.picture(shown.image, draw(step.tool, recipe.shown(step), step.makes))
    sample.table("pairs", [row for plan in plans for row in questions(plan, pairs_of(plan))], SCHEMA)
    of_plans = counts((len(plan.steps), plan.edges) for plan in plans)._asdict()
    return sample.finish(counts={"test": of_plans})
