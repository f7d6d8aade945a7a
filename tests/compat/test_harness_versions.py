"""The oldest harness that is declared gives the numbers of the installed one."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tempbench_lmms.harness import evaluation, plugin
from tempbench_lmms.harness.adapter import reply_of

pytestmark = pytest.mark.harness

OLDEST = ".".join(map(str, plugin.MINIMUM))
GOLDEN = Path(__file__).with_name("headline.json")
LIMIT = 8
HEADLINE = {
    "statements": ("mt", "gt", "mt_given_gt_failed", "parse_rate", "n_main", "n_grounding", "n_failed"),
    "video": ("acc", "miou", "r1_at_30", "acc_at_iou_50", "parse_rate", "miou_official", "n_failed"),
}
TASKS = {"statements": "tempvs_mt1_two_mini", "video": "rextime_mini"}


@pytest.fixture(scope="session")
def oldest(tmp_path_factory):
    """A folder with the oldest harness: $TEMPBENCH_OLD_HARNESS, or what pip has of it."""
    if given := os.environ.get("TEMPBENCH_OLD_HARNESS"):
        return given
    folder = tmp_path_factory.mktemp("harness")
    words = ("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder))
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, f"lmms-eval=={OLDEST}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        pytest.skip(f"lmms-eval {OLDEST} is not to be had: {done.stderr.strip()[-300:]}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(folder / "unpacked")
    return str(folder / "unpacked")


def metrics(run):
    """Returns all that was measured, by task, without what `details` says of the installed versions."""
    found = {name: dict(run.results["results"][task]) for name, task in TASKS.items()}
    return {
        name: values | {"details,none": dict(values["details,none"], run=None)}
        for name, values in found.items()
    }


def replies(run):
    """Returns the logged replies; 0.6.1 logs each in a list of its own."""
    return {
        name: [reply_of([row["filtered_resps"]]) for row in run.logged(task)] for name, task in TASKS.items()
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory, run_harness):
    folder = tmp_path_factory.mktemp("installed")
    return run_harness(
        "tempbench_chance", TASKS.values(), folder, ["--limit", str(LIMIT)], "media=true,seed=3"
    )


def test_oldest_and_installed_give_equal_numbers(oldest, installed, tmp_path):
    wanted = {"model": "tempbench_chance", "model_args": "media=true,seed=3", "limit": LIMIT}
    wanted["tasks"] = ",".join(TASKS.values())
    found = evaluation.run_in_turn({"chance": wanted}, tmp_path, {"PYTHONPATH": oldest})["chance"]
    assert found.value(TASKS["video"], "details")["run"]["packages"]["lmms-eval"] == OLDEST
    # As text: a number that is not one differs from itself.
    assert json.dumps(metrics(found), sort_keys=True) == json.dumps(metrics(installed), sort_keys=True)
    assert replies(found) == replies(installed)


def test_numbers_are_those_of_every_other_installation(installed, update_goldens):
    """One job has the newest of everything, one every dependency at its declared lower bound."""
    headline = {
        name: {key: values[f"{key},none"] for key in HEADLINE[name]}
        for name, values in metrics(installed).items()
    }
    if update_goldens:
        GOLDEN.write_text(json.dumps(headline, indent=2) + "\n", encoding="utf-8")
    for name, expected in json.loads(GOLDEN.read_text(encoding="utf-8")).items():
        assert headline[name].keys() == expected.keys()
        for key, value in expected.items():
            undefined = isinstance(value, str)
            assert headline[name][key] == (value if undefined else pytest.approx(value, rel=1e-12)), (
                name,
                key,
            )
    assert all(len(found) == LIMIT for found in replies(installed).values())


def test_what_needs_a_later_harness_says_so_in_one_line(oldest, tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tempbench_lmms.cli", "run", "--model", "tempbench_oracle"),
            *("--tasks", TASKS["statements"], "--output", str(tmp_path / "run")),
        ],
        env=os.environ | {"PYTHONPATH": oldest},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    needed = ".".join(map(str, plugin.MINIMUM_TO_KEEP_ANSWERS))
    (line,) = [line for line in done.stderr.splitlines() if "needs lmms-eval" in line]
    assert line == (
        f"tempbench: `tempbench run` needs lmms-eval {needed} or later, and {OLDEST} is installed; "
        "run `pip install --upgrade lmms-eval`"
    )
    assert done.stderr.splitlines()[-1] == line
