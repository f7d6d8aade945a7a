"""What all bundled samples are made with: a language for drawings, canvases, and a sample's files.

A drawing is written as steps separated by semicolons, x to the right, y downwards:

    box COLOUR x0,y0 x1,y1       oval COLOUR x,y rx,ry       dome COLOUR x,y rx,ry    (the upper half)
    poly COLOUR x,y x,y ...      line COLOUR WIDTH x,y ...   ring COLOUR WIDTH x,y rx,ry
    arc COLOUR WIDTH START END x,y rx,ry         dots COLOUR N SIZE START x,y rx,ry    (N on an ellipse)

`|` begins another one of the same kind, colour and width, and `xN,DX,DY` behind one draws it N times, each so
much further on. After `at x,y` a drawing's (0, 0) lies there. A colour is `rrggbb` or a name in the canvas's
palette; `FILL/OUTLINE` outlines a shape. A canvas may know more steps, each a method of its name.
"""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tempbench_lmms.data import roots, tables
from tempbench_lmms.media.encoding import encode as encode

Point = tuple[float, float]
Colour = tuple[int, int, int]
Palette = dict[str, Colour]


def palette(table: str) -> Palette:
    """Reads "name rrggbb name rrggbb ..."."""
    return {name: _rgb(code) for name, code in named(table).items()}


def named(table: str) -> dict[str, str]:
    """Reads "name word name word ..."."""
    return dict(zip(table.split()[::2], table.split()[1::2], strict=True))


def _rgb(code: str) -> Colour:
    red, green, blue = bytes.fromhex(code)
    return red, green, blue


def code(colour: Iterable[float]) -> str:
    """Returns a colour as `rrggbb`, its parts cut to whole numbers."""
    return bytes(int(part) for part in colour).hex()


def mix(colour: Colour, other: Colour, share: float) -> Colour:
    """Returns a colour with a share of another one."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def ellipse(centre: Point, radii: Point, n: int = 36, start: float = 0.0, turn: float = 1.0) -> list[Point]:
    """Returns n + 1 points of an arc; angles are fractions of a full turn and grow clockwise."""
    angles = [math.pi * (2 * start + 2 * turn * i / n) for i in range(n + 1)]
    return [(centre[0] + radii[0] * math.cos(a), centre[1] + radii[1] * math.sin(a)) for a in angles]


def blocks(text: str) -> dict[str, list[str]]:
    """Reads a table of entries "name | more", each with indented lines below; returns these after `more`."""
    found: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        if line[0] != " ":
            name, *more = line.split(" | ")
            lines = found[name] = more
        else:
            lines.append(line.strip())
    return found


def at_time(steps: str, t: float) -> str:
    """Returns steps as they are at a time: numbers `a+bt` come out, and `t<0.5 box ...` is drawn if t is."""
    found = []
    for step in steps.split(";"):
        first, _, rest = step.strip().partition(" ")
        if first[:2] in ("t<", "t>"):
            if (t < float(first[2:])) == (first[1] == ">"):
                continue
            step = rest
        found.append(_CHANGING.sub(lambda number: str(float(number[1]) + float(number[2]) * t), step))
    return ";".join(found)


_CHANGING = re.compile(r"(-?[\d.]+)([+-][\d.]+)t\b")


class Canvas:
    """Draws steps with Pillow's own shapes, pixel by pixel.

    Attributes:
        origin: Where a drawing's (0, 0) lies, in pixels of the image.
        scale: Pixels a unit.
    """

    def __init__(self, size: tuple[int, int], ground: str, colours: Palette | None = None) -> None:
        self.origin, self.scale = (0.0, 0.0), 1.0
        self.colours = colours or {}
        self.image = Image.new("RGB", size, self.ink(ground))
        self.pen = ImageDraw.Draw(self.image)

    def play(self, steps: str, at: Point = (0, 0)) -> Image.Image:
        """Draws steps whose (0, 0) lies at a point, and returns the picture."""
        here = at
        for step in filter(str.strip, steps.split(";")):
            verb, *words = step.split()
            settings = [word for word in words if "," not in word and word != "|"]
            for group in " ".join(word for word in words if word not in settings).split("|"):
                shape, _, again = group.partition("x")
                pairs = [[float(part) for part in word.split(",")] for word in shape.split()]
                times, dx, dy = map(float, (again or "1,0,0").split(","))
                if verb == "at":
                    here = (at[0] + pairs[0][0], at[1] + pairs[0][1])
                    continue
                for i in range(int(times)):
                    points = [(x + here[0] + i * dx, y + here[1] + i * dy) for x, y in pairs]
                    if verb in ("oval", "dome", "ring", "arc", "dots"):
                        points[1] = (pairs[1][0], pairs[1][1])
                    getattr(self, verb)(points, *settings)
        return self.image

    def place(self, points: Sequence[Point]) -> list[Point]:
        """Returns points in pixels of the image."""
        return [(self.origin[0] + x * self.scale, self.origin[1] + y * self.scale) for x, y in points]

    def ink(self, name: str) -> Colour:
        return self.colours[name] if name in self.colours else _rgb(name)

    def _inks(self, names: str) -> tuple[Colour | None, Colour | None]:
        fill, _, outline = names.partition("/")
        return self.ink(fill) if fill else None, self.ink(outline) if outline else None

    def box(self, points: list[Point], names: str, width: str = "1") -> None:
        self.pen.rectangle(self.place(points), *self._inks(names), int(width))

    def oval(self, points: list[Point], names: str, width: str = "1") -> None:
        (x, y), (rx, ry) = points
        self.pen.ellipse((x - rx, y - ry, x + rx, y + ry), *self._inks(names), int(width))

    def arc(self, points: list[Point], name: str, width: str, start: str, end: str) -> None:
        (x, y), (rx, ry) = points
        self.pen.arc((x - rx, y - ry, x + rx, y + ry), float(start), float(end), self.ink(name), int(width))

    def poly(self, points: list[Point], names: str) -> None:
        self.pen.polygon(self.place(points), *self._inks(names))

    def line(self, points: list[Point], name: str, width: str = "1") -> None:
        self.pen.line(self.place(points), self.ink(name), max(1, round(float(width) * self.scale)), "curve")


class Smooth(Canvas):
    """Draws larger than the picture will be, so that edges become smooth."""

    FACTOR = 4

    def __init__(self, size: tuple[int, int], ground: str, colours: Palette) -> None:
        super().__init__((size[0] * self.FACTOR, size[1] * self.FACTOR), ground, colours)
        self.scale = float(self.FACTOR)

    def box(self, points: list[Point], names: str, width: str = "1") -> None:
        (x0, y0), (x1, y1) = points
        self.poly([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], names)

    def oval(self, points: list[Point], names: str, width: str = "1") -> None:
        self.poly(ellipse(points[0], points[1], start=0.5), names)

    def dome(self, points: list[Point], names: str) -> None:
        self.poly(ellipse(points[0], points[1], start=0.5, turn=0.5), names)

    def dots(self, points: list[Point], name: str, n: str, size: str, start: str) -> None:
        for spot in ellipse(points[0], points[1], int(n), float(start) / math.tau)[:-1]:
            self.oval([spot, (float(size), float(size))], name)

    def ring(self, points: list[Point], name: str, width: str) -> None:
        self.line(ellipse(points[0], points[1], start=0.5), name, width)


def few_levels(image: Image.Image, levels: int) -> Image.Image:
    """Returns a picture with few levels of each channel, which keep PNG files small."""
    return image.point([round(round(v * levels / 255) * 255 / levels) for v in range(256)] * 3)


def few_colours(image: Image.Image, n: int) -> Image.Image:
    """Returns a picture with a palette: a third of the size as PNG, and no visible difference."""
    return image.quantize(n, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


class Sample:
    """A bundled sample that is being written: its media, its tables, and in the end its manifest."""

    def __init__(self, benchmark: str, root: Path) -> None:
        self.benchmark, self.root = benchmark, root
        self.counts: dict[str, int] = {}

    def file(self, url: str) -> Path:
        """Returns where the file of a URL is written; its folder is made."""
        path = self.root / "media" / url.removeprefix(media_url(self.benchmark, ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def picture(self, url: str, image: Image.Image) -> None:
        image.save(self.file(url), optimize=True)

    def table(self, name: str, rows: Sequence[tables.Row], schema: Any, split: str = "test") -> None:
        """Writes a table, which is counted under its name."""
        tables.write_rows(rows, self.root / name / f"{split}.parquet", schema)
        self.counts[name] = len(rows)

    def finish(self, **more: Any) -> tables.Row:
        """Writes the manifest, with `more` in it, and returns it."""
        files = sorted(path for path in self.root.rglob("*") if path.suffix in (".mp4", ".png", ".parquet"))
        manifest = {
            "benchmark": self.benchmark,
            "edition": "bundled sample, rendered by the project",
            "licence": "MIT",
            "rows": self.counts,
            **more,
            "sha256": tables.sha256_of(files),
        }
        tables.write_json(manifest, self.root / roots.MANIFEST)
        return manifest


def media_url(benchmark: str, path: str) -> str:
    """Returns the URL of a file below a sample's `media`."""
    return f"{roots.SCHEME}{benchmark}/{roots.MINI}/media/{path}"
