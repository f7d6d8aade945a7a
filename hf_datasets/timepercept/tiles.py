"""Draws land seen from above: a town that grows at a known pace, seasons, floods, and kinds of land use.

In every town one house is finished each `PACE` days, and its building site passes through three stages, so
that order and intervals can be read off the pictures: count the houses. Seasons and floods come and go, and
tell the months apart but not the years.
"""

import random
from dataclasses import dataclass
from datetime import date, timedelta

from PIL import Image, ImageDraw

SIZE = 112
PACE = 30
"""Days from one finished house to the next."""

_LOT = 9
_COLUMNS, _ROWS = 9, 6
_STAGE_DAYS = 10
CATEGORIES = ("residential", "farmland", "harbour", "industrial", "woodland")

_SEASONS = {
    # ground, trees, crops
    "winter": ((226, 230, 232), (121, 112, 104), (206, 208, 205)),
    "spring": ((146, 181, 100), (136, 190, 84), (151, 118, 80)),
    "summer": ((118, 160, 80), (42, 110, 52), (120, 178, 66)),
    "autumn": ((158, 152, 92), (196, 112, 40), (219, 188, 92)),
}
_ROOFS = ((178, 62, 48), (196, 98, 50), (92, 84, 104), (150, 52, 70))
_WATER = (52, 104, 168)
_ROAD = (96, 96, 98)


@dataclass(frozen=True)
class Town:
    """A place.

    Attributes:
        number: Its seed.
        category: One of `CATEGORIES`.
        dates: When it is photographed, in chronological order.
        flooded: The dates, by index, on which the water is high.
        first_houses: Houses on the first date.
    """

    number: int
    category: str
    dates: tuple[date, ...]
    flooded: frozenset[int]
    first_houses: int


def season(day: date) -> str:
    """Returns the northern season of a date."""
    return ("winter", "spring", "summer", "autumn")[day.month % 12 // 3]


def town(number: int, seed: int) -> Town:
    """Returns a place with seven dates over about three years, with short and long gaps in random order."""
    generator = random.Random(f"{seed}/town/{number}")
    ranges = ((10, 24), (33, 80), (95, 200), (150, 330), (250, 360), (170, 290))
    gaps = [generator.randint(*limits) for limits in ranges]
    generator.shuffle(gaps)
    day = date(generator.randint(2009, 2018), generator.randint(1, 12), generator.randint(1, 28))
    dates = [day]
    for gap in gaps:
        dates.append(dates[-1] + timedelta(days=gap))
    return Town(
        number,
        CATEGORIES[number % len(CATEGORIES)],
        tuple(dates),
        frozenset(generator.sample(range(len(dates)), 2)),
        generator.randint(2, 6),
    )


def houses(place: Town, index: int) -> tuple[int, int]:
    """Returns the finished houses at a date, and the stage of the next one's site, 0 to 2."""
    days = (place.dates[index] - place.dates[0]).days
    return place.first_houses + days // PACE, days % PACE // _STAGE_DAYS


def draw_town(place: Town, index: int) -> Image.Image:
    """Returns the place at one of its dates, RGB, `SIZE` pixels square."""
    generator = random.Random(f"layout/{place.number}")
    ground, trees, crops = _SEASONS[season(place.dates[index])]
    image = Image.new("RGB", (SIZE, SIZE), ground)
    draw = ImageDraw.Draw(image)
    left, top = generator.randint(4, SIZE - _COLUMNS * _LOT - 4), generator.randint(20, 46)
    _fields(draw, generator, crops, 9 if place.category == "farmland" else 4)
    _water(draw, generator, place.category == "harbour", index in place.flooded)
    for _ in range(70 if place.category == "woodland" else 26):
        x, y = (
            generator.randint(0, SIZE),
            generator.choice((generator.randint(0, 16), generator.randint(98, SIZE))),
        )
        draw.ellipse((x - 3, y - 3, x + 3, y + 3), trees, tuple(int(0.8 * c) for c in trees))
    if place.category == "industrial":
        for i in range(3):
            draw.ellipse((4 + 13 * i, 3, 14 + 13 * i, 13), (238, 238, 236), (120, 120, 120))
    # The town's ground is bare, so that houses stand out in every season.
    draw.rectangle(
        (left - 2, top - 2, left + _COLUMNS * _LOT, top + _ROWS * _LOT),
        tuple(int(0.5 * c + 90) for c in ground),
    )
    draw.line((0, top + 3 * _LOT - 1, SIZE, top + 3 * _LOT - 1), _ROAD, 2)
    finished, stage = houses(place, index)
    lots = [(column, row) for column in range(_COLUMNS) for row in range(_ROWS)]
    start = generator.choice((0, _COLUMNS - 1))
    lots.sort(key=lambda lot: (abs(lot[0] - start), lot[1]))
    roofs = [generator.choice(_ROOFS) for _ in lots]
    for i, (column, row) in enumerate(lots[: finished + 1]):
        x, y = left + column * _LOT, top + row * _LOT
        if i < finished:
            draw.rectangle((x, y, x + 6, y + 5), roofs[i])
            draw.line((x, y + 2, x + 6, y + 2), tuple(int(0.75 * c) for c in roofs[i]))
        else:
            _site(draw, x, y, stage)
    return _few_colours(image)


def _site(draw: ImageDraw.ImageDraw, x: int, y: int, stage: int) -> None:
    """A building site: bare earth, then a white foundation, then grey walls without a roof."""
    draw.rectangle((x, y, x + 6, y + 5), (136, 92, 54))
    if stage == 1:
        draw.rectangle((x + 1, y + 1, x + 5, y + 4), (246, 246, 240))
    elif stage == 2:
        draw.rectangle((x + 1, y + 1, x + 5, y + 4), (136, 92, 54), (40, 40, 44))


def _fields(
    draw: ImageDraw.ImageDraw, generator: random.Random, crops: tuple[int, int, int], count: int
) -> None:
    for _ in range(count):
        x, y = generator.randint(0, 90), generator.randint(0, 96)
        width, height, shade = generator.randint(14, 34), generator.randint(8, 18), generator.randint(-14, 14)
        draw.rectangle((x, y, x + width, y + height), tuple(c + shade for c in crops))
        for line in range(y + 2, y + height, 4):
            draw.line((x, line, x + width, line), tuple(c + shade - 16 for c in crops))


def _water(draw: ImageDraw.ImageDraw, generator: random.Random, harbour: bool, high: bool) -> None:
    if harbour:
        edge = 92 if high else 100
        draw.rectangle((0, edge, SIZE, SIZE), _WATER)
        for i in range(3):
            x = 14 + 32 * i
            draw.rectangle((x, edge - 2, x + 3, edge + 9), (150, 140, 124))
            draw.polygon(((x + 6, edge + 3), (x + 10, edge + 3), (x + 8, edge + 10)), (240, 240, 240))
        return
    y, bend = generator.randint(100, 106), generator.randint(-6, 6)
    points = ((0, y), (SIZE // 3, y + bend), (2 * SIZE // 3, y - bend), (SIZE, y))
    draw.line(points, _WATER, 15 if high else 6, joint="curve")


def _few_colours(image: Image.Image) -> Image.Image:
    """Returns the picture with a palette: a third of the size as PNG, and no visible difference."""
    return image.quantize(48, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


LAND_USE = (
    "agricultural",
    "beach",
    "forest",
    "freeway",
    "harbor",
    "parking lot",
    "river",
    "runway",
    "storage tanks",
    "tennis court",
)


def draw_land_use(name: str, variant: int) -> Image.Image:
    """Returns an aerial picture of one of the classes of `LAND_USE`."""
    generator = random.Random(f"land/{name}/{variant}")
    image = Image.new("RGB", (SIZE, SIZE), (122, 156, 86))
    draw = ImageDraw.Draw(image)
    {
        "agricultural": _agricultural,
        "beach": _beach,
        "forest": _forest,
        "freeway": _freeway,
        "harbor": _harbor,
        "parking lot": _parking_lot,
        "river": _river,
        "runway": _runway,
        "storage tanks": _storage_tanks,
        "tennis court": _tennis_court,
    }[name](draw, generator)
    return _few_colours(image)


def _agricultural(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    y = 0
    while y < SIZE:
        height = generator.randint(18, 40)
        crop = generator.choice(((120, 178, 66), (219, 188, 92), (151, 118, 80)))
        draw.rectangle((0, y, SIZE, y + height), crop)
        for x in range(0, SIZE, 5):
            draw.line((x, y, x, y + height), tuple(c - 18 for c in crop))
        y += height + 1


def _beach(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    draw.rectangle((0, 0, SIZE, SIZE), _WATER)
    edge = generator.randint(40, 64)
    shore = [(x, edge + generator.randint(-4, 4)) for x in range(0, SIZE + 9, 8)]
    draw.polygon([*shore, (SIZE, SIZE), (0, SIZE)], (236, 214, 160))
    draw.line(shore, (250, 250, 250), 4, joint="curve")


def _forest(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    for _ in range(420):
        x, y, radius = generator.randint(0, SIZE), generator.randint(0, SIZE), generator.randint(4, 7)
        green = generator.randint(84, 128)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), (34, green, 48), (24, green - 24, 36))


def _freeway(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    x = generator.randint(36, 60)
    for offset in (-17, 17):
        draw.rectangle((x + offset - 14, 0, x + offset + 14, SIZE), _ROAD)
        for lane in (-5, 5):
            for y in range(0, SIZE, 12):
                draw.line((x + offset + lane, y, x + offset + lane, y + 6), (250, 250, 250))
        for _ in range(6):
            car_x, car_y = x + offset + generator.choice((-11, -2, 8)), generator.randint(0, SIZE)
            draw.rectangle((car_x, car_y, car_x + 4, car_y + 8), generator.choice(_ROOFS))


def _harbor(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    draw.rectangle((0, 0, SIZE, SIZE), _WATER)
    for x in range(generator.randint(8, 16), SIZE, 34):
        draw.rectangle((x, 0, x + 5, SIZE), (170, 158, 138))
        for y in range(4, SIZE, 14):
            for side in (x - 10, x + 7):
                if generator.random() < 0.8:
                    draw.polygon(
                        ((side, y), (side + 8, y), (side + 8, y + 6), (side, y + 6)), (244, 244, 244)
                    )


def _parking_lot(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    draw.rectangle((0, 0, SIZE, SIZE), (120, 120, 122))
    for y in range(4, SIZE, 22):
        for x in range(2, SIZE, 9):
            draw.line((x, y, x, y + 14), (240, 240, 240))
            if generator.random() < 0.75:
                draw.rectangle((x + 2, y + 2, x + 6, y + 12), generator.choice((*_ROOFS, (60, 90, 160))))


def _river(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    points = [(x, 56 + generator.randint(-26, 26)) for x in range(-10, SIZE + 20, 30)]
    draw.line(points, _WATER, 18, joint="curve")
    for _ in range(26):
        x, y = (
            generator.randint(0, SIZE),
            generator.choice((generator.randint(0, 12), generator.randint(98, SIZE))),
        )
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), (42, 110, 52))


def _runway(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    y = generator.randint(44, 60)
    draw.rectangle((0, y - 14, SIZE, y + 14), (78, 78, 82))
    for x in range(18, SIZE, 16):
        draw.line((x, y, x + 8, y), (250, 250, 250), 2)
    for stripe in range(-11, 13, 4):
        draw.line((2, y + stripe, 14, y + stripe), (250, 250, 250), 2)


def _storage_tanks(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    draw.rectangle((0, 0, SIZE, SIZE), (176, 166, 148))
    radius = generator.randint(13, 17)
    for x in range(radius + 3, SIZE, 2 * radius + 6):
        for y in range(radius + 3, SIZE, 2 * radius + 6):
            draw.ellipse((x - radius + 3, y - radius + 3, x + radius + 3, y + radius + 3), (110, 104, 94))
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), (240, 240, 238), (120, 120, 120))


def _tennis_court(draw: ImageDraw.ImageDraw, generator: random.Random) -> None:
    surface = generator.choice(((40, 110, 150), (176, 84, 58), (60, 130, 84)))
    for x in (8, 60):
        draw.rectangle((x, 12, x + 44, 100), tuple(int(0.8 * c) for c in surface))
        draw.rectangle((x + 7, 22, x + 37, 90), surface, (250, 250, 250))
        draw.line((x + 7, 56, x + 37, 56), (250, 250, 250), 2)
        draw.line((x + 12, 22, x + 12, 90), (250, 250, 250))
        draw.line((x + 32, 22, x + 32, 90), (250, 250, 250))
        draw.line((x + 22, 40, x + 22, 72), (250, 250, 250))
