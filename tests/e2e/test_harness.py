"""The real harness on the bundled sample, with respondents whose scores are known."""

import json
import subprocess
import sys

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.variants import task_dir
from tests.respondents import evaluate, tiny_args

pytestmark = pytest.mark.harness

ODD = "tempvs_mt1_two_mini"  # 223 documents
LEAVES = (ODD, "tempvs_mt2_event_mini", "tempvs_mt3_caption_mini")
# An odd number, which two processes cannot share equally; test_distribution.py lets them share all questions.
FEW = 31
LIMIT = ["--limit", str(FEW)]


def metrics(run, task):
    """Returns a task's metrics, without the harness's own errors of our errors."""
    return {
        name: value
        for name, value in run.results["results"][task].items()
        if "stderr_" not in name and name != "alias"
    }


@pytest.fixture(scope="module")
def known(harness):
    """All respondents on one leaf of each kind and the suite, in one process, by the Python interface."""
    wanted = [
        ("oracle", "oracle", ["tempvs_mini", "tempvs_mt1_two_blind_mini", *LEAVES], {}),
        ("constant", "constant", list(LEAVES), {}),
        ("failing", "failing", [ODD], {"limit": FEW}),
    ]
    return evaluate(harness, wanted)


def test_oracle_gets_everything(known):
    for task, values in known["oracle"].items():
        shares = {
            name: value
            for name, value in values.items()
            if name.endswith(("mt,none", "gt,none", "gt_strict,none", "parse_rate,none", "_official,none"))
            and not name.endswith("n_official,none")
        }
        assert shares
        assert set(shares.values()) == {1.0}, (task, shares)
    suite = known["oracle"]["tempvs_mini"]
    assert suite["mt2_event_mt_given_gt_failed,none"] == "-"
    assert suite["mt1_two_n_main,none"] == 120
    assert suite["mt1_two_mt_stderr,none"] == 0
    assert set(suite["details,none"]) >= {"mt1_two", "mt3_caption"}


def test_constant(known):
    assert known["constant"][ODD]["mt,none"] == 0.5
    assert known["constant"]["tempvs_mt2_event_mini"]["mt,none"] == 0.2
    assert known["constant"]["tempvs_mt3_caption_mini"]["mt,none"] == 0.2
    assert known["constant"][ODD]["parse_rate,none"] == 1


def test_nothing_answered(known):
    values = known["failing"][ODD]
    assert (values["mt,none"], values["parse_rate,none"], values["mt_given_gt_strict,none"]) == (0, 0, "-")
    assert values["n_failed,none"] == values["n_main,none"] + values["n_grounding,none"] == FEW


@pytest.fixture(scope="module")
def one(tmp_path_factory, run_harness):
    return run_harness("tempbench_chance", LEAVES, tmp_path_factory.mktemp("one"), LIMIT, "seed=3")


def test_simple_and_chat_models_are_scored_alike(one, tmp_path, run_harness):
    simple = run_harness(
        "tempbench_chance", [ODD], tmp_path, [*LIMIT, "--force_simple"], model_args="seed=3,media=true"
    )
    assert metrics(simple, ODD) == metrics(one, ODD)


def test_the_harness_finds_the_tasks(tmp_path):
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "lmms_eval",
                "--model",
                "tempbench_oracle",
                "--tasks",
                ODD,
                "--limit",
                "7",
                "--offset",
                "3",
            ),
            *("--output_path", str(tmp_path), "--log_samples"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "|mt_given_gt_strict" in done.stdout
    results = json.loads(next(tmp_path.rglob("*_results.json")).read_text())["results"][ODD]
    # Documents 3 to 9: the first story's last statements without their groundings, which come before
    # them, and then a second story's groundings.
    assert results["n_main,none"] + results["n_grounding,none"] == 7
    assert results["n_cut,none"] > 0
    assert results["mt,none"] == 1


def test_a_real_architecture(tiny_vlm, tmp_path, run_harness):
    """Qwen2.5-VL through the harness's own runner: the strip, and the images one by one."""
    tasks = [ODD, "tempvs_mt3_event_separate_mini"]
    arguments = ["--limit", "6", "--gen_kwargs", "max_new_tokens=4"]
    done = run_harness("qwen2_5_vl", tasks, tmp_path, arguments, tiny_args(tiny_vlm))
    for task in tasks:
        assert done.value(task, "n_grounding") + done.value(task, "n_main") == 6
        assert 0 <= done.value(task, "parse_rate") <= 1
        # It answers nonsense, but to what it is shown: not the same to every question.
        assert len({row["filtered_resps"] for row in done.logged(task)}) > 1


def test_data_that_is_not_prepared_names_the_command(tmp_path, run_harness):
    with pytest.raises(TempbenchError) as caught:
        run_harness(
            "tempbench_oracle", ["tempvs"], tmp_path, environment={"TEMPBENCH_DATA": str(tmp_path / "none")}
        )
    assert "tempbench prepare tempvs" in (tmp_path / "harness.log").read_text()
    assert "wrote no results" in str(caught.value)


def test_include_path_works_without_the_entry_point(harness):
    own = str(task_dir() / "tempvs")
    assert "tempvs_mini" not in harness.TaskManager(include_defaults=False).task_index
    assert "tempvs_mini" in harness.TaskManager(include_defaults=False, include_path=own).task_index
