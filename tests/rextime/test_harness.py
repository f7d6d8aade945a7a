"""ReXTime through the real harness."""

import json
import math
import os
import re
import shutil

import pytest

from hf_datasets.rextime.prepare import prepare
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import integrity, sandbox
from tempbench_lmms.rextime import official
from tests.respondents import tiny_args

pytestmark = pytest.mark.harness

TASKS = ["rextime_mini", "rextime_vqa_mini", "rextime_moment_mini", "rextime_blind_mini"]


def test_oracle_is_perfect_and_no_score_is_of_the_test_split(tmp_path, run_harness):
    done = run_harness(
        "tempbench_oracle",
        [*TASKS, "rextime_frames_mini", "rextime_test_mini"],
        tmp_path,
        model_args="media=true",
    )
    for task in TASKS:
        for metric in ("acc", "miou", "acc_at_iou_70"):
            if f"{metric},none" in done.results["results"][task]:
                assert done.value(task, metric) == 1.0, (task, metric)
    assert done.value("rextime_frames_mini", "acc_at_iou_50") == 1.0
    assert done.value("rextime_mini", "miou_official") == 100.0
    assert done.value("rextime_mini", "n_questions") == 30
    printed = done.results["results"]["rextime_test_mini"]
    assert not [name for name in printed if name.startswith(("acc", "miou", "vqa", "r1", "score"))]
    assert done.value("rextime_test_mini", "n_questions") == 6


@pytest.fixture(scope="module", params=[12, pytest.param(1, marks=pytest.mark.exhaustive)])
def validation(request, shared, tmp_path_factory, write_video):
    """Every so many of the 921 real questions, each video stood in for by a grey one of about its length.

    Videos of nearly the same length are one file, which is looked at once, here and not in a process apart.

    Returns:
        The folder, and the questions' records.
    """
    home = tmp_path_factory.mktemp("validation")
    source = shared / "real" / "rextime"
    lengths = {}
    records = []
    for line in (source / "rextime_val.jsonl").read_text().splitlines()[:: request.param]:
        record = json.loads(line)
        lengths[record["vid"]] = record["duration"]
        # The scorer's file has no option texts, without which no task asks for one.
        records.append(record | {"options": ["one", "two", "three", "four"]})
    source = home / "annotations"
    source.mkdir()
    (source / "rextime_val.jsonl").write_text("\n".join(map(json.dumps, records)))
    folders = {"activitynet": home / "anet", "qvhighlights": home / "qvh"}
    for vid, length in lengths.items():
        folder = folders["activitynet" if len(vid) == 13 else "qvhighlights"]
        near = 1.02 ** round(math.log(length, 1.02))
        stand_in = home / f"{near}.mp4"
        if not stand_in.exists():
            write_video(stand_in, duration=near, n=4)
        folder.mkdir(exist_ok=True)
        os.link(stand_in, folder / f"{vid}.mp4")
    facts = {}

    def look(paths, thorough):
        for path in paths:
            file = path.stat().st_ino
            facts[file] = facts.get(file) or integrity.check_video(path, thorough)
            yield facts[file]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "check_videos", look)
        patch.setenv("TEMPBENCH_DATA", str(home / "data"))
        assert prepare(source, folders, splits=["validation"])["rows"] == {"validation": len(records)}
    assert request.param > 1 or (len(records), len(lengths)) == (921, 696)
    return home, records


def test_whole_video_on_validation(validation, tmp_path, run_harness):
    """As the official scorer has it, which gives what the notes say of the whole split (test_scoring.py)."""
    home, records = validation
    done = run_harness(
        "tempbench_constant",
        ["rextime"],
        tmp_path,
        model_args="media=true",
        environment={"TEMPBENCH_DATA": str(home / "data")},
    )
    said = [
        {"qid": one["qid"], "pred_relevant_windows": [[0, one["duration"]]], "ans": "A"} for one in records
    ]
    brief = official.score(said, records)["brief"]
    assert done.value("rextime", "n_questions") == len(records)
    assert done.value("rextime", "miou_official") == brief["MR-full-mIoU"]
    assert done.value("rextime", "r1_at_30_official") == brief["MR-full-R1@0.3"]
    assert done.value("rextime", "r1_at_50_official") == brief["MR-full-R1@0.5"]
    assert done.value("rextime", "acc") == pytest.approx(brief["VQA"], abs=1e-7)
    assert done.value("rextime", "acc_at_iou_50") == pytest.approx(brief["VQA,mIoU@0.5"], abs=1e-7)


def test_missing_video_stops_the_run_before_the_model(validation, tmp_path, run_harness):
    home, _ = validation
    lost = next((home / "data/rextime/media/activitynet").iterdir())
    away = shutil.move(lost, tmp_path / lost.name)
    try:
        environment = {"TEMPBENCH_DATA": str(home / "data")}
        with pytest.raises(TempbenchError, match=rf"{re.escape(lost.name)} is missing"):
            run_harness("no_such_model", ["rextime"], tmp_path / "stop", environment=environment)
        assert "Traceback" not in (tmp_path / "stop" / "harness.log").read_text()
    finally:
        shutil.move(away, lost)


def test_real_clip_goes_through_a_tiny_model(shared, tmp_path, tiny_vlm, run_harness):
    source = tmp_path / "annotations"
    source.mkdir()
    records = [
        {
            "qid": vid, "vid": vid, "duration": duration, "question": "What happens first?", "span": [0, 5],
            "options": ["a man talks", "a car drives", "a dog barks", "a boat sails"], "ans": "A",
            "category": "sequential", "source": "qvhighlights_val",
        }
        for vid, duration in (("video0", 12.0), ("video9770", 11.0))
    ]  # fmt: skip
    (source / "rextime_val.json").write_text(json.dumps(records))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
        folders = {"qvhighlights": shared / "real" / "msrvtt"}
        assert not prepare(source, folders, splits=["validation"])["skipped"]
    done = run_harness(
        "qwen2_5_vl",
        ["rextime", "rextime_frames"],
        tmp_path / "out",
        ["--gen_kwargs", "max_new_tokens=6"],
        tiny_args(tiny_vlm, "max_num_frames=4"),
        environment={"TEMPBENCH_DATA": str(tmp_path / "data")},
    )
    for task in ("rextime", "rextime_frames"):
        assert done.value(task, "n_questions") == 2
        assert done.value(task, "n_failed") == 0
        assert {sample["record"]["id"] for sample in done.logged(task)} == {"video0", "video9770"}
