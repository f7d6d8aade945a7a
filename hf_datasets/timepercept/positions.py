"""Where places lie, so that distances between them can be told."""

import math
import re
from dataclasses import dataclass
from typing import Any

_RADIUS = 6_371_008.8
"""Of the Earth, in metres."""


@dataclass(frozen=True)
class Position:
    """Where a place lies.

    Attributes:
        frame: What the coordinates are of: positions of one frame alone can be compared.
        metres: Cartesian.
    """

    frame: str
    metres: tuple[float, float, float]


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
        system: `EPSG:4326` and other systems of degrees (4000 to 4999), UTM on WGS 84 (`EPSG:326..`, north,
            and `EPSG:327..`, south), or any other name: such points are only compared with each other.
        x: Degrees of longitude, or metres.
        y: Degrees of latitude, or metres.
    """
    if re.fullmatch(r"EPSG:4\d{3}", system):
        return on_earth(x, y)
    if found := re.fullmatch(r"EPSG:32([67])(\d\d)", system):
        return on_earth(*_from_utm(int(found[2]), found[1] == "7", x, y))
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("a coordinate is not a number")
    return Position(system, (float(x), float(y), 0.0))


def _from_utm(zone: int, south: bool, x: float, y: float) -> tuple[float, float]:
    """Returns longitude and latitude, to about a millimetre. Source: Krüger's series (1912), third order."""
    flattening = 1 / 298.257223563
    n = flattening / (2 - flattening)
    radius = 6_378_137.0 / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    north = (y - (10_000_000 if south else 0)) / (0.9996 * radius)
    east = (x - 500_000) / (0.9996 * radius)
    terms = (n / 2 - 2 / 3 * n**2 + 37 / 96 * n**3, n**2 / 48 + n**3 / 15, 17 / 480 * n**3)
    xi = north - sum(t * math.sin(2 * j * north) * math.cosh(2 * j * east) for j, t in enumerate(terms, 1))
    eta = east - sum(t * math.cos(2 * j * north) * math.sinh(2 * j * east) for j, t in enumerate(terms, 1))
    chi = math.asin(math.sin(xi) / math.cosh(eta))
    back = (2 * n - 2 / 3 * n**2 - 2 * n**3, 7 / 3 * n**2 - 8 / 5 * n**3, 56 / 15 * n**3)
    latitude = chi + sum(t * math.sin(2 * j * chi) for j, t in enumerate(back, 1))
    longitude = math.degrees(math.atan2(math.sinh(eta), math.cos(xi))) + 6 * zone - 183
    return longitude, math.degrees(latitude)
