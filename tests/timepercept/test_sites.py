"""Which places are one real place, and that none of them is in two splits."""

import random
from dataclasses import replace

import numpy as np
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.timepercept import sites
from hf_datasets.timepercept.positions import on_earth
from tempbench_lmms.media import images

from .conftest import make_series


def distance(one, other):
    assert one.frame == other.frame
    return float(np.linalg.norm(np.subtract(one.metres, other.metres)))


def test_a_geotiff_says_where_it_lies(tmp_path):
    keys = (1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32631)
    tags = [
        (33550, "d", 3, (10.0, 10.0, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, 448_000.0, 5_412_000.0, 0.0), True),
        (34735, "H", len(keys), keys, True),
    ]
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((20, 40), np.uint16), extratags=tags)
    assert images.point_of(tmp_path / "a.tif") == ("EPSG:32631", 448_200.0, 5_411_900.0)
    tifffile.imwrite(tmp_path / "b.tif", np.zeros((20, 40), np.uint16))
    (tmp_path / "c.tif").write_bytes((tmp_path / "a.tif").read_bytes()[:60])
    assert images.point_of(tmp_path / "b.tif") is None
    assert images.point_of(tmp_path / "c.tif") is None


def at(place, metres, source="fmow", site=""):
    degrees = metres / 111_194.93
    series = make_series(place, [0, 10])
    return replace(series, source=source, position=on_earth(7.0, degrees), site=site)


def test_neighbours_of_neighbours_are_one_site():
    airport = [at("hangar", 0), at("terminal", 900), at("runway", 1_800), at("dam", 5_000)]
    found = sites.find([*airport, at("dam", 4_500, "series"), make_series("unknown", [0, 1])], 1_000)
    assert found.several(set(found.of)) == [
        ["fmow/dam", "series/dam"],
        ["fmow/hangar", "fmow/runway", "fmow/terminal"],
    ]
    assert sites.find(airport, 0).several({("fmow", one.place) for one in airport}) == []
    named = sites.find([replace(one, site="A" if i != 1 else "") for i, one in enumerate(airport)], 0)
    assert named.several(set(named.of)) == [["fmow/dam", "fmow/hangar", "fmow/runway"]]


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=40),
    st.lists(st.integers(0, 40), max_size=20),
    st.integers(0, 5),
    st.floats(0, 1),
)
def test_no_site_is_in_two_splits(first, second, seed, share):
    found = {
        "series": [at(f"{i}", 1_000 * km, "series") for i, km in enumerate(first)],
        "fmow": [at(f"{i}", 1_000 * km) for i, km in enumerate(second)],
    }
    together = sites.find([one for few in found.values() for one in few], 1_001)
    splits = sites.split(found, together, seed, share)
    kept = {split: {together.of[one.source, one.place] for few in splits.values() for one in few[split]}
            for split in ("test", "train")}  # fmt: skip
    assert not kept["test"] & kept["train"]
    for name, few in found.items():
        assert sorted(one.place for split in splits[name].values() for one in split) == sorted(
            one.place for one in few
        )


@pytest.mark.slow
def test_places_without_neighbours_are_split_as_they_always_were(many_series):
    found = sites.split({"series": many_series}, sites.find(many_series, 5_000), 2025, 0.2)["series"]
    ordered = sorted(many_series, key=lambda one: one.place)
    shuffled = random.Random("2025/split").sample(ordered, len(ordered))
    assert found == {"test": shuffled[:44], "train": shuffled[44:]}
