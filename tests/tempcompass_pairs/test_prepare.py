"""`tempbench prepare tempcompass_pairs` from the forms in which TempCompass is published."""

import json
import shutil
import zipfile

import pytest

from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import read_json, read_rows, write_rows
from tests.command import complains, tempbench
from tests.source_files import write
from tests.tempcompass_pairs.contract import official


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def release(tmp_path):
    return official(tmp_path / "TempCompass")


def prepare(*words):
    return tempbench("prepare", "tempcompass_pairs", *map(str, words))


def rows():
    return read_rows(roots.prepared_root("tempcompass_pairs") / "questions")


def part():
    return read_json(roots.prepared_root("tempcompass_pairs") / "manifest.json")["parts"]["tempcompass"]


def test_the_repository(release, home):
    done = prepare("--source", release)
    assert done.returncode == 0, done.stderr
    found = rows()
    assert len(found) == 12
    assert part()["groups"] == {"multi_choice": 2, "yes_no": 2, "caption_matching": 2}
    first = found[0]
    assert first["question_id"] == "multi_choice/7/direction/0"
    assert (first["detail"], first["answer"], first["group_size"]) == ("object motion", "A", 2)
    # The questions of a group are neighbours.
    assert [row["group"] for row in found] == [
        name for row in found[::2] for name in [row["question_id"]] * 2
    ]
    assert tempbench("verify", "tempcompass_pairs").returncode == 0
    assert "nothing to do" in prepare("--source", release).stdout


def test_the_hub(release, home, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    folder = tmp_path / "hub"
    columns = ("video_id", "question", "answer", "dim")
    for kind in ("multi-choice", "yes_no", "caption_matching"):
        content = json.loads((release / f"questions/{kind}.json").read_text())
        table = [
            {"video_id": clip, "dim": aspect, "question": entry["question"], "answer": entry["answer"]}
            for clip, aspects in content.items()
            for aspect, entries in aspects.items()
            for entry in entries
        ]
        schema = pyarrow.schema([(name, pyarrow.string()) for name in columns])
        write_rows(table, folder / kind / "test-00000-of-00001.parquet", schema)
    with zipfile.ZipFile(folder / "tempcompass_videos.zip", "w") as archive:
        for video in (release / "videos").glob("*.mp4"):
            archive.write(video, f"videos/{video.name}")
    assert prepare("--source", folder).returncode == 0
    from_hub = [{**row, "detail": "object motion"} for row in rows()]
    assert {row["detail"] for row in rows()} == {""}  # the Hub does not say it
    assert prepare("--source", release, "--force").returncode == 0
    assert rows() == from_hub


def test_a_missing_twin_takes_its_group_along(release, home):
    (release / "videos/7_reverse.mp4").unlink()
    done = prepare("--source", release)
    assert done.returncode == 0, done.stderr
    assert "left out, missing: 3" in done.stdout
    assert {row["group"] for row in rows() if row["video_id"] == "7"} == {""}
    assert part()["groups"]["yes_no"] == 1
    done = tempbench("verify", "tempcompass_pairs")
    assert done.stdout.count("\n") == 1
    complains(done, "tempcompass_pairs: 1 problems")
    assert "3 left out when the data was prepared (missing)" in done.stdout


def test_half_a_release_is_neither_ok_nor_published(release, home, by_the_numbers):
    prepare("--source", release)
    done = tempbench("verify", "tempcompass_pairs")
    complains(done, "tempcompass_pairs: 1 problems")
    short = "12 of 5,536 questions (multi_choice 4 of 1,580, yes_no 4 of 2,453, caption_matching 4 of 1,503)"
    assert f"incomplete: {short}; " in done.stdout
    words = ("push", "tempcompass_pairs", "--repo", "org/other", "--private", "--dry-run")
    complains(tempbench(*words), f"incomplete: {short}; ", "data with problems is not published")


def test_a_clip_that_is_its_own_twin_is_left_out_with_it(release, home):
    shutil.copy(release / "videos/7.mp4", release / "videos/7_reverse.mp4")
    assert "left out, one video twice: 6" in prepare("--source", release).stdout
    assert {row["video_id"] for row in rows()} == {"8", "8_reverse"}
    done = tempbench("verify", "tempcompass_pairs")
    assert "7.mp4: the content is that of 7_reverse.mp4" in done.stdout


def test_a_clip_s_name_that_leads_elsewhere_is_left_out(release, home):
    for kind in ("multi-choice", "yes_no", "caption_matching"):
        file = release / f"questions/{kind}.json"
        content = json.loads(file.read_text())
        write(file, {**content, "../7": content["7"]})
    done = prepare("--source", release)
    assert "left out, clip: 3" in done.stdout
    assert len(rows()) == 12
