"""Files that were once read wrongly, each by itself."""

import json
from collections import deque
from pathlib import Path

import av
import numpy as np
import pytest

from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import integrity, video
from tempbench_lmms.media.segment import segment_frames
from tests.media import clips

pytestmark = pytest.mark.slow

B_FRAMES = {"bf": "3", "g": "10", "sc_threshold": "0"}


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    video._CACHE.clear()


def assert_exact(path: Path, n_frames: int) -> None:
    reference = clips.full_decode(path)
    assert len(reference) == n_frames
    images = video.sample_frames(path, n_frames).images
    for place, (image, picture) in enumerate(zip(images, reference, strict=True)):
        assert np.array_equal(np.asarray(image), picture), place


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_part_of_a_video_is_turned(tmp_path: Path, degrees: int) -> None:
    path = clips.turn(clips.write(tmp_path / "a.mp4", n=30, options=B_FRAMES), degrees)
    reference = clips.full_decode(path)
    frames = segment_frames(path, 0.4, 0.8, 3)
    assert frames.times == pytest.approx((0.4, 0.6, 0.8))
    for image, place in zip(frames.images, (10, 15, 20), strict=True):
        assert np.array_equal(np.asarray(image), reference[place])


@pytest.mark.parametrize("colour_range", [1, 2])
def test_a_part_of_a_video_has_its_colours(tmp_path: Path, colour_range: int) -> None:
    path = clips.write(tmp_path / "a.mp4", n=30, options=B_FRAMES, matrix=1, colour_range=colour_range)
    reference = clips.full_decode(path)
    for image, place in zip(segment_frames(path, 0.4, 0.8, 3).images, (10, 15, 20), strict=True):
        assert np.array_equal(np.asarray(image), reference[place])


def test_a_part_begins_at_the_first_frame_whatever_its_time(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mkv", n=30, options=B_FRAMES, start=5_000)
    reference = clips.full_decode(path)
    assert np.array_equal(np.asarray(segment_frames(path, 0.4, 0.8, 3).images[0]), reference[10])


def test_frames_count_as_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The header tells of 366 frames; an edit list shows 235 of them.
    folder = tmp_path / "mine"
    folder.mkdir()
    path = clips.write(folder / "a.mp4", n=366, size=(64, 48), options=B_FRAMES)
    clips.trim(path, 1.0, 235 * 0.04)
    shown = len(clips.full_decode(path))
    assert shown < 0.7 * 366
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence import checks

    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    assert list(checks.problems(root)) == []
    known = json.loads((root / "videos.json").read_text())["captions/a.mp4"]
    assert (known["n_frames"], known["declared_frames"]) == (shown, 366)
    assert known["duration"] == pytest.approx(shown * 0.04, abs=0.01)


def test_names_suffixes_and_subfolders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence import checks

    folder = tmp_path / "mine"
    kinds = {
        "a [1080p] (final) copy.mp4": {},
        "sub folder/видео на русском.m4v": {"form": "mp4"},
        "sub folder/deep/猫が走る.mov": {},
        "हिन्दी 100% #1.mkv": {},
        "moving.gif": {"codec": "gif", "pixels": "rgb8", "rate": 10},
        "old.mpg": {"codec": "mpeg2video"},
        "colon:it's {x}~.webm": {"codec": "libvpx-vp9"},
    }
    for name, kind in kinds.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        clips.write(folder / name, n=12, **kind)
    (folder / "notes.txt").write_text("x")
    (folder / "sub folder" / "cover.jpg").write_bytes(b"x")
    (folder / "damaged.mp4").write_bytes(b"x" * 50)
    (folder / "line\nbreak.mp4").write_bytes(b"x" * 50)
    (folder / "captions.json").write_text(json.dumps({"sub folder/deep/猫が走る.mov": "A cat runs."}))
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    rows = tables.read_rows(root / "caption")
    assert {row["question_id"].rpartition("/")[0] for row in rows} == set(kinds)
    assert next(row["target"] for row in rows if "猫" in row["question_id"]) == "A cat runs."
    for row in rows:
        assert len(video.sample_frames(roots.resolve(row["video"]), 4).images) == 4
    (problem, *more) = checks.problems(root)
    assert "captions: 1 left out when the data was prepared (damaged), the first is damaged.mp4" in problem
    assert all("left out" in line for line in more)
    part = json.loads((root / "manifest.json").read_text())["parts"]["captions"]
    assert part["skipped_by_reason"] == {"no video": 2, "damaged": 1, "odd name": 1}
    assert "left out, no video: 2" in capsys.readouterr().out
    # A second run decodes nothing.
    making.prepare(captions=folder)


def test_verify_decodes_what_has_changed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence import checks
    from tempbench_lmms.media import sandbox

    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("a.mp4", "b.mp4"):
        clips.write(folder / name, n=12)
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    looked: list[str] = []
    look = sandbox.check_video
    monkeypatch.setattr(
        sandbox, "check_video", lambda path, **given: looked.append(path.name) or look(path, **given)
    )
    assert list(checks.problems(root)) == []
    assert looked == []
    target = root / "media" / "captions" / "b.mp4"
    target.write_bytes(target.read_bytes()[:-400])
    [problem] = checks.problems(root)
    assert problem.startswith("b.mp4: ")
    assert looked == ["b.mp4"]


def test_a_frame_that_hides_that_others_refer_to_it_is_found(tmp_path: Path) -> None:
    path = clips.write(
        tmp_path / "a.mp4",
        codec="libx265",
        n=30,
        options={"x265-params": "log-level=none:bframes=0:keyint=30:min-keyint=30:no-scenecut=1"},
    )
    sound = clips.full_decode(path)
    with av.open(str(path)) as container:
        [place] = [packet.pos for i, packet in enumerate(container.demux(video=0)) if i == 13]
    data = bytearray(path.read_bytes())
    assert data[place + 4] == 1 << 1  # TRAIL_R
    data[place + 4] = 0  # TRAIL_N: nothing refers to it, it says
    path.write_bytes(data)
    # Whoever decodes everything sees no difference, nor does who asks for nearly all frames.
    assert all(map(np.array_equal, clips.full_decode(path), sound))
    assert_exact(path, 30)
    video._CACHE.clear()
    images = video.sample_frames(path, 4).images
    places = video.uniform_places(30, 4)
    assert not all(np.array_equal(np.asarray(i), sound[p]) for i, p in zip(images, places, strict=True))
    with pytest.raises(MediaError, match="another one when it is sought"):
        integrity.check_video(path, thorough=True)


def test_damage_that_shows_what_memory_held(tmp_path: Path) -> None:
    """A damaged H.265 slice may end early without an error: the rest of the frame is then left as it was."""
    path = clips.write(
        tmp_path / "a.mkv",
        codec="libx265",
        n=30,
        size=(80, 64),
        options={"x265-params": "log-level=none:keyint=10:open-gop=0"},
    )
    assert integrity.check_video(path, thorough=True).n_frames == 30
    sound = path.read_bytes()
    with av.open(str(path)) as container:
        packets = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    n_unsteady = 0
    for place, size in packets:
        middle = place + 20 + (size - 20) // 2
        path.write_bytes(sound[:middle] + b"\xff" * (place + size - middle) + sound[place + size :])
        if _decoded(path, 1) != _decoded(path, 8):
            n_unsteady += 1
            with pytest.raises(MediaError, match=r"comes out differently|another one when it is sought"):
                integrity.check_video(path, thorough=True)
    assert n_unsteady


def _decoded(path: Path, n_held: int) -> list[bytes]:
    """Returns the frames of a video whose decoder must not reuse the memory of the last `n_held`."""
    held: deque[av.VideoFrame] = deque(maxlen=n_held)
    found = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            held.append(frame)
            found.append(frame.to_ndarray().tobytes())
    return found
