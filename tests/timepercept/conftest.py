from datetime import date, datetime, timedelta, timezone

import pytest

from hf_datasets.timepercept.series import Series, Shot


def make_series(place: str, days: list[int], category: str = "") -> Series:
    """A place photographed `days` after 1 January 2015; its pictures exist only by name."""

    def shot(day: int) -> Shot:
        taken = date(2015, 1, 1) + timedelta(days=day)
        order = datetime(taken.year, taken.month, taken.day, tzinfo=timezone.utc).timestamp()
        return Shot(f"{place}/{taken}.png", order, str(taken), taken)

    return Series(place, "series", category, tuple(shot(day) for day in days))


@pytest.fixture(scope="session")
def many_series() -> list[Series]:
    """220 places with eight dates; all interval classes occur at each."""
    return [make_series(f"place {i}", [0, 9 + i % 20, 90, 200, 500, 900, 1300, 1800 + i]) for i in range(220)]
