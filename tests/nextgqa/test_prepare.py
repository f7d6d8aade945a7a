"""`tempbench prepare nextgqa`: from the release's annotations and a folder of videos."""

import json
import os
import shutil
from pathlib import Path

import pytest

from hf_datasets.nextgqa import prepare as preparing
from hf_datasets.nextgqa.prepare import prepare
from hf_datasets.parts import How
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import rows
from tests.command import complains, tempbench
from tests.nextgqa.contract import SOURCE

QUESTION = {
    "video_id": "7", "qid": "3", "type": "TN", "question": "what did she do next", "answer": "sang",
    "a0": "ran", "a1": "sang", "a2": "ate", "a3": "slept", "a4": "sang",
}  # fmt: skip


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Three questions about three videos, which stand in folders as VidOR has them."""
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    SOURCE(tmp_path / "source", 0)
    return tmp_path / "source"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "data" / "nextgqa"


def test_row():
    row = rows.row(QUESTION, [[1, 4.5], [6, 8]], 30)
    assert row["question_id"] == "7_3"
    assert row["video"] == "tempbench://nextgqa/media/7.mp4"
    assert row["answer"] == "B"  # the first of two that are the same, as officially
    assert row["windows"] == [[1.0, 4.5], [6.0, 8.0]]
    assert row["target"] == '{"answer": "B", "span": [1, 4.5]}'
    assert row["choices"][4] == '{"answer": "E", "span": [0, 30]}'
    assert list(rows.row_problems(row)) == []


@pytest.mark.parametrize(
    ("change", "segments", "duration", "said"),
    [
        ({"answer": "flew"}, [[1, 2]], 30, "not an option"),
        ({}, [[1]], 30, "a start and an end"),
        ({}, [], 30, "a start and an end"),
        ({}, [["a", 2]], 30, "could not convert"),
        ({}, [[1, 2]], None, "float"),
        ({}, [[1, 2]], float("nan"), "not a number of seconds"),
        ({}, None, 30, "not iterable"),
    ],
)
def test_malformed_records_are_named(change, segments, duration, said):
    with pytest.raises(TempbenchError, match=f"question 7_3: .*{said}"):
        rows.row(QUESTION | change, segments, duration)
    with pytest.raises(TempbenchError, match="question 7_3: the field 'a4' is missing"):
        rows.row({key: one for key, one in QUESTION.items() if key != "a4"}, [[1, 2]], 30)


def test_prepare(source, root):
    manifest = prepare(source, source / "videos", splits=["test"])
    assert manifest["rows"] == {"test": 3}
    assert (manifest["linked"], manifest["copied"], manifest["skipped"]) == (3, 0, [])
    assert os.path.samefile(root / "media" / "0.mp4", source / "videos" / "10" / "0.mp4")
    assert [row["question_id"] for row in read_rows(root / "test")] == ["0_0", "1_0", "2_0"]
    assert list(rows.problems(root)) == []
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert prepare(source, source / "videos", splits=["test"]) is None
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
    copied = prepare(source, source / "videos", How(copy=True), ["test"])
    assert copied["copied"] == 3
    assert not os.path.samefile(root / "media" / "0.mp4", source / "videos" / "10" / "0.mp4")


def test_questions_without_a_sound_video_are_left_out_and_named(source, root):
    videos = source / "videos" / "10"
    (videos / "0.mp4").unlink()
    (videos / "1.mp4").write_bytes((videos / "1.mp4").read_bytes()[:900])
    segments = json.loads((source / "gsub_test.json").read_text())
    manifest = prepare(source, source / "videos", splits=["test"])
    assert manifest["rows"] == {"test": 1}
    assert [one["id"] for one in manifest["skipped"]] == ["0_0", "1_0"]
    assert manifest["skipped"][0]["reason"] == "missing"
    problems = list(rows.problems(root))
    assert len(problems) == 2
    assert problems[0].startswith("test: 1 left out when the data was prepared (missing), the first is 0_0")
    # A video of another length is another video.
    segments["2"]["duration"] = 99
    (source / "gsub_test.json").write_text(json.dumps(segments))
    with pytest.raises(
        TempbenchError, match=r"no question can be asked, 3 are left out: 0_0 .*, 1_0 .*, 2_0 "
    ):
        prepare(source, source / "videos", How(force=True), ["test"])


def test_the_folder_of_the_harness_is_found(source, root, tmp_path, monkeypatch):
    """The harness's `nextqa` tasks keep the videos in one flat folder of the cache."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    assert preparing.harness_videos() == tmp_path / "cache" / "nextqa" / "NExTVideo"
    shutil.copytree(source / "videos" / "10", preparing.harness_videos())
    clone = tmp_path / "clone"
    shutil.copytree(source, clone / "datasets" / "nextgqa")
    done = tempbench("prepare", "nextgqa", "--source", clone, "--harness", "--splits", "test")
    assert done.returncode == 0, done.stderr
    assert "test: 3 questions, the release has 5553" in done.stdout
    assert "videos: 3 linked to yours, 0 copied" in done.stdout
    again = tempbench("prepare", "nextgqa", "--source", clone, "--harness", "--splits", "test")
    assert "nothing to do" in again.stdout
    assert tempbench("verify", "nextgqa").returncode == 0


def test_the_list_of_places_decides_between_files_of_one_name(source):
    videos = source / "videos"
    (videos / "01").mkdir()
    other = shutil.copy(videos / "10" / "2.mp4", videos / "01" / "0.mp4")
    (source / preparing.MAP).write_text(json.dumps({"0": "10/0"}))
    found = {"test": list(rows.rows(source, "test"))}
    taken = preparing.media_of(found, videos, json.loads((source / preparing.MAP).read_text()))
    assert taken["0.mp4"].path == videos / "10" / "0.mp4"
    assert preparing.media_of(found, videos, {})["0.mp4"].path == Path(other)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "--videos or --harness"),
        (["--videos", "videos", "--harness"], "--videos or --harness"),
        (["--videos", "nowhere"], "is not a folder"),
        (["--videos", "empty"], "has none of the 3 videos (0.mp4, 1.mp4, 2.mp4)"),
        (["--videos", "videos", "--splits", "train"], "'train' is not a split"),
        (["--videos", "videos"], "val.csv"),
    ],
)
def test_what_cannot_be_prepared(options, said, source, monkeypatch):
    monkeypatch.chdir(source)
    Path("empty").mkdir()
    options = options if "--splits" in options or said == "val.csv" else [*options, "--splits", "test"]
    complains(tempbench("prepare", "nextgqa", "--source", source, *options), said)


def test_a_source_without_annotations(source, tmp_path):
    (tmp_path / "empty").mkdir()
    done = tempbench("prepare", "nextgqa", "--source", tmp_path / "empty", "--videos", source / "videos")
    complains(done, "neither gsub_test.json nor gsub_val.json")
