"""Draws the steps of the bundled plans: what goes in on the left, the tool, what comes out on the right.

An item is written as a kind and its colours, "bowl red,green": from the bottom up, from left to right, or
from the outside in. Every item is drawn on a square of 100 units.
"""

import math
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw

SIZE = (192, 120)
"""Width and height of a picture in pixels."""
_SUPERSAMPLING = 4
_LEVELS = 12

Colour = tuple[int, int, int]
Point = tuple[float, float]

COLOURS: dict[str, Colour] = {
    "red": (205, 50, 45),
    "orange": (238, 140, 40),
    "yellow": (245, 210, 65),
    "green": (85, 160, 75),
    "olive": (140, 145, 55),
    "teal": (40, 145, 145),
    "blue": (55, 100, 190),
    "ice": (185, 220, 240),
    "purple": (130, 75, 160),
    "pink": (240, 160, 185),
    "white": (252, 250, 245),
    "cream": (250, 232, 190),
    "tan": (220, 178, 120),
    "brown": (135, 85, 50),
    "dark": (70, 50, 45),
    "grey": (150, 155, 160),
    "black": (35, 35, 40),
}
_INK = COLOURS["black"]
_SURFACE = (243, 238, 228)
_SHADOW = (226, 218, 204)


class Pen:
    """Draws on a square of 100 units whose upper left corner is `origin`.

    Attributes:
        canvas: Where to draw.
        origin: In pixels of the canvas.
        scale: Pixels a unit.
    """

    def __init__(self, canvas: ImageDraw.ImageDraw, origin: Point, side: float) -> None:
        self.canvas = canvas
        self.origin = origin
        self.scale = side / 100

    def _place(self, points: Sequence[Point]) -> list[Point]:
        return [(self.origin[0] + x * self.scale, self.origin[1] + y * self.scale) for x, y in points]

    def shape(self, colour: Colour, points: Sequence[Point]) -> None:
        """Fills a polygon and outlines it."""
        corners = self._place(points)
        self.canvas.polygon(corners, fill=colour)
        self.line([*points, points[0]])

    def box(self, colour: Colour, left: float, top: float, right: float, bottom: float) -> None:
        """Fills a rectangle and outlines it."""
        self.shape(colour, [(left, top), (right, top), (right, bottom), (left, bottom)])

    def oval(self, colour: Colour, x: float, y: float, rx: float, ry: float) -> None:
        """Fills an ellipse and outlines it."""
        self.shape(colour, [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in _angles(40)])

    def line(self, points: Sequence[Point], colour: Colour = _INK, width: float = 2) -> None:
        """Draws a line through points."""
        self.canvas.line(
            self._place(points), fill=colour, width=max(1, round(width * self.scale)), joint="curve"
        )


def _angles(n: int) -> list[float]:
    return [2 * math.pi * i / n for i in range(n)]


Colours = Sequence[Colour]


def _vessel(pen: Pen, colours: Colours, outline: Callable[[float], tuple[float, float]]) -> None:
    """Fills a vessel in equal layers; `outline` gives left and right edge at a height from 0 to 1."""
    top, bottom = 30.0, 88.0
    n = len(colours)
    for i, colour in enumerate(colours):
        low, high = i / (n + 0.6), (i + 1) / (n + 0.6)
        heights = [low + (high - low) * j / 8 for j in range(9)]
        left = [(outline(h)[0], bottom - h * (bottom - top)) for h in heights]
        right = [(outline(h)[1], bottom - h * (bottom - top)) for h in reversed(heights)]
        pen.shape(colour, left + right)
    heights = [j / 16 for j in range(17)]
    left = [(outline(h)[0], bottom - h * (bottom - top)) for h in reversed(heights)]
    right = [(outline(h)[1], bottom - h * (bottom - top)) for h in heights]
    pen.line(left + right, width=4)


def _bowl(pen: Pen, colours: Colours) -> None:
    _vessel(
        pen,
        colours,
        lambda h: (
            50 - 42 * math.sqrt(1 - (1 - h) ** 2 * 0.9),
            50 + 42 * math.sqrt(1 - (1 - h) ** 2 * 0.9),
        ),
    )
    pen.box(COLOURS["grey"], 38, 88, 62, 94)


def _pot(pen: Pen, colours: Colours) -> None:
    pen.box(COLOURS["grey"], 4, 42, 16, 50)
    pen.box(COLOURS["grey"], 84, 42, 96, 50)
    _vessel(pen, colours, lambda h: (16, 84))


def _glass(pen: Pen, colours: Colours) -> None:
    _vessel(pen, colours, lambda h: (34 - 10 * h, 66 + 10 * h))


def _pan(pen: Pen, colours: Colours) -> None:
    pen.box(COLOURS["dark"], 74, 58, 99, 66)
    pen.oval(COLOURS["grey"], 42, 62, 40, 30)
    pen.oval(colours[0], 42, 62, 32, 23)
    for i, colour in enumerate(colours[1:]):
        for j in range(5):
            angle = 2 * math.pi * j / 5 + i
            pen.oval(colour, 42 + (20 - 7 * i) * math.cos(angle), 62 + (14 - 5 * i) * math.sin(angle), 5, 5)


def _board(pen: Pen, colours: Colours) -> None:
    pen.box(COLOURS["tan"], 6, 62, 94, 86)
    n = len(colours)
    for i, colour in enumerate(colours):
        centre = 50 + (i - (n - 1) / 2) * 62 / n
        for dx, dy in ((-12, 0), (0, 0), (12, 0), (-6, -11), (6, -11), (0, -22)):
            x, y = centre + dx * 1.3 / n**0.5, 68 + dy
            pen.box(colour, x - 7, y - 7, x + 7, y + 5)


def _fruit(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    for i, colour in enumerate(colours):
        x = 50 + (i - (n - 1) / 2) * 80 / n
        radius = 30 / n**0.6
        pen.line([(x, 62 - radius), (x + 6, 50 - radius)], COLOURS["brown"], 5)
        pen.oval(COLOURS["green"], x + 12, 52 - radius, 9, 5)
        pen.oval(colour, x, 62, radius, radius)


def _stick(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    for i, colour in enumerate(colours):
        y = 50 + (i - (n - 1) / 2) * 26
        pen.shape(colour, [(12, y - 10), (84, y - 6), (94, y), (84, y + 6), (12, y + 10)])
        pen.oval(COLOURS["green"], 8, y, 7, 12)


def _bag(pen: Pen, colours: Colours) -> None:
    pen.shape(COLOURS["cream"], [(24, 26), (76, 26), (84, 92), (16, 92)])
    pen.line([(24, 26), (30, 12), (70, 12), (76, 26)], width=4)
    for i, colour in enumerate(colours):
        pen.oval(colour, 50, 58, 22 - 10 * i, 20 - 9 * i)


def _tower(pen: Pen, colours: Colours) -> None:
    height = min(15.0, 88 / len(colours))
    for i, colour in enumerate(colours):
        bottom = 94 - i * height
        for x in (38, 54):
            pen.box(colour, x, bottom - height - 4, x + 8, bottom - height)
        pen.box(colour, 28, bottom - height, 72, bottom)


def _wall(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    width = 90 / n
    for i, colour in enumerate(colours):
        pen.box(colour, 5 + i * width, 40, 5 + (i + 1) * width, 92)
        pen.box(colour, 5 + (i + 0.3) * width, 28, 5 + (i + 0.7) * width, 40)


def _strand(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    spots = [(6.0, 30.0)]
    for i in range(n):
        t = (i + 0.5) / n
        spots.append((6 + 88 * t, 30 + 130 * t * (1 - t)))
    spots.append((94.0, 30.0))
    pen.line(spots, COLOURS["dark"], 3)
    radius = min(11.0, 44 / n + 2)
    for (x, y), colour in zip(spots[1:-1], colours, strict=True):
        pen.oval(colour, x, y, radius, radius)


def _ring(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    pen.line(
        [(50 + 36 * math.cos(a), 52 + 36 * math.sin(a)) for a in [*_angles(40), 0.0]], COLOURS["dark"], 3
    )
    radius = min(11.0, 70 / n + 2)
    for i, colour in enumerate(colours):
        angle = 2 * math.pi * i / n - math.pi / 2
        pen.oval(colour, 50 + 36 * math.cos(angle), 52 + 36 * math.sin(angle), radius, radius)


def _beads(pen: Pen, colours: Colours) -> None:
    pen.box(COLOURS["cream"], 10, 60, 90, 92)
    for i in range(9):
        pen.oval(colours[i % len(colours)], 20 + 15 * (i % 5) + 7 * (i // 5), 60 - 14 * (i // 5), 8, 8)


def _train(pen: Pen, colours: Colours) -> None:
    """Wagons in a row; each has a body and a load, so colours come in twos."""
    n = len(colours) // 2
    width = min(44.0, 92 / n)
    for i in range(n):
        left = 50 - n * width / 2 + i * width
        body, load = colours[2 * i], colours[2 * i + 1]
        pen.oval(load, left + width / 2, 54, width * 0.3, 14)
        pen.box(body, left + width * 0.08, 54, left + width * 0.92, 76)
        for x in (0.28, 0.72):
            pen.oval(COLOURS["dark"], left + width * x, 79, width * 0.13, width * 0.13)
        if i:
            pen.line([(left - width * 0.08, 70), (left + width * 0.08, 70)], width=4)


def _wheels(pen: Pen, colours: Colours) -> None:
    for i, colour in enumerate(colours):
        for x in (30, 70):
            pen.oval(colour, x, 40 + 36 * i, 15, 15)
            pen.oval(COLOURS["white"], x, 40 + 36 * i, 5, 5)


def _plank(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    for i, colour in enumerate(colours):
        y = 50 + (i - (n - 1) / 2) * 30
        pen.box(colour, 8, y - 11, 92, y + 11)
        pen.line([(14, y - 3), (80, y - 3)], COLOURS["dark"], 1)


def _sheet(pen: Pen, colours: Colours) -> None:
    """A picture or cloth in vertical stripes."""
    n = len(colours)
    for i, colour in enumerate(colours):
        pen.box(colour, 8 + 84 * i / n, 22, 8 + 84 * (i + 1) / n, 86)
    pen.line([(8, 22), (92, 22), (92, 86), (8, 86), (8, 22)], width=4)


def _disc(pen: Pen, colours: Colours) -> None:
    """A round base, spread with the next colours from the outside in, the last ones as dots."""
    pen.oval(colours[0], 50, 56, 44, 36)
    if len(colours) > 1:
        pen.oval(colours[1], 50, 56, 36, 28)
    for i, colour in enumerate(colours[2:]):
        for j in range(6):
            angle = 2 * math.pi * j / 6 + 0.5 * i
            radius = 0.8 - 0.27 * i
            pen.oval(colour, 50 + 34 * radius * math.cos(angle), 56 + 26 * radius * math.sin(angle), 6, 6)


def _cake(pen: Pen, colours: Colours) -> None:
    height = min(18.0, 66 / len(colours))
    for i, colour in enumerate(colours):
        bottom = 86 - i * height
        pen.box(colour, 18, bottom - height, 82, bottom)
    pen.box(COLOURS["grey"], 8, 86, 92, 91)


def _planter(pen: Pen, colours: Colours) -> None:
    """A box with earth and flowers; the first two colours are the box and what is in it."""
    flowers = colours[2:]
    for i, colour in enumerate(flowers):
        x = 50 + (i - (len(flowers) - 1) / 2) * 72 / max(3, len(flowers))
        pen.line([(x, 64), (x, 36)], COLOURS["green"], 4)
        for angle in _angles(5):
            pen.oval(colour, x + 8 * math.cos(angle), 30 + 8 * math.sin(angle), 6, 6)
    if len(colours) > 1:
        pen.box(colours[1], 12, 58, 88, 72)
    pen.shape(colours[0], [(8, 66), (92, 66), (84, 94), (16, 94)])


def _flower(pen: Pen, colours: Colours) -> None:
    for i, colour in enumerate(colours):
        x = 50 + (i - (len(colours) - 1) / 2) * 34
        pen.line([(x, 88), (x, 46)], COLOURS["green"], 4)
        for angle in _angles(5):
            pen.oval(colour, x + 12 * math.cos(angle), 36 + 12 * math.sin(angle), 8, 8)


def _robot(pen: Pen, colours: Colours) -> None:
    """Body, head, arms, legs, light; white is a part that is not there yet."""
    body, head, arms, legs, light = [*colours, *[COLOURS["white"]] * (5 - len(colours))]
    none = COLOURS["white"]
    if legs != none:
        pen.box(legs, 34, 74, 44, 96)
        pen.box(legs, 56, 74, 66, 96)
    if arms != none:
        pen.box(arms, 10, 42, 28, 52)
        pen.box(arms, 72, 42, 90, 52)
    if body != none:
        pen.box(body, 28, 38, 72, 76)
    if head != none:
        pen.box(head, 36, 10, 64, 36)
        for x in (44, 56):
            pen.oval(none, x, 21, 4, 5)
    if light != none:
        pen.oval(light, 50, 57, 9, 9)


def _house(pen: Pen, colours: Colours) -> None:
    """Floor, walls, roof, perch; white is a part that is not there yet."""
    floor, walls, roof, perch = [*colours, *[COLOURS["white"]] * (4 - len(colours))]
    none = COLOURS["white"]
    if walls != none:
        pen.box(walls, 22, 44, 78, 84)
        pen.oval(COLOURS["black"], 50, 60, 9, 9)
    if roof != none:
        pen.shape(roof, [(12, 46), (50, 12), (88, 46)])
    if floor != none:
        pen.box(floor, 12, 84, 88, 93)
    if perch != none:
        pen.box(perch, 46, 72, 54, 78)
        pen.box(perch, 36, 76, 64, 81)


def _parcel(pen: Pen, colours: Colours) -> None:
    n = len(colours)
    for i, colour in enumerate(colours):
        x = 50 + (i - (n - 1) / 2) * 30
        pen.shape(colour, [(x - 15, 78), (x - 9, 52), (x, 44), (x + 9, 52), (x + 15, 78)])
        pen.line([(x - 6, 50), (x, 60), (x + 6, 50)])


def _plate(pen: Pen, colours: Colours) -> None:
    pen.oval(COLOURS["ice"], 50, 62, 46, 26)
    n = len(colours)
    for i, colour in enumerate(colours):
        pen.oval(colour, 50 + (i - (n - 1) / 2) * 68 / n, 56, 30 / n**0.8, 16)


ITEMS: dict[str, Callable[[Pen, Colours], None]] = {
    "bag": _bag,
    "beads": _beads,
    "board": _board,
    "bowl": _bowl,
    "cake": _cake,
    "disc": _disc,
    "flower": _flower,
    "fruit": _fruit,
    "glass": _glass,
    "house": _house,
    "pan": _pan,
    "parcel": _parcel,
    "plank": _plank,
    "planter": _planter,
    "plate": _plate,
    "pot": _pot,
    "ring": _ring,
    "robot": _robot,
    "sheet": _sheet,
    "stick": _stick,
    "strand": _strand,
    "tower": _tower,
    "train": _train,
    "wall": _wall,
    "wheels": _wheels,
}


def _item(canvas: ImageDraw.ImageDraw, item: str, origin: Point, side: float) -> None:
    kind, _, names = item.partition(" ")
    pen = Pen(canvas, (origin[0] * _SUPERSAMPLING, origin[1] * _SUPERSAMPLING), side * _SUPERSAMPLING)
    ITEMS[kind](pen, [COLOURS[name] for name in names.split(",")])


def _knife(pen: Pen) -> None:
    pen.shape(COLOURS["grey"], [(20, 30), (70, 30), (70, 52), (34, 52)])
    pen.box(COLOURS["brown"], 70, 34, 96, 44)


def _heat(pen: Pen) -> None:
    pen.shape(COLOURS["orange"], [(50, 0), (74, 36), (64, 60), (36, 60), (26, 36)])
    pen.shape(COLOURS["yellow"], [(50, 26), (60, 46), (54, 58), (46, 58), (40, 46)])


def _plus(pen: Pen) -> None:
    pen.line([(50, 10), (50, 60)], width=12)
    pen.line([(25, 35), (75, 35)], width=12)


def _brush(pen: Pen) -> None:
    pen.line([(84, 4), (46, 40)], COLOURS["brown"], 9)
    pen.shape(COLOURS["dark"], [(50, 34), (40, 46), (22, 62), (34, 38)])


def _saw(pen: Pen) -> None:
    teeth = [(x, 52 if i % 2 else 44) for i, x in enumerate(range(8, 72, 8))]
    pen.shape(COLOURS["grey"], [(8, 30), (72, 26), (72, 46), *reversed(teeth)])
    pen.box(COLOURS["brown"], 72, 24, 94, 50)


def _spoon(pen: Pen) -> None:
    pen.line([(80, 2), (44, 42)], COLOURS["brown"], 8)
    pen.oval(COLOURS["brown"], 36, 50, 15, 12)


TOOLS: dict[str, Callable[[Pen], None]] = {
    "cut": _knife,
    "heat": _heat,
    "join": _plus,
    "paint": _brush,
    "saw": _saw,
    "stir": _spoon,
}


def draw(tool: str, inputs: Sequence[str], output: str) -> Image.Image:
    """Draws a step.

    Args:
        tool: One of `TOOLS`.
        inputs: One to three items that must be there already.
        output: The item that comes out.

    Returns:
        An RGB picture of `SIZE`, the same for the same arguments (edges may differ between Pillow releases).

    Raises:
        KeyError: The tables lack an item, a colour or a tool.
    """
    s = _SUPERSAMPLING
    image = Image.new("RGB", (SIZE[0] * s, SIZE[1] * s), _SURFACE)
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 108 * s, SIZE[0] * s, SIZE[1] * s), fill=_SHADOW)
    side = {1: 64, 2: 52, 3: 38}[len(inputs)]
    for i, item in enumerate(inputs):
        top = 60 - len(inputs) * (side + 2) / 2 + i * (side + 2)
        _item(canvas, item, (4 + (64 - side) / 2, top), side)
    pen = Pen(canvas, (70 * s, 28 * s), 30 * s)
    TOOLS[tool](pen)
    pen.shape(COLOURS["black"], [(8, 92), (62, 92), (62, 78), (98, 100), (62, 122), (62, 108), (8, 108)])
    _item(canvas, output, (102, 16), 86)
    image = image.reduce(s)
    # Few levels for each channel keep the PNG files small.
    return image.point([round(round(v * _LEVELS / 255) * 255 / _LEVELS) for v in range(256)] * 3)
