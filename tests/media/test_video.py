"""Frames of videos: the right ones, each decoded once."""

from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding, video
from tests.media import clips

pytestmark = pytest.mark.slow

BUDGETS = (4, 8, 12, 16)

KINDS = {
    "h264_b_frames.mp4": {"options": {"bf": "3", "g": "20"}},
    "h264_open_gop.mkv": {"options": {"bf": "3", "g": "12", "x264-params": "open-gop=1:b-pyramid=normal"}},
    "h264_one_key_frame.mp4": {"n": 100},
    "h265.mp4": {"codec": "libx265", "options": {"x265-params": "log-level=none:keyint=16"}},
    "vp9.webm": {"codec": "libvpx-vp9", "options": {"g": "16", "auto-alt-ref": "1", "lag-in-frames": "16"}},
    "odd_444.mp4": {"size": (97, 65), "pixels": "yuv444p"},
    "odd_420.webm": {"codec": "libvpx-vp9", "size": (97, 65)},
    "variable_rate.mp4": {"variable": True, "options": {"bf": "3", "g": "20"}},
    "mpeg4.avi": {"codec": "mpeg4"},
    "bt709.mp4": {"matrix": 1, "colour_range": 1},
    "full_range.mp4": {"matrix": 1, "colour_range": 2},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("videos")
    found = {name: clips.write(folder / name, **kind) for name, kind in KINDS.items()}
    for degrees in (90, 180, 270):
        path = clips.write(folder / f"turned_{degrees}.mp4", n=30)
        found[path.name] = clips.turn(path, degrees)
    return found


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    video.forget()


def everything(path: Path) -> list[np.ndarray]:
    """All frames, by OpenCV, which the official code reads with."""
    capture = cv2.VideoCapture(str(path))
    frames = []
    while (got := capture.read())[0]:
        frames.append(got[1][..., ::-1])
    return frames


ALL = [*KINDS, "turned_90.mp4", "turned_180.mp4", "turned_270.mp4"]


@pytest.mark.parametrize("name", ALL)
def test_frames_are_those_of_a_reader_that_decodes_everything(made: dict[str, Path], name: str) -> None:
    reference = everything(made[name])
    places = video.uniform_places(len(reference), 16)
    frames = video.sample_frames(made[name], 16)
    assert [image.size[::-1] for image in frames.images] == [reference[0].shape[:2]] * 16
    # OpenCV enlarges the chroma of pictures with odd sizes differently, and x265's by other rounding.
    for image, place in zip(frames.images, places, strict=True):
        difference = np.abs(np.asarray(image).astype(int) - reference[place])
        assert difference.mean() < (8 if name == "odd_420.webm" else 0.5), place


def test_times_are_those_of_the_stream(made: dict[str, Path]) -> None:
    with av.open(str(made["variable_rate.mp4"])) as container:
        times = [frame.time for frame in container.decode(video=0)]
    frames = video.sample_frames(made["variable_rate.mp4"], 8)
    wanted = [times[place] - times[0] for place in video.uniform_places(60, 8)]
    assert frames.times == pytest.approx(wanted, abs=1e-9)


def test_four_budgets_cost_one_decode(made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    decodes = []
    read = decoding.read

    def counted(*args: object) -> object:
        decodes.append(args)
        return read(*args)

    monkeypatch.setattr(decoding, "read", counted)
    alone = {n: video.sample_frames(made["vp9.webm"], n) for n in BUDGETS}
    assert len(decodes) == 4
    video.forget()
    decodes.clear()
    together = {n: video.sample_frames(made["vp9.webm"], n, BUDGETS) for n in BUDGETS}
    assert len(decodes) == 1
    for n in BUDGETS:
        assert alone[n].times == together[n].times
        assert all(
            np.array_equal(np.asarray(one), np.asarray(other))
            for one, other in zip(alone[n].images, together[n].images, strict=True)
        )


def test_the_cache_is_bounded_and_its_pictures_cannot_be_spoilt(
    made: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(video.CACHE_VARIABLE, "1")
    for path in made.values():
        video.sample_frames(path, 16)
        assert sum(one.n_bytes for one in video._entries.values()) <= 1_000_000
    monkeypatch.setenv(video.CACHE_VARIABLE, "64")
    image = video.sample_frames(made["vp9.webm"], 4).images[0]
    before = image.tobytes()
    image.paste((1, 2, 3), (0, 0, 96, 64))
    assert video.sample_frames(made["vp9.webm"], 4).images[0].tobytes() == before


def test_a_replaced_file_is_read_anew(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mp4", n=20)
    first = video.sample_frames(path, 2).images[1].tobytes()
    clips.write(path, n=40)
    assert video.sample_frames(path, 2).images[1].tobytes() != first


def test_probe_tells_size_as_shown(made: dict[str, Path]) -> None:
    expected = video.Facts(2.4, 60, 25.0, 96, 64, "mov,mp4,m4a,3gp,3g2,mj2", "h264", True)
    assert video.probe(made["h264_b_frames.mp4"]) == expected
    turned = video.probe(made["turned_90.mp4"])
    assert (turned.width, turned.height) == (64, 96)


def test_a_playlist_is_no_video(tmp_path: Path) -> None:
    # It would make the library open other files of the machine.
    target = clips.write(tmp_path / "private.ts", n=10)
    playlist = tmp_path / "list.mp4"
    playlist.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{target}\n#EXT-X-ENDLIST\n")
    with pytest.raises(MediaError):
        video.sample_frames(playlist, 2)
    concatenation = tmp_path / "concat.mp4"
    concatenation.write_text(f"ffconcat version 1.0\nfile {target.name}\n")
    with pytest.raises(MediaError):
        video.sample_frames(concatenation, 2)


def test_real_clips(shared: Path) -> None:
    for name, n_frames in (("video0.mp4", 300), ("video9770.mp4", 330)):
        path = shared / "real" / "msrvtt" / name
        reference = everything(path)
        assert video.probe(path).n_frames == len(reference) == n_frames
        for n in BUDGETS:
            images = video.sample_frames(path, n, BUDGETS).images
            for image, place in zip(images, video.uniform_places(n_frames, n), strict=True):
                assert np.array_equal(np.asarray(image), reference[place])
