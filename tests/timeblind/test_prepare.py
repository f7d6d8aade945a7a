"""TimeBlind's release, from a folder to the prepared data."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from hf_datasets.timeblind import prepare as preparing
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timeblind import rows
from tempbench_lmms.timeblind.card import TAGS
from tests.command import complains, tempbench
from tests.timeblind.contract import SOURCE


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    SOURCE(tmp_path / "source", 0)
    return tmp_path / "source"


def test_a_release_is_prepared_once(release, tmp_path):
    tags = tmp_path / "tags.json"
    tags.write_text(json.dumps({tag: [] for tag in TAGS} | {"Event": [0], "Speed": [0, 1, 2, 3]}))
    part = preparing.prepare(release, tags)
    assert (part["rows"], part["tagged"], part["contrary_answers"], part["skipped"]) == (8, 4, [], [])
    found = read_rows(tmp_path / "home/timeblind/test")
    assert [row["tag"] for row in found] == ["Speed"] * 4 + [None] * 4
    assert found[1]["video"] == "tempbench://timeblind/media/vid_00000_1.mp4"
    assert list(rows.problems(tmp_path / "home/timeblind")) == []
    assert preparing.prepare(release, tags) is None


def test_videos_may_be_packed(release):
    with zipfile.ZipFile(release / "TimeBlind/videos.zip", "w") as packed:
        for path in sorted((release / "TimeBlind/videos").iterdir()):
            packed.write(path, f"videos/{path.name}")
    shutil.rmtree(release / "TimeBlind/videos")
    assert preparing.prepare(release)["rows"] == 8
    assert preparing.prepare(release) is None


def test_an_instance_without_a_video_is_left_out_and_said(release, tmp_path):
    (release / "TimeBlind/videos/vid_00001_0.mp4").write_bytes(b"nothing")
    part = preparing.prepare(release)
    assert part["instances_left_out"] == ["1"]
    assert [one["id"] for one in part["skipped"]] == ["vid_00001_0.mp4"]
    assert part["rows"] == 4
    (problem,) = rows.problems(tmp_path / "home/timeblind")
    assert problem.startswith("timeblind: 1 left out when the data was prepared (")
    assert "the first is vid_00001_0.mp4: " in problem


def test_an_instance_with_one_video_twice_is_left_out_and_said(release):
    videos = release / "TimeBlind/videos"
    shutil.copy(videos / "vid_00001_0.mp4", videos / "vid_00001_1.mp4")
    part = preparing.prepare(release)
    assert (part["rows"], part["instances_left_out"]) == (4, ["1"])
    assert {one["id"]: one["why"] for one in part["skipped"]} == {
        f"vid_00001_{one}.mp4": f"the content is that of vid_00001_{1 - one}.mp4" for one in (0, 1)
    }


def test_scoring_with_the_official_files_works(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results.json").write_text(json.dumps([{"index": one, "model_output": "Yes"} for one in range(8)]))
    complains(tempbench("score", "timeblind", "--predictions", "results.json"), "with --data")
    shutil.move(release, "TimeBlind")
    done = tempbench("score", "timeblind", "--predictions", "results.json", "--data", "TimeBlind")
    assert done.returncode == 0, done.stderr


def test_an_answer_that_is_not_that_of_its_place_is_named(release):
    file = release / "TimeBlind/data.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[5]["answer"] = "Yes"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert preparing.prepare(release)["contrary_answers"] == [5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found[:5], "1 of the 4 questions of the instance are there"),
        (lambda found: _same(found, "question"), "one question, an instance has two"),
        (lambda found: _same(found, "video_path"), "one video, an instance has two"),
    ],
    ids=["cut", "one question", "one video"],
)
def test_an_instance_that_is_not_whole_is_left_out_and_said(release, change, said):
    file = release / "TimeBlind/data.jsonl"
    found = change([json.loads(line) for line in file.read_text().splitlines()])
    file.write_text("\n".join(map(json.dumps, found)))
    done = tempbench("prepare", "timeblind", "--source", release)
    assert done.returncode == 0, done.stderr
    assert "4 of 2400 questions" in done.stdout
    assert f"left out: 1 instances\n  instance 1: {said}" in done.stdout
    again = tempbench("prepare", "timeblind", "--source", release, "--force")
    assert "already prepared" in again.stdout
    assert "--force" not in again.stdout
    file.write_text("\n".join(map(json.dumps, found[4:])))
    complains(
        tempbench("prepare", "timeblind", "--source", release, "--force"), "no instance is whole, 1 are"
    )


def _same(found, name):
    return [*found[:4], *({**one, name: found[4][name]} for one in found[4:])]


def test_without_a_video_nothing_is_left(release, tmp_path):
    shutil.rmtree(release / "TimeBlind/videos")
    done = tempbench("prepare", "timeblind", "--source", release)
    complains(done, "4 are left out: vid_00000_0.mp4 (the video is missing), ", " and 1 more")
    assert not (tmp_path / "home/timeblind").exists()


RECORD = {
    "index": 8, "video_path": "TimeBlind/videos/mcq_1.mp4", "answer": "B", "type": "multiple_choice",
    "question": "What happens? Option A: It opens. Option B: It shuts.",
}  # fmt: skip


def test_options_are_read_from_the_question():
    found = rows.row(RECORD)
    assert found["options"] == ["It opens.", "It shuts."]
    assert (found["answer"], found["choices"], found["pair_id"]) == ("B", ["A", "B"], "2")
    assert rows.row({**RECORD, "question": "Which?"})["options"] == ["Option A", "Option B"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("index", "8", "question 8: no index '8'"),
        ("index", True, "no index True"),
        ("question", " ", "question 8: a field is missing or no text"),
        ("video_path", None, "question 8: a field is missing or no text"),
        ("type", "open", "no index 8 of type 'open'"),
        ("answer", "yes", "no index 8 of type 'multiple_choice' with answer 'yes'"),
    ],
)
def test_a_record_of_another_form_is_refused(field, value, said):
    with pytest.raises(TempbenchError, match=said):
        rows.row({**RECORD, field: value})
