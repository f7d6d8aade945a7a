"""Renders the bundled sample of TimePerceptBench: land seen from above, and everyday things before and after.

In every town one house is finished each `PACE` days, and its building site passes through three stages, so
that order and intervals can be read off the pictures: count the houses. Seasons and floods come and go, and
tell the months apart but not the years. The everyday things stand in for TemporalVQA.
"""

import itertools
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path

from PIL import Image

from hf_datasets.timepercept import questions
from hf_datasets.timepercept.series import Series, Shot, slug
from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import Row
from tempbench_lmms.timepercept.card import TESTS
from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA

from .kit import Canvas, Sample, at_time, blocks, code, few_colours, media_url, palette

SEED = 2025
TEST_TOWNS, TRAIN_TOWNS = 44, 12
TEST_COUNT, TRAIN_COUNT = 40, 20
SIZE = 112
PACE = 30
"""Days from one finished house to the next."""

_LOT = 9
_COLUMNS, _ROWS = 9, 6
CATEGORIES = ("residential", "farmland", "harbour", "industrial", "woodland")
_COLOURS = palette(
    "water 3468a8 road 606062 white fafafa tank eeeeec rim 787878 bare 885c36 foundation f6f6f0 dark 28282c "
    "jetty 968c7c sail f0f0f0 sand ecd6a0"
)
_SEASONS = [
    palette("ground e2e6e8 trees 797068 crops ced0cd"),
    palette("ground 92b564 trees 88be54 crops 977650"),
    palette("ground 76a050 trees 2a6e34 crops 78b242"),
    palette("ground 9e985c trees c47028 crops dbbc5c"),
]
"""Winter to autumn, in the north."""
_ROOFS = ("b23e30", "c46232", "5c5468", "963446")


@dataclass(frozen=True)
class Town:
    """A place."""

    number: int  # its seed
    category: str  # one of `CATEGORIES`
    dates: tuple[date, ...]  # when it is photographed, in chronological order
    flooded: frozenset[int]  # the dates, by index, on which the water is high
    first_houses: int  # houses on the first date


def town(number: int, seed: int) -> Town:
    """Returns a place with seven dates over about three years, with short and long gaps in random order."""
    rng = random.Random(f"{seed}/town/{number}")
    ranges = ((10, 24), (33, 80), (95, 200), (150, 330), (250, 360), (170, 290))
    gaps = [rng.randint(*limits) for limits in ranges]
    rng.shuffle(gaps)
    first = date(rng.randint(2009, 2018), rng.randint(1, 12), rng.randint(1, 28))
    dates = [first + timedelta(days=days) for days in itertools.accumulate(gaps, initial=0)]
    flooded = frozenset(rng.sample(range(len(dates)), 2))
    return Town(number, CATEGORIES[number % len(CATEGORIES)], tuple(dates), flooded, rng.randint(2, 6))


def houses(place: Town, index: int) -> tuple[int, int]:
    """Returns the finished houses at a date, and the stage of the next one's site, 0 to 2."""
    days = (place.dates[index] - place.dates[0]).days
    return place.first_houses + days // PACE, days % PACE // 10


def draw_town(place: Town, index: int) -> Image.Image:
    """Returns the place at one of its dates, `SIZE` pixels square."""
    rng = random.Random(f"layout/{place.number}")
    canvas = Canvas((SIZE, SIZE), "ground", _COLOURS | _SEASONS[place.dates[index].month % 12 // 3])
    left, top = rng.randint(4, SIZE - _COLUMNS * _LOT - 4), rng.randint(20, 46)
    _fields(canvas, rng, 9 if place.category == "farmland" else 4)
    canvas.play(_water(rng, place.category == "harbour", index in place.flooded))
    edge = code(0.8 * c for c in canvas.ink("trees"))
    canvas.play(_trees(rng, 70 if place.category == "woodland" else 26, 16, f"trees/{edge}", 3))
    if place.category == "industrial":
        canvas.play("oval tank/rim 9,8 5,5 x3,13,0")
    # The town's ground is bare, so that houses stand out in every season.
    bare = code(0.5 * c + 90 for c in canvas.ink("ground"))
    canvas.play(f"box {bare} {left - 2},{top - 2} {left + _COLUMNS * _LOT},{top + _ROWS * _LOT}")
    canvas.play(f"line road 2 0,{top + 3 * _LOT - 1} {SIZE},{top + 3 * _LOT - 1}")
    finished, stage = houses(place, index)
    start = rng.choice((0, _COLUMNS - 1))
    lots = itertools.product(sorted(range(_COLUMNS), key=lambda column: abs(column - start)), range(_ROWS))
    # A site is bare earth, then a white foundation, then grey walls without a roof.
    site = ("", "; box foundation 1,1 5,4", "; box bare/dark 1,1 5,4")[stage]
    looks = [*(_house(rng.choice(_ROOFS)) for _ in range(finished)), f"box bare 0,0 6,5{site}"]
    for (column, row), look in zip(lots, looks, strict=False):
        canvas.play(look, at=(left + column * _LOT, top + row * _LOT))
    return few_colours(canvas.image, 48)


def _house(roof: str) -> str:
    return f"box {roof} 0,0 6,5; line {code(0.75 * c for c in bytes.fromhex(roof))} 1 0,2 6,2"


def _fields(canvas: Canvas, rng: random.Random, count: int) -> None:
    for _ in range(count):
        x, y = rng.randint(0, 90), rng.randint(0, 96)
        width, height, shade = rng.randint(14, 34), rng.randint(8, 18), rng.randint(-14, 14)
        crop, furrow = (code(c + shade - less for c in canvas.ink("crops")) for less in (0, 16))
        furrows = " | ".join(f"{x},{at} {x + width},{at}" for at in range(y + 2, y + height, 4))
        canvas.play(f"box {crop} {x},{y} {x + width},{y + height}; line {furrow} 1 {furrows}")


def _water(rng: random.Random, harbour: bool, high: bool) -> str:
    if harbour:
        edge = 92 if high else 100
        jetties, boats = f"14,{edge - 2} 17,{edge + 9}", f"20,{edge + 3} 24,{edge + 3} 22,{edge + 10}"
        return f"box water 0,{edge} 112,112; box jetty {jetties} x3,32,0; poly sail {boats} x3,32,0"
    y, bend = rng.randint(100, 106), rng.randint(-6, 6)
    return f"line water {15 if high else 6} 0,{y} 37,{y + bend} 74,{y - bend} 112,{y}"


def _trees(rng: random.Random, count: int, north: int, colours: str, radius: int) -> str:
    """Returns the steps of trees at the upper and the lower edge."""
    spots = (
        (rng.randint(0, SIZE), rng.choice((rng.randint(0, north), rng.randint(98, SIZE))))
        for _ in range(count)
    )
    return f"oval {colours} " + " | ".join(f"{x},{y} {radius},{radius}" for x, y in spots)


def draw_land_use(name: str, variant: int) -> Image.Image:
    """Returns an aerial picture of one of the classes of `LAND_USE`."""
    steps = "; ".join(_LAND_USE[name](random.Random(f"land/{name}/{variant}")))
    return few_colours(Canvas((SIZE, SIZE), "7a9c56", _COLOURS).play(steps), 48)


def _agricultural(rng: random.Random) -> Iterator[str]:
    y = 0
    while y < SIZE:
        height, crop = rng.randint(18, 40), rng.choice(("78b242", "dbbc5c", "977650"))
        furrow = code(c - 18 for c in bytes.fromhex(crop))
        yield f"box {crop} 0,{y} 112,{y + height}; line {furrow} 1 0,{y} 0,{y + height} x23,5,0"
        y += height + 1


def _beach(rng: random.Random) -> Iterator[str]:
    edge = rng.randint(40, 64)
    shore = " ".join(f"{x},{edge + rng.randint(-4, 4)}" for x in range(0, SIZE + 9, 8))
    yield f"box water 0,0 112,112; poly sand {shore} 112,112 0,112; line white 4 {shore}"


def _forest(rng: random.Random) -> Iterator[str]:
    for _ in range(420):
        x, y, r = rng.randint(0, SIZE), rng.randint(0, SIZE), rng.randint(4, 7)
        green = rng.randint(84, 128)
        yield f"oval {code((34, green, 48))}/{code((24, green - 24, 36))} {x},{y} {r},{r}"


def _freeway(rng: random.Random) -> Iterator[str]:
    x = rng.randint(36, 60)
    for left in (x - 31, x + 3):
        yield f"at {left},0; box road 0,0 28,112; line white 1 9,0 9,6 x10,0,12 | 19,0 19,6 x10,0,12"
        for _ in range(6):
            lane, y = rng.choice((3, 12, 22)), rng.randint(0, SIZE)
            yield f"box {rng.choice(_ROOFS)} {lane},{y} {lane + 4},{y + 8}"


def _harbor(rng: random.Random) -> Iterator[str]:
    yield "box water 0,0 112,112"
    for x in range(rng.randint(8, 16), SIZE, 34):
        yield f"box aa9e8a {x},0 {x + 5},112"
        for y, left in itertools.product(range(4, SIZE, 14), (x - 10, x + 7)):
            if rng.random() < 0.8:
                yield f"box f4f4f4 {left},{y} {left + 8},{y + 6}"


def _parking_lot(rng: random.Random) -> Iterator[str]:
    yield "box 78787a 0,0 112,112"
    for y, x in itertools.product(range(4, SIZE, 22), range(2, SIZE, 9)):
        yield f"line sail 1 {x},{y} {x},{y + 14}"
        if rng.random() < 0.75:
            yield f"box {rng.choice((*_ROOFS, '3c5aa0'))} {x + 2},{y + 2} {x + 6},{y + 12}"


def _river(rng: random.Random) -> Iterator[str]:
    yield "line water 18 " + " ".join(f"{x},{56 + rng.randint(-26, 26)}" for x in range(-10, SIZE + 20, 30))
    yield _trees(rng, 26, 12, "2a6e34", 4)


def _runway(rng: random.Random) -> Iterator[str]:
    yield f"at 0,{rng.randint(44, 60)}; box 4e4e52 0,-14 112,14"
    yield "line white 2 18,0 26,0 x6,16,0 | 2,-11 14,-11 x6,0,4"


def _storage_tanks(rng: random.Random) -> Iterator[str]:
    r = rng.randint(13, 17)
    yield "box b0a694 0,0 112,112"
    for x, y in itertools.product(range(r + 3, SIZE, 2 * r + 6), repeat=2):
        yield f"oval 6e685e {x + 3},{y + 3} {r},{r}; oval f0f0ee/rim {x},{y} {r},{r}"


def _tennis_court(rng: random.Random) -> Iterator[str]:
    surface = rng.choice(("286e96", "b0543a", "3c8254"))
    around = code(0.8 * c for c in bytes.fromhex(surface))
    for x in (8, 60):
        yield f"at {x},0; box {around} 0,12 44,100; box {surface}/white 7,22 37,90; line white 2 7,56 37,56"
        yield "line white 1 12,22 12,90 x2,20,0 | 22,40 22,72"


_LAND_USE: dict[str, Callable[[random.Random], Iterator[str]]] = {
    one.__name__[1:].replace("_", " "): one
    for one in (
        _agricultural, _beach, _forest, _freeway, _harbor, _parking_lot, _river, _runway, _storage_tanks,
        _tennis_court,
    )
}  # fmt: skip
LAND_USE = tuple(_LAND_USE)

_EVERYDAY = palette(
    "ink 28282c grass 78a054 cliff ba9678 ball d63c32 floor 96785a shelf 825a3c glass bee0f0 table aa8260 "
    "puddle 78b4e6 ice ceecfa sand e2be6e bulb ecf4f8 board 826446 wax f4ecd2 flame f6aa28 pot ba603c "
    "stem 3c8c3c leaf 46a046 bloom ec5a8c spot 54361e earth 967a5a slab aaaaac wall dcc8aa roof 963c32 "
    "door 6e4a30 soil 8c6846 ear cea032 trunk 6e4e32 crown 32823c yard 78826e day 96cefa meadow 628c4c "
    "night 282c60 dark 283c30 pane 5a6e82 lit fadc5a sun fcde50 moon f0f0e0 unripe 96be46 overripe be8c3c "
    "green 6eb446 gold e2be50"
)

# Name | class of its duration in TemporalVQA's terms; then the steps, as they change with t (`kit.at_time`).
SCENES = blocks("""
falling ball | A | box grass 0,84 96,96; box cliff/ink 6,8 26,84; oval ball/ink 51,27+54t 7,7
dropped glass | A | box floor 0,86 96,96; box shelf 0,40 50,46; t<0.5 box glass/ink 38,20 52,40;
    t>0.5 poly glass/ink 56,86 62,76 64,86 | 62,86 68,76 70,86 | 70,86 76,76 78,86 | 78,86 84,76 86,86
melting ice | B | box table 0,70 96,96; oval puddle 48,79 8+30t,5; box ice/ink 26+20t,34+40t 70-20t,78
hourglass | B
    poly bulb/ink 26,12 70,12 48,48 | 26,84 70,84 48,48; poly sand 28+20t,14+34t 68-20t,14+34t 48,48
    | 28,83 68,83 68-20t,83-30t 28+20t,83-30t
candle | C | box board/ink 20,82 76,88; box wax/ink 38,26+50t 58,82; t>0.3 oval wax 48,80 18,4;
    oval flame 48,17+50t 4,7
day to night | C | t<0.6 box day 0,0 96,96; t>0.6 box night 0,0 96,96; t<0.6 box meadow 0,74 96,96;
    t>0.6 box dark 0,74 96,96; poly roof/ink 58,60 72,46 86,60; box wall/ink 60,60 84,76;
    t<0.6 box pane/ink 66,64 74,72; t>0.6 box lit/ink 66,64 74,72; t<0.6 oval sun 21,53-60t 9,9;
    t>0.6 oval moon 22,20 8,8
seedling | D | poly pot/ink 32,66 64,66 58,90 38,90; line stem 3 48,66 48,62-50t;
    t>0.2 oval leaf 40.5,56 6.5,3 x2,15,0; t>0.4 oval leaf 40.5,47 6.5,3 x2,15,0;
    t>0.6 oval leaf 40.5,38 6.5,3 x2,15,0; t>0.8 oval leaf 40.5,29 6.5,3 x2,15,0;
    t>0.95 oval leaf 40.5,20 6.5,3 x2,15,0; t>0.7 oval bloom/ink 48,12 8,8
banana | D | t<0.5 arc unripe 16 20 160 48,38 34,38; t>0.5 arc overripe 16 20 160 48,38 34,38;
    t>0.5 oval spot 30,64 3,3 | 44,68 3,3 x2,14,0 | 70,60 3,3
house being built | E | box earth 0,80 96,96; box slab/ink 22,76 74,82; t>0.7 box wall/ink 24,46 72,76;
    t>0.7 poly roof/ink 18,46 48,20 78,46; t>0.7 box door/ink 42,58 54,76
wheat | E | box soil 0,78 96,96; t<0.7 line green 3 6,78 6,78-56t x12,8,0;
    t>0.7 line gold 3 6,78 6,78-56t x12,8,0; t>0.7 oval ear 6,76-56t 3,6 x12,8,0
growing tree | F | box grass 0,82 96,96; box wall/ink 6,54 34,82; poly roof/ink 2,54 20,36 38,54;
    box trunk 64-3t,74-30t 66+3t,82; oval crown 65,71.6-44.4t 4+24t,4+24t
skyline | F | box yard 0,80 96,96; box 828ca0/ink 6,62 16,80; t>0.2 box 8c8ca0/ink 76,51 86,80;
    t>0.3 box 968ca0/ink 62,40 72,80; t>0.5 box a08ca0/ink 48,29 58,80; t>0.6 box aa8ca0/ink 34,18 44,80;
    t>0.8 box b48ca0/ink 20,61 30,80; t>0.95 box be8ca0/ink 6,50 16,80
""")

SPANS = ((0.0, 0.9), (0.1, 1.0))
"""Before and after of the two versions of each scene."""


def draw_scene(scene: str, version: int, after: bool) -> Image.Image:
    """Returns a picture of a scene, before or after."""
    canvas = Canvas((96, 96), ("e0ecf4", "f4ecdc")[version], _EVERYDAY)
    return few_colours(canvas.play(at_time(" ".join(SCENES[scene][1:]), SPANS[version][after])), 32)


def series_of(place: Town) -> Series:
    """Returns a place's pictures."""
    shots = []
    for day in place.dates:
        order = datetime.combine(day, time(), timezone.utc).timestamp()
        shots.append(Shot(f"towns/{place.number:02d}_{day}.png", order, str(day), day))
    return Series(f"town {place.number}", "bundled", place.category, tuple(shots))


def towns() -> dict[str, list[Town]]:
    """Returns the places of the test and of the training split."""
    places = [town(number, SEED) for number in range(TEST_TOWNS + TRAIN_TOWNS)]
    return {"test": places[:TEST_TOWNS], "train": places[TEST_TOWNS:]}


def land_use_rows() -> list[Row]:
    """Returns the recognition check: 40 pictures of ten classes, five options each."""
    rng = random.Random(f"{SEED}/ucm")
    rows = []
    for number in range(TEST_COUNT):
        name = LAND_USE[number % len(LAND_USE)]
        shot = Shot(f"land/{slug(name)}_{number}.png", 0, "", None)
        rows.append(questions.choice_row(number, shot, name, LAND_USE, rng, "bundled", f"{roots.MINI}/"))
    return rows


def everyday_rows() -> dict[str, list[Row]]:
    """Returns the two transfer tests: every pair in both orders, next to each other, and all durations."""
    rows: dict[str, list[Row]] = {"transfer_order": [], "transfer_lapse": []}

    def add(test: str, shots: list[Shot], answer: str, choices: str, **more: str) -> None:
        values = {"answer": answer, "choices": list(choices), "dates": [], **more}
        rows[test].append(
            questions.make_row(test, len(rows[test]), "test", shots, [series], f"{roots.MINI}/", **values)
        )

    for version, (scene, (lapse, *_)) in itertools.product(range(len(SPANS)), SCENES.items()):
        name = f"everyday/{slug(scene)}_{version}"
        shots = [Shot(f"{name}_before.png", 0, "", None), Shot(f"{name}_after.png", 1, "", None)]
        series = Series(f"{scene} {version}", "bundled", "", tuple(shots))
        add("transfer_lapse", shots, lapse, "ABCDEF", kind=lapse)
        add("transfer_order", shots, "A", "AB")
        add("transfer_order", shots[::-1], "B", "AB")
    return rows


def _town_rows() -> dict[str, list[Row]]:
    """Returns the tests of order and interval, of both splits."""
    found = {}
    for split, places in towns().items():
        series = [series_of(place) for place in places]
        rules = questions.Rules(
            count=TEST_COUNT if split == "test" else TRAIN_COUNT, seed=SEED, min_ratio=2.0
        )
        for test, rows in questions.build(series, series, split, rules, subset=f"{roots.MINI}/").items():
            found[test if split == "test" else f"train/{test}"] = rows
    return found


def _picture(path: str) -> Image.Image:
    """Returns the picture that stands at a place below `media`."""
    folder, name = path.removesuffix(".png").split("/")
    name, last = name.rsplit("_", 1)
    if folder == "land":
        return draw_land_use(LAND_USE[int(last) % len(LAND_USE)], int(last))
    if folder == "everyday":
        scene = next(scene for scene in SCENES if name.startswith(slug(scene)))
        return draw_scene(scene, int(name[-1]), last == "after")
    place = town(int(name), SEED)
    return draw_town(place, [*map(str, place.dates)].index(last))


def write(root: Path) -> Row:
    """Renders the pictures that questions show, and writes the tables under `root`; returns the manifest."""
    split_rows = _town_rows() | {"ucm": land_use_rows()} | everyday_rows()
    split_rows["all"] = [row for test in TESTS for row in split_rows[test]]
    shutil.rmtree(root / "media", ignore_errors=True)
    sample = Sample(BENCHMARK, root)
    for url in sorted({url for rows in split_rows.values() for row in rows for url in row["images"]}):
        sample.picture(url, _picture(url.removeprefix(media_url(BENCHMARK, ""))))
    for name, rows in split_rows.items():
        sample.table(name, rows, SCHEMA, "train" if name.startswith("train/") else "test")
    places = {split: len(places) for split, places in towns().items()}
    return sample.finish(seed=SEED, places=places)
