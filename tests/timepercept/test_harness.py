"""The tasks in the real harness, on the bundled sample and on data prepared from real pictures."""

import itertools
import json

import numpy as np
import pytest
from PIL import Image

from tempbench_lmms.timepercept.card import CONTROLS, RANKINGS, TESTS
from tests.respondents import tiny_args

pytestmark = pytest.mark.harness
CONTROL_TASKS = [f"timepercept_{test}_mini" for test in CONTROLS]


def test_oracle_is_right_throughout(tmp_path, run_harness):
    tasks = ["timepercept_mini", "timepercept_suite_mini", "timepercept_isr_cot_mini", *CONTROL_TASKS]
    run = run_harness("tempbench_oracle", tasks, tmp_path, model_args="media=true")
    for test in (*TESTS, *CONTROLS):
        task = f"timepercept_{test}_mini"
        assert run.value(task, "parse_rate") == 1
        if test in RANKINGS:
            # No negative pair: the ratio is undefined, the log-odds are not.
            assert run.value(task, "pnr") == "-"
            assert run.value(task, "exact") == run.value(task, "pair_accuracy") == 1
            assert run.value(task, "log_odds") > 4
        else:
            assert run.value(task, "accuracy") == 1
    for metric in ("tou_average", "tiu_average", "category_average", "parse_rate"):
        assert run.value("timepercept_suite_mini", metric) == 1
    assert run.value("timepercept_suite_mini", "n") == 360
    assert run.results["group_subtasks"]["timepercept_mini"] == [
        "timepercept_tou_mini",
        "timepercept_tiu_mini",
    ]


def four_places(source, folder):
    """Cuts a series of rasters into four places, and writes their manifest."""
    with np.load(source / "ndvi_series.npz") as arrays:
        cloud = next(one for one in arrays.values() if one.dtype == bool)
        index = next(np.nan_to_num(one) for one in arrays.values() if one.dtype != bool)
    grey = (np.clip((index - index.min()) / np.ptp(index), 0, 1) * 255).astype(np.uint8)
    groups = []
    for place, half in enumerate(itertools.product((0, 1), (0, 1))):
        corners = zip(half, (side // 2 for side in grey.shape[1:]), strict=True)
        tile = (slice(None), *(slice(which * side, (which + 1) * side) for which, side in corners))
        (folder / str(place)).mkdir(parents=True)
        images = []
        times = json.loads((source / "timestamps.json").read_text())
        for number, (time, picture, clouds) in enumerate(zip(times, grey[tile], cloud[tile], strict=True)):
            Image.fromarray(picture).save(folder / f"{place}/{number}.png")
            share = round(100 * float(clouds.mean()), 2)
            images.append({"path": f"{place}/{number}.png", "timestamp": str(time), "cloud_cover": share})
        groups.append(json.dumps({"group_id": str(place), "images": images}))
    (folder / "manifest.jsonl").write_text("\n".join(groups))


def test_real_pictures_through_the_tiny_model(shared, tiny_vlm, tmp_path, monkeypatch, run_harness):
    from hf_datasets.timepercept import prepare
    from tempbench_lmms.cli.show import as_text, seen
    from tempbench_lmms.timepercept.checks import problems

    source = shared / "real" / "sentinel2"
    four_places(source, tmp_path / "s2")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    settings = prepare.Settings(test=10, train=0, test_share=1.0, size=64)
    root = tmp_path / "data" / "timepercept"
    prepare.prepare_series(root, tmp_path / "s2" / "manifest.jsonl", None, settings, False, print)
    part = json.loads((root / "manifest.json").read_text())["parts"]["series"]
    assert {test: part["rows"][test] for test in TESTS} == dict.fromkeys(TESTS, 10)
    # Four tiles of 68 dates; what the mask covers by more than a tenth is left out.
    assert part["skipped"]["cloud cover"]["count"] == 130
    assert list(problems(root)) == []
    for test in TESTS:
        view = seen(f"timepercept_{test}", 0)
        assert as_text(view).count("[picture, 64x64]") == len(
            [part for part in view.content if not isinstance(part, str)]
        )
    run = run_harness(
        "qwen2_5_vl",
        ["timepercept"],
        tmp_path / "logs",
        ["--limit", "1", "--gen_kwargs", "max_new_tokens=4"],
        tiny_args(tiny_vlm),
        environment={"TEMPBENCH_DATA": str(tmp_path / "data")},
    )
    for test in TESTS:
        assert run.value(f"timepercept_{test}", "n") == 1
        assert run.value(f"timepercept_{test}", "n_failed") == 0
