"""Files that were once read wrongly, each by itself."""

import json
from pathlib import Path

import pytest

from tempbench_lmms.data import roots, tables
from tempbench_lmms.media import video
from tests.media import clips

pytestmark = pytest.mark.slow

B_FRAMES = {"bf": "3", "g": "10", "sc_threshold": "0"}


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    video.forget()


def test_frames_count_as_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The header tells of 366 frames; an edit list shows 235 of them.
    folder = tmp_path / "mine"
    folder.mkdir()
    path = clips.write(folder / "a.mp4", n=366, size=(64, 48), options=B_FRAMES)
    clips.trim(path, 1.0, 235 * 0.04)
    shown = len(clips.full_decode(path))
    assert shown < 0.7 * 366
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence.rows import problems

    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    assert list(problems(root)) == []
    known = json.loads((root / "videos.json").read_text())["captions/a.mp4"]
    assert known["n_frames"] == shown
    assert known["duration"] == pytest.approx(shown * 0.04, abs=0.01)


def test_names_suffixes_and_subfolders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence.rows import problems

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
    (problem, *more) = problems(root)
    assert "captions: 1 left out when the data was prepared (damaged), the first is damaged.mp4" in problem
    assert all("left out" in line for line in more)
    part = json.loads((root / "manifest.json").read_text())["parts"]["captions"]
    assert part["skipped_by_reason"] == {"no video": 2, "damaged": 1, "odd name": 1}
    assert "left out, no video: 2" in capsys.readouterr().out
    # A second run decodes nothing.
    making.prepare(captions=folder)


def test_verify_decodes_what_has_changed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hf_datasets.coherence import commands as making
    from tempbench_lmms.coherence.rows import problems
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
    assert list(problems(root)) == []
    assert looked == []
    target = root / "media" / "captions" / "b.mp4"
    target.write_bytes(target.read_bytes()[:-400])
    [problem] = problems(root)
    assert problem.startswith("b.mp4: ")
    assert looked == ["b.mp4"]
