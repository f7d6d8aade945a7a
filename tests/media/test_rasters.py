"""Measurements become pictures by one stretch a place; what shows nothing is refused."""

from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from tempbench_lmms.data import bounds
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import images


def scene(dtype: str = "uint16", bands: int = 1, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Returns a ramp from 100 to 9,700 with some noise, of shape (40, 60, bands)."""
    ramp = np.linspace(100, 9_700, 60)[None, :, None].repeat(40, 0).repeat(bands, 2)
    noise = np.random.default_rng(seed).uniform(0, 50, ramp.shape)
    return ((ramp + noise) * scale).astype(dtype)


def test_16_bits_are_no_white_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, scene()[..., 0])
    assert images.is_raster(path)
    with pytest.raises(MediaError, match="more than 8 bits") as caught:
        images.open_image(path, "a.tif")
    assert caught.value.reason == images.NO_PICTURE
    shown = np.asarray(images.open_image(path, "a.tif", 0, images.stretch_of([path])))
    assert shown.shape == (40, 60, 3)
    # From black to white along the ramp: 2 % of the values lie below and above.
    assert shown[:, 0].max() == 0
    assert shown[:, -1].min() == 255
    assert (np.diff(shown[0, :, 0].astype(int)) >= 0).all()
    assert 110 < shown[:, 30].mean() < 145


@pytest.mark.parametrize("dtype", ["uint16", "int16", "uint32", "float32", "float64"])
def test_all_dates_of_a_place_are_stretched_alike(tmp_path: Path, dtype: str) -> None:
    paths = [tmp_path / f"{i}.tif" for i in range(3)]
    for i, path in enumerate(paths):
        tifffile.imwrite(path, scene(dtype, seed=i, scale=(1.0, 0.5, 1.0)[i])[..., 0])
    stretch = images.stretch_of(paths)
    values = np.concatenate([scene(dtype, seed=i, scale=(1.0, 0.5, 1.0)[i]).ravel() for i in range(3)])
    low, high = np.percentile(values.astype(float), [2, 98])
    assert (stretch.low, stretch.high) == (pytest.approx((low,)), pytest.approx((high,)))
    means = [np.asarray(images.open_image(path, "x", 0, stretch)).mean() for path in paths]
    # The darker date stays darker; stretched by itself it would look as the others.
    assert means[1] < 0.6 * means[0]
    assert means[2] == pytest.approx(means[0], rel=0.02)


def test_bands_are_chosen_by_number(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    values = scene(bands=5)
    values[:, :20, 3] = 0  # the red one
    tifffile.imwrite(path, values, photometric="minisblack", planarconfig="contig")
    stretch = images.stretch_of([path], ["4", "3", "2"])
    assert stretch.bands == (4, 3, 2)
    shown = np.asarray(images.open_image(path, "a", 0, stretch))
    assert shown[0, 10, 0] == 0 < shown[0, 10, 1]
    for bands in ([], ["B4", "3", "2"], [3, 2], [6, 5, 4]):
        with pytest.raises(MediaError, match="5 bands; name one or three of them by number"):
            images.stretch_of([path], bands)


def test_separate_planes_are_read_like_mixed_ones(tmp_path: Path) -> None:
    values = scene(bands=5)
    values[..., 1] //= 3
    tifffile.imwrite(tmp_path / "a.tif", values, photometric="minisblack", planarconfig="contig")
    planes = np.moveaxis(values, -1, 0)
    tifffile.imwrite(tmp_path / "b.tif", planes, photometric="minisblack", planarconfig="separate")
    stretch = images.stretch_of([tmp_path / "a.tif"], [1, 2, 3])
    shown = [np.asarray(images.open_image(tmp_path / f"{n}.tif", n, 0, stretch)) for n in "ab"]
    assert np.array_equal(*shown)


def test_what_was_not_measured_is_black_and_does_not_count(tmp_path: Path) -> None:
    values = scene("float32")[..., 0]
    values[:10], values[10:20] = np.nan, -9999
    tifffile.imwrite(tmp_path / "a.tif", values, extratags=[(42113, "s", 0, "-9999", True)])
    stretch = images.stretch_of([tmp_path / "a.tif"])
    assert stretch.low[0] > 50
    assert not np.asarray(images.open_image(tmp_path / "a.tif", "a", 0, stretch))[:20].any()


@pytest.mark.parametrize("value", [0, 700])
def test_one_value_is_no_sensible_picture(tmp_path: Path, value: int) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.full((8, 8), value, dtype=np.uint16))
    with pytest.raises(MediaError, match="one value or none") as caught:
        images.stretch_of([tmp_path / "a.tif"])
    assert caught.value.reason == images.NO_PICTURE


def test_the_limit_has_a_reason_of_its_own_and_can_be_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jpg"
    Image.linear_gradient("L").resize((1600, 1200)).convert("RGB").save(path)
    monkeypatch.setenv(bounds.PIXELS_VARIABLE, "1_000_000")
    with pytest.raises(
        MediaError, match=r"1600x1200 pixels, more than 1000000; .*TEMPBENCH_MAX_PIXELS"
    ) as error:
        images.open_image(path, "a.jpg")
    assert error.value.reason == "too large"
    # At a reduced size it is read, as large as is needed.
    assert images.open_image(path, "a.jpg", 256).size == (400, 300)
    Image.open(path).save(tmp_path / "b.jpg", progressive=True)
    with pytest.raises(MediaError, match="more than 1000000"):
        images.open_image(tmp_path / "b.jpg", "b.jpg", 256)
    monkeypatch.setenv(bounds.PIXELS_VARIABLE, "2_000_000")
    assert images.open_image(path, "a.jpg", 256).size == (1600, 1200)


def test_a_sound_picture_of_65_megapixels_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.new("L", (8_100, 8_000), 90).save(path, quality=30)
    with pytest.raises(MediaError, match="8100x8000 pixels, more than 64000000") as caught:
        images.open_image(path, "a.jpg")
    assert "damaged" not in str(caught.value)
    small = images.open_image(path, "a.jpg", 256)
    assert (small.mode, small.size) == ("RGB", (1013, 1000))
    assert np.asarray(small).mean() == pytest.approx(90, abs=1)


def test_no_test_of_damage_calls_it_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, scene()[..., 0])
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(MediaError) as caught:
        images.shown_raster(path, "a.tif", images.Stretch((1,), (0.0,), (1.0,)))
    assert caught.value.reason == "damaged"
    with pytest.raises(MediaError) as caught:
        images.shown_raster(tmp_path / "none.tif", "none", images.Stretch((1,), (0.0,), (1.0,)))
    assert caught.value.reason == "missing"
