"""Curves over the number of frames, as an SVG picture without any plotting library."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from math import isfinite

_WIDTH, _HEIGHT = 560, 360
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 36, 170, 44
_COLOURS = ("#1b6ca8", "#c8553d", "#2f855a", "#7b4ea3", "#946b00", "#5c6370")

Point = tuple[float, float, float]
"""Budget, value, standard error; the error is NaN where it is unknown."""


def _axes(
    budgets: Sequence[float], x: Callable[[float], float], y: Callable[[float], float]
) -> Iterator[str]:
    for tick in (0, 0.25, 0.5, 0.75, 1):
        yield (
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    for budget in budgets:
        yield f'<text x="{x(budget):.1f}" y="{_HEIGHT - 24}" text-anchor="middle">{budget:g}</text>'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">frames</text>'


def curves(title: str, series: Mapping[str, Sequence[Point]]) -> str:
    """Returns an SVG with one line a series, values from 0 to 1, whiskers of one standard error.

    Points without a finite value are left out.
    """
    kept = {name: [point for point in points if isfinite(point[1])] for name, points in series.items()}
    kept = {name: points for name, points in kept.items() if points}
    budgets = sorted({point[0] for points in kept.values() for point in points})
    low, high = (budgets[0], budgets[-1]) if budgets else (0.0, 1.0)

    def x(budget: float) -> float:
        return _LEFT + (budget - low) / ((high - low) or 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (1 - min(1.0, max(0.0, value))) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)}</text>',
        *_axes(budgets, x, y),
    ]
    for number, (name, points) in enumerate(kept.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(f"{x(budget):.1f},{y(value):.1f}" for budget, value, _ in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for budget, value, error in points:
            if isfinite(error) and error > 0:
                parts.append(
                    f'<line x1="{x(budget):.1f}" x2="{x(budget):.1f}" y1="{y(value - error):.1f}" '
                    f'y2="{y(value + error):.1f}" stroke="{colour}"/>'
                )
            parts.append(
                f'<circle cx="{x(budget):.1f}" cy="{y(value):.1f}" r="3.5" fill="{colour}">'
                f"<title>{escape(name)}, {budget:g} frames: {value:.4f}</title></circle>"
            )
        at = _TOP + 8 + 20 * number
        parts.append(
            f'<rect x="{_WIDTH - _RIGHT + 16}" y="{at - 9}" width="12" height="12" fill="{colour}"/>'
            f'<text x="{_WIDTH - _RIGHT + 34}" y="{at + 2}">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])
