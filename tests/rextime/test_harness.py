"""ReXTime through the real harness."""

import json

import pytest

from hf_datasets.rextime.prepare import prepare
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
