"""Plots as inline SVG pictures that take their colours from the page around them."""

from collections.abc import Callable, Sequence
from math import cos, isfinite, pi, sin

from markupsafe import Markup

from tempbench_lmms.report.figures import Figure, Series
from tempbench_lmms.report.numbers import Number, shown

_WIDTH = 440
_N_COLOURS = 6
_LINE = 17
_CHARACTER = 6.2  # mean width of a character at font size 12


def svg(figure: Figure, names: Sequence[str] = ()) -> Markup:
    """Returns a figure as inline SVG. Every text in it is escaped: names come from data sets and logs.

    Args:
        figure: The figure.
        names: Series of these names have their colours by their indices here, in every figure.
    """
    colours = [
        "r" if one.is_reference else str((names.index(one.name) if one.name in names else index) % _N_COLOURS)
        for index, one in enumerate(figure.series)
    ]
    draw: dict[str, Callable[[Figure, Sequence[str]], tuple[float, list[Markup]]]] = {
        "bars": _bars,
        "lines": _lines,
        "radar": _radar,
        "matrix": _matrix,
    }
    height, parts = draw[figure.kind](figure, colours)
    if figure.kind != "matrix" and (len(figure.series) > 1 or figure.series[0].name):
        for number, one in enumerate(figure.series):
            y = height + 14 + number * _LINE
            parts.append(
                Markup('<rect class="f{}" x="8" y="{}" width="11" height="11"/>').format(
                    colours[number], y - 10
                )
            )
            parts.append(_text(26, y, one.name))
        height += len(figure.series) * _LINE + 6
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {:.0f}" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDTH, height + 4, figure.title, Markup("").join(parts))


def _text(x: float, y: float, words: object, anchor: str = "start", kind: str = "") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>').format(
        x, y, anchor, kind, words
    )


def _path(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(
        x1, y1, x2, y2, kind
    )


def _cut(words: str, width: float) -> str:
    n = max(4, int(width / _CHARACTER))
    return words if len(words) <= n else words[: n - 1] + "…"


def _top(figure: Figure) -> float:
    """Returns the end of the axis: 1 for shares, a round number above everything else."""
    values = [value for _, value in figure.marks]
    for one in figure.series:
        for point in one.points:
            if point is not None:
                values += [v for v in (point.number, point.high) if v is not None and isfinite(v)]
    highest = max(values, default=1.0)
    if highest <= 1:
        return 1.0
    step = 10 ** (len(str(int(highest))) - 1)
    return float(step * (int(highest / step) + 1))


def _bars(figure: Figure, colours: Sequence[str]) -> tuple[float, list[Markup]]:
    top = _top(figure)
    left = min(170.0, 14 + _CHARACTER * max(len(category) for category in figure.categories))
    right, thick = 52, 9 if len(figure.series) > 1 else 13
    span = _WIDTH - left - right

    def x(value: float) -> float:
        return left + span * min(max(value, 0.0), top) / top

    step = len(figure.series) * thick + 9
    bottom = 8 + step * len(figure.categories)
    parts = [_path(x(top * k / 4), 4, x(top * k / 4), bottom, "grid") for k in range(5)]
    for index, category in enumerate(figure.categories):
        y = 8 + index * step
        parts.append(_text(left - 6, y + step / 2, _cut(category, left - 8), "end"))
        for number, one in enumerate(figure.series):
            point, at = one.points[index], y + number * thick
            if point is None or point.number is None:
                continue
            parts.append(
                Markup('<rect class="f{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}">{}</rect>').format(
                    colours[number],
                    left,
                    at,
                    max(0.5, x(point.number) - left),
                    thick - 2,
                    _tip(one, category, point),
                )
            )
            middle, end = at + (thick - 2) / 2, x(point.number)
            if point.low is not None and point.high is not None:
                end = max(end, x(point.high))
                parts.append(_path(x(point.low), middle, x(point.high), middle, "whisker"))
            if len(figure.series) == 1:
                parts.append(_text(end + 4, middle + 4, shown(point.value, 3), kind="small"))
    for name, value in figure.marks:
        parts.append(_path(x(value), 4, x(value), bottom, "mark"))
        parts.append(_text(x(value), bottom + 26, name, "middle", "small"))
    parts += [_text(x(top * k / 4), bottom + 13, f"{top * k / 4:g}", "middle", "small") for k in range(5)]
    return bottom + (32 if figure.marks else 18), parts


def _lines(figure: Figure, colours: Sequence[str]) -> tuple[float, list[Markup]]:
    top, left, right, ceiling, floor = _top(figure), 40, 14, 10, 200
    at = [float(category) for category in figure.categories]
    low, high = min(at), max(at)

    def x(value: float) -> float:
        return left + (_WIDTH - left - right) * ((value - low) / (high - low) if high > low else 0.5)

    def y(value: float) -> float:
        return floor - (floor - ceiling) * min(max(value, 0.0), top) / top

    parts: list[Markup] = []
    for k in range(5):
        parts.append(_path(left, y(top * k / 4), _WIDTH - right, y(top * k / 4), "grid"))
        parts.append(_text(left - 6, y(top * k / 4) + 4, f"{top * k / 4:g}", "end", "small"))
    parts += [
        _text(x(value), floor + 16, category, "middle", "small")
        for value, category in zip(at, figure.categories, strict=True)
    ]
    for name, value in figure.marks:
        parts.append(_path(left, y(value), _WIDTH - right, y(value), "mark"))
        parts.append(_text(_WIDTH - right, y(value) - 4, name, "end", "small"))
    for number, one in enumerate(figure.series):
        known = [
            (index, category, point, point.number)
            for index, category, point in zip(at, figure.categories, one.points, strict=True)
            if point is not None and point.number is not None
        ]
        track = " ".join(f"{x(index):.1f},{y(value):.1f}" for index, _, _, value in known)
        parts.append(Markup('<polyline class="s{}" points="{}"/>').format(colours[number], track))
        for index, category, point, value in known:
            if point.low is not None and point.high is not None:
                parts.append(_path(x(index), y(point.low), x(index), y(point.high), f"s{colours[number]}"))
            parts.append(
                Markup('<circle class="f{}" cx="{:.1f}" cy="{:.1f}" r="3.5">{}</circle>').format(
                    colours[number], x(index), y(value), _tip(one, category, point)
                )
            )
    parts.append(_text((left + _WIDTH - right) / 2, floor + 34, figure.axis, "middle"))
    return floor + 42, parts


def _radar(figure: Figure, colours: Sequence[str]) -> tuple[float, list[Markup]]:
    n, cx, cy, radius, top = len(figure.categories), _WIDTH / 2, 152.0, 122.0, _top(figure)

    def at(index: int, value: float) -> tuple[float, float]:
        angle = 2 * pi * index / n - pi / 2
        r = radius * max(value, 0.0) / top
        return cx + r * cos(angle), cy + r * sin(angle)

    def ring(values: Sequence[float]) -> str:
        return " ".join("{:.1f},{:.1f}".format(*at(index, value)) for index, value in enumerate(values))

    parts = [
        Markup('<polygon class="ring" points="{}"/>').format(ring([top * k / 4] * n)) for k in range(1, 5)
    ]
    for index, category in enumerate(figure.categories):
        parts.append(_path(cx, cy, *at(index, top), "grid"))
        x, y = at(index, top * 1.1)
        anchor = "middle" if abs(x - cx) < 8 else "start" if x > cx else "end"
        parts.append(_text(x, y + 4, category, anchor))
    parts += [_text(cx + 4, at(0, top * k / 4)[1] + 11, f"{top * k / 4:g}", kind="small") for k in (2, 4)]
    for number, one in enumerate(figure.series):
        values = [(point.number if point is not None else None) or 0.0 for point in one.points]
        parts.append(
            Markup('<polygon class="s{0} area{0}" points="{1}"/>').format(colours[number], ring(values))
        )
        for index, (category, point) in enumerate(zip(figure.categories, one.points, strict=True)):
            if point is not None and point.number is not None:
                parts.append(
                    Markup('<circle class="f{}" cx="{:.1f}" cy="{:.1f}" r="3.5">{}</circle>').format(
                        colours[number], *at(index, point.number), _tip(one, category, point)
                    )
                )
    return 296, parts


def _matrix(figure: Figure, colours: Sequence[str]) -> tuple[float, list[Markup]]:
    left = 20 + _CHARACTER * max(len(one.name) for one in figure.series)
    wide, tall = (_WIDTH - left - 6) / len(figure.categories), 34
    parts = [
        _text(left + wide * (index + 0.5), 30, _cut(category, wide), "middle")
        for index, category in enumerate(figure.categories)
    ]
    parts.append(_text(left, 12, figure.axis, kind="small"))
    for line, one in enumerate(figure.series):
        y = 38 + line * tall
        parts.append(_text(left - 8, y + tall / 2 + 4, one.name, "end"))
        total = sum(point.number or 0 for point in one.points if point is not None)
        for index, point in enumerate(one.points):
            count = (point.number if point is not None else None) or 0
            share = count / total if total else 0.0
            x = left + index * wide
            parts.append(
                Markup(
                    '<rect class="cell" x="{:.1f}" y="{}" width="{:.1f}" height="{}" fill-opacity="{:.2f}"/>'
                ).format(x, y, wide - 2, tall - 2, share)
            )
            kind = "strong" if share > 0.55 else ""
            parts.append(_text(x + wide / 2, y + tall / 2 + 4, f"{count:g}", "middle", kind))
    return 42 + tall * len(figure.series), parts


def _tip(one: Series, category: str, point: Number) -> Markup:
    name = f"{one.name}, {category}" if one.name else category
    return Markup("<title>{}: {}</title>").format(name, point.text())
