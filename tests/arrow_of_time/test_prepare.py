"""Data made of a clone of the official repository, and its result files."""

import json

from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.media.video import Taken, probe, sample_frames
from tests import contract
from tests.command import tempbench


def test_a_clip_is_reversed_frame_by_frame_and_scored(tmp_path):
    options = contract.get("arrow_of_time", "SOURCE")(tmp_path / "source", 0)
    home = str(tmp_path / "home")
    done = tempbench("prepare", "arrow_of_time", *options, TEMPBENCH_DATA=home)
    assert "4 of 424 questions; 1 clips were reversed here" in done.stdout
    root = tmp_path / "home/arrow_of_time"
    assert [row["answer"] for row in read_rows(root / "test")] == ["F", "B"] * 2
    clip, reverse = (root / "media" / name for name in ("00001.mp4", "00001_rev.mp4"))
    frames, turned = (sample_frames(path, Taken(1, "every")).images for path in (clip, reverse))
    assert len(frames) == len(turned) == 25
    assert probe(clip).fps == probe(reverse).fps
    assert [one.tobytes() for one in frames] == [one.tobytes() for one in turned[::-1]]

    said = {"00001": "F", "00001_rev": "The milk gathers. B", "00005": "F", "00005_rev": "F"}
    lines = [
        json.dumps({"video_file_name": f"{name}.mp4", "gt": "?", "generated": one})
        for name, one in said.items()
    ]
    (tmp_path / "official.jsonl").write_text("\n".join(lines))
    words = (
        "score",
        "arrow_of_time",
        "--predictions",
        str(tmp_path / "official.jsonl"),
        "--data",
        options[1],
    )
    done = tempbench(*words, "--json", TEMPBENCH_DATA=home)
    assert done.returncode == 0
    assert '"accuracy": 0.75' in done.stdout


def test_a_clone_without_clips_is_refused(tmp_path):
    for name, content in contract.get("arrow_of_time", "EMPTY_SOURCE").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    done = tempbench(
        "prepare", "arrow_of_time", "--source", str(tmp_path), TEMPBENCH_DATA=str(tmp_path / "home")
    )
    assert done.returncode == 1
    assert "no clip exists in both directions" in done.stderr.splitlines()[-1]
