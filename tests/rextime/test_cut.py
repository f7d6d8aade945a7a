"""Clips are cut at exact frames, by their names; nothing is overwritten, and what is wrong is listed."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from hf_datasets.rextime import cut as cutting_clips
from hf_datasets.rextime.prepare import prepare
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import cutting, sandbox
from tempbench_lmms.media.decoding import Video
from tempbench_lmms.rextime import checks
from tests.command import complains, tempbench
from tests.media import clips
from tests.rextime.test_prepare import RECORD

YOUTUBE = "2I9-kvemtSU"

KINDS = {
    "plain.mp4": {},
    "variable.mp4": {"variable": True},
    "open groups.mp4": {"options": {"x264-params": "open-gop=1:keyint=20:bframes=3:b-adapt=0:scenecut=0"}},
    "all colours.mp4": {"pixels": "yuvj420p", "colour_range": 2, "matrix": 1},
    "odd.mp4": {"pixels": "yuv444p", "size": (97, 65)},
    "late.mkv": {"start": 1500},
    "no index.avi": {"codec": "mpeg4"},
}
"""Videos by their names, with what `clips.write` is told."""


def table_of(path: Path) -> tuple[list[float], bool]:
    with Video(path) as video:
        index = video.index()
        if not index.seekable:
            index = video.counted([frame.pts for frame in video.frames()])
    return [index.time(place) for place in range(index.n_frames)], index.closed


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_clip_has_the_frames_that_are_shown_in_its_time(name, tmp_path):
    source = clips.write(tmp_path / name, n=100, **KINDS[name])
    start, end = 1.51, 3.0
    times, closed = table_of(source)
    assert closed == (name not in ("open groups.mp4", "no index.avi"))
    shown = [
        place
        for place, time in enumerate(times)
        if time < end and (place + 1 == len(times) or times[place + 1] > start)
    ]
    beats: list[int] = []
    done = cutting.cut(source, tmp_path / "clip.mp4", start, end, beats.append)
    assert done.n_frames == len(shown)
    assert beats
    found, _ = table_of(tmp_path / "clip.mp4")
    assert found == pytest.approx([max(0, times[place] - start) for place in shown], abs=1e-4)
    # Encoded anew, and no other frame is nearer.
    wanted = np.stack(clips.full_decode(source)).astype(int)
    pictures = clips.full_decode(tmp_path / "clip.mp4")
    assert len(pictures) == len(shown)
    for place, picture in list(zip(shown, pictures, strict=True))[::6]:
        height, width = picture.shape[:2]
        errors = np.abs(wanted[:, :height, :width] - picture).mean((1, 2, 3))
        assert errors.argmin() == place
        assert errors[place] < 20


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Annotations of four clips: one can be cut; of the others the video is short, or missing, or unnamed."""
    folder = tmp_path / "annotations"
    folder.mkdir()
    names = {f"{YOUTUBE}_2.0_6.0": 4, "AAAAAAAAAAA_2.0_6.0": 4, "BBBBBBBBBBB_0.0_4.0": 4, "no name": 4}
    records = [
        RECORD | {"qid": f"q{i}", "vid": name, "duration": seconds, "span": [0, 2]}
        for i, (name, seconds) in enumerate(names.items())
    ]
    (folder / "rextime_val.json").write_text(json.dumps(records))
    (folder / "rextime_train.json").write_text(json.dumps([RECORD | {"vid": "CCCCCCCCCCC_0.0_9.0"}]))
    return folder


@pytest.fixture
def full(tmp_path: Path, write_video) -> Path:
    folder = tmp_path / "full"
    write_video(folder / "sub" / f"A title [{YOUTUBE}].mkv", duration=8, n=80)
    write_video(folder / "AAAAAAAAAAA.mp4", duration=3, n=30)
    return folder


def run(full: Path, source: Path, output: Path, *more: str):
    arguments = ("--videos", full, "--source", source, "--output", output, "--splits", "validation", *more)
    return tempbench("cut", "rextime", *arguments)


@pytest.mark.slow
def test_the_rest_goes_on_and_a_second_run_completes_it(full, source, tmp_path, write_video, monkeypatch):
    output = tmp_path / "clips"
    done = run(full, source, output)
    complains(done, "3 of 4 clips are missing", "run this again")
    assert f"1 clips cut into {output}, 0 of 4 already existed" in done.stdout
    for words in (
        "AAAAAAAAAAA.mp4: the video lasts 1.0 seconds but its annotation says 4.0",
        "the full video BBBBBBBBBBB is missing; get https://www.youtube.com/watch?v=BBBBBBBBBBB",
        "no name: the name is not <YouTube id>_<start>_<end>",
    ):
        assert words in done.stdout
    clip = output / f"{YOUTUBE}_2.0_6.0.mp4"
    assert sorted(path.name for path in output.iterdir()) == [".cut.lock", clip.name]
    times, _ = table_of(clip)
    assert (len(times), times[-1]) == (40, pytest.approx(3.9, abs=1e-3))
    # What is there is not made again; a clip that was copied there under another suffix counts.
    before = clip.stat().st_mtime_ns
    write_video(full / "BBBBBBBBBBB.mp4", duration=9, n=45)
    write_video(output / "AAAAAAAAAAA_2.0_6.0.mkv", duration=4, n=8)
    done = run(full, source, output)
    assert f"1 clips cut into {output}, 2 of 4 already existed" in done.stdout
    assert clip.stat().st_mtime_ns == before
    # What was cut is sound for `prepare`, in which the missing ones stay listed.
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    manifest = prepare(source, {"qvhighlights": output}, splits=["validation"])
    assert ["no name.mp4" in one["why"] for one in manifest["skipped"]] == [True]
    assert len(list(checks.problems(tmp_path / "data" / "rextime"))) == 1


def test_a_clip_ends_where_its_annotation_says(full, source, tmp_path):
    """As four of the 152 clips of the validation split do, whose names say 150 seconds."""
    record = RECORD | {"vid": f"{YOUTUBE}_2.0_152.0", "duration": 5, "span": [0, 2]}
    (source / "rextime_val.json").write_text(json.dumps([record]))
    report = cutting_clips.cut(full, tmp_path / "clips", source, splits=["validation"])
    assert (report.cut, report.problems) == (1, {})
    times, _ = table_of(tmp_path / "clips" / f"{record['vid']}.mp4")
    assert len(times) == 50


def test_nothing_is_overwritten(full, source, tmp_path, write_video):
    output = tmp_path / "clips"
    wrong = write_video(output / f"{YOUTUBE}_2.0_6.0.mp4", duration=50)
    content = wrong.read_bytes()
    done = run(full, source, output)
    assert f"it is kept: remove {wrong} to cut it again" in done.stdout
    assert wrong.read_bytes() == content
    half, name = tmp_path / "half", f"{YOUTUBE}_2.0_6.0"
    half.write_bytes(b"new")
    one = sandbox.Cut(full, output / f".{name}.partial", 2, 6)
    shutil.copy(half, one.target)
    said = cutting_clips._placed(name, one, cutting.Clip(40, 4.0), 4.0)
    assert "in the meantime; it is kept" in said
    assert wrong.read_bytes() == content


def test_what_cannot_begin(full, source, tmp_path):
    complains(run(tmp_path / "none", source, tmp_path / "out"), "is not a folder")
    complains(run(full, full, tmp_path / "out"), "none of rextime_val.json")
    (tmp_path / "file").write_text("")
    complains(run(full, source, tmp_path / "file"), "is a file")
    anet = RECORD | {"source": "ActivityNet_val_2"}
    (source / "rextime_val.json").write_text(json.dumps([anet]))
    complains(
        run(full, source, tmp_path / "out"), "no question of validation is about a video of QVHighlights"
    )
    with pytest.raises(TempbenchError, match="is not a split"):
        cutting_clips.cut(full, tmp_path / "out", source, splits=["tset"])
