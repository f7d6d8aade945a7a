"""The bundled samples are what the code under `hf_datasets/samples/` renders."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import av
import numpy as np
import PIL
import pytest
from numpy.typing import NDArray
from PIL import Image

from hf_datasets.motion_only import render
from hf_datasets.samples import kit, rextime, timepercept
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import parse_json, read_rows
from tempbench_lmms.media import encoding

DRAWN_WITH = "13."
"""The release of Pillow by which the samples were drawn; others draw some edges a pixel off."""
_BLOCK = 16
FEW: dict[str, tuple[str, Callable[..., set]]] = {
    "rextime": ("frame", lambda clip, time: {(clip.paint, round(time * rextime.FPS) // 4)}),
    "tempvs": (
        "render",
        lambda one: {one.action, one.colour, (one.source, one.actor), (one.source, one.mirrored)},
    ),
    "timepercept": ("_picture", lambda path: _classes_of_a_place(*path.removesuffix(".png").rsplit("_", 1))),
}
"""What draws most of a sample's pictures, and what each is an example of: without `--exhaustive` one that is
an example of nothing new is not drawn."""
NOT_DRAWN = Image.new("1", (1, 1))


def _classes_of_a_place(place: str, last: str) -> set:
    """What a picture of TimePerceptBench's sample shows: a town, or one of its category in a month."""
    if place.startswith("towns/"):
        return {place, (int(place[-2:]) % len(timepercept.CATEGORIES), last[5:7])}
    return {(place, last)}


@dataclass(frozen=True)
class Shown:
    """What a video shows: its frames as the encoder is given them (Y above U and V), and its rate.

    Of its `n_frames`, those that are `drawn` are here.
    """

    frames: NDArray[np.uint8]
    fps: int
    n_frames: int
    drawn: Sequence[int]
    lossless: bool = False


def shown(path: Path, drawn: Sequence[int]) -> Shown:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [*container.decode(stream)]
        own = [frames[place].to_ndarray(format="yuv420p") for place in drawn if place < len(frames)]
        assert stream.average_rate is not None
        return Shown(np.stack(own), int(stream.average_rate), len(frames), drawn)


def same_picture(stored: Path, rendered: Path) -> bool:
    with Image.open(stored) as one, Image.open(rendered) as other:
        if other.size == NOT_DRAWN.size:
            return True
        if PIL.__version__.startswith(DRAWN_WITH):
            return (one.mode, one.size, one.tobytes()) == (other.mode, other.size, other.tobytes())
        pixels, others = (np.asarray(picture.convert("RGB")) for picture in (one, other))
    return pixels.shape == others.shape and float((pixels != others).any(axis=2).mean()) < 0.1


def same_rows(stored: Path, rendered: Path) -> bool:
    # Another version of Arrow may compress differently.
    return read_rows(stored) == read_rows(rendered)


def same_video(stored: Path, rendered: Shown) -> bool:
    one = shown(stored, rendered.drawn)
    if (one.n_frames, one.fps, one.frames.shape) != (rendered.n_frames, rendered.fps, rendered.frames.shape):
        return False
    apart = np.subtract(one.frames, rendered.frames, dtype=np.int16)
    if rendered.lossless or not PIL.__version__.startswith(DRAWN_WITH):
        return float(np.abs(apart).mean()) <= (0 if rendered.lossless else 1)
    # What is encoded is a little off the pictures, and hardly in the mean of a block: of the stored ones
    # none by more than 2.7, and none of their frames as a whole by more than 0.12.
    height, width = (length // _BLOCK * _BLOCK for length in apart.shape[1:])
    blocks = apart[:, :height, :width].reshape(len(apart), height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK)
    whole = np.abs(apart.mean((1, 2))).max()
    return float(np.abs(blocks.mean((2, 4))).max()) < 5 and float(whole) < 0.25


def same_manifest(stored: Path, rendered: Path) -> bool:
    one, other = (parse_json(path.read_text()) | {"sha256": ""} for path in (stored, rendered))
    return one == other


SAME: dict[str, Callable[[Path, Path], bool]] = {
    ".png": same_picture,
    ".parquet": same_rows,
    ".json": same_manifest,
}


@pytest.fixture
def _pictures_are_written_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """To pack them as tightly as the sample's takes longer than to draw them; their pixels are the same."""
    save = Image.Image.save

    def fast(self: Image.Image, path: Path, **how: object) -> None:
        assert how == {"optimize": True}
        save(self, path, compress_level=0)

    monkeypatch.setattr(Image.Image, "save", fast)


def rendered(benchmark: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[Path, Shown]:
    """Renders a sample; returns its videos, which it does not encode: to draw them takes half as long."""
    made, found = import_module(f"hf_datasets.samples.{benchmark}"), {}

    def keep(images: Iterable[Image.Image], path: Path, fps: int, crf: int = 30, **_: str) -> None:
        made = [*images]
        drawn = [place for place, image in enumerate(made) if image is not NOT_DRAWN]
        yuv: dict[bytes, NDArray[np.uint8]] = {}  # many frames are like the one before
        for place in drawn:
            if (pixels := made[place].tobytes()) not in yuv:
                frame = av.VideoFrame.from_image(made[place])
                yuv[pixels] = frame.reformat(format="yuv420p").to_ndarray()
        frames = np.stack([yuv[made[place].tobytes()] for place in drawn])
        path.touch()
        found[path] = Shown(frames, fps, len(made), drawn, crf == encoding.LOSSLESS)

    for module in (made, render):
        if hasattr(module, "encode"):
            monkeypatch.setattr(module, "encode", keep)
    made.write(root)
    return found


def draw_few(benchmark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a sample's code draw no more pictures than are examples of something new."""
    name, classes_of = FEW[benchmark]
    made, seen = import_module(f"hf_datasets.samples.{benchmark}"), set()
    draw = getattr(made, name)

    def few(*what: object) -> Image.Image:
        new = classes_of(*what) - seen
        seen.update(new)
        return draw(*what) if new else NOT_DRAWN

    monkeypatch.setattr(made, name, few)


@pytest.mark.slow
@pytest.mark.usefixtures("_pictures_are_written_fast")
@pytest.mark.parametrize(
    ("benchmark", "few"),
    [
        *((name, name in FEW) for name in benchmarks.names()),
        *(pytest.param(name, False, marks=pytest.mark.exhaustive) for name in FEW),
    ],
)
def test_a_sample_is_what_its_code_renders(
    benchmark: str, few: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few:
        draw_few(benchmark, monkeypatch)
    videos = rendered(benchmark, tmp_path, monkeypatch)
    root = mini_root(benchmark)
    stored = {path.relative_to(root) for path in root.rglob("*.*")}
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")} == stored
    assert {tmp_path / path for path in stored if path.suffix == ".mp4"} == {*videos}
    other = [
        path
        for path in stored
        if not (
            same_video(root / path, videos[tmp_path / path])
            if path.suffix == ".mp4"
            else SAME[path.suffix](root / path, tmp_path / path)
        )
    ]
    assert other == []


def test_steps_begin_where_they_are_put_and_change_with_time() -> None:
    canvas = kit.Canvas((8, 6), "ffffff", kit.palette("ink 102030"))
    canvas.play(
        kit.at_time("box ink 0,0 1+2t,0; t<0.5 box ff0000 0,4 0,4; t>0.5 box 00ff00 0,4 0,4", 1), at=(2, 1)
    )
    drawn = {(x, y): canvas.image.getpixel((x, y)) for x in range(8) for y in range(6)}
    inked = {spot: colour for spot, colour in drawn.items() if colour != (255, 255, 255)}
    assert inked == {**dict.fromkeys([(2, 1), (3, 1), (4, 1), (5, 1)], (16, 32, 48)), (2, 5): (0, 255, 0)}


def test_a_shape_is_drawn_again_further_on_and_from_another_place() -> None:
    canvas = kit.Canvas((8, 6), "000000")
    canvas.play(
        "box ff0000 0,0 0,0 x3,2,1 | 0,4 0,4; at 3,0; box 00ff00 0,0 0,0; at 4,0; box 00ff00 0,0 0,0",
        at=(1, 0),
    )
    drawn = {(x, y): canvas.image.getpixel((x, y)) for x in range(8) for y in range(6)}
    coloured = {spot: colour for spot, colour in drawn.items() if colour != (0, 0, 0)}
    red, green = [(1, 0), (3, 1), (5, 2), (1, 4)], [(4, 0), (5, 0)]
    assert coloured == dict.fromkeys(red, (255, 0, 0)) | dict.fromkeys(green, (0, 255, 0))
