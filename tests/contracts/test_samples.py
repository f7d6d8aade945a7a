"""The bundled samples are what the code under `hf_datasets/samples/` renders."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import av
import numpy as np
import PIL
import pytest
from numpy.typing import NDArray
from PIL import Image

from hf_datasets.samples import kit
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import parse_json, read_rows
from tempbench_lmms.media import encoding


def frames(path: Path) -> NDArray[np.int16]:
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]).astype(
            np.int16
        )


def same_picture(stored: Path, rendered: Path) -> bool:
    with Image.open(stored) as one, Image.open(rendered) as other:
        if PIL.__version__.startswith("13."):
            return (one.mode, one.size, one.tobytes()) == (other.mode, other.size, other.tobytes())
        # Other releases of Pillow draw some edges a pixel off.
        pixels, others = (np.asarray(picture.convert("RGB")) for picture in (one, other))
    return pixels.shape == others.shape and float((pixels != others).any(axis=2).mean()) < 0.1


def same_rows(stored: Path, rendered: Path) -> bool:
    # Another version of Arrow may compress differently.
    return read_rows(stored) == read_rows(rendered)


def same_video(stored: Path, rendered: Path) -> bool:
    # The encoder writes other bytes for the same pictures each time, a little off the pictures themselves.
    one, other = frames(stored), frames(rendered)
    return one.shape == other.shape and float(np.abs(one - other).mean()) < 0.5


def same_manifest(stored: Path, rendered: Path) -> bool:
    one, other = (parse_json(path.read_text()) | {"sha256": ""} for path in (stored, rendered))
    return one == other


SAME: dict[str, Callable[[Path, Path], bool]] = {
    ".png": same_picture,
    ".parquet": same_rows,
    ".mp4": same_video,
    ".json": same_manifest,
}


@pytest.fixture
def _pictures_are_written_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """To pack them as tightly as the sample's takes longer than to draw them; their pixels are the same."""
    save = Image.Image.save

    def fast(self: Image.Image, path: Path, **how: object) -> None:
        assert how == {"optimize": True}
        save(self, path, compress_level=1)

    monkeypatch.setattr(Image.Image, "save", fast)


@pytest.mark.slow
@pytest.mark.usefixtures("_pictures_are_written_fast")
@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_a_sample_is_what_its_code_renders(
    benchmark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if benchmark == "motion_only":  # without loss every preset keeps the same pixels
        monkeypatch.setattr(encoding, "PRESET", "ultrafast")
    import_module(f"hf_datasets.samples.{benchmark}").write(tmp_path)
    stored = {path.relative_to(mini_root(benchmark)) for path in mini_root(benchmark).rglob("*.*")}
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")} == stored
    other = [path for path in stored if not SAME[path.suffix](mini_root(benchmark) / path, tmp_path / path)]
    assert other == []


def test_steps_begin_where_they_are_put_and_change_with_time() -> None:
    canvas = kit.Canvas((8, 6), "ffffff", kit.palette("ink 102030"))
    canvas.play(
        kit.at_time("box ink 0,0 1+2t,0; t<0.5 box ff0000 0,4 0,4; t>0.5 box 00ff00 0,4 0,4", 1), at=(2, 1)
    )
    drawn = {(x, y): canvas.image.getpixel((x, y)) for x in range(8) for y in range(6)}
    inked = {spot: colour for spot, colour in drawn.items() if colour != (255, 255, 255)}
    assert inked == {**dict.fromkeys([(2, 1), (3, 1), (4, 1), (5, 1)], (16, 32, 48)), (2, 5): (0, 255, 0)}
