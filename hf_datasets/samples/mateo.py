"""Renders the bundled MATEO sample: plans whose steps are drawn and described.

A step shows what goes in on the left, the tool, and what comes out on the right. An item is written as a kind
and its colours, "bowl red,green": from the bottom up, from left to right, or from the outside in. Every item
is drawn on a square of 100 units; `*` stands for a colour of its own.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
PAIRS_A_KIND = 4
"""At most so many dependent and as many independent pairs are asked of a plan."""
SIZE = (192, 120)
"""Width and height of a picture in pixels."""
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


def _circle(n: int, x: float, y: float, rx: float, ry: float, size: float, turn: float = 0.0) -> str:
    """Returns the steps of n dots on an ellipse."""
    angles = [2 * math.pi * i / n + turn for i in range(n)]
    dots = [f"{x + rx * math.cos(a)},{y + ry * math.sin(a)} {size},{size}" for a in angles]
    return "oval * " + " | ".join(dots)


class _Row(NamedTuple):
    """A kind of item that repeats some steps in each of its colours, around a point or with t from 0."""

    steps: str
    dx: float = 0.0
    dy: float = 0.0
    at: Point = (50, 0)
    before: str = ""
    after: str = ""


def _rows(n: int) -> dict[str, _Row]:
    """Returns the kinds of item that are rows, for n colours."""
    fruit, plate, spread, brick = 30 / n**0.6, 30 / n**0.8, 1.3 / n**0.5, 90 / n
    stripe, cake, block = 84 / n, min(18.0, 66 / n), min(15.0, 88 / n)
    stud, top = f"{90 - block}-{block}t", f"{94 - block}-{block}t"
    pieces = ((-12, 0), (0, 0), (12, 0), (-6, -11), (6, -11), (0, -22))
    cubes = [f"{dx * spread - 7},{61 + dy} {dx * spread + 7},{73 + dy}" for dx, dy in pieces]
    return {
        "bag": _Row(
            "oval * 0,58 22-10t,20-9t",
            before="poly cream 24,26 76,26 84,92 16,92; line black 4 24,26 30,12 70,12 76,26",
        ),
        "board": _Row("box * " + " | ".join(cubes), 62 / n, before="box tan 6,62 94,86"),
        "cake": _Row(f"box * -32,{86 - cake}-{cake}t 32,86-{cake}t", after="box grey 8,86 92,91"),
        "flower": _Row("line green 4 0,88 0,46; " + _circle(5, 0, 36, 12, 12, 8), 34),
        "fruit": _Row(
            f"line brown 5 0,{62 - fruit} 6,{50 - fruit}; oval green 12,{52 - fruit} 9,5; "
            f"oval * 0,62 {fruit},{fruit}",
            80 / n,
        ),
        "parcel": _Row("poly * -15,78 -9,52 0,44 9,52 15,78; line black 2 -6,50 0,60 6,50", 30),
        "plank": _Row("box * -42,-11 42,11; line dark 1 -36,-3 30,-3", dy=30, at=(50, 50)),
        "plate": _Row(f"oval * 0,56 {plate},16", 68 / n, before="oval ice 50,62 46,26"),
        "sheet": _Row(
            f"box * 8+{stripe}t,22 {8 + stripe}+{stripe}t,86",
            at=(0, 0),
            after="line black 4 8,22 92,22 92,86 8,86 8,22",
        ),
        "stick": _Row("poly * -38,-10 34,-6 44,0 34,6 -38,10; oval green -42,0 7,12", dy=26, at=(50, 50)),
        "tower": _Row(f"box * 38,{stud} 46,{top} | 54,{stud} 62,{top} | 28,{top} 72,94-{block}t", at=(0, 0)),
        "wall": _Row(f"box * {-brick / 2},40 {brick / 2},92 | {-brick / 5},28 {brick / 5},40", brick),
        "wheels": _Row(
            "; ".join(f"oval * {x},0 15,15; oval white {x},0 5,5" for x in (-20, 20)), dy=36, at=(50, 58)
        ),
    }


# What has parts: the index of a part's colour, and how it looks. A white part is not there yet.
_PARTS = {
    "robot": (
        (3, "box * 34,74 44,96 | 56,74 66,96"),
        (2, "box * 10,42 28,52 | 72,42 90,52"),
        (0, "box * 28,38 72,76"),
        (1, "box * 36,10 64,36; oval white 44,21 4,5 | 56,21 4,5"),
        (4, "oval * 50,57 9,9"),
    ),
    "house": (
        (1, "box * 22,44 78,84; oval black 50,60 9,9"),
        (2, "poly * 12,46 50,12 88,46"),
        (0, "box * 12,84 88,93"),
        (3, "box * 46,72 54,78 | 36,76 64,81"),
    ),
}


def _bowl(height: float) -> float:
    return 42 * math.sqrt(1 - (1 - height) ** 2 * 0.9)


# What is filled in layers: half its width at a height from 0 to 1, and what else belongs to it.
_VESSELS: dict[str, tuple[Callable[[float], float], str, str]] = {
    "bowl": (_bowl, "", "box grey 38,88 62,94"),
    "pot": (lambda height: 34, "box grey 4,42 16,50 | 84,42 96,50", ""),
    "glass": (lambda height: 16 + 10 * height, "", ""),
}


def _vessel(kind: str, colours: Sequence[str]) -> Iterator[str]:
    half, before, after = _VESSELS[kind]

    def sides(low: float, high: float, n: int) -> tuple[list[str], list[str]]:
        heights = [low + (high - low) * j / n for j in range(n + 1)]
        left = [f"{50 - half(h)},{88 - h * 58}" for h in heights]
        return left, [f"{50 + half(h)},{88 - h * 58}" for h in heights]

    yield before
    for i, colour in enumerate(colours):
        left, right = sides(i / (len(colours) + 0.6), (i + 1) / (len(colours) + 0.6), 8)
        yield f"poly {colour} {' '.join(left + right[::-1])}"
    left, right = sides(0, 1, 16)
    yield f"line black 4 {' '.join(left[::-1] + right)}; {after}"


def _pan(colours: Sequence[str]) -> Iterator[str]:
    yield f"box dark 74,58 99,66; oval grey 42,62 40,30; oval {colours[0]} 42,62 32,23"
    for i, colour in enumerate(colours[1:]):
        yield _circle(5, 42, 62, 20 - 7 * i, 14 - 5 * i, 5, i).replace("*", colour)


def _strand(colours: Sequence[str]) -> Iterator[str]:
    n = len(colours)
    shares = [(i + 0.5) / n for i in range(n)]
    spots = [f"{6 + 88 * t},{30 + 130 * t * (1 - t)}" for t in shares]
    yield f"line dark 3 6,30 {' '.join(spots)} 94,30"
    radius = min(11.0, 44 / n + 2)
    for spot, colour in zip(spots, colours, strict=True):
        yield f"oval {colour} {spot} {radius},{radius}"


def _ring(colours: Sequence[str]) -> Iterator[str]:
    n = len(colours)
    yield "line dark 3 " + " ".join(f"{x},{y}" for x, y in ellipse((50, 52), (36, 36), 40))
    radius = min(11.0, 70 / n + 2)
    for i, colour in enumerate(colours):
        yield _circle(1, 50, 52, 36, 36, radius, 2 * math.pi * i / n - math.pi / 2).replace("*", colour)


def _beads(colours: Sequence[str]) -> Iterator[str]:
    yield "box cream 10,60 90,92"
    for i in range(9):
        yield f"oval {colours[i % len(colours)]} {20 + 15 * (i % 5) + 7 * (i // 5)},{60 - 14 * (i // 5)} 8,8"


def _train(colours: Sequence[str]) -> Iterator[str]:
    """Wagons in a row; each has a body and a load, so colours come in twos."""
    n = len(colours) // 2
    width = min(44.0, 92 / n)
    for i, (body, load) in enumerate(zip(colours[::2], colours[1::2], strict=True)):
        left = 50 - n * width / 2 + i * width
        yield f"oval {load} {left + width / 2},54 {width * 0.3},14"
        yield f"box {body} {left + width * 0.08},54 {left + width * 0.92},76"
        for x in (0.28, 0.72):
            yield f"oval dark {left + width * x},79 {width * 0.13},{width * 0.13}"
        if i:
            yield f"line black 4 {left - width * 0.08},70 {left + width * 0.08},70"


def _disc(colours: Sequence[str]) -> Iterator[str]:
    """A round base, spread with the next colours from the outside in, the last ones as dots."""
    for colour, radii in zip(colours, ("44,36", "36,28"), strict=False):
        yield f"oval {colour} 50,56 {radii}"
    for i, colour in enumerate(colours[2:]):
        radius = 0.8 - 0.27 * i
        yield _circle(6, 50, 56, 34 * radius, 26 * radius, 6, 0.5 * i).replace("*", colour)


def _planter(colours: Sequence[str]) -> Iterator[str]:
    """A box with earth and flowers; the first two colours are the box and what is in it."""
    n = len(colours) - 2
    for i, colour in enumerate(colours[2:]):
        x = 50 + (i - (n - 1) / 2) * 72 / max(3, n)
        yield f"line green 4 {x},64 {x},36; {_circle(5, x, 30, 8, 8, 6)}".replace("*", colour)
    for colour in colours[1:2]:
        yield f"box {colour} 12,58 88,72"
    yield f"poly {colours[0]} 8,66 92,66 84,94 16,94"


_OTHERS: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {
    one.__name__[1:]: one for one in (_beads, _disc, _pan, _planter, _ring, _strand, _train)
}
ITEMS = {*_OTHERS, *_PARTS, *_VESSELS, *_rows(1)}

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
    if row := _rows(len(colours)).get(kind):
        canvas.play(row.before)
        for i, colour in enumerate(colours):
            k = i - (len(colours) - 1) / 2
            steps = at_time(row.steps.replace("*", colour), i)
            canvas.play(steps, at=(row.at[0] + k * row.dx, row.at[1] + k * row.dy))
        canvas.play(row.after)
        return
    if kind in _PARTS:
        there = [
            (steps, colours[i]) for i, steps in _PARTS[kind] if i < len(colours) and colours[i] != "white"
        ]
        found: Iterator[str] = (steps.replace("*", colour) for steps, colour in there)
    else:
        found = _vessel(kind, colours) if kind in _VESSELS else _OTHERS[kind](colours)
    for steps in found:
        canvas.play(steps)


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


@dataclass(frozen=True)
class RecipeStep:
    """A step of a bundled plan."""

    name: str  # unique in the plan
    text: str  # what is done
    tool: str  # one of `TOOLS`
    takes: tuple[str, ...]  # what goes in: "=name" is the outcome of that step, all else an item at hand
    makes: str  # the item that comes out; no other step of the plan makes or takes the same from elsewhere


@dataclass(frozen=True)
class Recipe:
    """A bundled plan: what it makes, and its steps in a possible order."""

    title: str
    steps: tuple[RecipeStep, ...]

    @property
    def name(self) -> str:
        """A name that no other plan has."""
        return self.title.lower().replace(" ", "_")

    @property
    def edges(self) -> list[Edge]:
        """Direct dependencies as indices of steps: (maker, taker)."""
        index = {step.name: i for i, step in enumerate(self.steps)}
        return [
            (index[item[1:]], index[step.name])
            for step in self.steps
            for item in step.takes
            if item.startswith("=")
        ]

    def shown(self, step: RecipeStep) -> list[str]:
        """Returns the items that go into a step."""
        makes = {other.name: other.makes for other in self.steps}
        return [makes[item[1:]] if item.startswith("=") else item for item in step.takes]


def _step(line: str) -> RecipeStep:
    name, text, tool, takes, makes = (part.strip() for part in line.split("|"))
    return RecipeStep(name, text, tool, tuple(item.strip() for item in takes.split(";")), makes)


def recipes() -> list[Recipe]:
    """Returns the bundled plans: 13 of 6 to 12 steps."""
    return [Recipe(title, tuple(map(_step, lines))) for title, lines in blocks(PLANS).items()]


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
