"""Where places lie, so that distances between them can be told."""

import math
import re
from dataclasses import dataclass
from typing import Any

_RADIUS = 6_371_008.8
"""Of the Earth, in metres."""


@dataclass(frozen=True)
class Position:
    """Where a place lies."""

    frame: str  # what the coordinates are of: positions of one frame alone can be compared
    metres: tuple[float, float, float]  # cartesian


def on_earth(longitude: Any, latitude: Any) -> Position:
    """Returns a position on the globe, in metres from its centre."""
    degrees = (float(longitude), float(latitude))
    if not (abs(degrees[0]) <= 180 and abs(degrees[1]) <= 90):
        raise ValueError(f"{longitude!r}, {latitude!r} are not degrees of longitude and latitude")
    east, north = map(math.radians, degrees)
    return Position(
        "earth",
        (
            _RADIUS * math.cos(north) * math.cos(east),
            _RADIUS * math.cos(north) * math.sin(east),
            _RADIUS * math.sin(north),
        ),
    )


def on_map(system: str, x: float, y: float) -> Position:
    """Returns the position of a point of a map.

    Args:
        system: `EPSG:4326` and other systems of degrees (4000 to 4999), or any other name, whose points are
            only compared with each other.
        x: Degrees of longitude, or metres.
        y: Degrees of latitude, or metres.
    """
    if re.fullmatch(r"EPSG:4\d{3}", system):
        return on_earth(x, y)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("a coordinate is not a number")
    return Position(system, (float(x), float(y), 0.0))
