"""Draws everyday things before and after: something that falls, melts, burns down, grows, is built.

They stand in for TemporalVQA in the bundled sample. Each scene has one direction and one plausible duration.
"""

from collections.abc import Callable

from PIL import Image, ImageDraw

SIZE = 96
_INK = (40, 40, 44)
_Draw = ImageDraw.ImageDraw


def _ball(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 84, SIZE, SIZE), (120, 160, 84))
    draw.rectangle((6, 8, 26, 84), (186, 150, 120), _INK)
    y = 20 + 54 * t
    draw.ellipse((44, y, 58, y + 14), (214, 60, 50), _INK)


def _glass(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 86, SIZE, SIZE), (150, 120, 90))
    draw.rectangle((0, 40, 50, 46), (130, 90, 60))
    if t < 0.5:
        draw.rectangle((38, 20, 52, 40), (190, 224, 240), _INK)
    else:
        for x in (56, 62, 70, 78):
            draw.polygon(((x, 86), (x + 6, 76), (x + 8, 86)), (190, 224, 240), _INK)


def _ice(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 70, SIZE, SIZE), (170, 130, 96))
    width = 8 + 30 * t
    draw.ellipse((48 - width, 74, 48 + width, 84), (120, 180, 230))
    side = 40 * (1 - t) + 4
    draw.rectangle((48 - side / 2, 78 - side, 48 + side / 2, 78), (206, 236, 250), _INK)


def _hourglass(draw: _Draw, t: float) -> None:
    sand = (226, 190, 110)
    draw.polygon(((26, 12), (70, 12), (48, 48)), (236, 244, 248), _INK)
    draw.polygon(((26, 84), (70, 84), (48, 48)), (236, 244, 248), _INK)
    top, half = 48 - 34 * (1 - t), 20 * (1 - t)
    draw.polygon(((48 - half, top), (48 + half, top), (48, 48)), sand)
    height = 30 * t
    draw.polygon(((28, 83), (68, 83), (48 + 20 - 20 * t, 83 - height), (28 + 20 * t, 83 - height)), sand)


def _candle(draw: _Draw, t: float) -> None:
    top = 26 + 50 * t
    draw.rectangle((20, 82, 76, 88), (130, 100, 70), _INK)
    draw.rectangle((38, top, 58, 82), (244, 236, 210), _INK)
    if t > 0.3:
        draw.ellipse((30, 76, 66, 84), (244, 236, 210))
    draw.ellipse((44, top - 16, 52, top - 2), (246, 170, 40))


def _sun(draw: _Draw, t: float) -> None:
    sky = (150, 206, 250) if t < 0.6 else (40, 44, 96)
    draw.rectangle((0, 0, SIZE, SIZE), sky)
    draw.rectangle((0, 74, SIZE, SIZE), (98, 140, 76) if t < 0.6 else (40, 60, 48))
    draw.polygon(((58, 60), (72, 46), (86, 60)), (150, 60, 50), _INK)
    draw.rectangle((60, 60, 84, 76), (220, 200, 170), _INK)
    draw.rectangle((66, 64, 74, 72), (250, 220, 90) if t >= 0.6 else (90, 110, 130), _INK)
    if t < 0.6:
        draw.ellipse((12, 44 - 60 * t, 30, 62 - 60 * t), (252, 222, 80))
    else:
        draw.ellipse((14, 12, 30, 28), (240, 240, 224))


def _seedling(draw: _Draw, t: float) -> None:
    draw.polygon(((32, 66), (64, 66), (58, 90), (38, 90)), (186, 96, 60), _INK)
    height = 4 + 50 * t
    draw.line((48, 66, 48, 66 - height), (60, 140, 60), 3)
    for i in range(1, int(1 + 5 * t)):
        y = 66 - 9 * i
        draw.ellipse((34, y - 4, 47, y + 2), (70, 160, 70))
        draw.ellipse((49, y - 4, 62, y + 2), (70, 160, 70))
    if t > 0.7:
        draw.ellipse((40, 4, 56, 20), (236, 90, 140), _INK)


def _banana(draw: _Draw, t: float) -> None:
    colour = (150, 190, 70) if t < 0.3 else (244, 214, 70) if t < 0.7 else (190, 140, 60)
    draw.arc((14, 0, 82, 76), 20, 160, colour, 16)
    if t >= 0.7:
        for x, y in ((30, 64), (44, 68), (58, 68), (70, 60)):
            draw.ellipse((x - 3, y - 3, x + 3, y + 3), (84, 54, 30))


def _building(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 80, SIZE, SIZE), (150, 122, 90))
    draw.rectangle((22, 76, 74, 82), (170, 170, 172), _INK)
    if t > 0.3:
        draw.rectangle((24, 46, 72, 76), (220, 200, 170) if t > 0.7 else (196, 120, 90), _INK)
    if t > 0.7:
        draw.polygon(((18, 46), (48, 20), (78, 46)), (150, 60, 50), _INK)
        draw.rectangle((42, 58, 54, 76), (110, 74, 48), _INK)


def _wheat(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 78, SIZE, SIZE), (140, 104, 70))
    height = 56 * t
    colour = (110, 180, 70) if t < 0.7 else (226, 190, 80)
    for x in range(6, SIZE, 8):
        draw.line((x, 78, x, 78 - height), colour, 3)
        if t > 0.7:
            draw.ellipse((x - 3, 70 - height, x + 3, 82 - height), (206, 160, 50))


def _tree(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 82, SIZE, SIZE), (120, 160, 84))
    draw.rectangle((6, 54, 34, 82), (220, 200, 170), _INK)
    draw.polygon(((2, 54), (20, 36), (38, 54)), (150, 60, 50), _INK)
    trunk, crown = 8 + 30 * t, 4 + 24 * t
    draw.rectangle((65 - 1 - 3 * t, 82 - trunk, 65 + 1 + 3 * t, 82), (110, 78, 50))
    draw.ellipse((65 - crown, 82 - trunk - 1.6 * crown, 65 + crown, 82 - trunk + 0.4 * crown), (50, 130, 60))


def _skyline(draw: _Draw, t: float) -> None:
    draw.rectangle((0, 80, SIZE, SIZE), (120, 130, 110))
    for i in range(1 + int(6 * t)):
        x, height = 6 + 14 * ((5 * i) % 6), 18 + 11 * i % 54
        draw.rectangle((x, 80 - height, x + 10, 80), (130 + 10 * i, 140, 160), _INK)


SCENES: dict[str, tuple[Callable[[_Draw, float], None], str]] = {
    "falling ball": (_ball, "A"),
    "dropped glass": (_glass, "A"),
    "melting ice": (_ice, "B"),
    "hourglass": (_hourglass, "B"),
    "candle": (_candle, "C"),
    "day to night": (_sun, "C"),
    "seedling": (_seedling, "D"),
    "banana": (_banana, "D"),
    "house being built": (_building, "E"),
    "wheat": (_wheat, "E"),
    "growing tree": (_tree, "F"),
    "skyline": (_skyline, "F"),
}
"""Each scene's drawing function and the class of its duration in TemporalVQA's terms."""

SPANS = ((0.0, 0.9), (0.1, 1.0))
"""Before and after, from 0 to 1, of the two versions of each scene."""


def draw(scene: str, version: int, after: bool) -> Image.Image:
    """Returns a picture of a scene, before or after."""
    backgrounds = ((224, 236, 244), (244, 236, 220))
    image = Image.new("RGB", (SIZE, SIZE), backgrounds[version])
    SCENES[scene][0](ImageDraw.Draw(image), SPANS[version][after])
    return image.quantize(32, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
